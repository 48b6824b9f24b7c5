#include "check.hpp"

// Fact 11: 2000 threads one after the other, and the stacks are freed.
namespace {

volatile int global = 0;

void Child(void* argument) {
  CHECK(*static_cast<int*>(argument) == 35);
  global = global + 1;
  exit();
}

}  // namespace

void Test() {
  int argument = 35;
  CHECK(malloc(13) != nullptr);  // So that blocks do not happen to be aligned.
  for (int i = 0; i < 2000; ++i) {
    const int pid = thread_create(Child, &argument);
    CHECK(pid > 0);
    CHECK(thread_join() == pid);
    CHECK(global == i + 1);
    CHECK(reinterpret_cast<uint32_t>(sbrk(0)) < 150 * kPageSize);
  }
}
