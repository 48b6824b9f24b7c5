#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "engine/crawl_context.hpp"
#include "engine/crawl_folder.hpp"
#include "engine/crawl_meters.hpp"
#include "engine/crawl_phases.hpp"
#include "engine/fetch_worker.hpp"
#include "engine/restore.hpp"
#include "engine/visit_tally.hpp"
#include "store/requeue.hpp"

namespace crawler {

/// A whole crawl. Its phases, after a stored crawl was restored, are discovery (seeds; robots.txt
/// and sitemaps come before the pages of their hosts), expansion (fetch, parse, offer, write, until
/// the frontier is finished), indexing (weights of terms and pages) and completion (indexes, CDXJ,
/// everything closed).
///
/// The end is provable: fetch threads end only when the frontier is finished; the frontier is
/// finished only when no URL waits or is leased; a lease ends only after its links were offered;
/// and the commit writer is closed, with everything committed, after the last thread that pushes to
/// it. A repeated crawl (Recrawl()) does the same from the seeds on, and keeps its ids and pages.
/// When no URL is left, it fetches the stored pages that no link has led to. Life: construct,
/// Run(), Resume(), Retry() or Recrawl() once, destroy. Threads: all other functions from any
/// thread.
class WebCrawl {
 public:
  WebCrawl(CrawlOptions options, CrawlCallbacks callbacks, CrawlEnvironment environment = {});
  ~WebCrawl();

  CrawlResult Check();
  CrawlResult Run();
  CrawlResult Resume(const std::function<void(CrawlOptions&)>& changes);
  CrawlResult Retry(const RetrySelection& selection,
                    const std::function<void(CrawlOptions&)>& changes);
  CrawlResult Recrawl(const std::function<void(CrawlOptions&)>& changes);
  void Stop();
  void StopNow();
  /// Leases nothing until Continue(); requests under way end. The budget of time goes on.
  void Pause() { crawl_.paused.store(true); }
  void Continue() { crawl_.paused.store(false); }
  /// Offers more seeds to the running crawl; returns how many of them wait now. kNotReady before it
  /// has begun and once it ends; kInvalidArgument, naming it, for a seed that is no URL or that the
  /// scope leaves out.
  Result<std::size_t> AddSeeds(std::vector<std::string> seeds) CRAWLER_EXCLUDES(seeds_mutex_);

  CrawlStatistics statistics() const CRAWLER_EXCLUDES(mutex_);
  CrawlActivity activity() const;
  /// The hosts that hold the crawl up, those due last first. As expensive as activity().
  std::vector<HostHoldup> holdups(std::size_t most) const;
  /// Responses by status code so far, earlier runs included.
  std::vector<CrawlBreakdown::Code> codes() const { return tally_.Codes(); }
  const CrawlMeters& meters() const { return meters_; }

 private:
  enum class Beginning { kNew, kResumed, kRepeated };

  // web_crawl_open.cpp
  static CrawlResult Refuse(CrawlResult::Outcome outcome, const Status& status);
  template <typename Work>
  static CrawlResult CatchShortage(Work&& work);
  CrawlResult RunNew();
  CrawlResult ContinueExisting(const std::function<void(CrawlOptions&)>& changes,
                               Beginning beginning);
  CrawlResult OpenAndContinue(const std::function<void(CrawlOptions&)>& changes,
                              Beginning beginning);
  Result<std::string> ReadOptions(Catalogue& catalogue);

  // web_crawl_setup.cpp
  Status Prepare(const std::string& hash_key);
  Status ProtectFolder() const;
  void LimitConnections(FetchLimits* limits);
  Status Enter(Catalogue& catalogue, Beginning beginning, std::unique_ptr<WarcWriter>* warc);
  Status Restore(Catalogue& catalogue, Beginning beginning);
  void Continue(RestoredCrawl restored);
  Status RestoreElapsed(Catalogue& catalogue);
  Status RequeueForResume(Catalogue& catalogue);
  Result<std::unique_ptr<IndexWriter>> OpenIndex(Catalogue& catalogue);
  Result<std::unique_ptr<WarcWriter>> OpenArchive(Catalogue& catalogue);
  Status StartWriter(std::unique_ptr<Catalogue> catalogue, std::unique_ptr<WarcWriter> warc);

  // web_crawl.cpp
  CrawlResult Crawl(std::unique_ptr<Catalogue> catalogue, Beginning beginning);
  Status Fetch(Beginning beginning);
  std::size_t OfferSeeds(const std::vector<Url>& seeds);
  bool CloseToSeeds() CRAWLER_EXCLUDES(seeds_mutex_);
  Status FetchAll();
  Status RunThreads();
  Result<std::uint64_t> OfferUnlinked();
  Status IndexAndComplete(std::unique_ptr<Catalogue>& catalogue);
  Status Index(Catalogue& catalogue);
  Status ReadGivenUp(Database& db);
  Status Complete(std::unique_ptr<Catalogue>& catalogue);
  Status BreakDown(Catalogue& catalogue);
  void CallbackFailed(std::string message) CRAWLER_EXCLUDES(mutex_);
  void WakeIdle();
  void PushEvent(std::string_view kind, std::string detail);

  // web_crawl_report.cpp
  CrawlResult Conclude(const Status& status);
  void DescribeEnd(CrawlResult* result) const;
  void DescribeSeeds(CrawlResult* result) const;
  void MeasureFolder(CrawlResult* result) const;
  CrawlStatistics Committed(const CrawlTotals& totals) const;
  void SetCounts(const CrawlTotals& of_run, CrawlStatistics* statistics) const;
  HostHoldup Describe(const Frontier::Holdup& holdup, TimePoint now) const;
  std::vector<std::pair<std::string, std::string>> LiveState(const CrawlTotals& totals) const;
  std::string Snapshot(const CrawlTotals& totals) const;
  std::optional<std::chrono::milliseconds> Eta(const CrawlStatistics& statistics) const;

  CrawlContext crawl_;
  CrawlPhases phases_;
  MemoryFrontier* memory_frontier_ = nullptr;  // crawl_.frontier, while it is restored.
  std::unique_ptr<CrawlFolder> folder_;
  std::vector<std::unique_ptr<FetchWorker>> workers_;
  std::atomic<bool> ready_{false};  // The context is complete, so that statistics() may read it.
  std::atomic<TimePoint> started_;
  Mutex seeds_mutex_;
  bool takes_seeds_ CRAWLER_GUARDED_BY(seeds_mutex_) = false;
  std::atomic<int> stops_{0};  // Calls of Stop() and StopNow().
  std::string hash_key_;
  std::vector<Url> seeds_;                          // Normalised.
  std::optional<RetryFilter> retry_filter_;         // Set by Retry().
  std::vector<CrawlResult::GivenUpHost> given_up_;  // Read from the catalogue at the end.
  int threads_ = 1;                                 // Fetch threads.
  int connections_ = 1;
  CrawlTotals before_;  // The numbers of earlier runs.
  std::chrono::milliseconds elapsed_before_{0};
  VisitTally tally_;
  CrawlMeters meters_;
  CrawlBreakdown breakdown_;          // As of the end.
  std::uint64_t indexed_pages_ = 0;   // Counted by the last phase of indexing.
  std::vector<RequeueRow> requeued_;  // Rows of restoring that are to be written.
  std::int64_t last_unlinked_ = 0;    // The last page that OfferUnlinked() has looked at.
  mutable Mutex mutex_;
  std::string callback_failure_ CRAWLER_GUARDED_BY(mutex_);  // The message of the first one.
};

}  // namespace crawler
