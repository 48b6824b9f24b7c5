#include "graph/graph_crawl.hpp"

#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace crawler {
namespace {

constexpr std::string_view kComponent = "GraphCrawl";

// For a counter with one writer: no locked instruction.
void Add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

std::uint64_t Read(const std::atomic<std::uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

std::uint64_t Nanoseconds(Duration time) {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
}

std::int64_t Milliseconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

/// Measures calls with one look at the clock per call: a call that follows another one at once
/// begins when that one ended.
class CallTimer {
 public:
  void Begin(bool after_pause) {
    if (after_pause || last_ == TimePoint()) last_ = Clock::System().Now();
  }
  /// Nanoseconds since the call began.
  std::uint64_t End() {
    const TimePoint start = std::exchange(last_, Clock::System().Now());
    return Nanoseconds(last_ - start);
  }

 private:
  TimePoint last_;
};

}  // namespace

GraphCrawl::QueuedPage::QueuedPage(QueuedPage&& other) noexcept
    : site_(other.site_), link_(other.link_), content_(std::exchange(other.content_, {})) {}

GraphCrawl::QueuedPage::~QueuedPage() {
  if (content_.data != nullptr) site_->Free(content_);
}

bool GraphCrawl::Links::Emit(std::string_view address) {
  return crawl_.Emit(page_, address, worker_);
}

GraphCrawl::GraphCrawl(Options options, Site& site, Logger log)
    : options_(std::move(options)),
      site_(site),
      log_(std::move(log)),
      links_(options_.max_depth == kUnlimited ? options_.queue_size : Queue<Link>::kUnbounded),
      pages_(Queue<QueuedPage>::kUnbounded),
      downloaders_(static_cast<std::size_t>(options_.download_workers)),
      parsers_(static_cast<std::size_t>(options_.parse_workers)) {}

GraphCrawl::~GraphCrawl() = default;

Result<GraphCrawl::Outcome> GraphCrawl::Run() {
  if (ran_.exchange(true)) return Status(StatusCode::kInternal, "a crawl can be run only once");
  started_ = Clock::System().Now().time_since_epoch();
  Guarded([this] {
    if (StartWorkers()) Seed();
  });
  for (std::thread& thread : threads_) thread.join();
  pages_.Clear();
  elapsed_ = Clock::System().Now().time_since_epoch() - started_.load();
  LogEnd();

  MutexLock lock(mutex_);
  if (!failure_.ok()) return failure_;
  return stopped_ ? Outcome::kStopped : Outcome::kDone;
}

// All threads are there before the first callback, so that a crawl that cannot have them has done
// nothing.
bool GraphCrawl::StartWorkers() {
  const std::size_t wanted = downloaders_.size() + parsers_.size();
  threads_.reserve(wanted);
  try {
    for (std::size_t i = 0; i < downloaders_.size(); ++i) {
      threads_.emplace_back([this, i] { DownloadLoop(i); });
    }
    for (std::size_t i = 0; i < parsers_.size(); ++i) {
      threads_.emplace_back([this, i] { ParseLoop(i); });
    }
  } catch (const std::system_error& error) {
    Fail(Status(StatusCode::kResourceExhausted,
                "could start only " + std::to_string(threads_.size()) + " of " +
                    std::to_string(wanted) + " threads: " + error.what()));
    return false;
  }
  return true;
}

void GraphCrawl::Seed() {
  log_.Info(kComponent, "Started",
            {{"start", options_.start},
             {"download_workers", options_.download_workers},
             {"parse_workers", options_.parse_workers},
             {"queue_size", options_.queue_size}});
  const Link start{addresses_.Insert(options_.start).address, 0};
  if (!TakePageBudget()) return CloseQueues();
  unfinished_.store(1);
  links_.Push(start);
}

void GraphCrawl::DownloadLoop(std::size_t worker) {
  Guarded([this, worker] {
    SetThreadName("downloader-" + std::to_string(worker));
    LogWorker("Worker started");
    Downloader& me = downloaders_[worker];
    CallTimer timer;
    bool waited = false;
    while (const std::optional<Link> link = links_.Pop(&waited)) {
      timer.Begin(waited);
      const Content content = site_.Fetch(link->address);
      Add(me.fetch_ns, timer.End());
      if (content.data == nullptr) {
        Add(me.broken, 1);
        FinishOne();
        continue;
      }
      Add(me.fetched, 1);
      Add(me.bytes, content.size);
      pages_.Push(QueuedPage(site_, *link, content));
      if (log_.Enabled(LogLevel::kDebug)) LogPagesQueue();
    }
    LogWorker("Worker ended");
  });
}

void GraphCrawl::ParseLoop(std::size_t worker) {
  Guarded([this, worker] {
    SetThreadName("parser-" + std::to_string(worker));
    LogWorker("Worker started");
    Parser& me = parsers_[worker];
    CallTimer timer;
    bool waited = false;
    while (const std::optional<QueuedPage> queued = pages_.Pop(&waited)) {
      const Page page = queued->page();
      Links links(*this, page, worker);
      const std::uint64_t blocked_before = Read(me.blocked_ns);
      timer.Begin(waited);
      site_.Parse(page, links);
      Add(me.parse_ns, timer.End() - (Read(me.blocked_ns) - blocked_before));
      FinishOne();
    }
    LogWorker("Worker ended");
  });
}

bool GraphCrawl::Emit(const Page& page, std::string_view address, std::size_t worker) {
  if (ending_.load(std::memory_order_relaxed)) return false;
  if (address.empty()) return true;
  Parser& me = parsers_[worker];
  const auto [to, is_new] = addresses_.Insert(address);
  Add(me.edges, 1);
  if (!is_new) Add(me.duplicates, 1);
  site_.Edge(page.address, to);
  return is_new ? Follow({to, page.depth + 1}, me) : true;
}

bool GraphCrawl::Follow(Link link, Parser& me) {
  if (link.depth > options_.max_depth || !TakePageBudget()) return true;
  if (options_.max_depth != kUnlimited) {
    MutexLock lock(mutex_);
    next_level_.push_back(link);
    return true;
  }
  unfinished_.fetch_add(1, std::memory_order_relaxed);
  Duration waited{};
  const bool accepted = PushLink(link, &waited);
  if (waited != Duration::zero()) Add(me.blocked_ns, Nanoseconds(waited));
  return accepted;
}

bool GraphCrawl::PushLink(Link link, Duration* waited) {
  if (!log_.Enabled(LogLevel::kDebug)) return links_.Push(link, waited);
  if (links_.TryPush(link)) return true;
  log_.Debug(kComponent, "Links queue full, parser blocked",
             {{"links", links_.size()}, {"pages", pages_.size()}});
  const bool accepted = links_.Push(link, waited);
  log_.Debug(kComponent, "Parser unblocked",
             {{"waited_us", Nanoseconds(*waited) / 1000},
              {"links", links_.size()},
              {"pages", pages_.size()}});
  return accepted;
}

bool GraphCrawl::TakePageBudget() {
  if (options_.max_pages == kUnlimited) return true;
  std::uint64_t taken = pages_taken_.load();
  while (taken < options_.max_pages) {
    if (pages_taken_.compare_exchange_weak(taken, taken + 1)) return true;
  }
  return false;
}

void GraphCrawl::FinishOne() {
  // The links of a page are counted before the page is finished, so zero means that no address is
  // queued, fetched or parsed.
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) StartNextLevel();
}

void GraphCrawl::StartNextLevel() {
  std::vector<Link> level;
  {
    MutexLock lock(mutex_);
    level.swap(next_level_);
  }
  if (level.empty()) return CloseQueues();
  unfinished_.store(level.size());
  for (const Link& link : level) links_.Push(link);
}

void GraphCrawl::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
  }
  CloseQueues();
}

void GraphCrawl::Fail(Status status) noexcept {
  CloseQueues();
  try {
    log_.Error(kComponent, "Failed", {{"reason", status.message()}});
  } catch (...) {
    // Out of memory for the log line, most likely; the status below still says why.
  }
  MutexLock lock(mutex_);
  if (failure_.ok()) failure_ = std::move(status);
}

void GraphCrawl::CloseQueues() {
  ending_.store(true, std::memory_order_relaxed);
  links_.Close();
  pages_.Close();
}

void GraphCrawl::LogWorker(std::string_view message) const {
  if (!log_.Enabled(LogLevel::kDebug)) return;
  log_.Debug(kComponent, message, {{"links", links_.size()}, {"pages", pages_.size()}});
}

void GraphCrawl::LogPagesQueue() {
  const std::size_t pages = pages_.size();
  std::size_t next = next_pages_log_.load();
  // One thread logs each doubling: the one that moves the mark.
  while (pages >= next) {
    if (!next_pages_log_.compare_exchange_weak(next, 2 * next)) continue;
    log_.Debug(kComponent, "Pages queue grows", {{"links", links_.size()}, {"pages", pages}});
    return;
  }
}

void GraphCrawl::LogEnd() noexcept {
  try {
    const Stats end = stats();
    log_.Info(kComponent, "Ended",
              {{"pages", end.pages_fetched},
               {"broken", end.pages_broken},
               {"edges", end.edges},
               {"links_queue_high", end.links_queue_high},
               {"pages_queue_high", end.pages_queue_high},
               {"fetch_ms", Milliseconds(end.fetching)},
               {"parse_ms", Milliseconds(end.parsing)},
               {"blocked_ms", Milliseconds(end.parsers_blocked)},
               {"elapsed_ms", Milliseconds(end.elapsed)}});
  } catch (...) {
    // Out of memory for the log line; the outcome of the crawl stays what it is.
  }
}

// Runs a thread's loop so that nothing it throws gets out: the crawl ends as a failure instead.
template <typename Loop>
void GraphCrawl::Guarded(Loop loop) {
  try {
    loop();
  } catch (const std::bad_alloc&) {
    Fail(Status(StatusCode::kResourceExhausted, "out of memory"));
  } catch (const std::exception& error) {
    Fail(Status(StatusCode::kInternal, error.what()));
  } catch (...) {
    Fail(Status(StatusCode::kInternal, "a callback threw something unknown"));
  }
}

GraphCrawl::Stats GraphCrawl::stats() const {
  Stats stats;
  std::uint64_t fetch_ns = 0, parse_ns = 0, blocked_ns = 0;
  for (const Downloader& d : downloaders_) {
    stats.pages_fetched += Read(d.fetched);
    stats.pages_broken += Read(d.broken);
    stats.bytes_fetched += Read(d.bytes);
    fetch_ns += Read(d.fetch_ns);
  }
  for (const Parser& p : parsers_) {
    stats.edges += Read(p.edges);
    stats.duplicates += Read(p.duplicates);
    parse_ns += Read(p.parse_ns);
    blocked_ns += Read(p.blocked_ns);
  }
  stats.fetching = std::chrono::nanoseconds(fetch_ns);
  stats.parsing = std::chrono::nanoseconds(parse_ns);
  stats.parsers_blocked = std::chrono::nanoseconds(blocked_ns);
  stats.links_queue_high = links_.high();
  stats.pages_queue_high = pages_.high();
  const Duration elapsed = elapsed_.load();
  const Duration started = started_.load();
  if (elapsed != Duration::zero()) {
    stats.elapsed = elapsed;
  } else if (started != Duration::zero()) {
    stats.elapsed = Clock::System().Now().time_since_epoch() - started;
  }
  return stats;
}

std::uint64_t GraphCrawl::PagesOfDownloader(std::size_t worker) const {
  if (worker >= downloaders_.size()) return 0;
  return Read(downloaders_[worker].fetched) + Read(downloaders_[worker].broken);
}

std::uint64_t GraphCrawl::EdgesOfParser(std::size_t worker) const {
  return worker < parsers_.size() ? Read(parsers_[worker].edges) : 0;
}

Duration GraphCrawl::FetchTimeOfDownloader(std::size_t worker) const {
  if (worker >= downloaders_.size()) return Duration::zero();
  return std::chrono::nanoseconds(Read(downloaders_[worker].fetch_ns));
}

Duration GraphCrawl::ParseTimeOfParser(std::size_t worker) const {
  if (worker >= parsers_.size()) return Duration::zero();
  return std::chrono::nanoseconds(Read(parsers_[worker].parse_ns));
}

}  // namespace crawler
