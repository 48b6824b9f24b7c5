#include "check.hpp"

// A shared address space does not shrink; one that is no longer shared does.
namespace {

volatile int result = 0;

void Child(void* /*argument*/) {
  result = reinterpret_cast<int>(sbrk(-4096));
  exit();
}

}  // namespace

void Test() {
  char* stack = NewStack();
  char* end = sbrk(8 * kPageSize) + 8 * kPageSize;
  CHECK(clone(Child, nullptr, stack) > 0);
  while (result == 0) sleep(1);
  CHECK(result == -1);
  CHECK(sbrk(-1) == reinterpret_cast<char*>(-1));  // Not yet joined.
  CHECK(sbrk(0) == end);
  void* joined;
  CHECK(join(&joined) > 0);
  CHECK(sbrk(-static_cast<int>(8 * kPageSize)) == end);
  CHECK(sbrk(0) == end - 8 * kPageSize);
  CHECK(write(1, end - kPageSize, 1) == -1);
}
