#include "check.hpp"

// The owner inherits orphan threads: it joins them and frees their stacks.
namespace {

const char* const kNothing[] = {"kill", nullptr};
volatile int grandchild = 0;

void Grandchild(void* /*argument*/) {
  sleep(1);
  exit();
}

void Exits(void* /*argument*/) {
  grandchild = thread_create(Grandchild, nullptr);
  CHECK(grandchild > 0);
  exit();
}

void Executes(void* /*argument*/) {
  grandchild = thread_create(Grandchild, nullptr);
  CHECK(grandchild > 0);
  exec("kill", kNothing);  // Without arguments: ends at once.
  Fail(__FILE__, __LINE__, "exec failed");
}

void ParentEnds() {
  const int parent = thread_create(Exits, nullptr);
  CHECK(parent > 0);
  const int first = thread_join(), second = thread_join();
  CHECK(first == parent ? second == grandchild : first == grandchild && second == parent);
  CHECK(thread_join() == -1);
}

// A thread that execs leaves its threads behind as well. (The stack of the thread itself stays in
// use: nobody is told that it has left the address space.)
void ParentLeaves() {
  const int parent = thread_create(Executes, nullptr);
  CHECK(parent > 0);
  CHECK(thread_join() == grandchild);
  CHECK(thread_join() == -1);
  CHECK(wait() == parent && wait() == -1);
}

}  // namespace

void Test() {
  ParentEnds();
  char* const end = sbrk(0);
  for (int i = 0; i < 60; ++i) ParentEnds();
  CHECK(sbrk(0) == end);
  for (int i = 0; i < 5; ++i) ParentLeaves();
}
