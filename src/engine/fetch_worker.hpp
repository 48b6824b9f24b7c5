#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/status.hpp"
#include "engine/crawl_context.hpp"
#include "engine/page_queue.hpp"
#include "engine/response_processor.hpp"
#include "fetch/fetcher.hpp"
#include "store/url_reader.hpp"

namespace crawler {

/// One fetch thread: leases URLs, fetches thousands of them at a time, and parses what comes, or
/// hands it to the parse threads if there are any.
///
/// It ends when the frontier is finished, or when the crawl stops and nothing is under way.
/// Ownership: borrows the context and the queue, which must outlive it.
/// Threads: Start(), Wakeup() and Join() from the thread that made it; Wakeup() from any.
class FetchWorker {
 public:
  /// `share` requests at a time. `queue` may be null: then this thread parses.
  static Result<std::unique_ptr<FetchWorker>> Create(CrawlContext& crawl, PageQueue* queue,
                                                     std::size_t share);
  ~FetchWorker();

  void Start(int number);
  void Join();
  /// Does the work of the thread on the calling one, until its end. Instead of Start().
  void Run();
  /// Makes it look for work if it waits for some.
  void Wakeup();

 private:
  FetchWorker(CrawlContext& crawl, PageQueue* queue, std::size_t share,
              std::unique_ptr<Fetcher> fetcher);

  bool Over();
  void LeaseWork();
  void Begin(const Frontier::Lease& lease);
  void BeginRobotsCheck(const Frontier::Lease& lease, UrlRow url);
  void BeginUrl(const Frontier::Lease& lease, UrlRow url, std::optional<StoredPage> known);
  void GiveBack(const Frontier::Lease& lease, const Status& why);
  void HandOver(FetchedUrl fetched);
  Duration TimeToWait();

  CrawlContext& crawl_;
  PageQueue* const queue_;
  const std::size_t share_;
  const std::unique_ptr<Fetcher> fetcher_;
  ResponseProcessor work_;
  UrlReader urls_;
  std::vector<Frontier::Lease> leases_;
  std::vector<Frontier::GivenUp> given_up_;
  std::atomic<bool> idle_{false};
  bool cancelled_ = false;
  TimePoint stop_deadline_ = TimePoint::max();
  std::thread thread_;
};

}  // namespace crawler
