#include "check.hpp"

// The program ends with the thread that owns its address space, and when wait() returns nothing
// of it is left; any other thread's end is its own.
namespace {

int ends[2];

void Forever(void* /*argument*/) {
  for (;;) sleep(1000);
}

// Makes a thread that makes another and leaves it as an orphan.
void Parent(void* /*argument*/) {
  CHECK(thread_create(Forever, nullptr) > 0);
  exit();
}

void RunProgram(bool by_fault) {
  CHECK(pipe(ends) == 0);
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    for (int i = 0; i < 3; ++i) CHECK(thread_create(Forever, nullptr) > 0);
    CHECK(thread_create(Parent, nullptr) > 0);
    CHECK(thread_join() > 0);
    if (by_fault) *reinterpret_cast<volatile int*>(0) = 1;
    exit(7);
  }
  close(ends[1]);
  int status = 0;
  CHECK(wait(&status) == child);
  CHECK(status == (by_fault ? -1 : 7));
  // Its threads had copies of the writing end, so this would wait if one of them lived.
  char byte;
  CHECK(read(ends[0], &byte, 1) == 0);
  close(ends[0]);
}

}  // namespace

void Test() {
  RunProgram(false);
  RunProgram(true);
}
