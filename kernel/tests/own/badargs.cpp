#include "check.hpp"

// Every pointer and number of every system call, with every kind of bad value, gives -1.
namespace {

// Not `echo`: a program that ran after all and ended well would look like a test that passed.
const char* const kNone[] = {"cat", nullptr};

uint32_t Word(const void* pointer) { return reinterpret_cast<uint32_t>(pointer); }

void TryPointer(uint32_t bad, int file, int writer) {
  const auto descriptor = static_cast<uint32_t>(file);
  CHECK(SystemCall(kSysRead, descriptor, bad, 4) == -1);
  CHECK(SystemCall(kSysWrite, static_cast<uint32_t>(writer), bad, 4) == -1);
  CHECK(SystemCall(kSysOpen, bad, kOpenRead) == -1);
  CHECK(SystemCall(kSysUnlink, bad) == -1);
  CHECK(SystemCall(kSysExec, bad, Word(kNone)) == -1);
  CHECK(SystemCall(kSysExec, Word("cat"), bad) == -1);
  const uint32_t vector[] = {bad, 0};
  CHECK(bad == 0 || SystemCall(kSysExec, Word("cat"), Word(vector)) == -1);
  CHECK(SystemCall(kSysPipe, bad) == -1);
  CHECK(bad == 0 || SystemCall(kSysWait, bad) == -1);
  CHECK(SystemCall(kSysJoin, bad) == -1);
  CHECK(SystemCall(kSysClone, Word(kNone), 0, bad) == -1);
  uint32_t word = 0;
  CHECK(SystemCall(kSysCondSleep, bad, Word(&word)) == -1);
  CHECK(SystemCall(kSysCondSleep, Word(&word), bad) == -1);
  CHECK(SystemCall(kSysCondWake, bad) == -1);
}

}  // namespace

void Test() {
  const int file = open("echo");
  int ends[2];
  CHECK(file >= 0 && pipe(ends) == 0);
  // A child, so that wait fails for its pointer alone.
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) exit(9);
  const uint32_t end = Word(sbrk(0));
  memset(sbrk(3), 'x', 3);  // An unterminated string at the end.
  const uint32_t pointers[] = {0,          1,          0xfff,      end,        end + 1,
                               end + 4096, 0x40000000, 0x7fffffff, 0x80000000, 0x80100000,
                               0xfee00000, 0xfffffffc, 0xffffffff};
  for (uint32_t bad : pointers) TryPointer(bad, file, ends[1]);
  // The guard page under the stack lies inside the address space, but is not mapped.
  const uint32_t guard = end - 5 * kPageSize;
  TryPointer(guard + 100, file, ends[1]);
  CHECK(SystemCall(kSysJoin, 0x1000) == -1 && SystemCall(kSysPipe, 0x1000) == -1);  // Read-only.
  CHECK(SystemCall(kSysRead, static_cast<uint32_t>(file), 0x1000, 1) == -1);
  CHECK(SystemCall(kSysRead, static_cast<uint32_t>(file), guard - 2, 4) == -1);  // Into the guard.

  char byte;
  const int descriptors[] = {-1, 15, 16, 1000, 0x7fffffff, static_cast<int>(0x80000000)};
  for (int descriptor : descriptors) {
    CHECK(read(descriptor, &byte, 1) == -1 && write(descriptor, &byte, 1) == -1);
    CHECK(close(descriptor) == -1 && dup(descriptor) == -1);
  }
  const int sizes[] = {-1, static_cast<int>(0x80000000), 0x7fffffff, 100 << 20};
  for (int size : sizes) {
    CHECK(read(file, &byte, size) == -1 && write(ends[1], &byte, size) == -1);
  }
  const uint32_t numbers[] = {0, kSysLast + 1, 1000, 0x80000000, 0xffffffff};
  for (uint32_t number : numbers) {
    CHECK(SystemCall(number, 1, 2, 3) == -1);
  }
  CHECK(audit(kAuditNote) == -1 && halt(0) == -1);  // Not ours.
  // A string that is not terminated before the end of the last page.
  char* const last = NewStack();
  memset(last, 'x', kPageSize);
  const uint32_t open_ended = Word(last + kPageSize - 3);
  CHECK(SystemCall(kSysOpen, open_ended, kOpenRead) == -1 &&
        SystemCall(kSysUnlink, open_ended) == -1);
  CHECK(SystemCall(kSysExec, open_ended, Word(kNone)) == -1);
  int status = 0;
  CHECK(wait(&status) == child && status == 9);
  void* stack;
  CHECK(join(&stack) == -1 && wait() == -1);
}
