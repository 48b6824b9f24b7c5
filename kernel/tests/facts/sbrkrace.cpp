#include "check.hpp"

// proj3 sbrk-race: threads that grow the address space at once get different memory, and in the
// end the size is the sum.
namespace {

constexpr int kThreads = 10, kLoops = 100, kBytes = 5000;

volatile int go = 0;

void Child(void* argument) {
  const char mark = static_cast<char>(reinterpret_cast<int>(argument));
  SpinUntil(&go, 1);
  for (int i = 0; i < kLoops; ++i) {
    char* mine = sbrk(kBytes);
    CHECK(mine != reinterpret_cast<char*>(-1));
    for (int j = 0; j < kBytes; j += 100) CHECK(mine[j] == 0);
    memset(mine, mark, kBytes);
    if (i % 10 == 0) sleep(0);
    for (int j = 0; j < kBytes; j += 100) CHECK(mine[j] == mark);
  }
  exit();
}

}  // namespace

void Test() {
  char* stacks = NewStack();
  sbrk(kThreads * kPageSize);
  char* before = sbrk(0);
  for (int i = 0; i < kThreads; ++i) {
    CHECK(clone(Child, reinterpret_cast<void*>(i + 1), stacks + i * kPageSize) > 0);
  }
  go = 1;
  void* stack;
  for (int i = 0; i < kThreads; ++i) CHECK(join(&stack) > 0);
  CHECK(sbrk(0) == before + kThreads * kLoops * kBytes);
}
