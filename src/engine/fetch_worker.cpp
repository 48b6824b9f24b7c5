#include "engine/fetch_worker.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/robots_fetch.hpp"
#include "fetch/fetch_following.hpp"
#include "fetch/http_fetcher.hpp"

namespace crawler {
namespace {

/// Bytes that may wait for the parsers or for the disk before no new request is made.
constexpr std::size_t kMaxParseBacklog = std::size_t{64} << 20;
constexpr std::size_t kMaxWriteBacklog = std::size_t{64} << 20;
constexpr std::size_t kMaxSitemapBytes = std::size_t{50} << 20;
/// How long what is under way may take once the crawl is asked to stop.
constexpr std::chrono::seconds kGrace{5};
/// Stopping and the end are noticed at least this often.
constexpr std::chrono::milliseconds kLongestWait{100};
constexpr std::size_t kLeasesAtATime = 64;

Result<std::unique_ptr<Fetcher>> MakeFetcher(const CrawlContext& crawl) {
  if (crawl.environment.make_fetcher) return crawl.environment.make_fetcher();
  Result<std::unique_ptr<HttpFetcher>> fetcher = HttpFetcher::Create(crawl.fetch);
  if (!fetcher.ok()) return fetcher.status();
  return std::unique_ptr<Fetcher>(std::move(fetcher).value());
}

}  // namespace

Result<std::unique_ptr<FetchWorker>> FetchWorker::Create(CrawlContext& crawl, PageQueue* queue,
                                                         std::size_t share) {
  Result<std::unique_ptr<Fetcher>> fetcher = MakeFetcher(crawl);
  if (!fetcher.ok()) return fetcher.status();
  return std::unique_ptr<FetchWorker>(
      new FetchWorker(crawl, queue, share, std::move(fetcher).value()));
}

FetchWorker::FetchWorker(CrawlContext& crawl, PageQueue* queue, std::size_t share,
                         std::unique_ptr<Fetcher> fetcher)
    : crawl_(crawl),
      queue_(queue),
      share_(share),
      fetcher_(std::move(fetcher)),
      work_(crawl),
      urls_(crawl.catalogue_path) {}

FetchWorker::~FetchWorker() { Join(); }

void FetchWorker::Start(int number) {
  thread_ = std::thread([this, number] {
    SetThreadName("fetcher-" + std::to_string(number));
    Run();
  });
}

void FetchWorker::Join() {
  if (thread_.joinable()) thread_.join();
}

void FetchWorker::Wakeup() {
  if (idle_.exchange(false)) fetcher_->Wakeup();
}

void FetchWorker::Run() {
  while (!Over()) {
    LeaseWork();
    const Duration wait = TimeToWait();
    fetcher_->Poll(wait);
    idle_.store(false, std::memory_order_relaxed);
    if (crawl_.environment.single_thread) crawl_.writer->WriteDue();
  }
  crawl_.wake_idle();  // The others may be over, too.
}

// Also carries out a stop: first nothing new, after a while nothing at all.
bool FetchWorker::Over() {
  if (!crawl_.stopping.load() && crawl_.Now() >= crawl_.deadline) {
    crawl_.spent.store("max-time");
    crawl_.stopping.store(true);
    crawl_.wake_idle();
  }
  if (crawl_.writer->failed()) crawl_.stopping_now.store(true);
  if (crawl_.stopping_now.load()) crawl_.stopping.store(true);
  if (crawl_.stopping.load()) {
    if (fetcher_->pending() == 0) return true;
    const TimePoint now = crawl_.Now();
    stop_deadline_ = std::min(stop_deadline_, now + kGrace);
    if (!cancelled_ && (crawl_.stopping_now.load() || now >= stop_deadline_)) {
      cancelled_ = true;
      fetcher_->CancelAll();
    }
    return false;
  }
  return fetcher_->pending() == 0 && crawl_.frontier->Finished();
}

void FetchWorker::LeaseWork() {
  given_up_.clear();
  while (crawl_.frontier->TakeGivenUp(1000, &given_up_) != 0) {
    work_.WriteGivenUp(given_up_);
    given_up_.clear();
  }
  while (!crawl_.stopping.load(std::memory_order_relaxed)) {
    const std::size_t pending = fetcher_->pending();
    if (pending >= share_) return;
    if (crawl_.writer->backlog() > kMaxWriteBacklog) return;
    if (queue_ != nullptr && queue_->bytes() > kMaxParseBacklog) return;
    leases_.clear();
    // Before asking: whoever adds work after we looked must know that we are about to wait.
    idle_.store(true);
    const std::size_t leased = crawl_.frontier->LeaseSome(
        crawl_.Now(), std::min(share_ - pending, kLeasesAtATime), &leases_);
    if (leased == 0) return;
    idle_.store(false);
    for (const Frontier::Lease& lease : leases_) Begin(lease);
  }
}

Duration FetchWorker::TimeToWait() {
  if (crawl_.stopping.load(std::memory_order_relaxed)) return std::chrono::milliseconds(10);
  const TimePoint now = crawl_.Now();
  const TimePoint due = crawl_.frontier->NextDue();
  // Full, or waiting for the disk: something else than the clock changes that.
  if (due <= now)
    return fetcher_->pending() >= share_ ? kLongestWait : std::chrono::milliseconds(1);
  return std::min<Duration>(due - now, kLongestWait);
}

void FetchWorker::Begin(const Frontier::Lease& lease) {
  Result<UrlRow> url = crawl_.registry->Find(lease.url, urls_);
  if (!url.ok()) {
    GiveBack(lease, url.status());
    return;
  }
  if (lease.kind == Frontier::Lease::Kind::kRobotsCheck) {
    BeginRobotsCheck(lease, std::move(url).value());
    return;
  }
  Result<std::optional<StoredPage>> known = std::optional<StoredPage>();
  if (crawl_.recrawl) known = urls_.ReadPage(lease.url);
  if (!known.ok()) {
    GiveBack(lease, known.status());
  } else {
    BeginUrl(lease, std::move(url).value(), std::move(known).value());
  }
}

// The storage has failed.
void FetchWorker::GiveBack(const Frontier::Lease& lease, const Status& why) {
  crawl_.logger.Error("Engine", "The catalogue cannot be read", {{"why", why.message()}});
  crawl_.writer->Fail(why);
  Frontier::Outcome outcome;
  outcome.kind = Frontier::Outcome::Kind::kReturned;
  outcome.now = outcome.started = crawl_.Now();
  if (lease.kind == Frontier::Lease::Kind::kUrl) {
    crawl_.frontier->Finish(lease, outcome);
  } else {
    crawl_.frontier->FailRobotsCheck(lease, outcome, outcome.now);
  }
}

void FetchWorker::BeginRobotsCheck(const Frontier::Lease& lease, UrlRow url) {
  Url parsed;
  ParseUrl(url.url, nullptr, &parsed);
  const Result<std::optional<RobotsRow>> known = urls_.ReadRobots(parsed.Origin());
  const std::int64_t now = crawl_.NowMilliseconds();
  if (known.ok() && *known && (*known)->expires_at > now && (*known)->policy != "refuse all") {
    RobotsFetch fetch;
    fetch.outcome = RobotsFetch::Outcome::kResponse;
    fetch.status = (*known)->status;
    fetch.max_age = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::milliseconds((*known)->expires_at - now));
    RobotsRecord record(crawl_.product);
    record.Update(fetch, (*known)->rules, crawl_.Now());
    work_.PassRobotsCheck(lease, url, std::move(record));
    return;
  }
  crawl_.counters.requests.fetch_add(1, std::memory_order_relaxed);
  FetchFollowing(
      *fetcher_, RobotsRequest(parsed),
      [this, lease, url = std::move(url)](FetchResult result) mutable {
        work_.FinishRobotsCheck({lease, std::move(url), std::move(result), {}});
      },
      kMaxRobotsRedirects);
}

void FetchWorker::BeginUrl(const Frontier::Lease& lease, UrlRow url,
                           std::optional<StoredPage> known) {
  FetchRequest request;
  ParseUrl(url.url, nullptr, &request.url);
  if (const auto* robots = static_cast<const HostRobots*>(lease.notes.get())) {
    const RobotsVerdict verdict = robots->record.Check(request.url);
    if (!verdict.allowed) {
      work_.Refuse(lease, url, verdict, std::move(known));
      return;
    }
  }
  if (url.via == Via::kSitemapFile) {
    request.any_type = true;
    request.max_body = kMaxSitemapBytes;
  } else if (known && MayBeConfirmed(*known, crawl_.options)) {
    request.etag = known->etag;
    request.last_modified = known->last_modified;
  }
  const bool conditional = !request.etag.empty() || !request.last_modified.empty();
  crawl_.counters.requests.fetch_add(1, std::memory_order_relaxed);
  fetcher_->Start(std::move(request), [this, lease, url = std::move(url), known = std::move(known),
                                       conditional](FetchResult result) mutable {
    HandOver({lease, std::move(url), std::move(result), std::move(known), conditional});
  });
}

void FetchWorker::HandOver(FetchedUrl fetched) {
  if (queue_ == nullptr) {
    work_.Finish(std::move(fetched));
  } else {
    queue_->Push(std::move(fetched));
  }
}

}  // namespace crawler
