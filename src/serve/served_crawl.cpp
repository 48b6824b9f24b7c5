#include "serve/served_crawl.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/crawl_folder.hpp"
#include "inspect/inspect.hpp"
#include "inspect/read_folder.hpp"
#include "serve/json.hpp"

namespace crawler {
namespace {

constexpr std::size_t kHoldupsSampled = 50;
constexpr std::chrono::milliseconds kFresh{1'000};
constexpr std::chrono::seconds kLongestRest{120};
constexpr std::size_t kEnginesKept = 4;
constexpr std::uint64_t kLeastFree = 100'000'000;  ///< Bytes of the disk.

MeterView::Histogram CopyOf(const DurationHistogram& from) {
  MeterView::Histogram to;
  for (std::size_t i = 0; i < DurationHistogram::kBounds.size(); ++i) {
    to.buckets.push_back(from.bucket(i));
  }
  to.sum = from.sum();
  to.count = from.count();
  return to;
}

std::string PageEvent(const CrawledPage& page) {
  return ToText({{"url", std::string(page.url)},
                 {"title", std::string(page.title)},
                 {"status", page.status},
                 {"size", page.size}});
}

}  // namespace

void ServedCrawl::Attach(WebCrawl* crawl) {
  {
    MutexLock lock(crawl_mutex_);
    crawl_ = crawl;
  }
  Sample();
}

void ServedCrawl::Detach() {
  {
    MutexLock lock(crawl_mutex_);
    crawl_ = nullptr;
  }
  MutexLock lock(view_mutex_);
  view_.controllable = false;
}

CrawlCallbacks ServedCrawl::Observe(CrawlCallbacks callbacks) {
  callbacks.on_page = [this, next = std::move(callbacks.on_page)](const CrawledPage& page) {
    if (events_.HasRoom()) events_.Add("page", PageEvent(page));
    if (next) next(page);
  };
  callbacks.on_log = [this, next = std::move(callbacks.on_log)](std::string_view line) {
    if (events_.HasRoom()) events_.Add("log", ToText({{"line", std::string(line)}}));
    if (next) next(line);
  };
  return callbacks;
}

void ServedCrawl::Sample() {
  CrawlView view;
  const bool ours = WithCrawl([&view](WebCrawl& crawl) {
    view.controllable = true;
    view.activity = crawl.activity();
    CrawlStatus& status = view.status;
    status.statistics = crawl.statistics();
    status.running = true;
    status.process = getpid();
    status.state = status.statistics.paused ? "paused" : "running";
    status.as_of = std::chrono::system_clock::now();
    status.breakdown.codes = crawl.codes();
    status.holdups = crawl.holdups(kHoldupsSampled);
  });
  if (!ours) {
    view.status = InspectStatus(folder_);
    const bool waits = view.status.statistics.urls_under_way == 0 && !view.status.holdups.empty();
    if (view.status.running && waits) view.activity.holdup = view.status.holdups.front();
  }
  Store(std::move(view));
}

void ServedCrawl::Store(CrawlView view) {
  {
    MutexLock lock(view_mutex_);
    const TimePoint now = std::chrono::steady_clock::now();
    const CrawlStatistics& s = view.status.statistics;
    const bool due = view.status.running && !s.paused && s.hosts_ready > 0 &&
                     (s.phase == "discovery" || s.phase == "expansion");
    if (!due || s.requests != last_requests_ || !sampled_) progress_at_ = now;
    last_requests_ = s.requests;
    view.retry_asked = retry_.has_value();
    if (view.status.running) series_.Add(ToMilliseconds(std::chrono::system_clock::now()), s);
    view_ = std::move(view);
    sampled_at_ = now;
    sampled_ = true;
  }
  events_.Wake();
}

CrawlView ServedCrawl::View() {
  {
    MutexLock lock(view_mutex_);
    const bool old = std::chrono::steady_clock::now() - sampled_at_ >= kFresh;
    if (sampled_ && (view_.status.running || !old)) return view_;
  }
  Sample();
  MutexLock lock(view_mutex_);
  return view_;
}

bool ServedCrawl::running() const {
  MutexLock lock(view_mutex_);
  return view_.status.running;
}

std::optional<MeterView> ServedCrawl::Meters() {
  MeterView view;
  const bool ours = WithCrawl([&view](const WebCrawl& crawl) {
    const CrawlMeters& meters = crawl.meters();
    view.requests = CopyOf(meters.requests());
    view.commits = CopyOf(meters.commits());
    view.lookups = meters.lookups();
    view.connections = meters.connections();
    view.handshakes = meters.handshakes();
    for (std::size_t i = 0; i < CrawlMeters::kFailures; ++i) {
      view.failures.push_back(meters.failures(static_cast<FetchFailure>(i)));
    }
  });
  if (!ours) return std::nullopt;
  return view;
}

CrawlSeries ServedCrawl::series() const {
  MutexLock lock(view_mutex_);
  return series_;
}

std::string ServedCrawl::Trouble() {
  const CrawlView view = View();
  if (!view.status.error.empty()) return view.status.error;
  if (!view.status.running) return "";
  {
    MutexLock lock(view_mutex_);
    if (std::chrono::steady_clock::now() - progress_at_ > kLongestRest) {
      return "no request has ended for two minutes, although hosts may be requested";
    }
  }
  struct statvfs disk {};
  if (statvfs(folder_.c_str(), &disk) == 0 && disk.f_bavail * disk.f_frsize < kLeastFree) {
    return "the disk is nearly full: less than 100 MB are left";
  }
  return "";
}

void ServedCrawl::AskRetry(RetrySelection selection) {
  MutexLock lock(view_mutex_);
  retry_ = std::move(selection);
  view_.retry_asked = true;
}

std::optional<RetrySelection> ServedCrawl::TakeRetry() {
  MutexLock lock(view_mutex_);
  view_.retry_asked = false;
  return std::exchange(retry_, std::nullopt);
}

Result<std::unique_ptr<QueryEngine>> ServedCrawl::TakeEngine() {
  {
    MutexLock lock(engines_mutex_);
    if (!engines_.empty()) {
      std::unique_ptr<QueryEngine> engine = std::move(engines_.back());
      engines_.pop_back();
      return engine;
    }
  }
  // A missing crawl has a better message than a missing file.
  const Result<Database> there = OpenForReading(folder_);
  if (!there.ok()) return there.status();
  return QueryEngine::Open(CrawlFolder::CataloguePath(folder_));
}

void ServedCrawl::PutEngine(std::unique_ptr<QueryEngine> engine) {
  MutexLock lock(engines_mutex_);
  if (engines_.size() < kEnginesKept) engines_.push_back(std::move(engine));
}

}  // namespace crawler
