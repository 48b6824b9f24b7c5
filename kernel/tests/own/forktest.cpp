#include "check.hpp"

// fork until the process table is full, and wait for all of them; the memory is a copy.
namespace {

volatile int variable = 1;

}  // namespace

void Test() {
  int children = 0;
  for (;;) {
    const int child = fork();
    if (child < 0) break;
    if (child == 0) {
      variable = 2;
      exit(variable + children);
    }
    ++children;
    CHECK(children < kMaxProcesses);
  }
  CHECK(children > kMaxProcesses / 2);
  int sum = 0, status = 0;
  for (int i = 0; i < children; ++i) {
    CHECK(wait(&status) > 0);
    sum += status;
  }
  CHECK(sum == children * 2 + children * (children - 1) / 2);
  CHECK(variable == 1);
  CHECK(wait() == -1);

  // A child that ends after its parent is reaped by the first process.
  for (int i = 0; i < 20; ++i) {
    const int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      if (fork() == 0) sleep(3);
      exit(0);
    }
    CHECK(wait() == child);
  }
}
