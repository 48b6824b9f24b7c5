#include "check.hpp"

// sbrk, and what happens when memory runs out: everything fails politely, and it all comes back.
namespace {

char* const kFailed = reinterpret_cast<char*>(-1);

void UseUpMemory() {
  for (int size = 1 << 24; size >= static_cast<int>(kPageSize);) {
    if (sbrk(size) == kFailed) size /= 2;
  }
}

void Thread(void* /*argument*/) { exit(); }

}  // namespace

void Test() {
  char* begin = sbrk(0);
  CHECK(sbrk(3 * kPageSize) == begin);
  for (uint32_t i = 0; i < 3 * kPageSize; ++i) CHECK(begin[i] == 0);
  memset(begin, 'x', 3 * kPageSize);
  CHECK(sbrk(-static_cast<int>(2 * kPageSize)) == begin + 3 * kPageSize);
  CHECK(sbrk(2 * kPageSize) == begin + kPageSize);
  CHECK(begin[0] == 'x' && begin[kPageSize] == 0);  // New pages are zeros again.
  // So is the rest of a page that was given back in part.
  CHECK(sbrk(100) == begin + 3 * kPageSize);
  memset(begin + 3 * kPageSize, 'x', 100);
  CHECK(sbrk(-60) == begin + 3 * kPageSize + 100);
  CHECK(sbrk(2 * kPageSize) == begin + 3 * kPageSize + 40);
  CHECK(begin[3 * kPageSize + 39] == 'x');
  for (uint32_t i = 40; i < 2 * kPageSize; ++i) CHECK(begin[3 * kPageSize + i] == 0);
  CHECK(sbrk(-static_cast<int>(2 * kPageSize + 40)) == begin + 5 * kPageSize + 40);
  CHECK(sbrk(0x7fffffff) == kFailed);
  CHECK(sbrk(-0x7fffffff) == kFailed);
  CHECK(sbrk(static_cast<int>(0x80000000)) == kFailed);
  CHECK(sbrk(0) == begin + 3 * kPageSize);

  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    char* stack = NewStack();
    UseUpMemory();
    const char* const arguments[] = {"echo", nullptr};
    int ends[2];
    CHECK(fork() == -1);
    CHECK(clone(Thread, nullptr, stack) == -1);
    CHECK(pipe(ends) == -1);
    CHECK(exec("echo", arguments) == -1);
    const int file = open("full", kOpenCreate | kOpenWrite);
    CHECK(file < 0 || write(file, stack, kPageSize) == -1);
    unlink("full");
    exit(3);
  }
  int status = 0;
  CHECK(wait(&status) == child && status == 3);
}
