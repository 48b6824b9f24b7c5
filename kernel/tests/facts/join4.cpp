#include "check.hpp"

// Fact 9: wait does not see a thread, not even one that has ended long ago; join does.
namespace {

volatile int global = 1;

void Child(void* /*argument*/) {
  global = 2;
  exit();
}

}  // namespace

void Test() {
  char* stack = NewStack();
  const int pid = clone(Child, nullptr, stack);
  CHECK(pid > 0);
  do {
    sleep(250);
  } while (global != 2);
  CHECK(wait() == -1);
  void* joined = nullptr;
  CHECK(join(&joined) == pid);
  CHECK(joined == stack);
}
