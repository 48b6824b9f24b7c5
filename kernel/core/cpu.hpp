#pragma once

#include <stdint.h>

namespace kernel {

inline constexpr int kMaxCpus = 4;

/// Segment selectors; the low two bits are the privilege level asked for.
enum Selector : uint16_t {
  kKernelCode = 1 << 3,
  kKernelData = 2 << 3,
  kUserCode = (3 << 3) | 3,
  kUserData = (4 << 3) | 3,
  kFirstTask = 5 << 3,  ///< One per processor.
};

/// Interrupt vectors of the local APIC, above the processor's own exceptions.
enum Vector : uint32_t { kTimerVector = 32, kWakeVector = 33, kSystemCallVector = 64 };
inline constexpr uint32_t kSpuriousVector = 63;

/// What the processor reads when it enters the kernel: only the kernel stack matters here.
struct TaskState {
  uint32_t link, esp0, ss0;
  uint32_t unused[22];
  uint16_t trap, io_map_base;
};

struct Context;
struct Process;

/// One processor. Only its own code touches it, with interrupts disabled; except `idle`, which the
/// process table's lock guards.
struct Cpu {
  int index;
  uint32_t apic_id;
  TaskState task;
  Context* scheduler;  ///< Where to switch to leave a process.
  Process* process;    ///< The one running, or null.
  int disable_depth;   ///< See DisableNested().
  bool interrupts_were_on;
  uint32_t directory;  ///< Physical address of the page directory in use; others may look.
  bool idle;           ///< Halted, waiting for an interrupt.
};

/// The processor this runs on. Meaningful only while interrupts are disabled.
Cpu& CurrentCpu();

/// Segments and local APIC of processor `index`, the one this runs on. First thing to be called.
void StartCpu(int index);

/// Wakes the other processors and returns when they run; returns how many there are, of which at
/// most kMaxCpus are used and counted.
int StartOtherCpus();

/// Ends a halted processor's wait if there is one. Requires: the process table's lock.
void WakeIdleCpu();

/// Makes a page directory that of this processor, which forgets all translations it remembers.
void UsePageDirectory(uint32_t physical);

/// Whether any processor uses it: then it must not be freed.
bool PageDirectoryInUse(uint32_t physical);

/// Tells the local APIC that its interrupt has been seen.
void EndOfInterrupt();

}  // namespace kernel
