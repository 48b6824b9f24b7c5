/// The service: health, metrics, an API in JSON and a web page for crawls. docs/service.md
/// describes it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/crawler.h"
#include "crawler/crawler.hpp"
#include "crawler/options.hpp"

namespace crawler {

struct ServeOptions {
  /// IP address to listen at. Others than loopback addresses need a token.
  std::string address = "127.0.0.1";
  int port = 8400;  ///< 0: any free one.
  /// Needed for every request but those for the page and /health, if it is not empty.
  std::string token;
  std::vector<std::string> folders;  ///< Crawls to show.
  /// Crawls in the folders directly below this one are shown; the service can start, resume, repeat
  /// and retry them. Empty: none.
  std::string root;
  /// Options of crawls that are started below `root`; requests may change some of them.
  CrawlOptions defaults;
  int parallel = 1;  ///< Crawls that run at a time; others wait.
  /// Log lines of crawls that the service runs, with the name of the crawl.
  std::function<void(std::string_view line)> on_log;
};

/// "[ADDR:]PORT" into `options`, e.g. "8400", "0.0.0.0:80", "[::1]:8400". Returns what is wrong
/// with it; empty if nothing is.
CRAWLER_EXPORT std::string ParseServeAddress(std::string_view text, ServeOptions* options);

/// Serves crawls over HTTP. It has threads of its own, at a lower priority than those of crawls.
/// Threads: one at a time.
class CRAWLER_EXPORT CrawlServer {
 public:
  explicit CrawlServer(ServeOptions options);
  /// Stops.
  ~CrawlServer();
  CrawlServer(const CrawlServer&) = delete;
  CrawlServer& operator=(const CrawlServer&) = delete;

  /// Begins to listen. Returns why that is not possible; empty if it is.
  std::string Start();
  /// Ends the crawls that it runs, everything committed, and all requests.
  void Stop();
  /// "http://127.0.0.1:8400/"; known after Start().
  std::string url() const;

  /// `callbacks` for a crawl in `folder`, with its pages and log lines shown to clients as well.
  CrawlCallbacks Observe(const std::string& folder, CrawlCallbacks callbacks);
  /// Shows `crawl`, which runs in `folder`, and lets clients control it until Detach(), which must
  /// come before the end of its life.
  void Attach(const std::string& folder, Crawl& crawl);
  void Detach(const std::string& folder);
  /// Whether a client has asked to try given-up URLs again; the request is over then.
  std::optional<RetrySelection> TakeRetry(const std::string& folder);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace crawler
