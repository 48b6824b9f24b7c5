#include "engine/web_crawl.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <climits>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "base/hash.hpp"
#include "engine/focus.hpp"
#include "engine/network.hpp"
#include "engine/options_json.hpp"
#include "engine/page_queue.hpp"
#include "engine/reopen.hpp"
#include "engine/restore.hpp"
#include "engine/scope_options.hpp"
#include "index/indexing.hpp"
#include "robots/robots_txt.hpp"
#include "store/cdxj.hpp"
#include "url/domain.hpp"

namespace crawler {
namespace {

/// Bytes of URL texts that are held in memory although they are committed.
constexpr std::size_t kRoomForTexts = std::size_t{16} << 20;
constexpr std::size_t kHoldupsShown = 20;

FrontierOptions ToFrontierOptions(const CrawlOptions& from, std::uint64_t seed) {
  constexpr std::uint64_t kPagesPerDomainOfTheWeb = 50;
  FrontierOptions to;
  switch (from.order) {
    case CrawlOrder::kPriority:
      to.order = FrontierOrder::kPriority;
      break;
    case CrawlOrder::kBfs:
      to.order = FrontierOrder::kBfs;
      break;
    case CrawlOrder::kRelevance:
      to.order = FrontierOrder::kWorth;
      break;
  }
  to.delay = from.delay;
  to.per_host = from.per_host;
  to.hosts_per_domain = from.hosts_per_domain;
  to.hosts_per_address = from.hosts_per_address;
  to.max_crawl_delay = from.max_crawl_delay;
  to.introductions = from.network.obey_robots;
  to.max_pages = from.max_pages;
  if (from.max_per_domain >= 0) {
    to.max_per_domain = static_cast<std::uint64_t>(from.max_per_domain);
  } else if (from.scope == CrawlScope::kWeb) {
    to.max_per_domain = kPagesPerDomainOfTheWeb;
  }
  to.max_frontier = from.max_frontier;
  to.seed = seed;
  return to;
}

// Of the fingerprints, as it is stored.
Result<std::uint64_t> ParseSeed(std::string_view text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, seed, 16);
  if (error == std::errc() && stopped == end) return seed;
  return Status(StatusCode::kCorruption, "the stored seed of the crawl cannot be read");
}

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

/// How many connections there may be at a time beside everything else that is open.
int MostConnections(int threads) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT_MAX;
  // A thread has its event loop, and reads the catalogue; the rest are the writer's files.
  const std::int64_t others = 32 + 12 * std::int64_t{threads};
  const auto all = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, INT_MAX));
  return static_cast<int>(std::max<std::int64_t>(all - others, 1));
}

Logger MakeLogger(const CrawlCallbacks& callbacks) {
  if (!callbacks.on_log) return Logger();
  return Logger([sink = callbacks.on_log](LogLevel, std::string_view line) { sink(line); });
}

/// Writes the indexes that are missing or older than their files, which those of files are that an
/// earlier run had begun.
Status IndexWarcFiles(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::filesystem::path& path = entry.path();
    if (!path.filename().string().ends_with(".warc.gz")) continue;
    const auto indexed = std::filesystem::last_write_time(CdxjPath(path), error);
    if (!error && indexed >= std::filesystem::last_write_time(path, error) && !error) continue;
    if (Status status = IndexWarc(path); !status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace

WebCrawl::WebCrawl(CrawlOptions options, CrawlCallbacks callbacks) {
  crawl_.logger = MakeLogger(callbacks);
  crawl_.options = std::move(options);
  crawl_.callbacks = std::move(callbacks);
  crawl_.wake_idle = [this] { WakeIdle(); };
  started_ = Clock::System().Now();
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

Status WebCrawl::CheckOptions() {
  const CrawlOptions& options = crawl_.options;
  const auto invalid = [](std::string message) {
    return Status(StatusCode::kInvalidArgument, std::move(message));
  };
  if (options.per_host < 1) return invalid("per_host must be at least 1");
  if (options.connections < 1) return invalid("connections must be at least 1");
  if (options.hosts_per_domain < 1 || options.hosts_per_address < 1) {
    return invalid("hosts_per_domain and hosts_per_address must be at least 1");
  }
  if (options.order == CrawlOrder::kRelevance && (options.topic.empty() || !options.index)) {
    return invalid("the order by relevance needs a topic, and the index");
  }
  if (options.delay.count() < 0) return invalid("delay must not be negative");
  if (options.fetch_threads < 0 || options.fetch_threads > 256 || options.parse_threads < 0 ||
      options.parse_threads > 256) {
    return invalid("fetch_threads and parse_threads must be between 0 and 256");
  }
  return Status::Ok();
}

// A request that finds no descriptor left would fail for a reason that is not the web's.
void WebCrawl::LimitConnections(FetchLimits* limits) {
  const CrawlOptions& options = crawl_.options;
  threads_ = options.fetch_threads;
  if (threads_ == 0) {
    threads_ = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 4u));
  }
  threads_ = std::min(threads_, options.connections);
  const int most = MostConnections(threads_ + options.parse_threads);
  connections_ = std::min(options.connections, most);
  threads_ = std::min(threads_, connections_);
  if (connections_ < options.connections) {
    crawl_.logger.Warn("Engine", "Fewer connections than asked for: the limit of open files is low",
                       {{"connections", connections_}, {"asked", options.connections}});
  }
  limits->max_transfers = static_cast<std::size_t>(connections_);
  limits->max_idle_connections = std::min(limits->max_idle_connections,
                                          static_cast<std::size_t>(std::max(most / threads_, 1)));
}

// Everything but threads and files.
Status WebCrawl::Prepare(const std::string& seed) {
  if (Status status = CheckOptions(); !status.ok()) return status;
  CrawlOptions& options = crawl_.options;
  seed_ = seed;
  if (RemoveCredentials(&options.seeds)) {
    crawl_.Warn(
        "user and password in a URL are never sent, so they are left out; put user:password into "
        "an environment variable and name it with --basic-auth-from");
  }
  crawl_.catalogue_path = CrawlFolder::CataloguePath(options.folder);
  crawl_.normalize = ToNormalizeOptions(options);
  Result<std::unique_ptr<Scope>> scope = MakeScope(options);
  if (!scope.ok()) return scope.status();
  crawl_.scope = std::move(scope).value();

  Result<FetchOptions> fetch = ToFetchOptions(options.network, options.seeds);
  if (!fetch.ok()) return fetch.status();
  LimitConnections(&fetch->limits);
  // The frontier decides how much at a time; robots.txt may add a request behind a redirect.
  fetch->limits.max_transfers_per_host = static_cast<std::size_t>(options.per_host) + 1;
  fetch->keep_request_head = options.warc;
  auto context = FetchContext::Create(std::move(fetch).value(), crawl_.logger);
  if (!context.ok()) return context.status();
  crawl_.fetch = std::move(context).value();
  crawl_.product = ProductToken(crawl_.fetch->options().user_agent);

  const Result<std::uint64_t> fingerprint_seed = ParseSeed(seed);
  if (!fingerprint_seed.ok()) return fingerprint_seed.status();
  crawl_.frontier = std::make_unique<Frontier>(ToFrontierOptions(options, *fingerprint_seed));
  crawl_.book = std::make_unique<UrlBook>(*crawl_.frontier, kRoomForTexts);
  if (options.max_depth >= 0) {
    crawl_.book->KeepDepths(
        std::make_unique<Depths>(static_cast<std::uint32_t>(options.max_depth)));
  }
  return Status::Ok();
}

CrawlResult WebCrawl::Run() {
  if (crawl_.options.seeds.empty()) {
    return Refusal(CrawlResult::Outcome::kBadOption,
                   Status(StatusCode::kInvalidArgument, "no URL to begin with was given"));
  }
  if (crawl_.options.topic.empty()) crawl_.options.topic = TopicOfSeeds(crawl_.options.seeds);
  char seed[17];
  std::snprintf(seed, sizeof seed, "%016llx", static_cast<unsigned long long>(RandomSeed()));
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
  const Result<std::string> begun = (*catalogue)->State("seed");
  if (!begun.ok()) return Refusal(CrawlResult::Outcome::kStorage, begun.status());
  if (!begun->empty()) {
    const std::string& path = crawl_.options.folder;
    return Refusal(CrawlResult::Outcome::kBadOption,
                   Status(StatusCode::kInvalidArgument,
                          "there is a crawl in " + path + " already; `crawler resume " + path +
                              "` goes on with it, another --out begins a new one"));
  }
  const Result<std::vector<Url>> seeds = ParseSeeds(crawl_.options);
  return Crawl(std::move(catalogue).value(), *seeds, false);
}

CrawlResult WebCrawl::Resume(const std::function<void(CrawlOptions&)>& changes) {
  const std::string path = crawl_.options.folder;
  Result<std::unique_ptr<CrawlFolder>> folder = CrawlFolder::Open(path);
  if (!folder.ok()) return Refusal(CrawlResult::Outcome::kStorage, folder.status());
  folder_ = std::move(folder).value();
  Result<std::unique_ptr<Catalogue>> catalogue =
      Catalogue::Open(CrawlFolder::CataloguePath(path), Durability::kNormal);
  if (!catalogue.ok()) return Refusal(CrawlResult::Outcome::kStorage, catalogue.status());

  const Result<std::string> stored = (*catalogue)->State("options");
  if (!stored.ok()) return Refusal(CrawlResult::Outcome::kStorage, stored.status());
  const Result<std::string> seed = (*catalogue)->State("seed");
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
  if (changes) changes(crawl_.options);
  if (Status status = Prepare(*seed); !status.ok()) {
    return Refusal(CrawlResult::Outcome::kBadOption, status);
  }
  if (Status status = Reopen(**catalogue); !status.ok()) {
    return Refusal(CrawlResult::Outcome::kStorage, status);
  }
  EnterPhase("restoring");
  Status restored = RestoreCrawl((*catalogue)->database(), crawl_, &promotions_);
  if (!restored.ok()) return Refusal(CrawlResult::Outcome::kStorage, restored);
  if (Status status = (*catalogue)->DropIndexes(); !status.ok()) {
    return Refusal(CrawlResult::Outcome::kStorage, status);
  }
  // All of them again: the kill may have come before the first commit.
  const Result<std::vector<Url>> seeds = ParseSeeds(crawl_.options);
  return Crawl(std::move(catalogue).value(), *seeds, true);
}

// What has been decided before, but holds no more.
Status WebCrawl::Reopen(Catalogue& catalogue) {
  if (!crawl_.options.network.obey_robots) {
    const Result<std::uint64_t> reopened = ReopenRefused(catalogue);
    if (!reopened.ok()) return reopened.status();
    if (*reopened > 0) {
      crawl_.Warn(std::to_string(*reopened) +
                  " URLs that were left out because of robots.txt are asked for now");
    }
  }
  if (!crawl_.options.warc) return Status::Ok();
  const Result<std::optional<ArchiveLoss>> loss =
      ReopenLost(catalogue, CrawlFolder::WarcPath(crawl_.options.folder));
  if (!loss.ok()) return loss.status();
  if (const std::optional<ArchiveLoss>& lost = *loss) {
    crawl_.Warn(lost->file + " is " + std::to_string(lost->bytes) +
                " bytes shorter than it was written; the records of " +
                std::to_string(lost->pages) + " pages and of " + std::to_string(lost->others) +
                " other responses are gone, and are fetched again");
  }
  return Status::Ok();
}

// What a kill has left out of the index is gathered again.
Result<std::unique_ptr<IndexWriter>> WebCrawl::OpenIndex(Catalogue& catalogue) {
  const auto memory = static_cast<std::size_t>(crawl_.options.max_ram / 4);
  Result<std::unique_ptr<IndexWriter>> writer = IndexWriter::Open(catalogue.database(), memory);
  if (!writer.ok()) return writer;
  Status status = catalogue.Begin();
  if (status.ok()) status = (*writer)->Recover();
  if (status.ok()) status = catalogue.Commit();
  if (!status.ok()) return status;
  return writer;
}

Status WebCrawl::StartRecorder(std::unique_ptr<Catalogue> catalogue) {
  Status status = catalogue->Begin();
  if (status.ok()) status = catalogue->PutState("seed", seed_);
  if (status.ok()) status = catalogue->PutState("options", ToJson(crawl_.options));
  if (status.ok()) status = catalogue->PutState("status", "running");
  if (status.ok()) status = catalogue->Commit();
  if (!status.ok()) return status;

  std::unique_ptr<WarcWriter> warc;
  if (crawl_.options.warc) {
    const Result<WarcEnd> committed = CommittedWarcEnd(*catalogue);
    if (!committed.ok()) return committed.status();
    WarcWriter::Options options;
    options.software = "crawler/" CRAWLER_VERSION;
    options.user_agent = crawl_.fetch->options().user_agent;
    options.robots = crawl_.options.network.obey_robots ? "obey" : "ignore";
    Result<std::unique_ptr<WarcWriter>> writer = WarcWriter::Open(
        CrawlFolder::WarcPath(crawl_.options.folder), std::move(options), *committed);
    if (writer.status().code() == StatusCode::kCorruption) {
      return Status(StatusCode::kCorruption, writer.status().message() +
                                                 "; put it back, or go on without an archive "
                                                 "(--no-warc)");
    }
    if (!writer.ok()) return writer.status();
    warc = std::move(writer).value();
  }
  std::unique_ptr<IndexWriter> index;
  if (crawl_.options.index) {
    Result<std::unique_ptr<IndexWriter>> writer = OpenIndex(*catalogue);
    if (!writer.ok()) return writer.status();
    index = std::move(writer).value();
  }
  Recorder::Hooks hooks;
  hooks.state = [this](const RecordedTotals& totals) { return LiveState(totals); };
  hooks.committed = [this](UrlId last) { crawl_.book->Committed(last); };
  hooks.failed = [this] { StopNow(); };
  crawl_.recorder =
      std::make_unique<Recorder>(std::move(catalogue), std::move(index), std::move(warc),
                                 CrawlFolder::WarcPath(crawl_.options.folder), std::move(hooks),
                                 crawl_.options.full_durability);
  return Status::Ok();
}

void WebCrawl::OfferSeeds(const std::vector<Url>& seeds) {
  std::vector<UrlCandidate> candidates;
  std::vector<std::string> origins;
  origins.reserve(seeds.size());  // Views point into them.
  for (const Url& url : seeds) {
    origins.push_back(url.Origin());
    candidates.push_back({url.href(), origins.back(), SiteOf(url), 0, 0, Via::kSeed, {}});
    candidates.back().worth = Frontier::kMostWorth;
  }
  Registration registration = crawl_.book->Register(candidates, 0);
  Change change;
  change.ticket = registration.ticket;
  change.hosts = std::move(registration.hosts);
  change.urls = std::move(registration.urls);
  change.promotions = std::move(registration.promotions);
  change.promotions.insert(change.promotions.end(), promotions_.begin(), promotions_.end());
  crawl_.recorder->Push(std::move(change));
}

void WebCrawl::PushEvent(std::string_view kind, std::string detail) {
  Change change;
  change.ticket = crawl_.book->Register({}, 0).ticket;
  change.events.push_back({NowMilliseconds(), std::string(kind), std::move(detail)});
  crawl_.recorder->Push(std::move(change));
}

CrawlResult WebCrawl::Crawl(std::unique_ptr<Catalogue> catalogue, const std::vector<Url>& seeds,
                            bool resumed) {
  before_ = crawl_.frontier->counts();
  // What restoring let in after all is not written yet.
  before_.waiting -= std::min<std::uint64_t>(promotions_.size(), before_.waiting);
  if (Status status = StartRecorder(std::move(catalogue)); !status.ok()) {
    return Refusal(CrawlResult::Outcome::kStorage, status);
  }
  ready_.store(true);
  EnterPhase("discovery");
  PushEvent(resumed ? "resumed" : "started", "");
  OfferSeeds(seeds);
  EnterPhase("expansion");
  Status status = RunThreads();
  PushEvent("stopped", crawl_.stopping.load() ? "on request" : "");
  std::unique_ptr<Catalogue> closed;
  std::unique_ptr<WarcWriter> warc;
  const Status written = crawl_.recorder->Close(&closed, &warc);
  if (status.ok()) status = written;
  if (status.ok()) status = Index(*closed);
  EnterPhase("completion");
  if (status.ok()) status = Complete(closed);
  return Conclude(status);
}

Status WebCrawl::RunThreads() {
  const CrawlOptions& options = crawl_.options;
  std::unique_ptr<PageQueue> queue;
  if (options.parse_threads > 0) queue = std::make_unique<PageQueue>(crawl_, options.parse_threads);
  for (int i = 0; i < threads_; ++i) {
    const auto share =
        static_cast<std::size_t>(connections_ / threads_ + (i < connections_ % threads_ ? 1 : 0));
    Result<std::unique_ptr<FetchWorker>> worker = FetchWorker::Create(crawl_, queue.get(), share);
    if (!worker.ok()) return worker.status();
    workers_.push_back(std::move(worker).value());
  }
  for (int i = 0; i < threads_; ++i) workers_[static_cast<std::size_t>(i)]->Start(i + 1);
  WatchTime();
  for (const auto& worker : workers_) worker->Join();
  if (queue != nullptr) queue->Drain();
  return Status::Ok();
}

// Stops the crawl when its time is up. Its own thread would be one more to end; the workers look at
// the clock anyway, so it is enough to tell them when.
void WebCrawl::WatchTime() {
  if (crawl_.options.max_time.count() == 0) return;
  const TimePoint end = started_.load() + crawl_.options.max_time;
  while (!crawl_.stopping.load()) {
    const TimePoint now = Clock::System().Now();
    if (now >= end) {
      crawl_.spent.store("max-time");
      crawl_.stopping.store(true);
      WakeIdle();
      return;
    }
    if (crawl_.frontier->Finished()) return;
    std::this_thread::sleep_for(std::min<Duration>(end - now, std::chrono::milliseconds(50)));
  }
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
                      {"rank_change", report.change}});
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
  const char* const state = spent ? "budget spent" : finished ? "finished" : "stopped";
  if (status.ok()) status = catalogue->PutState("status", state);
  for (const auto& [key, value] : LiveState(crawl_.recorder->committed())) {
    if (status.ok()) status = catalogue->PutState(key, value);
  }
  if (status.ok()) status = catalogue->Commit();
  if (status.ok()) status = catalogue->Checkpoint();
  return status;
}

CrawlResult WebCrawl::Conclude(const Status& status) {
  phase_.store("over");
  CrawlResult result;
  result.statistics = statistics();
  if (!status.ok()) {
    // Of what was done, only what was written is there.
    const RecordedTotals totals = crawl_.recorder->committed();
    result.statistics = Committed(totals);
    result.statistics.urls_waiting = before_.waiting + static_cast<std::uint64_t>(totals.waiting);
    result.statistics.urls_under_way = 0;
    result.outcome = CrawlResult::Outcome::kStorage;
    result.message = status.message();
  } else if (const char* spent = crawl_.spent.load()) {
    result.outcome = CrawlResult::Outcome::kBudget;
    result.message = spent;
  } else if (crawl_.stopping.load()) {
    result.outcome = CrawlResult::Outcome::kStopped;
  } else if (crawl_.frontier->counts().held_by_budget > 0) {
    result.outcome = CrawlResult::Outcome::kBudget;
    result.message = crawl_.frontier->counts().pages_spent ? "max-pages" : "max-per-domain";
  }
  return result;
}

CrawlStatistics WebCrawl::statistics() const {
  CrawlStatistics statistics;
  statistics.phase = phase_.load();
  statistics.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::System().Now() -
                                                                             started_.load());
  if (!ready_.load()) return statistics;
  const CrawlCounters& counters = crawl_.counters;
  statistics.requests = counters.requests.load();
  statistics.bytes = counters.bytes.load();
  statistics.redirects = counters.redirects.load();
  statistics.http_errors = counters.http_errors.load();
  statistics.failures = counters.failures.load();
  statistics.throttled = counters.throttled.load();
  statistics.refused = counters.refused.load();
  statistics.unwanted = counters.unwanted.load();
  statistics.dead_letters = counters.dead_letters.load();
  statistics.duplicates = counters.duplicates.load();
  statistics.links = counters.links.load();
  const Frontier::Counts counts = crawl_.frontier->counts();
  statistics.pages = counts.pages;
  statistics.urls_known = counts.known;
  statistics.urls_waiting = counts.waiting;
  statistics.urls_under_way = counts.leased;
  statistics.hosts_known = counts.hosts;
  statistics.hosts_ready = counts.hosts_ready;
  statistics.hosts_waiting =
      counts.hosts_active > counts.hosts_ready ? counts.hosts_active - counts.hosts_ready : 0;
  statistics.eta = Eta(statistics);
  return statistics;
}

// As a resume would find it, as far as it is counted from commit to commit.
CrawlStatistics WebCrawl::Committed(const RecordedTotals& totals) const {
  CrawlStatistics s = statistics();
  s.pages = before_.pages + totals.pages;
  s.urls_known = before_.known + totals.urls;
  s.hosts_known = before_.hosts + totals.hosts;
  s.redirects = totals.redirects;
  s.http_errors = totals.http_errors;
  s.failures = totals.failures;
  s.throttled = totals.throttled;
  s.refused = totals.refused;
  s.unwanted = totals.unwanted;
  s.dead_letters = totals.dead_letters;
  s.duplicates = totals.duplicates;
  return s;
}

std::optional<std::chrono::milliseconds> WebCrawl::Eta(const CrawlStatistics& s) const {
  const CrawlOptions& options = crawl_.options;
  std::optional<std::chrono::milliseconds> eta;
  if (options.max_time.count() > 0) {
    eta = std::max(options.max_time - s.elapsed, std::chrono::milliseconds(0));
  }
  const std::uint64_t pages = s.pages - std::min(s.pages, before_.pages);
  if (options.max_pages > s.pages && pages > 0) {
    const double left = static_cast<double>(options.max_pages - s.pages);
    const std::chrono::milliseconds at_this_pace(static_cast<std::int64_t>(
        left * static_cast<double>(s.elapsed.count()) / static_cast<double>(pages)));
    eta = eta ? std::min(*eta, at_this_pace) : at_this_pace;
  }
  return eta;
}

std::vector<std::pair<std::string, std::string>> WebCrawl::LiveState(
    const RecordedTotals& totals) const {
  return {{"live", Snapshot(totals)}};
}

std::string WebCrawl::Snapshot(const RecordedTotals& totals) const {
  using Json = nlohmann::json;
  const CrawlStatistics s = Committed(totals);
  Json json = {{"at", NowMilliseconds()}, {"phase", s.phase}, {"elapsed_ms", s.elapsed.count()}};
  for (const auto& [name, value] : kCrawlCounts) json[name] = s.*value;
  const TimePoint now = Clock::System().Now();
  Json holdups = Json::array();
  for (const Frontier::Holdup& holdup : crawl_.frontier->Holdups(now, kHoldupsShown)) {
    // What may be asked now is due at the beginning of time, from which nothing can be subtracted.
    const auto due_in =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::max(holdup.due, now) - now);
    holdups.push_back({{"host", holdup.origin},
                       {"waiting", holdup.waiting},
                       {"under_way", holdup.leased},
                       {"due_in_ms", holdup.due == TimePoint::max() ? -1 : due_in.count()},
                       {"why", holdup.why}});
  }
  json["holdups"] = std::move(holdups);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace crawler
