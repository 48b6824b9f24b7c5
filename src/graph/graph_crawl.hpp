#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/queue.hpp"
#include "base/status.hpp"
#include "graph/address_set.hpp"

namespace crawler {

/// Visits everything that can be reached from a start address, with two pools of threads:
///
///     links queue (bounded) -> downloaders -> pages queue (unbounded) -> parsers -> links queue
///
/// Downloaders never wait for parsers, so they always make room for a parser that waits for the
/// links queue: nothing can deadlock. The end is provable: `unfinished_` counts the addresses that
/// are queued, being fetched or being parsed; when the count falls to zero, no new address can
/// appear.
/// Life: construct, Run() once, destroy. Owns its threads and the queued pages; borrows the Site.
/// Threads: Stop() and stats() from any thread, also from the Site's callbacks.
class GraphCrawl {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  struct Options {
    std::string start;
    int download_workers = 4;
    int parse_workers = 2;
    std::size_t queue_size = 1000;
    std::uint64_t max_pages = kUnlimited;
    /// With a limit the crawl goes level by level, because only then is the first path found to a
    /// page a shortest one. Links of the next level are not bounded by `queue_size`.
    std::uint64_t max_depth = kUnlimited;
  };

  /// The result of a fetch. `data` is null for a broken link.
  struct Content {
    char* data = nullptr;
    std::size_t size = 0;
  };

  struct Page {
    Address address;
    unsigned depth;
    std::string_view content;
  };

  class Links;

  /// The site to crawl. Called from many threads at once with no lock held; may block. An exception
  /// ends the crawl as a failure.
  class Site {
   public:
    virtual ~Site() = default;
    virtual Content Fetch(Address address) = 0;
    virtual void Free(Content content) noexcept = 0;
    virtual void Parse(const Page& page, Links& links) = 0;
    virtual void Edge(Address from, Address to) = 0;
  };

  /// Receives the links of a page from Site::Parse().
  class Links {
   public:
    /// Reports the edge, then queues `address` if it is new and within the limits, waiting for
    /// room. False once the crawl is ending. An empty address is no link.
    bool Emit(std::string_view address);

   private:
    friend class GraphCrawl;
    Links(GraphCrawl& crawl, const Page& page, std::size_t worker)
        : crawl_(crawl), page_(page), worker_(worker) {}
    GraphCrawl& crawl_;
    const Page& page_;
    const std::size_t worker_;
  };

  struct Stats {
    std::uint64_t pages_fetched = 0;
    std::uint64_t pages_broken = 0;
    std::uint64_t bytes_fetched = 0;
    std::uint64_t edges = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t links_queue_high = 0;
    std::uint64_t pages_queue_high = 0;
    /// In Site::Fetch(), all downloaders together, and between two calls if the second followed at
    /// once.
    Duration fetching{};
    Duration parsing{};          ///< In Site::Parse(), likewise, without the next.
    Duration parsers_blocked{};  ///< In Links::Emit(), waiting for room in the links queue.
    Duration elapsed{};
  };

  enum class Outcome { kDone, kStopped };

  GraphCrawl(Options options, Site& site, Logger log);
  ~GraphCrawl();
  GraphCrawl(const GraphCrawl&) = delete;
  GraphCrawl& operator=(const GraphCrawl&) = delete;

  /// Crawls, and returns when every thread has ended. kResourceExhausted if memory runs out or a
  /// thread cannot be started (in that case the Site was not called), kInternal if the Site threw
  /// or Run() was called before.
  Result<Outcome> Run();

  /// Ends the crawl early: running callbacks finish, no new one begins. Does not wait.
  void Stop();

  Stats stats() const;
  std::uint64_t PagesOfDownloader(std::size_t worker) const;
  std::uint64_t EdgesOfParser(std::size_t worker) const;
  /// Time that the finished callbacks of one worker took; zero if there is no such worker.
  Duration FetchTimeOfDownloader(std::size_t worker) const;
  Duration ParseTimeOfParser(std::size_t worker) const;

  const Options& options() const { return options_; }

 private:
  /// Queue length at which the first line is logged; each doubling logs another.
  static constexpr std::size_t kFirstPagesLog = 64;

  struct Link {
    Address address;
    unsigned depth;
  };

  /// A fetched page in the pages queue; frees its content.
  class QueuedPage {
   public:
    QueuedPage(Site& site, Link link, Content content)
        : site_(&site), link_(link), content_(content) {}
    QueuedPage(QueuedPage&& other) noexcept;
    QueuedPage& operator=(QueuedPage&&) = delete;
    ~QueuedPage();
    Page page() const { return {link_.address, link_.depth, {content_.data, content_.size}}; }

   private:
    Site* site_;
    Link link_;
    Content content_;
  };

  // Each counter has one writer; readers may be a little behind.
  using Counter = std::atomic<std::uint64_t>;
  struct alignas(64) Downloader {
    Counter fetched{0}, broken{0}, bytes{0}, fetch_ns{0};
  };
  struct alignas(64) Parser {
    Counter edges{0}, duplicates{0}, parse_ns{0}, blocked_ns{0};
  };

  bool StartWorkers();
  void Seed();
  void DownloadLoop(std::size_t worker);
  void ParseLoop(std::size_t worker);
  bool Emit(const Page& page, std::string_view address, std::size_t worker);
  bool Follow(Link link, Parser& me);
  bool PushLink(Link link, Duration* waited);
  void LogWorker(std::string_view message) const;
  void LogPagesQueue();
  void LogEnd() noexcept;
  bool TakePageBudget();
  void FinishOne();
  void StartNextLevel();
  void CloseQueues();
  void Fail(Status status) noexcept;
  template <typename Loop>
  void Guarded(Loop loop);

  const Options options_;
  Site& site_;
  const Logger log_;
  AddressSet addresses_;
  Queue<Link> links_;
  Queue<QueuedPage> pages_;
  std::vector<std::thread> threads_;
  std::vector<Downloader> downloaders_;
  std::vector<Parser> parsers_;

  std::atomic<std::uint64_t> unfinished_{0};
  std::atomic<std::uint64_t> pages_taken_{0};
  std::atomic<bool> ran_{false};
  std::atomic<bool> ending_{false};
  std::atomic<std::size_t> next_pages_log_{kFirstPagesLog};  // Length of pages_ that is logged.
  std::atomic<Duration> started_{Duration::zero()};
  std::atomic<Duration> elapsed_{Duration::zero()};

  Mutex mutex_;
  std::vector<Link> next_level_ CRAWLER_GUARDED_BY(mutex_);
  Status failure_ CRAWLER_GUARDED_BY(mutex_);
  bool stopped_ CRAWLER_GUARDED_BY(mutex_) = false;
};

}  // namespace crawler
