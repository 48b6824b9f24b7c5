#include "engine/page_queue.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/catch_exceptions.hpp"

namespace crawler {

PageQueue::PageQueue(CrawlContext& crawl, int threads) {
  try {
    threads_.reserve(static_cast<std::size_t>(threads));
    for (int number = 1; number <= threads; ++number) {
      threads_.emplace_back([this, &crawl, number] {
        SetThreadName("parser-" + std::to_string(number));
        Run(crawl);
      });
    }
  } catch (...) {
    Drain();  // There is no object yet that its destructor could end.
    throw;
  }
}

void PageQueue::Run(CrawlContext& crawl) {
  std::unique_ptr<ResponseProcessor> work;
  while (std::optional<FetchedUrl> fetched = queue_.Pop()) {
    Status status = CatchExceptions([&] {
      if (work == nullptr) work = std::make_unique<ResponseProcessor>(crawl);
      work->Finish(std::move(*fetched));
      return Status::Ok();
    });
    // A step that was not finished must not be committed; the crawl ends.
    if (!status.ok()) crawl.writer->Fail(std::move(status));
    unfinished_.fetch_sub(1, std::memory_order_release);
    unfinished_.notify_all();
  }
}

PageQueue::~PageQueue() { Drain(); }

void PageQueue::Push(FetchedUrl fetched) {
  unfinished_.fetch_add(1, std::memory_order_relaxed);
  try {
    queue_.Push(std::move(fetched));
  } catch (...) {
    unfinished_.fetch_sub(1, std::memory_order_release);
    unfinished_.notify_all();
    throw;
  }
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
