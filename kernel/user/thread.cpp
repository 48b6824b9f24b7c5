#include "user.hpp"

int thread_create(void (*start)(void*), void* argument) {
  // A page-aligned page inside a larger block; the block's own address is kept just below it.
  constexpr uint32_t kHeader = sizeof(void*);
  void* block = malloc(kHeader + kPageSize - 1 + kPageSize);
  if (block == nullptr) return -1;
  const uint32_t lowest = reinterpret_cast<uint32_t>(block) + kHeader;
  const uint32_t stack = (lowest + kPageSize - 1) & ~(kPageSize - 1);
  reinterpret_cast<void**>(stack)[-1] = block;
  const int pid = clone(start, argument, reinterpret_cast<void*>(stack));
  if (pid < 0) free(block);
  return pid;
}

int thread_join() {
  void* stack;
  const int pid = join(&stack);
  if (pid > 0) free(static_cast<void**>(stack)[-1]);
  return pid;
}

void lock_init(lock_t* lock) { lock->held = 0; }

void lock_acquire(lock_t* lock) {
  constexpr int kPatience = 100;
  for (int tries = 1; __atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) != 0; ++tries) {
    // The holder is inside a few instructions if it runs. If not, it may be this processor that
    // it waits for.
    if (tries % kPatience == 0) {
      sleep(0);
    } else {
      asm volatile("pause");
    }
  }
}

void lock_release(lock_t* lock) { __atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE); }

void cv_wait(cond_t* condition, lock_t* lock) {
  SystemCall(kSysCondSleep, reinterpret_cast<uint32_t>(condition),
             reinterpret_cast<uint32_t>(lock));
  lock_acquire(lock);
}

void cv_signal(cond_t* condition) {
  SystemCall(kSysCondWake, reinterpret_cast<uint32_t>(condition));
}
