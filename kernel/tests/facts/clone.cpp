#include "check.hpp"

// Fact 1: the address space is shared, in both directions.
namespace {

volatile int global = 1;

void Child(void* /*argument*/) {
  CHECK(global == 1);
  global = 5;
  exit();
}

}  // namespace

void Test() {
  CHECK(clone(Child, nullptr, NewStack()) > 0);
  SpinUntil(&global, 5);
}
