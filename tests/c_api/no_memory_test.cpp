// "-1, with nothing leaked and nothing left running … when … memory cannot be had": every
// allocation of a crawl fails once. This program has allocation functions of its own, through which
// the library's requests come too.
#include <gtest/gtest.h>

#include <cerrno>
#include <new>

#include "c_api/graph_site.hpp"

namespace {

std::atomic<bool> armed{false};
std::atomic<bool> fail_later{false};  // Not only the chosen one but all after it.
std::atomic<long> countdown{0};
std::atomic<long> failures{0};
std::atomic<long> live{0};         // Objects of operator new.
thread_local bool exempt = false;  // In callbacks: the caller's own memory is not short.

bool Fails() {
  if (!armed || exempt) return false;
  const long left = --countdown;
  if (left > 0 || (left < 0 && !fail_later)) return false;
  ++failures;
  return true;
}

void* New(std::size_t size, std::size_t alignment) noexcept {
  if (Fails()) return nullptr;
  const bool was_exempt = exempt;
  exempt = true;  // One request, one chance to fail.
  size = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, size == 0 ? alignment : size);
  exempt = was_exempt;
  if (memory != nullptr) ++live;
  return memory;
}

void* NewOrThrow(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  void* const memory = New(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Delete(void* memory) noexcept {
  if (memory != nullptr) --live;
  std::free(memory);
}

using Align = std::align_val_t;

}  // namespace

void* operator new(std::size_t n) { return NewOrThrow(n); }
void* operator new[](std::size_t n) { return NewOrThrow(n); }
void* operator new(std::size_t n, Align a) { return NewOrThrow(n, std::size_t(a)); }
void* operator new[](std::size_t n, Align a) { return NewOrThrow(n, std::size_t(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return New(n, 16); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return New(n, 16); }
void operator delete(void* p) noexcept { Delete(p); }
void operator delete[](void* p) noexcept { Delete(p); }
void operator delete(void* p, std::size_t) noexcept { Delete(p); }
void operator delete[](void* p, std::size_t) noexcept { Delete(p); }
void operator delete(void* p, Align) noexcept { Delete(p); }
void operator delete[](void* p, Align) noexcept { Delete(p); }
void operator delete(void* p, std::size_t, Align) noexcept { Delete(p); }
void operator delete[](void* p, std::size_t, Align) noexcept { Delete(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { Delete(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { Delete(p); }

// What C code and the C++ runtime ask for can fail as well; the sanitizers have their own malloc().
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

void* malloc(std::size_t n) noexcept {
  if (!Fails()) return __libc_malloc(n);
  errno = ENOMEM;
  return nullptr;
}
void* calloc(std::size_t n, std::size_t m) noexcept {
  if (!Fails()) return __libc_calloc(n, m);
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* p, std::size_t n) noexcept {
  if (!Fails()) return __libc_realloc(p, n);
  errno = ENOMEM;
  return nullptr;
}
}
#endif

namespace crawler_test {
namespace {

constexpr int kPages = 30;

/// The caller's side: pages 0 … 29 that link to each other, and counts that need no memory.
struct World {
  std::atomic<int> fetched{0};
  std::atomic<int> freed{0};
  std::atomic<int> edges{0};
  bool Complete() const { return fetched == kPages && edges == kPages * 3; }
};

/// Where allocations are the caller's business.
class Exempt {
 public:
  Exempt() { exempt = true; }
  ~Exempt() { exempt = false; }
};

/// The three links of page `page`.
void LinksOf(int page, int (&links)[3]) {
  links[0] = (page + 1) % kPages;
  links[1] = page * 2 % kPages;
  links[2] = page * 7 % kPages;
}

char* Fetch(void* user, crawl_address address, std::size_t*) {
  const Exempt here;
  ++static_cast<World*>(user)->fetched;
  const int page = std::atoi(address.data);
  char* const content = static_cast<char*>(std::malloc(100));
  int links[3];
  LinksOf(page, links);
  std::snprintf(content, 100, "link:%d link:%d link:%d", links[0], links[1], links[2]);
  return content;
}

void Free(void* user, char* content, std::size_t) {
  ++static_cast<World*>(user)->freed;
  std::free(content);
}

void ReportEdge(void* user, crawl_address, crawl_address) { ++static_cast<World*>(user)->edges; }

World* plain_world = nullptr;

int RunCrawl(World& world) {
  plain_world = &world;
  char start[] = "0";
  const auto fetch = [](char* link) {
    std::size_t length = CRAWL_NUL_TERMINATED;
    return Fetch(plain_world, {link, std::strlen(link)}, &length);
  };
  const auto edge = [](char*, char*) { ++plain_world->edges; };
  return crawl(start, 2, 2, 2, fetch, edge);
}

// A parser in C: no exception may pass through it.
void Parse(void*, const crawl_page* page, crawl_links* links) noexcept {
  int numbers[3];
  LinksOf(std::atoi(page->address.data), numbers);
  for (const int number : numbers) {
    char address[16];
    const int length = std::snprintf(address, sizeof address, "%d", number);
    crawl_emit(links, address, static_cast<std::size_t>(length));
  }
}

crawl_options OptionsFor(World& world) {
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "0";
  options.user = &world;
  options.fetch = Fetch;
  options.free_content = Free;
  options.edge = ReportEdge;
  options.log = [](void*, int, const char*) {};
  return options;
}

int RunJob(const crawl_options& options) {
  crawl_job* const job = crawl_open(&options);
  if (job == nullptr) return *crawl_error() != '\0' ? -1 : -2;  // -2: no reason given.
  const int result = crawl_run(job);
  const bool reason = *crawl_error() != '\0';
  crawl_close(job);
  return result == -1 && !reason ? -2 : result;
}

// Level by level: another way to queue.
int RunLevels(World& world) {
  crawl_options options = OptionsFor(world);
  options.max_depth = 1000;
  return RunJob(options);
}

int RunParser(World& world) {
  crawl_options options = OptionsFor(world);
  options.parse = Parse;
  return RunJob(options);
}

/// Runs `crawl_once` with allocation 1, 2, 3 … failing, until there is none left to fail.
void FailEach(int (*crawl_once)(World&), bool custom_free) {
  const std::size_t threads = TaskCount();
  int failed_runs = 0;
  int unhurt = 0;
  long n = 1;
  for (; unhurt < 3 && n < 3000; ++n) {
    World world;
    int result = 0;
    const long live_before = live;
    // On a thread of its own, so that what the library keeps for a thread ends with it.
    std::thread caller([&] {
      failures = 0;
      countdown = n;
      armed = true;
      result = crawl_once(world);
      armed = false;
    });
    caller.join();
    ASSERT_EQ(live, live_before) << "leak when allocation " << n << " fails";
    if (custom_free) {
      ASSERT_EQ(world.freed, world.fetched) << n;
    }
    if (result == 0) {
      ASSERT_TRUE(world.Complete()) << "0 for half a crawl when allocation " << n << " fails";
    } else {
      ASSERT_EQ(result, -1) << n;
      ASSERT_GT(failures, 0) << n;
      ++failed_runs;
    }
    unhurt = failures == 0 ? unhurt + 1 : 0;
  }
  EXPECT_EQ(unhurt, 3) << "still failing after " << n << " allocations";
  EXPECT_GT(failed_runs, 10);  // It did get through to the library.
  EXPECT_TRUE(Eventually([&] { return TaskCount() == threads; })) << TaskCount();
}

TEST(NoMemory, OneAllocationFails) {
  fail_later = false;
  FailEach(RunCrawl, false);
  FailEach(RunLevels, true);
  FailEach(RunParser, true);
}

TEST(NoMemory, OneAndAllLaterOnesFail) {
  fail_later = true;
  FailEach(RunCrawl, false);
  FailEach(RunLevels, true);
  FailEach(RunParser, true);
}

}  // namespace
}  // namespace crawler_test
