#include "check.hpp"

// Fact 3: descriptors are copied: the thread can use those from before, and keeps those it opens
// afterwards for itself.
namespace {

volatile int new_descriptor = 0;

void Child(void* argument) {
  CHECK(write(*static_cast<int*>(argument), "hello\n", 6) == 6);
  new_descriptor = open("clone3-b", kOpenCreate | kOpenReadWrite);
  CHECK(new_descriptor > 2);
  CHECK(write(new_descriptor, "x", 1) == 1);
  exit();
}

}  // namespace

void Test() {
  int descriptor = open("clone3-a", kOpenCreate | kOpenReadWrite);
  CHECK(descriptor == 3);
  const int pid = clone(Child, &descriptor, NewStack());
  CHECK(pid > 0);
  void* stack;
  CHECK(join(&stack) == pid);
  CHECK(write(new_descriptor, "goodbye\n", 8) == -1);
  // The position in a file opened before is shared, as after fork.
  CHECK(write(descriptor, "again\n", 6) == 6);
  char text[16];
  CHECK(read(open("clone3-a"), text, sizeof(text)) == 12);
  CHECK(memcmp(text, "hello\nagain\n", 12) == 0);
  CHECK(unlink("clone3-a") == 0 && unlink("clone3-b") == 0);
}
