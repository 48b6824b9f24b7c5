#include "check.hpp"

// Fact 14: a thread whose function returns dies alone, and can be joined.
namespace {

volatile int global = 1;

void Child(void* /*argument*/) { global = 2; }

}  // namespace

void Test() {
  const int pid = thread_create(Child, nullptr);
  CHECK(pid > 0);
  CHECK(thread_join() == pid);
  CHECK(global == 2);
}
