#include "exercise.hpp"

// sbrk(-n) works while threads share the memory, and no processor goes on using the pages.
namespace {

char* const kFailed = reinterpret_cast<char*>(-1);
volatile uint32_t* page;
volatile uint32_t progress = 0;
volatile int reading = 0;
int ends[2];

void Writes(void* /*argument*/) {
  for (uint32_t i = 1;; ++i) {
    *page = i;
    progress = i;
  }
}

void Reads(void* /*argument*/) {
  reading = 1;
  read(ends[0], const_cast<uint32_t*>(page), 4);
  exit();
}

// The kernel itself is about to write to the page. Refusing to shrink is as good as a read that
// fails; the machine has to go on.
void ShrinkUnderRead(char* stack) {
  CHECK(pipe(ends) == 0);
  page = reinterpret_cast<uint32_t*>(sbrk(kPageSize));
  const int pid = clone(Reads, nullptr, stack);
  CHECK(pid > 0);
  while (reading == 0) sleep(1);
  sleep(5);
  char* const result = sbrk(-static_cast<int>(kPageSize));
  CHECK(write(ends[1], "abcd", 4) == 4);
  void* joined;
  CHECK(join(&joined) == pid);
  if (result == kFailed) CHECK(sbrk(-static_cast<int>(kPageSize)) != kFailed);
}

}  // namespace

void Test() {
  char* const stack = NewStack();
  for (int round = 0; round < 40; ++round) {
    page = reinterpret_cast<uint32_t*>(sbrk(kPageSize));
    progress = 0;
    const int pid = clone(Writes, nullptr, stack);
    CHECK(pid > 0);
    while (progress < 100) asm volatile("pause");
    char* const result = sbrk(-static_cast<int>(kPageSize));
    const uint32_t before = progress;
    RequireBegun(result != kFailed, "sbrk() refuses to shrink a shared address space");
    for (int i = 0; i < 20000; ++i) asm volatile("pause");
    // It may have been between its two stores, but no further.
    CHECK(progress <= before + 1);
    void* joined;
    CHECK(join(&joined) == pid);  // Ended by its fault.
  }
  ShrinkUnderRead(stack);
}
