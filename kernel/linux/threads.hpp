#pragma once

#include <cstdint>

/// The kernel's threads on Linux (x86-64): the same clone, join and thread library, over the raw
/// system calls. README.md says what such threads may not do; above all no malloc and no stdio.
///
/// Threads: everything here may be called from any of them. Errors are -1; errno is not touched.
namespace raw {

inline constexpr uintptr_t kPageSize = 4096;
inline constexpr int kMaxThreads = 512;  ///< Not yet joined, in the whole address space.

/// Runs function(argument) in a new thread on `stack`, one page of memory on a page boundary.
/// Descriptors are copied, the working directory is shared. Returns its pid. A function that
/// returns ends its thread.
int clone(void (*function)(void*), void* argument, void* stack);

/// Waits for a thread that the calling thread has cloned; returns its pid and its stack. -1, and
/// nothing is reaped, if there is none or `stack` cannot be written to.
int join(void** stack);

/// Ends the calling thread, and no other.
[[noreturn]] void exit();

/// clone() on a stack of its own, with a guard page below; join() which frees it.
int thread_create(void (*start)(void*), void* argument);
int thread_join();

/// Mutual exclusion by atomic exchange. Zeros are an open lock too.
struct lock_t {
  uint32_t held;
};
void lock_init(lock_t* lock);
void lock_acquire(lock_t* lock);
void lock_release(lock_t* lock);

/// A queue of waiters, each with a word of its own to sleep on, so that a signal wakes exactly
/// the one that has waited longest. Zeros are an empty one.
struct cond_t {
  lock_t guard;
  struct Waiter* first;
  struct Waiter* last;
};
void cv_wait(cond_t* condition, lock_t* lock);
void cv_signal(cond_t* condition);

}  // namespace raw
