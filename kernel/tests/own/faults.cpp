#include "check.hpp"

// User code that does what it may not is ended, and nothing else happens.
namespace {

volatile uint32_t* At(uint32_t address) { return reinterpret_cast<volatile uint32_t*>(address); }

int Recurse(int n) {
  volatile char room[256];
  room[0] = static_cast<char>(n);
  return n < 0 ? 0 : room[0] + Recurse(n + 1) + room[0];
}

void ReadNull() { static_cast<void>(*At(0)); }
void ReadKernel() { static_cast<void>(*At(0x80100000)); }
void WriteKernel() { *At(0x80100000) = 1; }
void ReadDevice() { static_cast<void>(*At(0xfee00000)); }
void WriteCode() { *At(0x1000) = 1; }
void ReadBeyond() { static_cast<void>(*At(reinterpret_cast<uint32_t>(sbrk(0)) + kPageSize)); }
void ReadTakenAway() {
  volatile char* page = NewStack();
  *page = 1;
  sbrk(-static_cast<int>(kPageSize));
  static_cast<void>(*page);
}
void OverrunStack() { exit(Recurse(0)); }
void Halt() { asm volatile("cli; hlt"); }
void UsePort() { asm volatile("outb %%al, $0xf4" : : "a"(0)); }
void DivideByZero() { asm volatile("divl %0" : : "r"(0), "a"(1), "d"(0)); }
void FloatingPoint() { asm volatile("fldz"); }
void OtherVector() { asm volatile("int $32"); }
void Breakpoint() { asm volatile("int3"); }
void SingleStep() { asm volatile("pushfl; orl $0x100, (%esp); popfl; nop"); }
void BadSegment() { asm volatile("movw %w0, %%ds" : : "r"(0x10)); }
void LoadTask() { asm volatile("ltr %w0" : : "r"(0x28)); }
void JumpAway() { reinterpret_cast<void (*)()>(0x80100000)(); }

// These are legal, and the kernel has to stand them.
void OddFlags() {
  char text[6];
  int result;
  asm volatile("std; pushfl; orl $0x44000, (%%esp); popfl; int $0x40; cld"
               : "=a"(result)
               : "a"(kSysRead), "b"(open("site/quiet")), "c"(text), "d"(sizeof(text))
               : "memory");
  exit(result == 6 && memcmp(text, "A page", 6) == 0 ? -1 : 0);
}
void NoSegments() {
  asm volatile(
      "xorl %%ebx, %%ebx; movw %%bx, %%ds; movw %%bx, %%es; movl %0, %%eax; decl %%ebx;"
      "int $0x40"
      :
      : "i"(kSysExit)
      : "eax", "ebx");
}
void NoStack() {
  asm volatile("xorl %%esp, %%esp; movl $-1, %%ebx; movl %0, %%eax; int $0x40" : : "i"(kSysExit));
}

}  // namespace

void Test() {
  void (*const functions[])() = {ReadNull,     ReadKernel,    WriteKernel,  ReadDevice, WriteCode,
                                 ReadBeyond,   ReadTakenAway, OverrunStack, Halt,       UsePort,
                                 DivideByZero, FloatingPoint, OtherVector,  Breakpoint, SingleStep,
                                 BadSegment,   LoadTask,      JumpAway,     OddFlags,   NoSegments,
                                 NoStack};
  for (auto* function : functions) {
    const int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      function();
      exit(0);
    }
    int status = 0;
    CHECK(wait(&status) == child);
    CHECK(status == -1);
  }
}
