#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "crawler/options.hpp"
#include "serve/served_crawl.hpp"

namespace crawler {

/// Runs crawls in this process: some at a time, the others wait for their turn in order.
/// Threads: safe from any thread.
class CrawlRunner {
 public:
  struct Job {
    enum class Kind { kNew, kResume, kRetry, kRecrawl };
    std::shared_ptr<ServedCrawl> crawl;
    Kind kind = Kind::kResume;
    CrawlOptions options;      ///< Of kNew.
    RetrySelection selection;  ///< Of kRetry.
  };

  /// `parallel` crawls at a time; 0: none can be started. New crawls begin with `defaults`.
  CrawlRunner(int parallel, std::function<void(std::string_view)> on_log, CrawlOptions defaults);
  ~CrawlRunner();

  /// kCancelled if the crawl runs or waits already, or the service ends.
  Status Start(Job job) CRAWLER_EXCLUDES(mutex_);
  /// Takes a waiting crawl out of the queue. False if it does not wait.
  bool Unqueue(const ServedCrawl& crawl) CRAWLER_EXCLUDES(mutex_);
  const CrawlOptions& defaults() const { return defaults_; }
  bool can_start() const { return can_start_; }
  /// Whether the crawl waits for its turn.
  bool IsQueued(const ServedCrawl& crawl) const CRAWLER_EXCLUDES(mutex_);
  /// Why its last run here failed; empty if it did not.
  std::string LastError(const ServedCrawl& crawl) const CRAWLER_EXCLUDES(mutex_);
  /// Stops all and waits for their end. Nothing can be started any more. Idempotent.
  void StopAll() CRAWLER_EXCLUDES(mutex_);

 private:
  void Work() CRAWLER_EXCLUDES(mutex_);
  /// False if the service ends.
  bool Begin(const Job& job, WebCrawl* crawl) CRAWLER_EXCLUDES(mutex_);
  void Run(Job& job) CRAWLER_EXCLUDES(mutex_);

  const std::function<void(std::string_view)> on_log_;
  const CrawlOptions defaults_;
  const bool can_start_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ CRAWLER_GUARDED_BY(mutex_) = false;
  std::deque<Job> queue_ CRAWLER_GUARDED_BY(mutex_);
  std::map<const ServedCrawl*, WebCrawl*> running_ CRAWLER_GUARDED_BY(mutex_);
  std::map<std::string, std::string> errors_ CRAWLER_GUARDED_BY(mutex_);  // By folder.
  std::vector<std::thread> threads_;
};

}  // namespace crawler
