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
#include "engine/fetch_worker.hpp"
#include "store/requeue.hpp"

namespace crawler {

/// A whole crawl, in four phases: discovery (seeds; robots.txt and sitemaps come before the pages
/// of their hosts), expansion (fetch, parse, offer, write, until the frontier is finished),
/// indexing (weights of terms and pages) and completion (indexes, CDXJ, everything closed).
///
/// The end is provable: fetch threads end only when the frontier is finished, which it is only when
/// nothing is waiting or leased; a lease ends only after its links have been offered; and the
/// recorder is closed, with everything committed, after the last thread that writes to it.
/// A crawl that is repeated (Recrawl()) does the same from the seeds on, with all ids and pages it
/// has; when nothing is left, it goes on with those pages that nothing has led to.
/// Life: construct, Run(), Resume() or Recrawl() once, destroy.
/// Threads: Stop(), StopNow() and statistics() from any thread.
class WebCrawl {
 public:
  WebCrawl(CrawlOptions options, CrawlCallbacks callbacks, CrawlEnvironment environment = {});
  ~WebCrawl();

  CrawlResult Run();
  CrawlResult Resume(const std::function<void(CrawlOptions&)>& changes);
  CrawlResult Retry(const RetrySelection& selection,
                    const std::function<void(CrawlOptions&)>& changes);
  CrawlResult Recrawl(const std::function<void(CrawlOptions&)>& changes);
  void Stop();
  void StopNow();
  CrawlStatistics statistics() const CRAWLER_EXCLUDES(mutex_);

 private:
  enum class Beginning { kNew, kResumed, kRepeated };

  Status Prepare(const std::string& hash_key);
  Status CheckOptions();
  void LimitConnections(FetchLimits* limits);
  CrawlResult ContinueExisting(const std::function<void(CrawlOptions&)>& changes,
                               Beginning beginning);
  Status Enter(Catalogue& catalogue, Beginning beginning, std::unique_ptr<WarcWriter>* warc);
  Status Restore(Catalogue& catalogue, Beginning beginning);
  Status RequeueForResume(Catalogue& catalogue);
  void OfferSeeds(const std::vector<Url>& seeds);
  Result<std::uint64_t> OfferUnlinked();
  Result<std::unique_ptr<WarcWriter>> OpenArchive(Catalogue& catalogue);
  Status StartWriter(std::unique_ptr<Catalogue> catalogue, std::unique_ptr<WarcWriter> warc);
  CrawlResult Crawl(std::unique_ptr<Catalogue> catalogue, const std::vector<Url>& seeds,
                    Beginning beginning);
  Status Expand();
  Status RunThreads();
  Result<std::unique_ptr<IndexWriter>> OpenIndex(Catalogue& catalogue);
  Status Index(Catalogue& catalogue);
  Status ReadGivenUp(Database& db);
  Status Complete(std::unique_ptr<Catalogue>& catalogue);
  CrawlResult Conclude(const Status& status);
  CrawlStatistics Committed(const CommittedTotals& totals) const;
  std::vector<std::pair<std::string, std::string>> LiveState(const CommittedTotals& totals) const;
  std::string Snapshot(const CommittedTotals& totals) const;
  std::optional<std::chrono::milliseconds> Eta(const CrawlStatistics& statistics) const;
  void EnterPhase(const char* phase);
  void WakeIdle();
  void PushEvent(std::string_view kind, std::string detail);

  CrawlContext crawl_;
  std::unique_ptr<CrawlFolder> folder_;
  std::vector<std::unique_ptr<FetchWorker>> workers_;
  std::atomic<const char*> phase_{"starting"};
  std::atomic<bool> ready_{false};  // The context is whole; until then nobody asks it anything.
  std::atomic<TimePoint> started_;
  std::atomic<int> stops_{0};  // How often somebody asked it to stop.
  std::string hash_key_;
  std::optional<RetryFilter> retry_filter_;         // Of Retry().
  std::vector<CrawlResult::GivenUpHost> given_up_;  // As the catalogue has them at the end.
  int threads_ = 1;                                 // That fetch.
  int connections_ = 1;
  Frontier::Counts before_;           // This run.
  CommittedTotals changes_before_;    // What pages had come to then, in this round.
  std::vector<RequeueRow> requeued_;  // Of restoring, to be written.
  std::int64_t last_unlinked_ = 0;    // The last page that was looked at when nothing was left.
  mutable Mutex mutex_;
};

}  // namespace crawler
