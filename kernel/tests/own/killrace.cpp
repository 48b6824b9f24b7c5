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

// Keeps the process table's lock busy, which gives a wrong order of steps more time to show.
void Disturbs(void* /*argument*/) {
  for (;;) uptime();
}

}  // namespace

void Test() {
  CHECK(pipe(ends) == 0);
  char* const stack = NewStack();
  const int disturbing = clone(Disturbs, nullptr, NewStack());
  CHECK(disturbing > 0);
  const int start = uptime();
  for (int round = 0; round < 600 && uptime() - start < 300; ++round) {
    ready = 0;
    const int pid = clone(Reads, nullptr, stack);
    CHECK(pid > 0);
    while (ready == 0) asm volatile("pause");
    for (int i = 0; i < round % 150; ++i) asm volatile("nop");
    CHECK(kill(pid) == 0);
    void* joined;
    CHECK(join(&joined) == pid);
  }
  void* joined;
  CHECK(kill(disturbing) == 0 && join(&joined) == disturbing);
}
