#include "check.hpp"

// Once kill() has returned, the killed thread makes no other: pids are given out in order.
namespace {

volatile int children = 0, newest = 0;
char* child_stack;

void Child(void* /*argument*/) {
  newest = getpid();
  children = children + 1;
  exit();
}

void Ends(void* /*argument*/) { exit(); }

void Breeds(void* /*argument*/) {
  for (;;) {
    for (int i = 0; i < 100000; ++i) asm volatile("nop");
    void* joined;
    if (clone(Child, nullptr, child_stack) > 0) join(&joined);
  }
}

}  // namespace

void Test() {
  char* const stack = NewStack();
  char* const probe_stack = NewStack();
  child_stack = NewStack();
  for (int round = 0; round < 40; ++round) {
    children = 0;
    const int breeding = clone(Breeds, nullptr, stack);
    CHECK(breeding > 0);
    while (children < 2) asm volatile("pause");
    for (int i = 0; i < round * 10000; ++i) asm volatile("nop");  // It is joining, or counting.
    CHECK(kill(breeding) == 0);
    const int probe = clone(Ends, nullptr, probe_stack);
    CHECK(probe > 0);
    // The owner inherits what the killed thread leaves behind.
    void* joined;
    while (join(&joined) > 0) {
    }
    CHECK(newest < probe);
  }
}
