#include "check.hpp"

// Fact 2: the argument arrives, and what it points to can be read and written.
namespace {

volatile int global = 1;

void Child(void* argument) {
  auto* number = static_cast<volatile int*>(argument);
  CHECK(*number == 55);
  *number = 1;
  global = 55;
  exit();
}

}  // namespace

void Test() {
  volatile int number = 55;
  CHECK(clone(Child, const_cast<int*>(&number), NewStack()) > 0);
  SpinUntil(&global, 55);
  CHECK(number == 1);
}
