// The C interface: checks arguments, translates callbacks, lets no exception out. No logic.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "crawler/crawler.h"
#include "graph/graph_crawl.hpp"
#include "parse/link_format.hpp"

using crawler::Address;
using crawler::GraphCrawl;

namespace {

// A plain buffer: remembering an error must not need memory.
thread_local char last_error[256] = "";

void SetError(const char* text) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s", text);
}

uint64_t Nanoseconds(crawler::Duration time) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(time).count());
}

crawl_address ToC(Address address) { return {address.data(), address.size()}; }

}  // namespace

// GraphCrawl::Links for a parser in C. An exception must not pass through the caller's code: it
// waits here until the parser has returned.
struct crawl_links {
  GraphCrawl::Links& links;
  std::exception_ptr failure;
};

namespace {

/// A site made of the caller's callbacks.
class CallbackSite final : public GraphCrawl::Site {
 public:
  explicit CallbackSite(const crawl_options& options) : options_(options) {}

  GraphCrawl::Content Fetch(Address address) override {
    std::size_t length = CRAWL_NUL_TERMINATED;
    char* const data = options_.fetch(options_.user, ToC(address), &length);
    if (data == nullptr) return {};
    return {data, length == CRAWL_NUL_TERMINATED ? std::strlen(data) : length};
  }

  void Free(GraphCrawl::Content content) noexcept override {
    if (options_.free_content != nullptr) {
      options_.free_content(options_.user, content.data, content.size);
    } else {
      std::free(content.data);
    }
  }

  void Parse(const GraphCrawl::Page& page, GraphCrawl::Links& links) override {
    if (options_.parse != nullptr) {
      const crawl_page c_page{ToC(page.address), page.content.data(), page.content.size(),
                              page.depth};
      crawl_links c_links{links, nullptr};
      options_.parse(options_.user, &c_page, &c_links);
      if (c_links.failure) std::rethrow_exception(c_links.failure);
      return;
    }
    crawler::LinkFormatReader reader(page.content);
    for (std::string_view link; reader.Next(&link);) {
      if (!links.Emit(link)) return;
    }
  }

  void Edge(Address from, Address to) override {
    if (options_.edge != nullptr) options_.edge(options_.user, ToC(from), ToC(to));
  }

 private:
  const crawl_options options_;
};

// More threads than Linux can number (its PID_MAX_LIMIT). Without this bound the counters of 100
// million workers would take gigabytes before the first thread cannot be had.
constexpr int kMostWorkers = 1 << 22;

// The first invalid option, or null.
const char* Complaint(const crawl_options& options) {
  if (options.start_url == nullptr) return "start_url is null";
  if (*options.start_url == '\0') return "start_url is empty";
  if (options.fetch == nullptr) return "fetch is null";
  if (options.download_workers < 1) return "download_workers must be at least 1";
  if (options.parse_workers < 1) return "parse_workers must be at least 1";
  if (options.download_workers > kMostWorkers || options.parse_workers > kMostWorkers) {
    return "no system can have so many threads";
  }
  if (options.queue_size < 1) return "queue_size must be at least 1";
  if (options.log_level < 0 || options.log_level > static_cast<int>(crawler::LogLevel::kError)) {
    return "log_level must be 0, 1, 2 or 3";
  }
  return nullptr;
}

GraphCrawl::Options ToEngine(const crawl_options& options) {
  GraphCrawl::Options result;
  result.start = options.start_url;
  result.download_workers = options.download_workers;
  result.parse_workers = options.parse_workers;
  result.queue_size = static_cast<std::size_t>(options.queue_size);
  result.max_pages = options.max_pages;
  result.max_depth = options.max_depth;
  return result;
}

crawler::Logger ToLogger(const crawl_options& options) {
  if (options.log == nullptr) return {};
  return crawler::Logger(
      [log = options.log, user = options.user](crawler::LogLevel level, std::string_view line) {
        log(user, static_cast<int>(level), std::string(line).c_str());
      },
      static_cast<crawler::LogLevel>(options.log_level));
}

// Structures are passed with the size that the caller knows. A caller built against an older header
// passes a shorter one: missing fields keep their defaults. A longer one, of a newer header, is
// accepted if the rest is unused.
template <typename T>
bool CopyIn(const void* from, std::size_t size, T& to) {
  const char* const bytes = static_cast<const char*>(from);
  for (std::size_t i = sizeof(T); i < size; ++i) {
    if (bytes[i] != 0) return false;
  }
  std::memcpy(&to, from, std::min(size, sizeof(T)));
  return true;
}

template <typename T>
void CopyOut(const T& from, void* to, std::size_t size) {
  std::memcpy(to, &from, std::min(size, sizeof(T)));
  if (size > sizeof(T)) std::memset(static_cast<char*>(to) + sizeof(T), 0, size - sizeof(T));
}

crawl_options Defaults() {
  crawl_options options{};
  const GraphCrawl::Options defaults;
  options.download_workers = defaults.download_workers;
  options.parse_workers = defaults.parse_workers;
  options.queue_size = static_cast<int>(defaults.queue_size);
  options.max_pages = CRAWL_UNLIMITED;
  options.max_depth = CRAWL_UNLIMITED;
  options.log_level = static_cast<int>(crawler::LogLevel::kInfo);
  return options;
}

}  // namespace

struct crawl_job {
  explicit crawl_job(const crawl_options& options)
      : site(options), crawl(ToEngine(options), site, ToLogger(options)) {}
  CallbackSite site;
  GraphCrawl crawl;
};

void crawl_options_init(crawl_options* options, size_t size) {
  if (options == nullptr || size < sizeof options->size) return;
  crawl_options defaults = Defaults();
  defaults.size = size;
  CopyOut(defaults, options, size);
}

crawl_job* crawl_open(const crawl_options* options) {
  SetError("");
  if (options == nullptr) {
    SetError("options is null");
    return nullptr;
  }
  crawl_options known = Defaults();
  if (options->size < offsetof(crawl_options, free_content)) {
    SetError("options.size is too small: call crawl_options_init() first");
    return nullptr;
  }
  if (!CopyIn(options, options->size, known)) {
    SetError("the options use a field that this version of the library does not know");
    return nullptr;
  }
  if (const char* complaint = Complaint(known); complaint != nullptr) {
    SetError(complaint);
    return nullptr;
  }
  try {
    return new crawl_job(known);
  } catch (const std::exception& error) {
    SetError(error.what());
    return nullptr;
  }
}

const char* crawl_error(void) { return last_error; }

int crawl_run(crawl_job* job) {
  SetError("");
  if (job == nullptr) {
    SetError("job is null");
    return CRAWL_FAILED;
  }
  try {
    const auto outcome = job->crawl.Run();
    if (outcome.ok()) {
      return *outcome == GraphCrawl::Outcome::kStopped ? CRAWL_STOPPED : CRAWL_DONE;
    }
    SetError(outcome.status().message().c_str());
  } catch (const std::exception& error) {
    SetError(error.what());
  }
  return CRAWL_FAILED;
}

void crawl_stop(crawl_job* job) {
  if (job != nullptr) job->crawl.Stop();
}

int crawl_emit(crawl_links* links, const char* address, size_t length) {
  if (links == nullptr || links->failure || (address == nullptr && length > 0)) return -1;
  try {
    return links->links.Emit({address, length}) ? 0 : -1;
  } catch (...) {
    links->failure = std::current_exception();
    return -1;
  }
}

void crawl_get_stats(const crawl_job* job, crawl_stats* stats, size_t size) {
  if (job == nullptr || stats == nullptr) return;
  const GraphCrawl::Stats now = job->crawl.stats();
  const GraphCrawl::Options& options = job->crawl.options();
  crawl_stats all{};
  all.pages_fetched = now.pages_fetched;
  all.pages_broken = now.pages_broken;
  all.bytes_fetched = now.bytes_fetched;
  all.edges = now.edges;
  all.duplicates = now.duplicates;
  all.links_queue_high = now.links_queue_high;
  all.parser_blocked_ns = Nanoseconds(now.parsers_blocked);
  all.elapsed_ns = Nanoseconds(now.elapsed);
  all.download_workers = options.download_workers;
  all.parse_workers = options.parse_workers;
  all.fetch_ns = Nanoseconds(now.fetching);
  all.parse_ns = Nanoseconds(now.parsing);
  all.pages_queue_high = now.pages_queue_high;
  CopyOut(all, stats, size);
}

uint64_t crawl_worker_pages(const crawl_job* job, int worker) {
  if (job == nullptr || worker < 0) return 0;
  return job->crawl.PagesOfDownloader(static_cast<std::size_t>(worker));
}

uint64_t crawl_worker_edges(const crawl_job* job, int worker) {
  if (job == nullptr || worker < 0) return 0;
  return job->crawl.EdgesOfParser(static_cast<std::size_t>(worker));
}

uint64_t crawl_worker_fetch_ns(const crawl_job* job, int worker) {
  if (job == nullptr || worker < 0) return 0;
  return Nanoseconds(job->crawl.FetchTimeOfDownloader(static_cast<std::size_t>(worker)));
}

uint64_t crawl_worker_parse_ns(const crawl_job* job, int worker) {
  if (job == nullptr || worker < 0) return 0;
  return Nanoseconds(job->crawl.ParseTimeOfParser(static_cast<std::size_t>(worker)));
}

void crawl_close(crawl_job* job) { delete job; }

const char* crawl_version(void) { return CRAWLER_VERSION; }

namespace {

struct SimpleCallbacks {
  char* (*fetch)(char* link);
  void (*edge)(char* from, char* to);
};

// The classic signature has no const, though its callbacks must not write.
char* Mutable(crawl_address address) { return const_cast<char*>(address.data); }

char* SimpleFetch(void* user, crawl_address address, size_t*) {
  return static_cast<SimpleCallbacks*>(user)->fetch(Mutable(address));
}

void SimpleEdge(void* user, crawl_address from, crawl_address to) {
  static_cast<SimpleCallbacks*>(user)->edge(Mutable(from), Mutable(to));
}

}  // namespace

int crawl(char* start_url, int download_workers, int parse_workers, int queue_size,
          char* (*fetch_fn)(char* link), void (*edge_fn)(char* from, char* to)) {
  if (fetch_fn == nullptr || edge_fn == nullptr) {
    SetError("a callback is null");
    return -1;
  }
  SimpleCallbacks callbacks{fetch_fn, edge_fn};
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = start_url;
  options.user = &callbacks;
  options.fetch = SimpleFetch;
  options.edge = SimpleEdge;
  options.download_workers = download_workers;
  options.parse_workers = parse_workers;
  options.queue_size = queue_size;
  crawl_job* const job = crawl_open(&options);
  const int result = job == nullptr ? -1 : crawl_run(job);
  crawl_close(job);
  return result;
}
