#include "engine/web_crawl.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/hash.hpp"
#include "engine/focus.hpp"
#include "engine/link_offers.hpp"
#include "engine/options_json.hpp"
#include "engine/page_queue.hpp"
#include "engine/scope_options.hpp"
#include "index/indexing.hpp"
#include "store/cdxj.hpp"
#include "store/page_scan.hpp"
#include "url/domain.hpp"

namespace crawler {
namespace {

CrawlResult Refusal(CrawlResult::Outcome outcome, const Status& status) {
  CrawlResult result;
  result.outcome =
      status.code() == StatusCode::kCancelled ? CrawlResult::Outcome::kFolderBusy
      : status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kNotFound
          ? CrawlResult::Outcome::kBadOption
      : status.code() == StatusCode::kCorruption ? CrawlResult::Outcome::kStorage
                                                 : outcome;
  result.message = status.message();
  return result;
}

Logger MakeLogger(const CrawlCallbacks& callbacks) {
  if (!callbacks.on_log) return Logger();
  return Logger([sink = callbacks.on_log](LogLevel, std::string_view line) { sink(line); },
                static_cast<LogLevel>(callbacks.log_level));
}

/// Writes the indexes that are missing or older than their files, which those of files are that an
/// earlier run had begun.
Status IndexWarcFiles(const std::string& folder) {
  const Result<std::vector<std::filesystem::path>> files = ListWarcFiles(folder);
  if (!files.ok()) return files.status();
  for (const std::filesystem::path& path : *files) {
    std::error_code error;
    const auto indexed = std::filesystem::last_write_time(CdxjPath(path), error);
    if (!error && indexed >= std::filesystem::last_write_time(path, error) && !error) continue;
    if (Status status = IndexWarc(path); !status.ok()) return status;
  }
  return Status::Ok();
}

Result<RetryFilter> ToRetryFilter(const RetrySelection& selection) {
  RetryFilter filter;
  filter.host = selection.host;
  const std::string& kind = selection.kind;
  if (kind.empty()) return filter;
  const auto [end, error] = std::from_chars(kind.data(), kind.data() + kind.size(), filter.status);
  if (error == std::errc() && end == kind.data() + kind.size() && filter.status > 0) return filter;
  filter.status = 0;
  filter.failure = ParseFetchFailure(kind);
  if (filter.failure) return filter;
  if (const GiveUpReason reason = ParseGiveUpReason(kind); reason != GiveUpReason::kNone) {
    filter.given_up = reason;
    return filter;
  }
  return Status(StatusCode::kInvalidArgument,
                "'" + kind +
                    "' is no kind of failure; give a status code, a failure such as \"dns\" or "
                    "\"connect timeout\", or \"failures\", \"throttled\" or \"no robots.txt\"");
}

bool IsLessDeep(int max_depth, int before) {
  return max_depth >= 0 && (before < 0 || max_depth < before);
}

}  // namespace

WebCrawl::WebCrawl(CrawlOptions options, CrawlCallbacks callbacks, CrawlEnvironment environment) {
  crawl_.environment = std::move(environment);
  crawl_.logger = MakeLogger(callbacks);
  crawl_.options = std::move(options);
  crawl_.callbacks = std::move(callbacks);
  crawl_.wake_idle = [this] { WakeIdle(); };
  started_ = crawl_.Now();
}

WebCrawl::~WebCrawl() = default;

void WebCrawl::Stop() {
  ++stops_;
  crawl_.stopping.store(true);
}

void WebCrawl::StopNow() {
  ++stops_;
  crawl_.stopping_now.store(true);
  crawl_.stopping.store(true);
}

void WebCrawl::WakeIdle() {
  for (const std::unique_ptr<FetchWorker>& worker : workers_) worker->Wakeup();
}

void WebCrawl::EnterPhase(const char* phase) {
  phase_.store(phase);
  crawl_.logger.Info("Engine", "Phase begins", {{"phase", phase}});
}

CrawlResult WebCrawl::Run() {
  if (crawl_.options.seeds.empty()) {
    return Refusal(CrawlResult::Outcome::kBadOption,
                   Status(StatusCode::kInvalidArgument, "no URL to begin with was given"));
  }
  if (crawl_.options.topic.empty()) crawl_.options.topic = TopicOfSeeds(crawl_.options.seeds);
  const std::uint64_t key = crawl_.environment.hash_key.value_or(RandomSeed());
  char seed[17];
  std::snprintf(seed, sizeof seed, "%016llx", static_cast<unsigned long long>(key));
  if (Status status = Prepare(seed); !status.ok()) {
    return Refusal(CrawlResult::Outcome::kBadOption, status);
  }
  Result<std::unique_ptr<CrawlFolder>> folder = CrawlFolder::Create(crawl_.options.folder);
  if (!folder.ok()) return Refusal(CrawlResult::Outcome::kStorage, folder.status());
  folder_ = std::move(folder).value();
  Result<std::unique_ptr<Catalogue>> catalogue =
      Catalogue::Open(crawl_.catalogue_path,
                      crawl_.options.full_durability ? Durability::kFull : Durability::kNormal);
  if (!catalogue.ok()) return Refusal(CrawlResult::Outcome::kStorage, catalogue.status());
  // A crawl that was killed before its first commit has left nothing, so it may begin again.
  const Result<std::string> begun = ReadState((*catalogue)->database(), "hash_key");
  if (!begun.ok()) return Refusal(CrawlResult::Outcome::kStorage, begun.status());
  if (!begun->empty()) {
    const std::string& path = crawl_.options.folder;
    return Refusal(CrawlResult::Outcome::kBadOption,
                   Status(StatusCode::kInvalidArgument,
                          "there is a crawl in " + path + " already; `crawler resume " + path +
                              "` goes on with it, `crawler recrawl " + path +
                              "` visits it once more, another --out begins a new one"));
  }
  // They would be removed as the rest of a crawl that was killed. But whoever has written any has
  // committed before that there is a crawl, so the catalogue must have been lost.
  const auto archived = ListWarcFiles(CrawlFolder::WarcPath(crawl_.options.folder));
  if (!archived.ok()) return Refusal(CrawlResult::Outcome::kStorage, archived.status());
  if (!archived->empty()) {
    const std::string& path = crawl_.options.folder;
    return Refusal(CrawlResult::Outcome::kBadOption,
                   Status(StatusCode::kInvalidArgument,
                          "there are WARC files in " + path + ", but crawl.db knows of none; put " +
                              "back the one that does, or begin with another --out"));
  }
  const Result<std::vector<Url>> seeds = ParseSeeds(crawl_.options);
  return Crawl(std::move(catalogue).value(), *seeds, Beginning::kNew);
}

CrawlResult WebCrawl::Resume(const std::function<void(CrawlOptions&)>& changes) {
  return ContinueExisting(changes, Beginning::kResumed);
}

CrawlResult WebCrawl::Retry(const RetrySelection& selection,
                            const std::function<void(CrawlOptions&)>& changes) {
  Result<RetryFilter> filter = ToRetryFilter(selection);
  if (!filter.ok()) return Refusal(CrawlResult::Outcome::kBadOption, filter.status());
  retry_filter_ = std::move(filter).value();
  return ContinueExisting(changes, Beginning::kResumed);
}

CrawlResult WebCrawl::Recrawl(const std::function<void(CrawlOptions&)>& changes) {
  return ContinueExisting(changes, Beginning::kRepeated);
}

CrawlResult WebCrawl::ContinueExisting(const std::function<void(CrawlOptions&)>& changes,
                                       Beginning beginning) {
  const std::string path = crawl_.options.folder;
  Result<std::unique_ptr<CrawlFolder>> folder = CrawlFolder::Open(path);
  if (!folder.ok()) return Refusal(CrawlResult::Outcome::kStorage, folder.status());
  folder_ = std::move(folder).value();
  Result<std::unique_ptr<Catalogue>> catalogue =
      Catalogue::Open(CrawlFolder::CataloguePath(path), Durability::kNormal);
  if (!catalogue.ok()) return Refusal(CrawlResult::Outcome::kStorage, catalogue.status());

  const Result<std::string> stored = ReadState((*catalogue)->database(), "options");
  if (!stored.ok()) return Refusal(CrawlResult::Outcome::kStorage, stored.status());
  const Result<std::string> seed = ReadState((*catalogue)->database(), "hash_key");
  if (!seed.ok()) return Refusal(CrawlResult::Outcome::kStorage, seed.status());
  if (seed->empty()) {
    return Refusal(
        CrawlResult::Outcome::kStorage,
        Status(StatusCode::kNotFound, "the crawl in " + path +
                                          " ended before anything was written; begin it again with "
                                          "`crawler crawl`"));
  }
  Result<CrawlOptions> options = OptionsFromJson(*stored);
  if (!options.ok()) return Refusal(CrawlResult::Outcome::kStorage, options.status());
  crawl_.options = std::move(options).value();
  crawl_.options.folder = path;
  const int depth_before = crawl_.options.max_depth;
  if (changes) changes(crawl_.options);
  if (beginning == Beginning::kResumed && IsLessDeep(crawl_.options.max_depth, depth_before)) {
    return Refusal(CrawlResult::Outcome::kBadOption,
                   Status(StatusCode::kInvalidArgument,
                          "a resume may go deeper than the crawl did, but not less deep: what is "
                          "farther away waits already; `crawler recrawl " +
                              path + "` begins at the seeds again"));
  }
  if (crawl_.options.full_durability) {
    if (Status status = (*catalogue)->SetDurability(Durability::kFull); !status.ok()) {
      return Refusal(CrawlResult::Outcome::kStorage, status);
    }
  }
  if (Status status = Prepare(*seed); !status.ok()) {
    return Refusal(CrawlResult::Outcome::kBadOption, status);
  }
  // All of them again: the kill may have come before the first commit.
  const Result<std::vector<Url>> seeds = ParseSeeds(crawl_.options);
  return Crawl(std::move(catalogue).value(), *seeds, beginning);
}

void WebCrawl::OfferSeeds(const std::vector<Url>& seeds) {
  std::vector<UrlCandidate> candidates;
  std::vector<std::string> origins;
  origins.reserve(seeds.size());  // Views point into them.
  for (const Url& url : seeds) {
    origins.push_back(url.Origin());
    UrlCandidate& candidate = candidates.emplace_back();
    candidate.url = url.href();
    candidate.origin = origins.back();
    candidate.site = SiteOf(url);
    candidate.via = Via::kSeed;
    candidate.worth = Frontier::kMostWorth;
  }
  Registration registration = crawl_.registry->Register(candidates, 0);
  CommitBatch change;
  change.ticket = registration.ticket;
  change.hosts = std::move(registration.hosts);
  change.urls = std::move(registration.urls);
  change.requeued = std::move(registration.requeued);
  change.requeued.insert(change.requeued.end(), requeued_.begin(), requeued_.end());
  crawl_.writer->Push(std::move(change));
}

void WebCrawl::PushEvent(std::string_view kind, std::string detail) {
  CommitBatch change;
  change.ticket = crawl_.registry->Register({}, 0).ticket;
  change.events.push_back({crawl_.NowMilliseconds(), std::string(kind), std::move(detail)});
  crawl_.writer->Push(std::move(change));
}

// Pages of a repeated crawl to which nothing leads any more may still be there. As many as there is
// room for: the next call goes on behind them.
Result<std::uint64_t> WebCrawl::OfferUnlinked() {
  Result<PageScan> scan = PageScan::Open(crawl_.catalogue_path, last_unlinked_);
  if (!scan.ok()) return scan.status();
  const auto room = [this] {
    constexpr std::uint64_t kAtATime = 1'000;
    const std::uint64_t most = crawl_.options.max_frontier;
    const std::uint64_t waiting = most == 0 ? 0 : crawl_.frontier->counts().waiting;
    return most == 0 ? kAtATime : std::min(kAtATime, most - std::min(most, waiting));
  };
  LinkOffers offers(crawl_);
  std::uint64_t waiting = 0;
  const auto push = [&] {
    Registration registration = crawl_.registry->Register(offers.candidates(), 0);
    waiting += registration.waiting;
    CommitBatch change;
    change.ticket = registration.ticket;
    // New ones, if options of now give a page another normal form.
    change.hosts = std::move(registration.hosts);
    change.urls = std::move(registration.urls);
    change.requeued = std::move(registration.requeued);
    crawl_.writer->Push(std::move(change));
    offers.Clear();
  };
  PageScan::Page page;
  Result<bool> row = true;
  for (std::uint64_t most = room(); most > 0;) {
    row = scan->Next(&page);
    if (!row.ok() || !*row) break;
    last_unlinked_ = page.id;
    if (!crawl_.frontier->TurnedAway(page.url_id)) continue;
    // Like a seed: no link counts for it, and it is as far away as it was.
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
    return Refusal(CrawlResult::Outcome::kStorage, status);
  }
  before_ = crawl_.frontier->counts();
  changes_before_.pages_new = crawl_.counters.pages_new.load();
  changes_before_.pages_changed = crawl_.counters.pages_changed.load();
  changes_before_.pages_unchanged = crawl_.counters.pages_unchanged.load();
  changes_before_.pages_gone = crawl_.counters.pages_gone.load();
  // What restoring let in after all is not written yet.
  before_.waiting -= std::min<std::uint64_t>(requeued_.size(), before_.waiting);
  if (Status status = StartWriter(std::move(catalogue), std::move(archive)); !status.ok()) {
    return Refusal(CrawlResult::Outcome::kStorage, status);
  }
  ready_.store(true);
  EnterPhase("discovery");
  PushEvent(beginning == Beginning::kNew       ? "started"
            : beginning == Beginning::kResumed ? "resumed"
                                               : "begun again",
            "");
  OfferSeeds(seeds);
  EnterPhase("expansion");
  Status status = Expand();
  PushEvent("stopped", crawl_.stopping.load() ? "on request" : "");
  std::unique_ptr<Catalogue> closed;
  std::unique_ptr<WarcWriter> warc;
  const Status written = crawl_.writer->Close(&closed, &warc);
  if (status.ok()) status = written;
  if (status.ok()) status = Index(*closed);
  EnterPhase("completion");
  if (status.ok()) status = Complete(closed);
  return Conclude(status);
}

Status WebCrawl::Expand() {
  while (true) {
    Status status = RunThreads();
    if (!crawl_.recrawl || !status.ok() || crawl_.stopping.load() ||
        crawl_.frontier->counts().pages_spent) {
      return status;
    }
    // Not always all of them at once: max_frontier holds here, too.
    const Result<std::uint64_t> unlinked = OfferUnlinked();
    if (!unlinked.ok()) return unlinked.status();
    if (*unlinked == 0) return Status::Ok();
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
  for (int i = 0; i < threads_; ++i) workers_[static_cast<std::size_t>(i)]->Start(i + 1);
  for (const auto& worker : workers_) worker->Join();
  if (queue != nullptr) queue->Drain();
  return Status::Ok();
}

// The third phase, unless somebody waits for us to end; then Resume() or `crawler index` does it.
Status WebCrawl::Index(Catalogue& catalogue) {
  if (!crawl_.options.index || (crawl_.stopping.load() && crawl_.spent.load() == nullptr)) {
    return Status::Ok();
  }
  EnterPhase("indexing");
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
    crawl_.stopping.store(true);
    crawl_.spent.store(nullptr);
    return Status::Ok();
  }
  if (!status.ok()) return status;
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

Status WebCrawl::Complete(std::unique_ptr<Catalogue>& catalogue) {
  const bool finished = crawl_.frontier->Finished() && !crawl_.stopping.load();
  const bool spent =
      crawl_.spent.load() != nullptr || (finished && crawl_.frontier->counts().held_by_budget > 0);
  Status status;
  if (finished) status = catalogue->MakeIndexes();
  // Not when somebody waits for us to end.
  if (status.ok() && (finished || spent) && crawl_.options.warc) {
    status = IndexWarcFiles(CrawlFolder::WarcPath(crawl_.options.folder));
  }
  if (status.ok()) status = catalogue->Begin();
  if (status.ok() && finished) status = ReadGivenUp(catalogue->database());
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
