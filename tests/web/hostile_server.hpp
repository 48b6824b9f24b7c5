#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.hpp"

namespace crawler {

/// One connection to a HostileServer, as its script sees it. All of it ends at once when the
/// server is destroyed, so no script can hang a test.
class HostileConnection {
 public:
  HostileConnection(int fd, SSL* ssl, std::atomic<bool>& stopping);
  ~HostileConnection();
  HostileConnection(const HostileConnection&) = delete;
  HostileConnection& operator=(const HostileConnection&) = delete;

  /// The head of the next request, through its empty line; empty if the client is gone.
  std::string ReadRequest();
  /// False if the client is gone.
  bool Send(std::string_view bytes);
  /// One byte at a time.
  bool Drip(std::string_view bytes, std::chrono::milliseconds pause);
  /// Does nothing until the client is gone.
  void Stall();
  void Sleep(std::chrono::milliseconds time);
  /// Ends the connection with a TCP reset instead of an orderly close.
  void Reset();
  /// Ends a TLS connection without saying so (no close_notify).
  void DropTls() { quiet_ = true; }
  bool gone() const { return gone_ || stopping_; }
  /// Which connection to the server this is, from 1.
  int number = 0;
  /// Told of every request head.
  std::function<void(const std::string&)> on_request;

 private:
  bool WaitFor(short events, std::chrono::milliseconds longest);

  const int fd_;
  SSL* const ssl_;
  std::atomic<bool>& stopping_;
  std::string buffered_;
  bool gone_ = false;
  bool reset_ = false;
  bool quiet_ = false;
};

/// A server on loopback that does what its script says, down to the byte: for what no real server
/// would do. Every connection runs the script on a thread of its own.
class HostileServer {
 public:
  using Script = std::function<void(HostileConnection&)>;

  struct Options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;       ///< 0: any free one.
    std::string certificate_pem;  ///< With `key_pem`: speaks TLS. Further certificates follow.
    std::string key_pem;
    std::function<void(SSL_CTX*)> tune_tls;
    bool accept = true;  ///< Off: connections wait in the backlog, or do not even.
    int backlog = 1024;
    bool handshake = true;  ///< Off: the script gets the bare socket of a TLS server.
  };

  explicit HostileServer(Script script);
  HostileServer(Script script, Options options);
  ~HostileServer();
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// "http://127.0.0.1:port" (or https) and `path`.
  std::string Url(std::string_view path = "/") const;
  /// The same with a host name.
  std::string UrlFor(std::string_view host, std::string_view path = "/") const;
  int connections() const { return connections_; }
  /// The request heads received so far.
  std::vector<std::string> requests();

  /// Answers one request with `reply` and closes.
  static Script Reply(std::string reply);
  /// Answers requests on one connection with `replies` in turn, then closes.
  static Script Replies(std::vector<std::string> replies);
  /// Answers every request on a connection with `reply`, after a `pause`.
  static Script Always(std::string reply,
                       std::chrono::milliseconds pause = std::chrono::milliseconds(0));

 private:
  void Accept();
  void Serve(int fd, int number);

  const Script script_;
  const Options options_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls_{nullptr, &SSL_CTX_free};
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::thread acceptor_;
  Mutex mutex_;
  std::list<std::thread> workers_ CRAWLER_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ CRAWLER_GUARDED_BY(mutex_);
};

/// "HTTP/1.1 200 OK", a Content-Type of text/html, a Content-Length, `extra` header lines (each
/// with its CRLF) and `body`.
std::string OkResponse(std::string_view body, std::string_view extra = "");

}  // namespace crawler
