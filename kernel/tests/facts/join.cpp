#include "check.hpp"

// Fact 6: join returns the pid that clone returned, and the stack that was given to it.
namespace {

volatile int global = 1;

void Child(void* argument) {
  CHECK(*static_cast<int*>(argument) == 42);
  CHECK(global == 1);
  global = 2;
  exit();
}

}  // namespace

void Test() {
  int argument = 42;
  char* stack = NewStack();
  const int pid = clone(Child, &argument, stack);
  CHECK(pid > 0);
  void* joined = nullptr;
  CHECK(join(&joined) == pid);
  CHECK(joined == stack);
  CHECK(global == 2);
  CHECK(join(&joined) == -1);
}
