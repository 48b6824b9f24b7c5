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

/// One fetch thread: leases URLs, fetches thousands of them at a time, and processes the responses,
/// or hands them to the parse threads if there are any.
///
/// The thread ends when the frontier is finished, or when the crawl stops and nothing is under way.
/// Ownership: borrows the context and the queue, which must outlive it.
/// Threads: Start() and Join() from the thread that made it; Wakeup() from any thread.
class FetchWorker {
 public:
  /// The part of the crawl that a thread does.
  struct Share {
    std::size_t requests = 1;               ///< At a time.
    TimePoint deadline = TimePoint::max();  ///< When the time budget is spent.
  };
  /// `queue` may be null: then this thread parses.
  static Result<std::unique_ptr<FetchWorker>> Create(CrawlContext& crawl, PageQueue* queue,
                                                     const Share& share);
  ~FetchWorker();

  /// `number`: from 1, different for each worker.
  void Start(int number);
  void Join();
  /// Runs on the calling thread until the end, instead of Start().
  void Run();
  /// Wakes the thread if it waits for work.
  void Wakeup();

 private:
  FetchWorker(CrawlContext& crawl, PageQueue* queue, const Share& share,
              std::unique_ptr<Fetcher> fetcher);

  bool Over();
  void LeaseWork();
  void Begin(Frontier::Lease lease);
  void BeginRobotsCheck(Frontier::Lease lease);
  void BeginUrl(Frontier::Lease lease, std::optional<StoredPage> known);
  std::shared_ptr<const RobotsRecord> RulesOf(const Frontier::Lease& lease, const Url& url);
  RobotsRecord ToRecord(const RobotsRow& row, std::int64_t now) const;
  void GiveBack(const Frontier::Lease& lease);
  void StorageFailed(const Status& why);
  void HandOver(FetchedUrl fetched);
  Duration TimeToWait();

  CrawlContext& crawl_;
  PageQueue* const queue_;
  const Share share_;
  std::uint16_t number_ = 0;
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
