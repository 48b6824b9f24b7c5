#include "check.hpp"

// Fact 17: a signal on another condition variable wakes nobody here.
namespace {

lock_t lock;
cond_t condition, other;
volatile int global = 0;
volatile int waiting = 0;

void Child(void* /*argument*/) {
  lock_acquire(&lock);
  waiting = 1;
  cv_wait(&condition, &lock);
  CHECK(global == 1);
  lock_release(&lock);
  exit();
}

}  // namespace

void Test() {
  lock_init(&lock);
  CHECK(thread_create(Child, nullptr) > 0);
  SpinUntil(&waiting, 1);
  lock_acquire(&lock);
  global = 2;
  lock_release(&lock);
  cv_signal(&other);
  sleep(50);  // A thread woken now would see 2.
  lock_acquire(&lock);
  global = 1;
  cv_signal(&condition);
  lock_release(&lock);
  CHECK(thread_join() > 0);
}
