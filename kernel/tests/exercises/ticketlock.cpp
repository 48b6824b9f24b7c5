#include "exercise.hpp"

// A ticket lock serves threads in the order in which they came.
namespace {

constexpr int kThreads = 8, kLoops = 300;

ticket_lock_t lock, counter_lock;
volatile int served = 0, total = 0;
int order[kThreads];

void Queues(void* argument) {
  ticket_acquire(&lock);
  order[served] = reinterpret_cast<int>(argument);
  served = served + 1;
  ticket_release(&lock);
  exit();
}

void Counts(void* /*argument*/) {
  for (int i = 0; i < kLoops; ++i) {
    ticket_acquire(&counter_lock);
    const int seen = total;
    if (i % 100 == 0) sleep(0);
    total = seen + 1;
    ticket_release(&counter_lock);
  }
  exit();
}

}  // namespace

void Test() {
  RequireBegun(ticket_acquire != nullptr && ticket_release != nullptr,
               "define ticket_acquire() and ticket_release() in user/thread.cpp");
  for (int round = 0; round < 5; ++round) {
    served = 0;
    ticket_acquire(&lock);
    const uint32_t mine = __atomic_load_n(&lock.serving, __ATOMIC_RELAXED);
    for (int i = 0; i < kThreads; ++i) {
      CHECK(thread_create(Queues, reinterpret_cast<void*>(i)) > 0);
      // Until it has drawn its ticket.
      const int start = uptime();
      while (__atomic_load_n(&lock.next, __ATOMIC_RELAXED) != mine + 2 + static_cast<uint32_t>(i)) {
        sleep(1);
        CHECK(uptime() - start < 10 * static_cast<int>(kTicksPerSecond));
      }
    }
    CHECK(served == 0);
    ticket_release(&lock);
    for (int i = 0; i < kThreads; ++i) CHECK(thread_join() > 0);
    for (int i = 0; i < kThreads; ++i) CHECK(order[i] == i);
  }
  for (int i = 0; i < kThreads; ++i) CHECK(thread_create(Counts, nullptr) > 0);
  for (int i = 0; i < kThreads; ++i) CHECK(thread_join() > 0);
  CHECK(total == kThreads * kLoops);
}
