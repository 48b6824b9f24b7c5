#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "base/queue.hpp"
#include "engine/response_processor.hpp"

namespace crawler {

/// The parse threads, and the queue of responses for them.
/// Push() never waits: a fetch thread looks at the memory that responses take (see
/// CrawlContext::memory) before it leases another URL.
class PageQueue {
 public:
  PageQueue(CrawlContext& crawl, int threads);
  ~PageQueue();

  void Push(FetchedUrl fetched);
  /// Parses the rest of the queue and ends the threads. No thread may push any more.
  void Drain();

 private:
  void Run(CrawlContext& crawl);

  Queue<FetchedUrl> queue_{Queue<FetchedUrl>::kUnbounded};
  std::atomic<std::size_t> unfinished_{0};
  std::vector<std::thread> threads_;
};

}  // namespace crawler
