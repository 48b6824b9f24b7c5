#include "check.hpp"

// Fact 18: of 30 that wait each signal wakes exactly one.
namespace {

constexpr int kThreads = 30;

lock_t lock;
cond_t condition;
volatile int waiting = 0;
volatile int woken = 0;

void Child(void* /*argument*/) {
  lock_acquire(&lock);
  waiting = waiting + 1;
  cv_wait(&condition, &lock);
  woken = woken + 1;
  lock_release(&lock);
  exit();
}

}  // namespace

void Test() {
  lock_init(&lock);
  for (int i = 0; i < kThreads; ++i) CHECK(thread_create(Child, nullptr) > 0);
  for (;;) {
    lock_acquire(&lock);
    const bool all = waiting == kThreads;
    lock_release(&lock);
    if (all) break;
    sleep(1);
  }
  CHECK(woken == 0);
  for (int i = 0; i < kThreads; ++i) {
    cv_signal(&condition);
    while (woken == i) sleep(1);
    sleep(2);  // Time for a second one to show up.
    CHECK(woken == i + 1);
  }
  for (int i = 0; i < kThreads; ++i) CHECK(thread_join() > 0);
}
