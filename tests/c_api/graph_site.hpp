#pragma once

#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "crawler/crawler.h"
#include "sanitizers.hpp"

/// What the tests of the C library share: a site in memory that records every call, an oracle that
/// says what a crawl of it must report, and ways to wait that cannot hang.
namespace crawler_test {

/// Longer than anything here takes on a loaded machine; only a failing test waits so long.
inline constexpr std::chrono::seconds kPatience{20};
/// Long enough for a wrong step to show; a correct one is never waited for this way.
inline constexpr std::chrono::milliseconds kGlimpse{60};

/// Waits until `condition` holds; false if it does not within kPatience.
inline bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Threads of this process. The kernel may list one for a moment after it was joined.
inline std::size_t TaskCount() {
  std::size_t count = 0;
  DIR* const tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
  closedir(tasks);
  return count;
}

/// The same while no crawl runs, to compare with afterwards. A sanitizer may start a thread of its
/// own beside the first of ours, so there has to be a first.
inline std::size_t IdleTaskCount() {
  std::thread([] {}).join();
  std::size_t least = TaskCount();
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    least = std::min(least, TaskCount());
  }
  return least;
}

/// Holds threads back until it is opened.
class Gate {
 public:
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// False if nobody opened it in time.
  bool Wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    const bool in_time = changed_.wait_for(lock, kPatience, [&] { return open_; });
    --waiting_;
    return in_time;
  }
  int waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

/// Lets threads through once `expected` of them are inside at the same time.
class Rendezvous {
 public:
  explicit Rendezvous(int expected) : expected_(expected) {}
  void Arrive() {
    std::unique_lock lock(mutex_);
    if (++arrived_ >= expected_) met_.notify_all();
    met_.wait_for(lock, kPatience, [&] { return arrived_ >= expected_; });
  }
  bool met() {
    const std::lock_guard lock(mutex_);
    return arrived_ >= expected_;
  }

 private:
  const int expected_;
  std::mutex mutex_;
  std::condition_variable met_;
  int arrived_ = 0;
};

using Edge = std::pair<std::string, std::string>;
using Pages = std::map<std::string, std::string>;

/// The links of a page, by the words of crawler.h and without any cleverness.
inline std::vector<std::string> NaiveLinks(const std::string& page) {
  const std::string_view white("\x20\n\t\r\v\f");
  std::vector<std::string> links;
  for (std::size_t i = 0; i < page.size(); ++i) {
    const bool at_start = i == 0 || white.find(page[i - 1]) != std::string_view::npos;
    if (!at_start || page.compare(i, 5, "link:") != 0) continue;
    std::string address;
    for (i += 5; i < page.size() && page[i] != ' ' && page[i] != '\n'; ++i) address += page[i];
    if (!address.empty()) links.push_back(address);
  }
  return links;
}

/// What a crawl from some start must report.
struct Truth {
  std::map<std::string, unsigned> depth;                  ///< Of each address that is fetched.
  std::map<std::string, std::vector<std::string>> edges;  ///< From each page, in its order.
  std::set<std::string> known;                            ///< Every address met, fetched or not.
  std::uint64_t fetched = 0, broken = 0, bytes = 0, edge_count = 0;
};

/// One thread, breadth first.
inline Truth Oracle(const Pages& pages, const std::string& start,
                    std::uint64_t max_depth = CRAWL_UNLIMITED) {
  Truth truth;
  truth.depth[start] = 0;
  truth.known.insert(start);
  std::deque<std::string> waiting{start};
  for (; !waiting.empty(); waiting.pop_front()) {
    const std::string& address = waiting.front();
    const auto page = pages.find(address);
    if (page == pages.end()) {
      ++truth.broken;
      continue;
    }
    ++truth.fetched;
    truth.bytes += page->second.size();
    const unsigned depth = truth.depth.at(address);
    for (const std::string& link : NaiveLinks(page->second)) {
      truth.edges[address].push_back(link);
      ++truth.edge_count;
      truth.known.insert(link);
      if (depth < max_depth && truth.depth.emplace(link, depth + 1).second) waiting.push_back(link);
    }
  }
  return truth;
}

/// A site in memory. Remembers the calls it got; hooks run outside its lock.
/// An address without a page is broken.
class GraphSite {
 public:
  explicit GraphSite(Pages site_pages) : pages(std::move(site_pages)) {}

  const Pages pages;
  std::function<void(const std::string& address)> on_fetch;
  std::function<void(const std::string& from, const std::string& to)> on_edge;

  /// crawl(); one at a time may use this, as its callbacks know no user pointer.
  int Crawl(const std::string& start, int downloaders, int parsers, int queue_size) {
    current_ = this;
    std::string copy = start;
    return crawl(copy.data(), downloaders, parsers, queue_size, &PlainFetch, &PlainEdge);
  }

  static char* PlainFetch(char* link) { return current_->Fetch(link, nullptr); }
  static void PlainEdge(char* from, char* to) { current_->ReportEdge(from, to); }
  /// Makes PlainFetch() and PlainEdge() speak of this site.
  void MakeCurrent() { current_ = this; }

  /// Options whose callbacks are this site; content is sometimes given with its length, sometimes
  /// as a string.
  crawl_options Options(const char* start) {
    crawl_options options;
    crawl_options_init(&options, sizeof options);
    options.start_url = start;
    options.user = this;
    options.fetch = [](void* user, crawl_address address, std::size_t* length) {
      return Of(user).Fetch(std::string(address.data, address.length), length);
    };
    options.free_content = [](void* user, char* content, std::size_t length) {
      GraphSite& site = Of(user);
      site.freed += 1;
      site.freed_bytes += length;
      std::free(content);
    };
    options.edge = [](void* user, crawl_address from, crawl_address to) {
      Of(user).ReportEdge(std::string(from.data, from.length), std::string(to.data, to.length));
    };
    return options;
  }

  /// A parser callback that finds what the default one does, and remembers the depth it was told.
  static void Parse(void* user, const crawl_page* page, crawl_links* links) {
    GraphSite& site = Of(user);
    {
      const std::lock_guard lock(site.mutex_);
      site.depths_[std::string(page->address.data, page->address.length)] = page->depth;
    }
    for (const std::string& link : NaiveLinks(std::string(page->content, page->content_length))) {
      if (crawl_emit(links, link.data(), link.size()) != 0) return;
    }
  }
  std::map<std::string, unsigned> Depths() const {
    const std::lock_guard lock(mutex_);
    return depths_;
  }

  std::size_t FetchCount() const {
    const std::lock_guard lock(mutex_);
    return fetches_.size();
  }
  std::size_t EdgeCount() const {
    const std::lock_guard lock(mutex_);
    return edges_.size();
  }
  /// In the order of the calls.
  std::vector<std::string> Fetches() const {
    const std::lock_guard lock(mutex_);
    return fetches_;
  }
  std::vector<Edge> Edges() const {
    const std::lock_guard lock(mutex_);
    return edges_;
  }
  std::size_t FetchThreads() const {
    const std::lock_guard lock(mutex_);
    return fetch_threads_.size();
  }
  std::size_t EdgeThreads() const {
    const std::lock_guard lock(mutex_);
    return edge_threads_.size();
  }

  /// Fails the test unless the calls were exactly those of `truth`: each address fetched once, the
  /// edges of each page complete and in its order.
  void ExpectReported(const Truth& truth) const {
    std::map<std::string, int> fetches;
    for (const std::string& address : Fetches()) ++fetches[address];
    for (const auto& [address, count] : fetches) {
      ASSERT_EQ(count, 1) << "fetched more than once: " << address;
      ASSERT_TRUE(truth.depth.contains(address)) << "should not have been fetched: " << address;
    }
    ASSERT_EQ(fetches.size(), truth.depth.size());
    std::map<std::string, std::vector<std::string>> edges;
    for (const auto& [from, to] : Edges()) edges[from].push_back(to);
    ASSERT_EQ(edges, truth.edges);
  }

  std::atomic<std::uint64_t> freed{0};
  std::atomic<std::uint64_t> freed_bytes{0};

 private:
  static GraphSite& Of(void* user) { return *static_cast<GraphSite*>(user); }

  char* Fetch(const std::string& address, std::size_t* length) {
    {
      const std::lock_guard lock(mutex_);
      fetches_.push_back(address);
      fetch_threads_.insert(std::this_thread::get_id());
    }
    if (on_fetch) on_fetch(address);
    const auto page = pages.find(address);
    if (page == pages.end()) return nullptr;
    const std::string& text = page->second;
    char* const content = static_cast<char*>(std::malloc(text.size() + 1));
    std::memcpy(content, text.c_str(), text.size() + 1);
    const bool has_nul = text.find('\0') != std::string::npos;
    if (length != nullptr && (has_nul || text.size() % 2 == 0)) *length = text.size();
    return content;
  }

  void ReportEdge(const std::string& from, const std::string& to) {
    {
      const std::lock_guard lock(mutex_);
      edges_.emplace_back(from, to);
      edge_threads_.insert(std::this_thread::get_id());
    }
    if (on_edge) on_edge(from, to);
  }

  static inline GraphSite* current_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<std::string> fetches_;
  std::vector<Edge> edges_;
  std::map<std::string, unsigned> depths_;
  std::set<std::thread::id> fetch_threads_, edge_threads_;
};

/// Opens, runs and closes; `after` sees the job in between. Fails the test if it cannot be opened.
inline int RunJob(const crawl_options& options,
                  const std::function<void(crawl_job*)>& after = nullptr) {
  crawl_job* const job = crawl_open(&options);
  EXPECT_NE(job, nullptr) << crawl_error();
  if (job == nullptr) return CRAWL_FAILED;
  const int result = crawl_run(job);
  if (after) after(job);
  crawl_close(job);
  return result;
}

inline crawl_stats StatsOf(const crawl_job* job) {
  crawl_stats stats;
  crawl_get_stats(job, &stats, sizeof stats);
  return stats;
}

/// `n` pages whose links are `link(i, k)` for k < `degree(i)`, named `prefix` and their number.
template <typename Degree, typename Link>
Pages MakePages(int n, const Degree& degree, const Link& link, const std::string& prefix = "p") {
  Pages pages;
  for (int i = 0; i < n; ++i) {
    std::string content = "Page " + std::to_string(i);
    for (int k = 0; k < degree(i); ++k) {
      content += (k % 3 == 0 ? "\nlink:" : " link:") + prefix + std::to_string(link(i, k));
    }
    pages[prefix + std::to_string(i)] = content;
  }
  return pages;
}

/// Page 0 links to pages 1 … `leaves`, which link nowhere.
inline Pages Star(int leaves, const std::string& prefix = "p") {
  return MakePages(
      leaves + 1, [=](int i) { return i == 0 ? leaves : 0; }, [](int, int k) { return k + 1; },
      prefix);
}

/// Each of `n` pages links to all of them, itself included.
inline Pages Complete(int n, const std::string& prefix = "p") {
  return MakePages(
      n, [=](int) { return n; }, [](int, int k) { return k; }, prefix);
}

}  // namespace crawler_test
