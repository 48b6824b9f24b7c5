#include "engine/web_crawl.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/catch_exceptions.hpp"
#include "engine/breakdown_json.hpp"
#include "engine/callback_guard.hpp"
#include "engine/link_offers.hpp"
#include "engine/offer_urls.hpp"
#include "engine/page_queue.hpp"
#include "engine/scope_options.hpp"
#include "index/indexing.hpp"
#include "store/cdxj.hpp"
#include "store/page_scan.hpp"
#include "store/stored_crawl.hpp"
#include "url/domain.hpp"

namespace crawler {
namespace {

Logger MakeLogger(const CrawlCallbacks& callbacks) {
  if (!callbacks.on_log) return Logger();
  return Logger([sink = callbacks.on_log](LogLevel, std::string_view line) { sink(line); },
                static_cast<LogLevel>(callbacks.log_level));
}

}  // namespace

WebCrawl::WebCrawl(CrawlOptions options, CrawlCallbacks callbacks, CrawlEnvironment environment)
    : phases_(*environment.clock, crawl_.logger, [this] {
        if (crawl_.writer == nullptr) return CrawlPhases::Work{};
        const CrawlTotals totals = crawl_.writer->pushed();
        return CrawlPhases::Work{totals.requests, totals.pages};
      }) {
  crawl_.environment = std::move(environment);
  crawl_.callbacks = GuardCallbacks(
      std::move(callbacks), [this](std::string message) { CallbackFailed(std::move(message)); });
  crawl_.logger = MakeLogger(crawl_.callbacks);
  crawl_.options = std::move(options);
  crawl_.wake_idle = [this] { WakeIdle(); };
  crawl_.expand = [this] { phases_.Enter("expansion"); };
  started_ = crawl_.Now();
}

WebCrawl::~WebCrawl() = default;

void WebCrawl::CallbackFailed(std::string message) {
  {
    MutexLock lock(mutex_);
    if (callback_failure_.empty()) callback_failure_ = std::move(message);
  }
  Stop();
}

void WebCrawl::Stop() {
  ++stops_;
  crawl_.stop.Request();
}

void WebCrawl::StopNow() {
  ++stops_;
  crawl_.stop.RequestNow();
}

void WebCrawl::WakeIdle() {
  for (const std::unique_ptr<FetchWorker>& worker : workers_) worker->Wakeup();
}

std::size_t WebCrawl::OfferSeeds(const std::vector<Url>& seeds) {
  std::vector<Frontier::Offer> offers;
  std::vector<std::string> origins;
  origins.reserve(seeds.size());  // Views point into them.
  for (const Url& url : seeds) {
    origins.push_back(url.Origin());
    Frontier::Offer& offer = offers.emplace_back();
    offer.url = url.href();
    offer.origin = origins.back();
    offer.site = SiteOf(url);
    offer.via = Via::kSeed;
    offer.worth = Frontier::kMostWorth;
  }
  CommitBatch batch;
  const Frontier::OfferResult offered =
      OfferUrls(*crawl_.frontier, *crawl_.writer, offers, 0, &batch);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    crawl_.seeds.Add(offered.offered[i].url, seeds[i].href());
  }
  batch.requeued.insert(batch.requeued.end(), requeued_.begin(), requeued_.end());
  requeued_.clear();
  crawl_.writer->Push(std::move(batch));
  return offered.waiting;
}

Result<std::size_t> WebCrawl::AddSeeds(std::vector<std::string> seeds) {
  const Status not_ready(StatusCode::kNotReady, "the crawl has not begun to fetch, or is ending");
  if (!ready_.load()) return not_ready;
  CrawlOptions options = crawl_.options;
  options.seeds = std::move(seeds);
  RemoveCredentials(&options.seeds);
  const Result<std::vector<Url>> urls = ParseSeeds(options);
  if (!urls.ok()) return urls.status();
  for (const Url& url : *urls) {
    const ScopeVerdict verdict = crawl_.scope->Check(url);
    if (verdict.allowed) continue;
    return Status(StatusCode::kInvalidArgument, std::string(url.href()) +
                                                    " is outside of the scope (" +
                                                    std::string(ScopeRuleName(verdict.rule)) + ")");
  }
  MutexLock lock(seeds_mutex_);
  if (!takes_seeds_ || crawl_.stop.requested()) return not_ready;
  return OfferSeeds(*urls);
}

// False if seeds were added since the last thread ended: they are to be fetched first.
bool WebCrawl::CloseToSeeds() {
  MutexLock lock(seeds_mutex_);
  takes_seeds_ = !crawl_.frontier->Finished();
  return !takes_seeds_;
}

void WebCrawl::PushEvent(std::string_view kind, std::string detail) {
  CommitBatch batch;
  batch.place = crawl_.writer->Reserve();
  batch.events.push_back({crawl_.NowMilliseconds(), std::string(kind), std::move(detail)});
  crawl_.writer->Push(std::move(batch));
}

// Offers stored pages of a repeated crawl that no link has led to: they may still exist. Offers as
// many as there is room for; the next call goes on behind them. Returns how many wait now.
Result<std::uint64_t> WebCrawl::OfferUnlinked() {
  Result<PageScan> scan = PageScan::Open(crawl_.catalogue_path, last_unlinked_);
  if (!scan.ok()) return scan.status();
  const auto room = [this] {
    constexpr std::uint64_t kAtATime = 1'000;
    const std::uint64_t most = crawl_.options.max_frontier;
    const std::uint64_t waiting = most == 0 ? 0 : crawl_.frontier->counts().waiting;
    return most == 0 ? kAtATime : std::min(kAtATime, most - std::min(most, waiting));
  };
  LinkOffers offers(*crawl_.scope, crawl_.normalize, crawl_.options.max_depth);
  std::uint64_t waiting = 0;
  const auto push = [&] {
    CommitBatch batch;
    waiting += OfferUrls(*crawl_.frontier, *crawl_.writer, offers.candidates(), 0, &batch).waiting;
    crawl_.writer->Push(std::move(batch));
    offers.Clear();
  };
  PageScan::Page page;
  Result<bool> row = true;
  for (std::uint64_t most = room(); most > 0;) {
    row = scan->Next(&page);
    if (!row.ok() || !*row) break;
    last_unlinked_ = page.id;
    if (!crawl_.frontier->Skipped(page.url_id)) continue;
    // Offered like a seed, because no link is to count for it, but with its stored depth.
    offers.Add(page.url, Via::kSeed, page.depth);
    if (offers.candidates().size() < most) continue;
    push();
    most = room();
  }
  if (!row.ok()) return row.status();
  if (!offers.candidates().empty()) push();
  return waiting;
}

CrawlResult WebCrawl::Crawl(std::unique_ptr<Catalogue> catalogue, const std::vector<Url>& seeds,
                            Beginning beginning) {
  std::unique_ptr<WarcWriter> archive;
  if (Status status = Enter(*catalogue, beginning, &archive); !status.ok()) {
    return Refuse(CrawlResult::Outcome::kStorage, status);
  }
  const Frontier::Counts counts = crawl_.frontier->counts();
  before_.urls_known = counts.known;
  before_.hosts_known = counts.hosts;
  // URLs that restoring has requeued are not written yet.
  before_.waiting = static_cast<std::int64_t>(
      counts.waiting - std::min<std::uint64_t>(requeued_.size(), counts.waiting));
  if (Status status = StartWriter(std::move(catalogue), std::move(archive)); !status.ok()) {
    return Refuse(CrawlResult::Outcome::kStorage, status);
  }
  ready_.store(true);
  Status status = CatchExceptions([&] { return FetchFrom(seeds, beginning); });
  // A step that was not finished must not be committed.
  if (!status.ok()) crawl_.writer->Fail(status);
  std::unique_ptr<Catalogue> closed;
  std::unique_ptr<WarcWriter> warc;
  const Status written = crawl_.writer->Close(&closed, &warc);
  if (status.ok()) status = written;
  if (status.ok()) status = CatchExceptions([&] { return IndexAndComplete(closed); });
  return Conclude(status);
}

Status WebCrawl::FetchFrom(const std::vector<Url>& seeds, Beginning beginning) {
  PushEvent(beginning == Beginning::kNew       ? "started"
            : beginning == Beginning::kResumed ? "resumed"
                                               : "begun again",
            "");
  OfferSeeds(seeds);
  // A resumed crawl that has URLs waiting has no discovery.
  crawl_.discovering.store(crawl_.frontier->Discovering());
  phases_.Enter(crawl_.discovering.load() ? "discovery" : "expansion");
  {
    MutexLock lock(seeds_mutex_);
    takes_seeds_ = true;
  }
  Status status = FetchAll();
  {
    MutexLock lock(seeds_mutex_);
    takes_seeds_ = false;
  }
  const char* const spent = crawl_.stop.spent_budget();
  PushEvent("stopped", spent != nullptr ? spent : crawl_.stop.requested() ? "on request" : "");
  return status;
}

Status WebCrawl::IndexAndComplete(std::unique_ptr<Catalogue>& catalogue) {
  Status status = Index(*catalogue);
  phases_.Enter("completion");
  return status.ok() ? Complete(catalogue) : status;
}

Status WebCrawl::FetchAll() {
  while (true) {
    Status status = RunThreads();
    if (!status.ok() || crawl_.stop.requested() || crawl_.frontier->counts().pages_spent) {
      return status;
    }
    if (crawl_.recrawl) {
      // Maybe not all pages at once: max_frontier limits them.
      const Result<std::uint64_t> unlinked = OfferUnlinked();
      if (!unlinked.ok()) return unlinked.status();
      if (*unlinked > 0) continue;
    }
    if (CloseToSeeds()) return Status::Ok();
  }
}

Status WebCrawl::RunThreads() {
  const CrawlOptions& options = crawl_.options;
  workers_.clear();
  std::unique_ptr<PageQueue> queue;
  if (options.parse_threads > 0) queue = std::make_unique<PageQueue>(crawl_, options.parse_threads);
  for (int i = 0; i < threads_; ++i) {
    const auto share =
        static_cast<std::size_t>(connections_ / threads_ + (i < connections_ % threads_ ? 1 : 0));
    Result<std::unique_ptr<FetchWorker>> worker = FetchWorker::Create(crawl_, queue.get(), share);
    if (!worker.ok()) return worker.status();
    workers_.push_back(std::move(worker).value());
  }
  if (options.max_time.count() != 0) crawl_.deadline = started_.load() + options.max_time;
  if (crawl_.environment.single_thread) {
    workers_.front()->Run();
    return Status::Ok();
  }
  Status status = CatchExceptions([this] {
    for (int i = 0; i < threads_; ++i) workers_[static_cast<std::size_t>(i)]->Start(i + 1);
    return Status::Ok();
  });
  if (!status.ok()) crawl_.writer->Fail(status);  // Ends the workers that could be started.
  for (const auto& worker : workers_) worker->Join();
  if (queue != nullptr) queue->Drain();
  return status;
}

// The indexing phase. A crawl that was stopped skips it: the user waits for the end, and Resume()
// or `crawler index` makes up for it.
Status WebCrawl::Index(Catalogue& catalogue) {
  if (!crawl_.options.index || crawl_.stop.on_request()) {
    return Status::Ok();
  }
  phases_.Enter("indexing");
  const int stops_before = stops_.load();
  IndexOptions options;
  options.max_ram = static_cast<std::size_t>(crawl_.options.max_ram);
  options.topic = crawl_.options.topic;
  options.progress = [this](std::string_view step) {
    crawl_.logger.Debug("Index", "Step begins", {{"step", step}});
  };
  options.stop = [this, stops_before] { return stops_.load() != stops_before; };
  IndexReport report;
  Status status = RunIndexing(catalogue.database(), options, &report);
  if (status.code() == StatusCode::kCancelled) {
    crawl_.stop.RequestInsteadOfBudget();
    return Status::Ok();
  }
  if (!status.ok()) return status;
  indexed_pages_ = report.pages;
  crawl_.logger.Info("Index", "Pages indexed",
                     {{"pages", report.pages},
                      {"terms", report.terms},
                      {"links", report.links},
                      {"rank_iterations", report.iterations},
                      {"rank_change", report.change},
                      {"rank_converged", report.converged}});
  return Status::Ok();
}

Status WebCrawl::ReadGivenUp(Database& db) {
  constexpr std::size_t kHostsShown = 20;
  const Result<std::vector<GivenUpHost>> hosts = ReadGivenUpHosts(db, kHostsShown);
  if (!hosts.ok()) return hosts.status();
  for (const GivenUpHost& host : *hosts) given_up_.push_back({host.origin, host.urls, host.detail});
  return Status::Ok();
}

// Of the hosts that were asked; their names are in the catalogue.
Status WebCrawl::BreakDown(Catalogue& catalogue) {
  constexpr std::size_t kDomainsShown = 20;
  Result<StoredCrawl> stored = StoredCrawl::Open(catalogue.database());
  if (!stored.ok()) return stored.status();
  const auto for_each_host = [&stored](const auto& visit) {
    return stored->ForEachHost([&](const StoredHost& host) {
      visit(host.id, host.site);
      return Status::Ok();
    });
  };
  Result<CrawlBreakdown> breakdown = crawl_.tally.Break(for_each_host, kDomainsShown);
  if (!breakdown.ok()) return breakdown.status();
  breakdown_ = std::move(breakdown).value();
  return catalogue.PutState("breakdown", ToJson(breakdown_));
}

Status WebCrawl::Complete(std::unique_ptr<Catalogue>& catalogue) {
  const bool finished = crawl_.frontier->Finished() && !crawl_.stop.requested();
  const bool spent = crawl_.stop.spent_budget() != nullptr ||
                     (finished && crawl_.frontier->counts().held_by_budget > 0);
  Status status;
  if (finished) status = catalogue->MakeIndexes();
  // A crawl that was stopped skips it: the user waits for the end.
  if (status.ok() && (finished || spent) && crawl_.options.warc) {
    status = IndexWarcFolder(CrawlFolder::WarcPath(crawl_.options.folder));
  }
  if (status.ok()) status = catalogue->Begin();
  if (status.ok() && finished) status = ReadGivenUp(catalogue->database());
  if (status.ok()) status = BreakDown(*catalogue);
  const char* const state = spent                            ? "budget spent"
                            : finished && !given_up_.empty() ? "not complete"
                            : finished                       ? "finished"
                                                             : "stopped";
  if (status.ok()) status = catalogue->PutState("status", state);
  for (const auto& [key, value] : LiveState(crawl_.writer->committed())) {
    if (status.ok()) status = catalogue->PutState(key, value);
  }
  if (status.ok()) status = catalogue->Commit();
  if (status.ok()) status = catalogue->Checkpoint();
  return status;
}

}  // namespace crawler
