#include "process.hpp"

#include "console.hpp"
#include "cpu.hpp"
#include "file.hpp"
#include "pages.hpp"
#include "text.hpp"
#include "x86.hpp"

extern "C" void SwitchContext(kernel::Context** save, kernel::Context* load);
extern "C" void TrapReturn();

namespace kernel {
namespace {

constexpr uint32_t kStackMark = 0x57ac0bed;  // At the low end of every kernel stack.

constinit Process table[kMaxProcesses] = {};
constinit SpinLock table_lock{"process table"};
constinit Process* first_process = nullptr;
constinit int next_pid = 1;
constinit uint32_t next_ticket = 0;
constinit uint32_t ticks = 0;
constinit uint32_t watchdog = 0;  // When it bites; 0 if never.
constinit char* first_command = nullptr;
constinit int foreground = 0;  // Pid of the process that Ctrl-C ends; 0 if none.

void MakeRunnable(Process& process) {
  process.state = ProcessState::kRunnable;
  WakeIdleCpu();
}

// Requires: table_lock.
void MarkKilled(Process& process) {
  __atomic_store_n(&process.killed, true, __ATOMIC_RELAXED);
  if (process.state == ProcessState::kSleeping) MakeRunnable(process);
}

// Leaves the current process for the scheduler. Requires: table_lock alone, and a new state.
void Leave() {
  Process& me = CurrentProcess();
  if (CurrentCpu().disable_depth != 1) Panic("%s leaves the processor holding locks", me.name);
  const bool were_on = CurrentCpu().interrupts_were_on;
  SwitchContext(&me.context, CurrentCpu().scheduler);
  CurrentCpu().interrupts_were_on = were_on;  // Perhaps another processor by now.
}

// The first thing a new process does; on return it finds TrapReturn and its user registers.
void Begin() {
  table_lock.Release();
  Process& me = CurrentProcess();
  if (&me != first_process || first_command == nullptr) return;
  // Exec sleeps and loads files, so it has to happen inside a process.
  char* words = first_command;
  first_command = nullptr;
  int count = 1;
  for (char* at = words; *at != 0; ++at) {
    if (*at == ' ') *at = 0, ++count;
  }
  if (count > kMaxArguments || Exec(words, words, count) < 0) Panic("cannot run %s", words);
}

// A slot with a kernel stack, ready to return to user code; null if there is none.
Process* NewProcess() {
  table_lock.Acquire();
  Process* process = nullptr;
  for (Process& each : table) {
    if (each.state != ProcessState::kUnused) continue;
    process = &each;
    memset(process, 0, sizeof(*process));
    process->state = ProcessState::kNew;
    process->pid = next_pid++;
    break;
  }
  table_lock.Release();
  if (process == nullptr) return nullptr;

  process->kernel_stack = AllocatePage();
  if (process->kernel_stack == nullptr) {
    SpinGuard guard(table_lock);
    process->state = ProcessState::kUnused;
    return nullptr;
  }
  *reinterpret_cast<uint32_t*>(process->kernel_stack) = kStackMark;
  process->frame = reinterpret_cast<TrapFrame*>(process->kernel_stack + kPageSize) - 1;
  auto* top = reinterpret_cast<uint32_t*>(process->frame);
  *--top = reinterpret_cast<uint32_t>(TrapReturn);
  process->context = reinterpret_cast<Context*>(top) - 1;
  process->context->eip = reinterpret_cast<uint32_t>(Begin);
  return process;
}

// Takes everything from a zombie, or from a process that never ran, but its address space, which
// the caller releases (outside the lock: it may be long work). Requires: table_lock.
AddressSpace* FreeSlot(Process& process) {
  AddressSpace* space = process.space;
  FreePage(process.kernel_stack);
  memset(&process, 0, sizeof(process));
  return space;
}

void Discard(Process* child) {
  SpinGuard guard(table_lock);
  FreeSlot(*child);
}

// Lets `child` run in `space` as a copy of the current process: same registers, but 0 as result,
// and same open files. -1 if the current process has been killed meanwhile; so one that is being
// ended makes no new threads.
int StartChild(Process* child, AddressSpace* space) {
  Process& me = CurrentProcess();
  for (int i = 0; i < kMaxDescriptors; ++i) {
    if (me.files[i] != nullptr) child->files[i] = me.files[i]->Retain();
  }
  child->frame->eax = 0;
  strlcpy(child->name, me.name, sizeof(child->name));
  {
    SpinGuard guard(table_lock);
    if (!me.killed) {
      child->space = space;
      child->parent = &me;
      MakeRunnable(*child);
      return child->pid;
    }
  }
  CloseAllFiles(*child);
  space->Release();
  Discard(child);
  return -1;
}

// SleepOn() and SleepUnlessKilled(); false if it did not sleep.
bool Sleep(const void* channel, SpinLock& lock, bool unless_killed) {
  Process& me = CurrentProcess();
  const bool other = &lock != &table_lock;
  if (other) table_lock.Acquire();
  // Under the lock that Kill() holds: a process killed after this is seen asleep, and woken.
  const bool sleeps = !unless_killed || !me.killed;
  if (sleeps) {
    // With the table's lock held no wake-up can happen, so the other may go.
    if (other) lock.Release();
    me.channel = channel;
    me.ticket = next_ticket++;
    me.state = ProcessState::kSleeping;
    Leave();
    me.channel = nullptr;
  }
  if (other) table_lock.Release();
  if (other && sleeps) lock.Acquire();
  return sleeps;
}

// Ends all other threads of the address space that the current process owns and reaps them, so
// that nobody is left in it but the caller.
void EndThreads() {
  Process& me = CurrentProcess();
  SpinGuard guard(table_lock);
  for (;;) {
    bool alone = true;
    for (Process& each : table) {
      if (&each == &me || each.space != me.space) continue;
      if (each.state == ProcessState::kZombie) {
        FreeSlot(each)->Release();  // Never the last reference: that is ours.
        continue;
      }
      alone = false;
      MarkKilled(each);
    }
    if (alone) return;
    SleepOn(me.space, table_lock);
  }
}

// Requires: table_lock.
void WakeupLocked(const void* channel) {
  for (Process& each : table) {
    if (each.state == ProcessState::kSleeping && each.channel == channel) MakeRunnable(each);
  }
}

// Finds a new parent for `child`, whose parent leaves `space`: the owner of the space for a thread
// of it, so that its stack can still be joined and freed; the first process for any other child.
// Requires: table_lock.
void GiveAway(Process& child, const AddressSpace* space) {
  child.parent = child.space == space ? space->owner() : first_process;
  WakeupLocked(child.parent);
}

// Wait and Join: the difference is which children count and what is told about them.
template <typename Tell>
int ReapChild(bool sharing, Tell tell) {
  Process& me = CurrentProcess();
  table_lock.Acquire();
  for (;;) {
    bool any = false;
    for (Process& each : table) {
      if (each.parent != &me || (each.space == me.space) != sharing) continue;
      any = true;
      if (each.state != ProcessState::kZombie) continue;
      const int pid = each.pid;
      tell(each);
      AddressSpace* space = FreeSlot(each);
      table_lock.Release();
      space->Release();
      return pid;
    }
    if (!any || !SleepUnlessKilled(&me, table_lock)) {
      table_lock.Release();
      return -1;
    }
  }
}

}  // namespace

Process& CurrentProcess() {
  DisableNested();
  Process* process = CurrentCpu().process;
  EnableIfFirst();
  return *process;
}

void StartFirstProcess(char* command_line) {
  Process* process = NewProcess();
  if (process == nullptr) Panic("no memory for the first process");
  process->space = AddressSpace::Create(process);
  if (process->space == nullptr) Panic("no memory for the first process");
  *process->frame = TrapFrame{};
  process->frame->cs = kUserCode;
  process->frame->ds = process->frame->es = process->frame->ss = kUserData;
  process->frame->eflags = 0x200;  // Interrupts on.
  first_process = process;
  first_command = command_line;
  SpinGuard guard(table_lock);
  process->state = ProcessState::kRunnable;
}

void Schedule() {
  Cpu& cpu = CurrentCpu();
  uint32_t next = 0;  // Goes round for ever: kMaxProcesses divides 2^32.
  for (;;) {
    table_lock.Acquire();
    Process* process = nullptr;
    for (int i = 0; i < kMaxProcesses && process == nullptr; ++i, ++next) {
      Process& each = table[next % kMaxProcesses];
      if (each.state == ProcessState::kRunnable) process = &each;
    }
    if (process == nullptr) {
      cpu.idle = true;
      table_lock.Release();
      WaitForInterrupt();
      continue;
    }
    cpu.idle = false;
    cpu.process = process;
    cpu.task.esp0 = reinterpret_cast<uint32_t>(process->kernel_stack + kPageSize);
    process->space->Activate();
    process->state = ProcessState::kRunning;
    SwitchContext(&cpu.scheduler, process->context);
    // Back, with the lock held. Off its page directory before anybody can free that. The process
    // has left its own mark here; this loop runs with interrupts off.
    ActivateKernelSpace();
    cpu.interrupts_were_on = false;
    if (*reinterpret_cast<uint32_t*>(process->kernel_stack) != kStackMark) {
      Panic("kernel stack of %s overrun", process->name);
    }
    cpu.process = nullptr;
    table_lock.Release();
  }
}

void Yield() {
  SpinGuard guard(table_lock);
  CurrentProcess().state = ProcessState::kRunnable;
  Leave();
}

void SleepOn(const void* channel, SpinLock& lock) { Sleep(channel, lock, false); }

bool SleepUnlessKilled(const void* channel, SpinLock& lock) { return Sleep(channel, lock, true); }

void Wakeup(const void* channel) {
  SpinGuard guard(table_lock);
  WakeupLocked(channel);
}

void Tick() {
  table_lock.Acquire();
  ++ticks;
  WakeupLocked(&ticks);
  const bool too_late = watchdog != 0 && ticks == watchdog;
  table_lock.Release();
  if (!too_late) return;
  ListProcesses();
  Panic("nothing happens any more");
}

void SetWatchdog(uint32_t limit) {
  SpinGuard guard(table_lock);
  watchdog = limit == 0 ? 0 : ticks + limit;
}

int CountProcesses() {
  SpinGuard guard(table_lock);
  int count = 0;
  for (const Process& each : table) count += each.state != ProcessState::kUnused ? 1 : 0;
  return count;
}

void ListProcesses() {
  static const char* const kNames[] = {"unused",   "new",     "sleeping",
                                       "runnable", "running", "zombie"};
  SpinGuard guard(table_lock);
  Print("\npid parent threads-of state name\n");
  for (const Process& each : table) {
    if (each.space == nullptr) continue;
    Print("%d %d %d %s %s\n", each.pid, each.parent == nullptr ? 0 : each.parent->pid,
          each.space->owner()->pid, kNames[static_cast<int>(each.state)], each.name);
  }
}

int Fork() {
  Process* child = NewProcess();
  if (child == nullptr) return -1;
  AddressSpace* space = CurrentProcess().space->Copy(child);
  if (space == nullptr) {
    Discard(child);
    return -1;
  }
  *child->frame = *CurrentProcess().frame;
  return StartChild(child, space);
}

int Clone(uint32_t function, uint32_t argument, uint32_t stack) {
  Process& me = CurrentProcess();
  if (stack % kPageSize != 0 || !me.space->Allows(stack, kPageSize, true)) return -1;
  Process* child = NewProcess();
  if (child == nullptr) return -1;

  // As a call would leave it: the argument, and below it where to return to.
  auto* top = reinterpret_cast<uint32_t*>(stack + kPageSize);
  *--top = argument;
  *--top = kFakeReturnAddress;
  *child->frame = *me.frame;
  child->frame->eip = function;
  child->frame->esp = reinterpret_cast<uint32_t>(top);
  child->frame->ebp = 0;
  child->user_stack = stack;
  me.space->Retain();
  return StartChild(child, me.space);
}

void Exit(int status) {
  Process& me = CurrentProcess();
  if (&me == first_process) Panic("the first process has ended");
  CloseAllFiles(me);
  if (me.space->owner() == &me) EndThreads();  // The program ends with its owner.

  table_lock.Acquire();
  for (Process& each : table) {
    if (each.parent == &me) GiveAway(each, me.space);
  }
  me.exit_status = status;
  me.state = ProcessState::kZombie;
  WakeupLocked(me.parent);
  WakeupLocked(me.space);  // The owner may be waiting in EndThreads().
  Leave();
  Panic("a zombie runs");
}

int Wait(int* status) {
  return ReapChild(false, [status](const Process& child) {
    if (status != nullptr) *status = child.exit_status;
  });
}

int Join(uint32_t* stack) {
  return ReapChild(true, [stack](const Process& child) { *stack = child.user_stack; });
}

int Kill(int pid) {
  SpinGuard guard(table_lock);
  for (Process& each : table) {
    if (each.pid != pid || each.space == nullptr || &each == first_process) continue;
    MarkKilled(each);
    return 0;
  }
  return -1;
}

int SetForeground(int pid) {
  SpinGuard guard(table_lock);
  bool is_child = pid == 0;
  for (const Process& each : table) {
    is_child |= each.space != nullptr && each.pid == pid && each.parent == &CurrentProcess();
  }
  if (is_child) foreground = pid;
  return is_child ? 0 : -1;
}

bool KillForeground() {
  SpinGuard guard(table_lock);
  bool any = false;
  for (Process& each : table) {
    if (foreground == 0 || each.space == nullptr) continue;
    const Process* ancestor = &each;
    while (ancestor != nullptr && ancestor->pid != foreground) ancestor = ancestor->parent;
    if (ancestor == nullptr) continue;
    MarkKilled(each);
    any = true;
  }
  return any;
}

int SleepTicks(int count) {
  if (count < 0) return -1;
  if (count == 0) Yield();
  SpinGuard guard(table_lock);
  const uint32_t start = ticks;
  while (ticks - start < static_cast<uint32_t>(count)) {
    if (!SleepUnlessKilled(&ticks, table_lock)) return -1;
  }
  return 0;
}

int Uptime() {
  SpinGuard guard(table_lock);
  return static_cast<int>(ticks);
}

int CondSleep(const void* condition, uint32_t* user_lock) {
  SpinGuard guard(table_lock);
  // Whoever takes the user's lock from here on and signals has to pass the table's lock first,
  // and finds this process asleep.
  __atomic_store_n(user_lock, 0, __ATOMIC_RELEASE);
  return SleepUnlessKilled(condition, table_lock) ? 0 : -1;
}

int CondWake(const void* condition) {
  SpinGuard guard(table_lock);
  Process* longest = nullptr;
  for (Process& each : table) {
    if (each.state != ProcessState::kSleeping || each.channel != condition) continue;
    // The same address in another space is another condition variable.
    if (each.space != CurrentProcess().space) continue;
    const bool longer =
        longest == nullptr || static_cast<int32_t>(each.ticket - longest->ticket) < 0;
    if (longer) longest = &each;
  }
  if (longest != nullptr) MakeRunnable(*longest);
  return 0;
}

void EnterSpace(AddressSpace* space) {
  Process& me = CurrentProcess();
  if (me.space->owner() == &me) EndThreads();
  AddressSpace* old = me.space;
  {
    SpinGuard guard(table_lock);
    for (Process& each : table) {
      if (each.parent == &me && each.space == old) GiveAway(each, old);
    }
    me.space = space;
    me.user_stack = 0;
    space->Activate();
    // A thread that leaves changes what its parent waits for, and is one less to end.
    WakeupLocked(me.parent);
    WakeupLocked(old);
  }
  old->Release();
}

}  // namespace kernel
