#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "base/queue.hpp"
#include "engine/response_processor.hpp"

namespace crawler {

/// The parse threads, and what fetch threads have handed over to them.
/// Push() never waits: whoever fetches looks at bytes() before it leases another URL.
class PageQueue {
 public:
  PageQueue(CrawlContext& crawl, int threads);
  ~PageQueue();

  void Push(FetchedUrl fetched);
  /// Of bodies that wait or are being parsed.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  /// Parses what is left and ends the threads. Nobody may push any more.
  void Drain();

 private:
  static std::size_t SizeOf(const FetchedUrl& fetched) {
    return sizeof fetched + fetched.result.raw_body.size() + fetched.result.decoded_body.size();
  }

  Queue<FetchedUrl> queue_{Queue<FetchedUrl>::kUnbounded};
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> unfinished_{0};
  std::vector<std::thread> threads_;
};

}  // namespace crawler
