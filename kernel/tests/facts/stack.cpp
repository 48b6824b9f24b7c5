#include "check.hpp"

// Fact 5: the stack holds the argument at its very top, the fake return address below it, and
// nothing else.
namespace {

char* stack = nullptr;
volatile int done = 0;

void Child(void* argument) {
  auto* top = reinterpret_cast<uint32_t*>(stack + kPageSize);
  // The compiler would conclude that a parameter cannot be where `stack` points.
  void* place = &argument;
  asm volatile("" : "+r"(place));
  CHECK(place == top - 1);
  CHECK(top[-1] == 42);
  CHECK(top[-2] == 0xffffffff);
  done = 1;
  exit();
}

}  // namespace

void Test() {
  stack = NewStack();
  CHECK(clone(Child, reinterpret_cast<void*>(42), stack) > 0);
  SpinUntil(&done, 1);
  for (uint32_t i = 0; i < kPageSize / 2; ++i) CHECK(stack[i] == 0);
}
