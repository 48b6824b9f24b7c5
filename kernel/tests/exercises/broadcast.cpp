#include "exercise.hpp"

// cv_broadcast wakes all that wait for a condition, and nobody else.
namespace {

constexpr int kThreads = 20;

lock_t lock;
cond_t condition, other;
volatile int waiting = 0, woken = 0, others_woken = 0;

void Waits(void* /*argument*/) {
  lock_acquire(&lock);
  waiting = waiting + 1;
  cv_wait(&condition, &lock);
  woken = woken + 1;
  lock_release(&lock);
  exit();
}

void WaitsForOther(void* /*argument*/) {
  lock_acquire(&lock);
  waiting = waiting + 1;
  cv_wait(&other, &lock);
  others_woken = others_woken + 1;
  lock_release(&lock);
  exit();
}

void UntilWaiting(int count) {
  for (bool all = false; !all; sleep(1)) {
    lock_acquire(&lock);
    all = waiting == count;
    lock_release(&lock);
  }
}

}  // namespace

void Test() {
  RequireBegun(cv_broadcast != nullptr, "define cv_broadcast() in user/thread.cpp");
  cv_broadcast(&condition);  // Nobody waits, and it is not remembered.
  const int aside = thread_create(WaitsForOther, nullptr);
  CHECK(aside > 0);
  for (int round = 0; round < 3; ++round) {
    waiting = round == 0 ? waiting : 0;
    woken = 0;
    for (int i = 0; i < kThreads; ++i) CHECK(thread_create(Waits, nullptr) > 0);
    UntilWaiting(kThreads + (round == 0 ? 1 : 0));
    CHECK(woken == 0);
    // The same address in another program's memory is another condition variable.
    const int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      cv_broadcast(&condition);
      exit();
    }
    CHECK(wait() == child);
    sleep(3);
    CHECK(woken == 0);
    cv_broadcast(&condition);
    for (int i = 0; i < kThreads; ++i) {
      const int pid = thread_join();
      CHECK(pid > 0 && pid != aside);
    }
    CHECK(woken == kThreads && others_woken == 0);
  }
  cv_broadcast(&other);
  CHECK(thread_join() == aside && others_woken == 1);
}
