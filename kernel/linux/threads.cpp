#include "threads.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace raw {

struct Waiter {
  uint32_t woken = 0;
  Waiter* next = nullptr;
};

namespace {

// A system call without errno, which all threads would share. Failures are -errno.
long Call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

long Word(const volatile void* pointer) { return reinterpret_cast<long>(pointer); }

// Whether eight bytes can be written to. The kernel finds out by storing the signal mask there, and
// says no where a store of ours would be a fault.
bool Writable(void* address) {
  return address != nullptr && Call(SYS_rt_sigprocmask, SIG_BLOCK, 0, Word(address), 8) == 0;
}

// Which stack belongs to which thread. Linux does not keep it, so it is kept here.
struct Slot {
  int pid;  // Written by the kernel before the thread runs.
  bool used;
  void* stack;
};
Slot slots[kMaxThreads];
lock_t slots_lock;

Slot* ReserveSlot(void* stack) {
  Slot* found = nullptr;
  lock_acquire(&slots_lock);
  for (Slot& slot : slots) {
    if (slot.used) continue;
    slot = {0, true, stack};
    found = &slot;
    break;
  }
  lock_release(&slots_lock);
  return found;
}

void FreeSlot(Slot* slot) {
  lock_acquire(&slots_lock);
  *slot = {};
  lock_release(&slots_lock);
}

// The stack of a thread, which is forgotten; null if it is none of ours.
void* TakeStack(int pid) {
  void* stack = nullptr;
  lock_acquire(&slots_lock);
  for (Slot& slot : slots) {
    if (!slot.used || slot.pid != pid) continue;
    stack = slot.stack;
    slot = {};
  }
  lock_release(&slots_lock);
  return stack;
}

}  // namespace

int clone(void (*function)(void*), void* argument, void* stack) {
  char* bottom = static_cast<char*>(stack);
  if (reinterpret_cast<uintptr_t>(stack) % kPageSize != 0 || !Writable(bottom) ||
      !Writable(bottom + kPageSize - 8)) {
    return -1;
  }
  Slot* slot = ReserveSlot(stack);
  if (slot == nullptr) return -1;
  auto* top = reinterpret_cast<void**>(bottom + kPageSize);
  *--top = argument;
  *--top = reinterpret_cast<void*>(function);

  // No exit signal in the low byte of the flags: wait() sees no such child unless it asks for it.
  // No CLONE_FILES: descriptors are copied.
  constexpr long kFlags = CLONE_VM | CLONE_FS | CLONE_PARENT_SETTID;
  long result;
  register long r10 asm("r10") = 0;
  register long r8 asm("r8") = 0;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      // The new thread, on its stack: nothing of this function is there.
      "xor %%ebp, %%ebp\n\t"
      "pop %%rax\n\t"
      "pop %%rdi\n\t"
      "call *%%rax\n\t"
      "xor %%edi, %%edi\n\t"
      "mov %[exit], %%eax\n\t"
      "syscall\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(kFlags), "S"(top), "d"(&slot->pid), "r"(r10),
        "r"(r8), [exit] "i"(SYS_exit)
      : "rcx", "r11", "memory");
  if (result > 0) return static_cast<int>(result);
  FreeSlot(slot);
  return -1;
}

int join(void** stack) {
  if (!Writable(stack)) return -1;
  // First only look: once it is reaped, its pid may at once belong to another thread.
  siginfo_t info;
  long result;
  do {
    result = Call(SYS_waitid, P_ALL, 0, Word(&info), WEXITED | WNOWAIT | __WCLONE);
  } while (result == -EINTR);
  if (result < 0) return -1;
  const int pid = info.si_pid;
  *stack = TakeStack(pid);
  while (Call(SYS_wait4, pid, 0, __WCLONE) == -EINTR) {
  }
  return pid;
}

void exit() {
  Call(SYS_exit, 0);
  __builtin_unreachable();
}

int thread_create(void (*start)(void*), void* argument) {
  const long block =
      Call(SYS_mmap, 0, 2 * kPageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block < 0) return -1;
  Call(SYS_mprotect, block, kPageSize, PROT_NONE);
  const int pid = raw::clone(start, argument, reinterpret_cast<char*>(block) + kPageSize);
  if (pid < 0) Call(SYS_munmap, block, 2 * kPageSize);
  return pid;
}

int thread_join() {
  void* stack;
  const int pid = join(&stack);
  if (pid > 0 && stack != nullptr) {
    Call(SYS_munmap, Word(static_cast<char*>(stack) - kPageSize), 2 * kPageSize);
  }
  return pid;
}

void lock_init(lock_t* lock) { lock->held = 0; }

void lock_acquire(lock_t* lock) {
  constexpr int kPatience = 100;
  for (int tries = 1; __atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) != 0; ++tries) {
    if (tries % kPatience == 0) {
      Call(SYS_sched_yield);
    } else {
      asm volatile("pause");
    }
  }
}

void lock_release(lock_t* lock) { __atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE); }

void cv_wait(cond_t* condition, lock_t* lock) {
  Waiter self;
  lock_acquire(&condition->guard);
  (condition->first == nullptr ? condition->first : condition->last->next) = &self;
  condition->last = &self;
  lock_release(&condition->guard);
  lock_release(lock);
  // A signal from here on finds this waiter in the queue; the futex compares before it sleeps.
  while (__atomic_load_n(&self.woken, __ATOMIC_ACQUIRE) == 0) {
    Call(SYS_futex, Word(&self.woken), FUTEX_WAIT_PRIVATE, 0);
  }
  lock_acquire(lock);
}

void cv_signal(cond_t* condition) {
  lock_acquire(&condition->guard);
  Waiter* waiter = condition->first;
  if (waiter != nullptr) condition->first = waiter->next;
  lock_release(&condition->guard);
  if (waiter == nullptr) return;
  // Once this is stored the waiter may be gone; its address is still good to wake by.
  __atomic_store_n(&waiter->woken, 1, __ATOMIC_RELEASE);
  Call(SYS_futex, Word(&waiter->woken), FUTEX_WAKE_PRIVATE, 1);
}

}  // namespace raw
