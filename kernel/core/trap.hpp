#pragma once

#include <stdint.h>

namespace kernel {

/// The registers of interrupted code as trap.S and the processor leave them on the kernel stack.
struct TrapFrame {
  uint32_t edi, esi, ebp, unused_esp, ebx, edx, ecx, eax;
  uint32_t gs, fs, es, ds;
  uint32_t vector, error;
  // From here on by the processor; esp and ss only when user code was interrupted.
  uint32_t eip, cs, eflags, esp, ss;

  bool FromUser() const { return (cs & 3) == 3; }
};

/// Loads the interrupt table, the same for all processors.
void LoadInterruptTable();

/// Fills the interrupt table and silences the old interrupt controller. Called once, first.
void BuildInterruptTable();

/// Runs the system call in `frame` for the current process; the result goes into its eax.
void RunSystemCall(TrapFrame& frame);

}  // namespace kernel
