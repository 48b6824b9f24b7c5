#include "check.hpp"

// proj3 join5: main joins thread 1, which joins thread 2; nobody joins another's child.
namespace {

volatile int second_pid = 0;
volatile int go_on = 0;

void Second(void* /*argument*/) { exit(); }

void First(void* /*argument*/) {
  second_pid = thread_create(Second, nullptr);
  CHECK(second_pid > 0);
  sleep(20);  // Thread 2 has ended by now, and main is waiting for thread 1.
  CHECK(thread_join() == second_pid);
  CHECK(thread_join() == -1);
  go_on = 1;
  exit();
}

}  // namespace

void Test() {
  const int pid = thread_create(First, nullptr);
  CHECK(pid > 0);
  CHECK(thread_join() == pid);
  CHECK(go_on == 1);
  CHECK(thread_join() == -1);
}
