#pragma once

#include "user.hpp"

/// What a test program consists of: it passes if Test() returns.
void Test();

/// The thread that runs Test().
extern int test_pid;

/// Says what failed and ends the test, from whichever of its threads or children.
[[noreturn]] void Fail(const char* file, int line, const char* what);

#define CHECK(condition) ((condition) ? static_cast<void>(0) : Fail(__FILE__, __LINE__, #condition))

/// A page on a page boundary at the end of the address space.
inline char* NewStack() {
  const uint32_t misaligned = reinterpret_cast<uint32_t>(sbrk(0)) % kPageSize;
  if (misaligned != 0) sbrk(static_cast<int>(kPageSize - misaligned));
  return sbrk(kPageSize);
}

/// Waits until another thread has made `*value` equal to `wanted`, by spinning.
inline void SpinUntil(const volatile int* value, int wanted) {
  while (*value != wanted) asm volatile("pause");
}
