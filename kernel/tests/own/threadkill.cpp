#include "check.hpp"

// kill ends one thread wherever it is, and a fault the one that made it; the others go on.
namespace {

lock_t lock;
cond_t condition;
volatile int ready = 0;
int ends[2];

// Each says when it no longer holds anything: killed inside malloc, it would leave that locked.
void Spins(void* /*argument*/) {
  ready = 1;
  for (;;) asm volatile("pause");
}
void Sleeps(void* /*argument*/) {
  ready = 1;
  sleep(1 << 30);
}
void Waits(void* /*argument*/) {
  lock_acquire(&lock);
  ready = 1;
  cv_wait(&condition, &lock);
  Fail(__FILE__, __LINE__, "woken without a signal");
}
void Reads(void* /*argument*/) {
  char byte;
  ready = 1;
  read(ends[0], &byte, 1);
  Fail(__FILE__, __LINE__, "read something");
}
void Joins(void* /*argument*/) {
  CHECK(thread_create(Sleeps, nullptr) > 0);
  thread_join();
  Fail(__FILE__, __LINE__, "joined");
}
void Faults(void* /*argument*/) { *reinterpret_cast<volatile int*>(0) = 1; }

}  // namespace

void Test() {
  lock_init(&lock);
  CHECK(pipe(ends) == 0);
  const int bystander = thread_create(Sleeps, nullptr);
  CHECK(bystander > 0);
  SpinUntil(&ready, 1);
  void (*const functions[])(void*) = {Spins, Sleeps, Waits, Reads, Joins};
  for (auto* function : functions) {
    ready = 0;
    const int pid = thread_create(function, nullptr);
    CHECK(pid > 0);
    SpinUntil(&ready, 1);
    lock_acquire(&lock);  // Free once Waits() is inside cv_wait.
    lock_release(&lock);
    sleep(5);
    CHECK(kill(pid) == 0);
    CHECK(thread_join() == pid);
    CHECK(kill(pid) == -1);
  }
  const int faulty = thread_create(Faults, nullptr);
  CHECK(faulty > 0);
  CHECK(thread_join() == faulty);
  // The lock was released for ever by the killed waiter.
  lock_acquire(&lock);
  lock_release(&lock);
  CHECK(kill(bystander) == 0);
  CHECK(thread_join() == bystander);
}
