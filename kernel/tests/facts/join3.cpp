#include "check.hpp"

// Fact 8: join does not see a forked child.
void Test() {
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) exit();
  void* stack;
  CHECK(join(&stack) == -1);
  CHECK(wait() == child);
}
