#include "trap.hpp"

#include "console.hpp"
#include "cpu.hpp"
#include "process.hpp"
#include "x86.hpp"

extern "C" const uint32_t TrapEntries[65];

namespace kernel {
namespace {

constinit uint64_t interrupt_table[65] = {};

constexpr uint32_t kPageFault = 14;

// An exception in user code ends the thread that ran it, and no other.
void EndFaulty(const TrapFrame& frame) {
  Process& me = CurrentProcess();
  // Returning from a thread's function is such a fault too, and nothing to talk about.
  if (frame.eip != kFakeReturnAddress) {
    Print("[%s, pid %d: trap %u, error %u, at %p, address %p]\n", me.name, me.pid, frame.vector,
          frame.error, frame.eip, frame.vector == kPageFault ? FaultAddress() : 0);
  }
  Exit(-1);
}

}  // namespace

void BuildInterruptTable() {
  Out8(0x21, 0xff);  // Nothing comes through the old controller; the local APIC does it all.
  Out8(0xa1, 0xff);
  for (uint32_t i = 0; i < 65; ++i) {
    // A system call is open to user code and leaves interrupts on; all others turn them off.
    const uint64_t type = i == kSystemCallVector ? 0xef : 0x8e;
    const uint64_t entry = TrapEntries[i];
    interrupt_table[i] =
        (entry & 0xffff) | uint64_t{kKernelCode} << 16 | type << 40 | (entry >> 16) << 48;
  }
}

void LoadInterruptTable() {
  const struct [[gnu::packed]] {
    uint16_t limit;
    const void* base;
  } table{sizeof(interrupt_table) - 1, interrupt_table};
  asm volatile("lidt %0" : : "m"(table));
}

}  // namespace kernel

/// Called by trap.S for every exception, interrupt and system call.
extern "C" void Trap(kernel::TrapFrame* frame) {
  using namespace kernel;
  switch (frame->vector) {
    case kSystemCallVector:
      RunSystemCall(*frame);
      break;
    case kTimerVector:
      EndOfInterrupt();
      if (CurrentCpu().index == 0) {
        Tick();
        PollConsole();
      }
      // Also in the middle of a system call: the kernel is as preemptible as user code.
      if (CurrentCpu().process != nullptr) Yield();
      break;
    case kWakeVector:
      EndOfInterrupt();
      break;
    case kSpuriousVector:
      break;
    default:
      if (!frame->FromUser()) {
        Panic("trap %u error %u at %p, address %p", frame->vector, frame->error, frame->eip,
              FaultAddress());
      }
      EndFaulty(*frame);
  }
  if (frame->FromUser() && CurrentProcess().Killed()) Exit(-1);
}
