#include "check.hpp"

// Fact 19: cv_wait releases the lock and sleeps in one step. A producer and a consumer hand a turn
// back and forth for 500 ticks; one lost signal, and both wait for ever.
namespace {

lock_t lock;
cond_t turn_changed;
volatile int turn = 0;
volatile bool stop = false;
volatile uint32_t handed_over = 0;
volatile uint32_t activity = 0;  // A shift register: one bit a tick, set if anything happened.

void Player(void* argument) {
  const int me = *static_cast<int*>(argument);
  lock_acquire(&lock);
  while (!stop) {
    while (turn != me && !stop) cv_wait(&turn_changed, &lock);
    turn = 1 - me;
    handed_over = handed_over + 1;
    cv_signal(&turn_changed);
  }
  lock_release(&lock);
  exit();
}

}  // namespace

void Test() {
  lock_init(&lock);
  int names[] = {0, 1};
  for (int& name : names) CHECK(thread_create(Player, &name) > 0);
  uint32_t before = 0;
  for (int tick = 0; tick < 500; tick += 10) {
    sleep(10);
    const uint32_t now = handed_over;
    activity = activity << 1 | (now != before ? 1 : 0);
    before = now;
  }
  // A starved processor may have been still for a while; a lost signal is for ever.
  for (int wait = 0; wait < 100 && (activity & 0x3ff) == 0; ++wait) {
    sleep(50);
    activity = activity << 1 | (handed_over != before ? 1 : 0);
  }
  CHECK((activity & 0x3ff) != 0);
  lock_acquire(&lock);
  stop = true;
  cv_signal(&turn_changed);
  lock_release(&lock);
  for (int i = 0; i < 2; ++i) CHECK(thread_join() > 0);
}
