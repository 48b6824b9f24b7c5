#include "check.hpp"

// fork in a thread copies the memory and the one thread that called it, which owns the copy.
namespace {

volatile int global = 1;
volatile int pings = 0;
volatile int waiting = 0, woken = 0;
lock_t lock;
cond_t condition;

void Ping(void* /*argument*/) {
  for (;;) {
    pings = pings + 1;
    sleep(1);
  }
}

void Waits(void* /*argument*/) {
  lock_acquire(&lock);
  waiting = 1;
  cv_wait(&condition, &lock);
  woken = 1;
  lock_release(&lock);
  exit();
}

void Forks(void* argument) {
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    global = 2;
    const int before = pings;
    sleep(10);
    if (pings != before) exit(1);            // There is nobody to count here.
    if (sbrk(4096) == sbrk(-4096)) exit(2);  // Alone: may shrink too.
    if (thread_create(Ping, nullptr) < 0) exit(3);
    exit(5);
  }
  int status = -1;
  CHECK(wait(&status) == child);
  CHECK(status == 5);
  *static_cast<int*>(argument) = 1;
  exit();
}

}  // namespace

void Test() {
  volatile int done = 0;
  const int pinging = thread_create(Ping, nullptr);
  const int forking = thread_create(Forks, const_cast<int*>(&done));
  CHECK(pinging > 0 && forking > 0);
  CHECK(wait() == -1);  // The child belongs to the thread.
  CHECK(thread_join() == forking);
  CHECK(done == 1 && global == 1);
  kill(pinging);
  CHECK(thread_join() == pinging);

  // The same address in the copy is another condition variable.
  const int waiter = thread_create(Waits, nullptr);
  CHECK(waiter > 0);
  SpinUntil(&waiting, 1);
  lock_acquire(&lock);
  lock_release(&lock);
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    cv_signal(&condition);
    exit();
  }
  CHECK(wait() == child);
  sleep(5);
  CHECK(woken == 0);
  cv_signal(&condition);
  CHECK(thread_join() == waiter && woken == 1);
}
