#include "check.hpp"

// Fact 13: no increment is lost under the lock.
namespace {

constexpr int kThreads = 30, kLoops = 1000;

lock_t lock;
volatile int total = 0;

void Child(void* /*argument*/) {
  for (int i = 0; i < kLoops; ++i) {
    lock_acquire(&lock);
    const int seen = total;
    if (i % 100 == 0) sleep(0);  // Give the others the best chance to get in between.
    total = seen + 1;
    lock_release(&lock);
  }
  exit();
}

}  // namespace

void Test() {
  lock_init(&lock);
  for (int i = 0; i < kThreads; ++i) CHECK(thread_create(Child, nullptr) > 0);
  for (int i = 0; i < kThreads; ++i) CHECK(thread_join() > 0);
  CHECK(total == kThreads * kLoops);
}
