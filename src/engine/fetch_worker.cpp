#include "engine/fetch_worker.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/catch_exceptions.hpp"
#include "engine/recrawl.hpp"
#include "engine/robots_fetch.hpp"
#include "fetch/fetch_following.hpp"
#include "fetch/http_fetcher.hpp"

namespace crawler {
namespace {

/// Requests under way may take this long once the crawl is asked to stop.
constexpr std::chrono::seconds kGrace{5};
/// A thread looks at least this often whether the crawl is stopped or finished.
constexpr std::chrono::milliseconds kLongestWait{100};
constexpr std::size_t kLeasesAtATime = 64;
/// From the request to the response head; see Frontier::Lease::hurried.
constexpr std::chrono::seconds kHurriedResponse{5};

Result<std::unique_ptr<Fetcher>> MakeFetcher(const CrawlContext& crawl) {
  if (crawl.environment.make_fetcher) return crawl.environment.make_fetcher();
  Result<std::unique_ptr<HttpFetcher>> fetcher = HttpFetcher::Create(crawl.fetch);
  if (!fetcher.ok()) return fetcher.status();
  return std::unique_ptr<Fetcher>(std::move(fetcher).value());
}

}  // namespace

Result<std::unique_ptr<FetchWorker>> FetchWorker::Create(CrawlContext& crawl, PageQueue* queue,
                                                         const Share& share) {
  Result<std::unique_ptr<Fetcher>> fetcher = MakeFetcher(crawl);
  if (!fetcher.ok()) return fetcher.status();
  return std::unique_ptr<FetchWorker>(
      new FetchWorker(crawl, queue, share, std::move(fetcher).value()));
}

FetchWorker::FetchWorker(CrawlContext& crawl, PageQueue* queue, const Share& share,
                         std::unique_ptr<Fetcher> fetcher)
    : crawl_(crawl),
      queue_(queue),
      share_(share),
      fetcher_(std::move(fetcher)),
      work_(crawl),
      urls_(crawl.catalogue_path) {}

FetchWorker::~FetchWorker() { Join(); }

void FetchWorker::Start(int number) {
  number_ = static_cast<std::uint16_t>(number);
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
  Status status = CatchExceptions([this] {
    while (!Over()) {
      LeaseWork();
      const Duration wait = TimeToWait();
      fetcher_->Poll(wait);
      idle_.store(false, std::memory_order_relaxed);
      if (crawl_.environment.single_thread) crawl_.writer->WriteDue();
    }
    return Status::Ok();
  });
  // A step that was not finished must not be committed; the crawl ends.
  if (!status.ok()) crawl_.writer->Fail(std::move(status));
  crawl_.wake_idle();  // Other threads may have to end as well.
}

// Also carries out a stop: no new request is made; after kGrace requests under way are cancelled.
bool FetchWorker::Over() {
  if (!crawl_.stop.requested() && crawl_.Now() >= share_.deadline) {
    crawl_.stop.BudgetIsSpent("max-time");
    crawl_.wake_idle();
  }
  if (crawl_.writer->failed()) crawl_.stop.RequestNow();
  if (crawl_.stop.requested()) {
    if (fetcher_->pending() == 0) return true;
    const TimePoint now = crawl_.Now();
    stop_deadline_ = std::min(stop_deadline_, now + kGrace);
    if (!cancelled_ && (crawl_.stop.at_once() || now >= stop_deadline_)) {
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
  while (!crawl_.stop.requested() && !crawl_.paused.load(std::memory_order_relaxed)) {
    const std::size_t pending = fetcher_->pending();
    if (pending >= share_.requests) return;
    if (crawl_.memory->scarce(crawl_.writer->backlog())) return;
    leases_.clear();
    // Before LeaseFor(): a thread that adds work after it must see that this one may be waiting.
    idle_.store(true);
    const Result<std::size_t> leased = crawl_.frontier->LeaseFor(
        number_, crawl_.Now(), std::min(share_.requests - pending, kLeasesAtATime), &leases_);
    if (!leased.ok()) StorageFailed(leased.status());
    if (leases_.empty()) return;
    idle_.store(false);
    if (crawl_.discovering.load(std::memory_order_relaxed) && !crawl_.frontier->Discovering() &&
        crawl_.discovering.exchange(false)) {
      crawl_.expand();
    }
    for (Frontier::Lease& lease : leases_) Begin(std::move(lease));
  }
}

Duration FetchWorker::TimeToWait() {
  if (crawl_.stop.requested()) return std::chrono::milliseconds(10);
  if (crawl_.paused.load(std::memory_order_relaxed)) return kLongestWait;
  const TimePoint now = crawl_.Now();
  const TimePoint due = crawl_.frontier->NextDue();
  // URLs are due, but all connections are in use, or the writer is behind.
  if (due <= now)
    return fetcher_->pending() >= share_.requests ? kLongestWait : std::chrono::milliseconds(1);
  return std::min<Duration>(due - now, kLongestWait);
}

void FetchWorker::Begin(Frontier::Lease lease) {
  if (lease.kind == Frontier::Lease::Kind::kRobotsCheck) {
    BeginRobotsCheck(std::move(lease));
    return;
  }
  Result<std::optional<StoredPage>> known = std::optional<StoredPage>();
  if (crawl_.recrawl) known = urls_.ReadPage(lease.id);
  if (!known.ok()) {
    StorageFailed(known.status());
    GiveBack(lease);
  } else {
    BeginUrl(std::move(lease), std::move(known).value());
  }
}

void FetchWorker::StorageFailed(const Status& why) {
  crawl_.logger.Error("Engine", "The catalogue cannot be read", {{"why", why.message()}});
  crawl_.writer->Fail(why);
}

// Ends a lease for which nothing was sent.
void FetchWorker::GiveBack(const Frontier::Lease& lease) {
  Frontier::Outcome outcome;
  outcome.kind = Frontier::Outcome::Kind::kReturned;
  outcome.now = outcome.started = crawl_.Now();
  crawl_.frontier->Finish(lease, outcome);
}

void FetchWorker::BeginRobotsCheck(Frontier::Lease lease) {
  Url url;
  ParseUrl(lease.url, nullptr, &url);
  const Result<std::optional<RobotsRow>> row = urls_.ReadRobots(url.Origin());
  const std::int64_t now = crawl_.NowMilliseconds();
  if (row.ok() && *row && (*row)->expires_at > now && (*row)->policy != "refuse all") {
    work_.PassStoredRobots(lease, ToRecord(**row, now), (*row)->rules.size());
    return;
  }
  const std::string robots_url = RobotsUrlOf(url);
  crawl_.reporter.Begin(robots_url);
  FetchRequest request = RobotsRequest(url);
  if (lease.hurried) request.response_timeout = kHurriedResponse;
  FetchFollowing(
      *fetcher_, std::move(request),
      [this, lease = std::move(lease), robots_url](FetchResult result) mutable {
        crawl_.reporter.End(robots_url);
        work_.FinishRobotsCheck({std::move(lease), std::move(result), {}});
      },
      kMaxRobotsRedirects);
}

RobotsRecord FetchWorker::ToRecord(const RobotsRow& row, std::int64_t now) const {
  RobotsFetch fetch;
  fetch.outcome = RobotsFetch::Outcome::kResponse;
  fetch.status = row.status;
  fetch.max_age = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::milliseconds(row.expires_at - now));
  RobotsRecord record(crawl_.product);
  record.Update(fetch, row.rules, crawl_.Now());
  return record;
}

// The rules of a host whose robots.txt was checked: from the cache, or from the catalogue. Null if
// the rules have left the cache before they were committed, or have expired.
std::shared_ptr<const RobotsRecord> FetchWorker::RulesOf(const Frontier::Lease& lease,
                                                         const Url& url) {
  if (std::shared_ptr<const RobotsRecord> record = crawl_.robots.Find(lease.host)) return record;
  const Result<std::optional<RobotsRow>> row = urls_.ReadRobots(url.Origin());
  const std::int64_t now = crawl_.NowMilliseconds();
  if (!row.ok() || !*row || (*row)->expires_at <= now || (*row)->policy == "refuse all") {
    return nullptr;
  }
  auto record = std::make_shared<const RobotsRecord>(ToRecord(**row, now));
  crawl_.robots.Put(lease.host, record, (*row)->rules.size());
  return record;
}

void FetchWorker::BeginUrl(Frontier::Lease lease, std::optional<StoredPage> known) {
  FetchRequest request;
  ParseUrl(lease.url, nullptr, &request.url);
  if (crawl_.options.network.obey_robots) {
    const std::shared_ptr<const RobotsRecord> rules = RulesOf(lease, request.url);
    if (rules == nullptr) {
      crawl_.frontier->RepeatRobotsCheck(lease.host);
      GiveBack(lease);
      return;
    }
    const RobotsVerdict verdict = rules->Check(request.url);
    if (!verdict.allowed) {
      work_.Refuse(lease, verdict, std::move(known));
      return;
    }
  }
  if (lease.is_sitemap()) {
    const std::string spent = crawl_.sitemaps->Spent(lease.host);
    if (!spent.empty()) {
      work_.LeaveOutSitemap(lease, spent);
      return;
    }
    request.any_type = true;
    request.max_body = crawl_.max_sitemap();
  } else if (known && MayBeConfirmed(*known, crawl_.options)) {
    request.etag = known->etag;
    request.last_modified = known->last_modified;
  }
  if (lease.hurried) request.response_timeout = kHurriedResponse;
  const bool conditional = !request.etag.empty() || !request.last_modified.empty();
  crawl_.reporter.Begin(lease.url);
  fetcher_->Start(std::move(request), [this, lease = std::move(lease), known = std::move(known),
                                       conditional](FetchResult result) mutable {
    HandOver({std::move(lease), std::move(result), std::move(known), conditional});
  });
}

void FetchWorker::HandOver(FetchedUrl fetched) {
  crawl_.reporter.End(fetched.lease.url);
  if (queue_ == nullptr) {
    work_.Finish(std::move(fetched));
  } else {
    queue_->Push(std::move(fetched));
  }
}

}  // namespace crawler
