#pragma once

#include <stdint.h>

/// The first serial port: what the kernel prints and what a person types.
namespace kernel {

void StartConsole();

/// Prints in the format of FormatText(), whole calls not mixed with others'.
void Print(const char* format, ...);

/// Prints why and ends the machine. For states that only a bug in the kernel can reach.
[[noreturn]] void Panic(const char* format, ...);

/// Ends qemu, through its isa-debug-exit device, with exit status 2 * `status` + 1.
[[noreturn]] void PowerOff(uint8_t status);

/// Takes the characters that have been typed, with echo and line editing; a finished line wakes its
/// reader. Ctrl-C kills the foreground process (KillForeground()), Ctrl-P lists all processes.
/// Called by the timer of one processor.
void PollConsole();

/// Reads at most one line, sleeping until there is one. 0 is the end of input (Ctrl-D), -1 that
/// the process has been killed.
int ReadConsole(uint8_t* to, int size);

/// Writes all of it, or returns -1 when the process is killed meanwhile. Up to kConsoleAtomic bytes
/// come out in one piece.
int WriteConsole(const uint8_t* from, int size);
inline constexpr int kConsoleAtomic = 512;

}  // namespace kernel
