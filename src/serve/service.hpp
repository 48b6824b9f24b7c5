#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.hpp"
#include "base/status.hpp"
#include "crawler/serve.hpp"
#include "serve/crawl_directory.hpp"
#include "serve/crawl_runner.hpp"
#include "serve/http_server.hpp"
#include "serve/request_guard.hpp"
#include "serve/work_slots.hpp"

namespace crawler {

/// The service: HTTP in front of one or more crawls.
///
/// Its own threads answer requests and sample the crawls once a second. Requests read samples and
/// snapshots of catalogues; only the control of a crawl touches the crawl itself.
/// Threads: Start() and Stop() by the owner, everything else by any thread.
class CrawlService {
 public:
  explicit CrawlService(ServeOptions options);
  ~CrawlService();

  Status Start();
  /// Ends crawls that it runs, requests and threads. Idempotent.
  void Stop();
  /// "http://127.0.0.1:8400/"
  std::string url() const;

  HttpResponse Answer(const HttpRequest& request);

  // For handlers:
  CrawlDirectory& crawls() { return crawls_; }
  CrawlRunner& runner() { return runner_; }
  /// Queries that may read a whole catalogue.
  WorkSlots& queries() { return queries_; }
  /// Clients that follow events, or take an export.
  WorkSlots& streams() { return streams_; }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  std::function<bool()> stopped() const {
    return [this] { return stopping(); };
  }

 private:
  void SampleAll();

  const ServeOptions options_;
  CrawlDirectory crawls_;
  CrawlRunner runner_;
  WorkSlots queries_{3};
  WorkSlots streams_{12};
  std::atomic<bool> stopping_{false};
  std::unique_ptr<RequestGuard> guard_;  // Made when the port is known.
  std::atomic<bool> guard_ready_{false};
  std::unique_ptr<HttpServer> http_;
  Mutex mutex_;
  CondVar stop_;
  std::thread sampler_;
};

}  // namespace crawler
