#include "check.hpp"

// proj3 clone4: a thread clones; the address space is shared in the whole group.
namespace {

volatile int global = 1;

void Grandchild(void* /*argument*/) {
  CHECK(global == 2);
  global = 3;
  exit();
}

void Child(void* /*argument*/) {
  CHECK(global == 1);
  global = 2;
  const int pid = thread_create(Grandchild, nullptr);
  CHECK(pid > 0);
  CHECK(thread_join() == pid);
  CHECK(global == 3);
  global = 4;
  exit();
}

}  // namespace

void Test() {
  const int pid = thread_create(Child, nullptr);
  CHECK(pid > 0);
  CHECK(thread_join() == pid);
  CHECK(global == 4);
}
