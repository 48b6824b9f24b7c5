#include "check.hpp"

// Random system calls with random arguments, from threads at once. Whatever they do to themselves,
// the kernel stands, and the parent finds everything as it was.
namespace {

constexpr int kPrograms = 25, kThreads = 3, kCalls = 300;

uint32_t state;

uint32_t Random() {
  state = state * 1664525 + 1013904223;
  return state >> 8 ^ state << 16;
}

uint32_t Argument() {
  switch (Random() % 8) {
    case 0:
      return Random();
    case 1:
      return Random() % 20;
    case 2:
      return -(Random() % 20);
    case 3:
      return reinterpret_cast<uint32_t>(sbrk(0)) - Random() % 12;
    case 4:
      return (Random() % 64) * kPageSize;
    case 5:
      return 0x80000000 + Random() % 0x400000;
    case 6:
      return reinterpret_cast<uint32_t>(&state) + Random() % 64;
    default:
      return 0xfffff000 + Random() % 4096;
  }
}

// Nearly any number is possible, but some calls would only end the game.
bool Allowed(uint32_t number, uint32_t argument) {
  switch (number) {
    case kSysKill:
      return argument < 1 || argument > 0x10000;  // Not the test itself.
    case kSysSleep:
      return static_cast<int>(argument) < 3 || Random() % 50 == 0;
    case kSysExit:
      return Random() % 50 == 0;
    case kSysFork:
      return Random() % 8 == 0;  // Or there is room for nothing else.
    default:
      return true;
  }
}

void Calls(void* /*argument*/) {
  for (int i = 0; i < kCalls; ++i) {
    const uint32_t number = Random() % 16 == 0 ? Random() : Random() % (kSysLast + 2);
    const uint32_t a = Argument(), b = Argument(), c = Argument();
    if (Allowed(number, a)) SystemCall(number, a, b, c);
    for (int descriptor = 0; i % 8 == 0 && descriptor < kMaxDescriptors; ++descriptor) {
      close(descriptor);
    }
  }
  exit();
}

// Any of them may wait for ever: in a read from a pipe that only itself could write to, say. And
// some are children of children, whose pids nobody here knows. But pids are given out in order, and
// who has been killed makes no others: so until nobody was left, and nobody new came.
void EndAllSince(int first) {
  int newest = first;
  for (bool any = true; any;) {
    const int probe = fork();
    if (probe == 0) exit();
    any = probe != newest + 1;
    newest = probe > 0 ? probe : newest + kMaxProcesses;
    for (int pid = first; pid < newest; ++pid) any |= kill(pid) == 0;
    while (wait() > 0) {
    }
    sleep(1);
  }
}

}  // namespace

void Test() {
  for (uint32_t program = 0; program < kPrograms; ++program) {
    const int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      for (int descriptor = 0; descriptor < kMaxDescriptors; ++descriptor) close(descriptor);
      state = program * 2654435761u;
      char* stacks = NewStack();
      sbrk(kThreads * kPageSize);
      for (int i = 0; i < kThreads; ++i) clone(Calls, nullptr, stacks + i * kPageSize);
      Calls(nullptr);
    }
    sleep(5);
    EndAllSince(child);
  }
}
