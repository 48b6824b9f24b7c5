#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status.hpp"
#include "serve/http_message.hpp"

namespace crawler {

/// The bounds of the server: no client can take more than this, however many there are.
struct HttpLimits {
  std::size_t workers = 24;               ///< Requests at a time.
  std::size_t queue = 128;                ///< Connections that wait for a worker; more get 503.
  std::size_t head = 16 << 10;            ///< Bytes of request line and headers.
  std::size_t body = 1 << 20;             ///< Bytes of a body.
  std::size_t requests = 1'000;           ///< Per connection.
  std::chrono::seconds request_time{10};  ///< For a request to come, from its first byte.
  std::chrono::seconds idle_time{30};     ///< Between two requests; less while others wait.
  std::chrono::seconds write_time{10};    ///< For the client to take a piece of the response.
};

/// HTTP/1.1 by cpp-httplib, with connections, threads and limits of our own: httplib's limit of
/// time is per read, and it has no bound for headers and waiting connections.
///
/// Worker threads run at a lower priority than the crawl's.
/// Threads: Listen() and Stop() by the owner; handlers are called by several threads at a time.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  /// Called when the head of a request has come, before its body: a response refuses it.
  using Check = std::function<std::optional<HttpResponse>(const HttpRequest&)>;

  HttpServer(Check check, Handler handler, const HttpLimits& limits = {});
  ~HttpServer();

  /// Listens at an IP address. Port 0 takes a free one. kInvalidArgument for an address that is
  /// none, kIoError if it cannot be listened at.
  Status Listen(const std::string& address, int port);
  int port() const;
  /// Ends within a second: requests under way are cut off, streams included. Idempotent.
  void Stop();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace crawler
