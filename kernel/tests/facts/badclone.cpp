#include "check.hpp"

// Fact 4: a stack that is not page-aligned, or not a whole page of the address space, is refused.
namespace {

void Child(void* /*argument*/) { Fail(__FILE__, __LINE__, "this thread must not exist"); }

}  // namespace

void Test() {
  char* lower = NewStack();
  char* stack = NewStack();
  // A page of memory lies above these, but they are not aligned.
  CHECK(clone(Child, nullptr, lower + 4) == -1);
  CHECK(clone(Child, nullptr, lower + kPageSize - 1) == -1);
  // Half of the page lies above the end.
  char* next = sbrk(kPageSize / 2);
  CHECK(next == stack + kPageSize);
  CHECK(clone(Child, nullptr, next) == -1);
  CHECK(clone(Child, nullptr, next + kPageSize) == -1);
  // Only one byte is missing.
  sbrk(kPageSize / 2 - 1);
  CHECK(clone(Child, nullptr, next) == -1);
  // Null, the kernel's half, the last page of all, and this program's own code.
  CHECK(clone(Child, nullptr, nullptr) == -1);
  CHECK(clone(Child, nullptr, reinterpret_cast<void*>(0x80100000)) == -1);
  CHECK(clone(Child, nullptr, reinterpret_cast<void*>(0xfffff000)) == -1);
  CHECK(clone(Child, nullptr, reinterpret_cast<void*>(0x1000)) == -1);
  void* joined;
  CHECK(join(&joined) == -1);
}
