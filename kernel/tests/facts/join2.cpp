#include "check.hpp"

// Fact 7: a bad pointer makes join fail without reaping anybody.
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
  CHECK(join(reinterpret_cast<void**>(sbrk(0) - 2)) == -1);
  CHECK(join(reinterpret_cast<void**>(sbrk(0))) == -1);
  CHECK(join(nullptr) == -1);
  CHECK(join(reinterpret_cast<void**>(0x1000)) == -1);  // Read-only.
  CHECK(join(reinterpret_cast<void**>(0x80100000)) == -1);
  CHECK(join(reinterpret_cast<void**>(0xfffffffe)) == -1);
  auto** last = reinterpret_cast<void**>(sbrk(0) - 4);
  CHECK(join(last) == pid);
  CHECK(*last == stack);
  CHECK(global == 2);
}
