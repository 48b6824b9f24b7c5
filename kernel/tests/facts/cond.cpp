#include "check.hpp"

// Fact 16: cv_wait holds the lock again when it returns.
namespace {

lock_t lock;
cond_t condition;
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
  lock_acquire(&lock);  // Only got once the thread is inside cv_wait.
  global = 2;
  cv_signal(&condition);
  sleep(50);
  global = 1;
  lock_release(&lock);
  CHECK(thread_join() > 0);
}
