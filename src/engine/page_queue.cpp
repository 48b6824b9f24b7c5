#include "engine/page_queue.hpp"

#include <optional>
#include <string>
#include <utility>

namespace crawler {

PageQueue::PageQueue(CrawlContext& crawl, int threads) {
  for (int number = 1; number <= threads; ++number) {
    threads_.emplace_back([this, &crawl, number] {
      SetThreadName("parser-" + std::to_string(number));
      ResponseProcessor work(crawl);
      while (std::optional<FetchedUrl> fetched = queue_.Pop()) {
        const std::size_t size = SizeOf(*fetched);
        work.Finish(std::move(*fetched));
        bytes_.fetch_sub(size, std::memory_order_relaxed);
        unfinished_.fetch_sub(1, std::memory_order_release);
        unfinished_.notify_all();
      }
    });
  }
}

PageQueue::~PageQueue() { Drain(); }

void PageQueue::Push(FetchedUrl fetched) {
  bytes_.fetch_add(SizeOf(fetched), std::memory_order_relaxed);
  unfinished_.fetch_add(1, std::memory_order_relaxed);
  queue_.Push(std::move(fetched));
}

void PageQueue::Drain() {
  for (std::size_t left = unfinished_.load(); left != 0; left = unfinished_.load()) {
    unfinished_.wait(left);
  }
  queue_.Close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace crawler
