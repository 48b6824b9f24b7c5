#pragma once

#include <stdint.h>

#include "abi.hpp"
#include "space.hpp"
#include "trap.hpp"

namespace kernel {

class OpenFile;

enum class ProcessState : uint8_t { kUnused, kNew, kSleeping, kRunnable, kRunning, kZombie };

/// What SwitchContext() pushes; eip is the return address of its caller.
struct Context {
  uint32_t edi, esi, ebx, ebp, eip;
};

/// A process or a thread: the kernel makes no difference. Those that hold the same AddressSpace
/// are threads of one program; its owner is what wait() sees, the others are what join() sees.
///
///     kUnused -> kNew -> kRunnable <-> kRunning -> kZombie -> kUnused
///                            ^-- kSleeping <--'
///
/// Threads: `state`, `parent`, `channel`, `ticket`, `killed` and `exit_status` belong to the lock
/// of the process table; so does `space` when another process looks at it. The rest is touched by
/// the process itself, or by its maker before it runs.
struct Process {
  ProcessState state;
  int pid;
  Process* parent;
  AddressSpace* space;
  uint8_t* kernel_stack;  ///< One page.
  TrapFrame* frame;       ///< The user registers, at the top of it.
  Context* context;       ///< Where to switch to run it.
  const void* channel;    ///< What it sleeps on.
  uint32_t ticket;        ///< Since when it sleeps, compared with others.
  bool killed;            ///< Ends before it runs user code again. See Killed().
  int exit_status;
  uint32_t user_stack;  ///< The page given to clone(); 0 if it is no thread.
  OpenFile* files[kMaxDescriptors];
  char name[16];

  /// `killed` without the lock: a kill on another processor may be seen late, but no wait starts
  /// after it (see SleepUnlessKilled()).
  bool Killed() const { return __atomic_load_n(&killed, __ATOMIC_RELAXED); }
};

/// The one that runs on this processor.
Process& CurrentProcess();

// --- Running ---

/// Makes the first process, which runs the program named first in `command_line` with the other
/// words as arguments. It may not end; orphans become its children. Takes the line apart.
void StartFirstProcess(char* command_line);

/// Runs processes for ever: the end of every processor's start.
[[noreturn]] void Schedule();

/// Lets others run.
void Yield();

/// Sleeps until Wakeup(`channel`). Gives up `lock` while it sleeps, with no moment in between at
/// which a wake-up could be missed. May return early, so always in a loop. For waits that are
/// sure to end soon, whether or not the process is killed.
void SleepOn(const void* channel, SpinLock& lock);

/// The same for all other waits: false, at once, if the process has been killed.
[[nodiscard]] bool SleepUnlessKilled(const void* channel, SpinLock& lock);

/// Wakes all that sleep on `channel`.
void Wakeup(const void* channel);

/// One tick of the clock has passed.
void Tick();

/// Panics, with a list of all processes, unless called again within `limit` ticks. 0: never.
void SetWatchdog(uint32_t limit);

/// Prints a line for each process.
void ListProcesses();

int CountProcesses();

// --- System calls: -1 is every failure; addresses have been checked by the caller ---

int Fork();
int Clone(uint32_t function, uint32_t argument, uint32_t stack);
[[noreturn]] void Exit(int status);

/// Waits for a child that does not share the address space, reaps it, stores its exit status.
int Wait(int* status);

/// Waits for a child that does, reaps it, stores where its stack is.
int Join(uint32_t* stack);

int Kill(int pid);

/// Makes a child of the current process the one that Ctrl-C ends; 0: none. -1 if it is no child.
int SetForeground(int pid);

/// Ctrl-C: kills the foreground process and its descendants; false if there is none.
bool KillForeground();

int SleepTicks(int ticks);
int Uptime();

/// Releases the user's lock and sleeps until a CondWake() of the same address in this space.
int CondSleep(const void* condition, uint32_t* user_lock);

/// Wakes the one that has slept longest on `condition`, if any.
int CondWake(const void* condition);

/// Replaces the program. `path` and the `count` strings that follow each other in `arguments`
/// are in kernel memory.
int Exec(const char* path, const char* arguments, int count);

/// Puts the current process into `space`, ending the threads it leaves behind if it owns them.
void EnterSpace(AddressSpace* space);

}  // namespace kernel
