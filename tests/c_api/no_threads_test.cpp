// "-1, with nothing leaked and nothing left running … when threads … cannot be had". This program
// has a pthread_create() of its own, through which the library's threads come too, and which can
// refuse; besides, real limits are set in a child process.
#include <dlfcn.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <fstream>

#include "c_api/graph_site.hpp"

namespace {
std::atomic<int> created{0};
std::atomic<int> joined{0};
std::atomic<int> refuse_at{0};  // The call that fails, counted from 1; 0: none.
std::atomic<bool> refuse_later{false};
}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) noexcept {
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const next = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  const int call = ++created;
  if (refuse_at != 0 && (call == refuse_at || (call > refuse_at && refuse_later))) {
    --created;
    refuse_at = refuse_later ? refuse_at.load() : 0;
    return EAGAIN;
  }
  return next(thread, attributes, start, argument);
}

extern "C" int pthread_join(pthread_t thread, void** result) {
  using Join = int(pthread_t, void**);
  static auto* const next = reinterpret_cast<Join*>(dlsym(RTLD_NEXT, "pthread_join"));
  ++joined;
  return next(thread, result);
}

namespace crawler_test {
namespace {

std::atomic<int> calls{0};

char* CountFetch(char*) {
  ++calls;
  return nullptr;
}
void CountEdge(char*, char*) { ++calls; }

int CrawlWith(int downloaders, int parsers) {
  char start[] = "a";
  calls = 0;
  return crawl(start, downloaders, parsers, 1, CountFetch, CountEdge);
}

TEST(NoThreads, EveryThreadIsJoined) {
  created = joined = 0;
  ASSERT_EQ(CrawlWith(5, 3), 0);
  EXPECT_EQ(created, 8);
  EXPECT_EQ(joined, 8);
}

// Whichever thread cannot be had: -1, no callback, and those that could be had are joined.
TEST(NoThreads, AnyOfThemMissingFails) {
  const std::size_t before = IdleTaskCount();
  for (const bool later : {false, true}) {
    for (int missing = 1; missing <= 8; ++missing) {
      SCOPED_TRACE(testing::Message() << "thread " << missing << (later ? " and later" : ""));
      created = joined = 0;
      refuse_later = later;
      refuse_at = missing;
      EXPECT_EQ(CrawlWith(5, 3), -1);
      refuse_at = 0;
      EXPECT_EQ(calls, 0);
      EXPECT_EQ(joined, created);
      EXPECT_TRUE(Eventually([&] { return TaskCount() <= before; })) << TaskCount();
    }
  }
  EXPECT_EQ(CrawlWith(5, 3), 0);
  EXPECT_EQ(calls, 1);
}

TEST(NoThreads, TheJobSaysWhy) {
  GraphSite site(Star(3));
  const crawl_options options = site.Options("p0");
  crawl_job* const job = crawl_open(&options);
  created = 0;
  refuse_at = 2;
  EXPECT_EQ(crawl_run(job), CRAWL_FAILED);
  refuse_at = 0;
  EXPECT_STRNE(crawl_error(), "");
  EXPECT_EQ(site.FetchCount(), 0u);
  EXPECT_EQ(StatsOf(job).pages_fetched, 0u);
  EXPECT_EQ(crawl_run(job), CRAWL_FAILED);  // Still only once.
  crawl_close(job);
}

// -- Real limits ----------------------------------------------------------------------------------

enum ChildResult { kFine = 0, kNoLimit, kWrongResult, kCallbackMade, kThreadLeft };

/// Sets a limit with `limit` in a child and asks for many threads there.
int InChild(bool (*limit)(), int workers) {
  const pid_t child = fork();
  if (child == 0) {
    if (!limit()) _exit(kNoLimit);
    const std::size_t before = IdleTaskCount();
    if (CrawlWith(workers, workers) != -1) _exit(kWrongResult);
    if (calls != 0) _exit(kCallbackMade);
    if (!Eventually([&] { return TaskCount() <= before; })) _exit(kThreadLeft);
    if (CrawlWith(1, 1) != 0) _exit(kWrongResult);  // What can be had still works.
    _exit(kFine);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

bool TwoThreadsCanBeHad() {
  std::vector<std::thread> threads;
  bool refused = false;
  try {
    for (int i = 0; i < 2; ++i) threads.emplace_back([] {});
  } catch (const std::system_error&) {
    refused = true;
  }
  for (std::thread& thread : threads) thread.join();
  return !refused;
}

/// Lets this user have about ten threads more than there are. It does not bind root, who therefore
/// becomes nobody first.
bool FewThreads() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setuid(kNobody) != 0)) return false;
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return false;
  for (limit.rlim_cur = 10; limit.rlim_cur <= std::min<rlim_t>(limit.rlim_max, 50000);
       limit.rlim_cur += 10) {
    if (setrlimit(RLIMIT_NPROC, &limit) != 0) return false;
    if (TwoThreadsCanBeHad()) return true;
  }
  return false;
}

TEST(NoThreads, ProcessLimit) {
  const int result = InChild(FewThreads, 50);
  if (result == kNoLimit) GTEST_SKIP() << "a limit on threads cannot be set here";
  EXPECT_EQ(result, kFine);
}

/// Room for a few stacks more than there are.
bool LittleAddressSpace() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  if (!(statm >> pages)) return false;
  const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (100u << 20);
  const rlimit space{bytes, bytes};
  return setrlimit(RLIMIT_AS, &space) == 0;
}

TEST(NoThreads, AddressSpaceLimit) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need terabytes of address space";
  EXPECT_EQ(InChild(LittleAddressSpace, 300), kFine);
  EXPECT_EQ(InChild(LittleAddressSpace, 4'000'000), kFine);  // Here not even their list fits.
  EXPECT_EQ(InChild(LittleAddressSpace, INT_MAX), kFine);
}

}  // namespace
}  // namespace crawler_test
