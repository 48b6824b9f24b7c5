#include "check.hpp"

// A thread that is killed at the very moment it goes to sleep does not sleep through it.
namespace {

volatile int ready = 0;
int ends[2];

void Reads(void* /*argument*/) {
  char byte;
  ready = 1;
  read(ends[0], &byte, 1);  // Nobody writes.
  Fail(__FILE__, __LINE__, "read something");
}

void Sleeps(void* /*argument*/) { sleep(1 << 30); }

}  // namespace

void Test() {
  CHECK(pipe(ends) == 0);
  char* const stack = NewStack();
  // Take the low places of the process table: then kill() searches for longer, under the lock that
  // the reader needs to fall asleep, and a wrong order of steps has more time to show.
  constexpr int kSleeping = 45;
  for (int i = 0; i < kSleeping; ++i) CHECK(clone(Sleeps, nullptr, NewStack()) > 0);
  const int start = uptime();
  for (int round = 0; round < 8000 && uptime() - start < 400; ++round) {
    ready = 0;
    const int pid = clone(Reads, nullptr, stack);
    CHECK(pid > 0);
    for (int tries = 1; ready == 0; ++tries) {
      if (tries % 10000 == 0) sleep(0);  // On one processor the reader needs this one.
    }
    for (int i = 0; i < round * 13 % 2600; ++i) asm volatile("nop");
    CHECK(kill(pid) == 0);
    void* joined;
    CHECK(join(&joined) == pid);
  }
}
