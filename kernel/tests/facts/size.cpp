#include "check.hpp"

// Fact 15, and the proj3 facts sbrk-size: all threads see the same size, before and after it grows.
namespace {

constexpr int kThreads = 30;

lock_t lock;
volatile int arrived = 0;
volatile int grown = 0;
char* volatile first_size = nullptr;
char* volatile second_size = nullptr;

void Child(void* /*argument*/) {
  CHECK(sbrk(0) == first_size);
  lock_acquire(&lock);
  arrived = arrived + 1;
  lock_release(&lock);
  while (grown == 0) sleep(1);
  CHECK(sbrk(0) == second_size);
  second_size[-1] = 1;  // And the memory is there.
  exit();
}

}  // namespace

void Test() {
  lock_init(&lock);
  lock_acquire(&lock);
  // All stacks first: creating a thread may grow the heap.
  char* stacks = NewStack();
  sbrk(kThreads * kPageSize);
  first_size = sbrk(0);
  for (int i = 0; i < kThreads; ++i) CHECK(clone(Child, nullptr, stacks + i * kPageSize) > 0);
  lock_release(&lock);
  while (arrived < kThreads) sleep(1);
  CHECK(sbrk(10000) == first_size);
  second_size = sbrk(0);
  CHECK(second_size == first_size + 10000);
  grown = 1;
  void* stack;
  for (int i = 0; i < kThreads; ++i) CHECK(join(&stack) > 0);
}
