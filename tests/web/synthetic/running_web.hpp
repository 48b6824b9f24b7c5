#pragma once

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "web/synthetic/access_log.hpp"
#include "web/synthetic/expectation.hpp"
#include "web/synthetic/server.hpp"

namespace synthetic {

/// A synthetic web that is served by a thread of the test, on a free port, until it is stopped.
class RunningWeb {
 public:
  /// `hosts` are lines of a description. Throws std::runtime_error if one is wrong or nothing can
  /// listen. With a path, the access log is there after Stop().
  explicit RunningWeb(const std::vector<std::string>& hosts, const std::string& log_path = {});
  ~RunningWeb();
  RunningWeb(const RunningWeb&) = delete;
  RunningWeb& operator=(const RunningWeb&) = delete;

  /// The URL of `path` on the host that was described as number `host`, from 0.
  std::string Url(std::size_t host, std::string_view path = "/") const;

  /// The URLs of `fate` that a crawl from the front pages of `options.seeds` (default: the first
  /// host) has, sorted. Throws if the web has no end.
  std::vector<std::string> Expected(Fate fate, ExpectOptions options = {}) const;

  /// Ends the server and completes the log. Idempotent.
  void Stop();

 private:
  Web web_;
  AccessLog log_;
  Server server_;
  std::thread thread_;
};

}  // namespace synthetic
