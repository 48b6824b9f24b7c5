#include "check.hpp"

// Fact 10: thread_create and thread_join.
namespace {

volatile int global = 1;

void Child(void* argument) {
  CHECK(*static_cast<int*>(argument) == 35);
  CHECK(global == 1);
  global = 2;
  exit();
}

}  // namespace

void Test() {
  int argument = 35;
  const int pid = thread_create(Child, &argument);
  CHECK(pid > 0);
  CHECK(thread_join() == pid);
  CHECK(global == 2);
  CHECK(thread_join() == -1);
}
