#include "check.hpp"

// proj3 clone-and-exit: programs that clone threads and exit without joining use nothing up,
// neither process slots nor memory; whether their threads have ended, sleep, or never would.
namespace {

void Ends(void* /*argument*/) { exit(); }
void Sleeps(void* /*argument*/) { sleep(1 << 30); }
void Spins(void* /*argument*/) {
  for (;;) asm volatile("pause");
}
// Fills the process table with its like.
void Breeds(void* /*argument*/) {
  for (;;) {
    if (thread_create(Breeds, nullptr) < 0) sleep(1);
  }
}

}  // namespace

void Test() {
  void (*const kinds[])(void*) = {Ends, Sleeps, Spins};
  for (int round = 0; round < 60; ++round) {
    const int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      for (int i = 0; i < 8; ++i) {
        if (thread_create(kinds[(round + i) % 3], nullptr) < 0) exit(1);
      }
      if (round % 20 == 0) {
        if (thread_create(Breeds, nullptr) < 0) exit(1);
        sleep(3);
      }
      exit(0);
    }
    int status = -1;
    CHECK(wait(&status) == child);
    CHECK(status == 0);
  }
}
