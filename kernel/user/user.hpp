#pragma once

#include "abi.hpp"
#include "text.hpp"

/// The library of user programs. Every function that can fail returns -1 (or a null pointer), and
/// there is no errno.

// --- System calls ---

inline int SystemCall(uint32_t number, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
  int result;
  asm volatile("int $0x40" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
  return result;
}

/// A copy of the calling process: its memory, its descriptors, this one thread. 0 in the copy.
int fork();

/// Ends the calling thread; and with the thread that owns the address space (the one that main()
/// started in) the whole program.
[[noreturn]] void exit(int status = 0);

/// Waits for a child that does not share the address space; -1 if there is none. A child that was
/// killed has the status -1.
int wait(int* status = nullptr);

/// Ends a thread; or the program whose address space it owns.
int kill(int pid);
int getpid();

/// Sleeps that many ticks, of which kTicksPerSecond make a second; 0 lets others run.
int sleep(int ticks);
int uptime();

/// Grows (or, while it is not shared, shrinks) the address space; returns its old end.
char* sbrk(int bytes);

/// Runs another program in this process. `arguments` ends with a null pointer.
int exec(const char* path, const char* const* arguments);

int open(const char* path, uint32_t flags = kOpenRead);
int read(int descriptor, void* to, int size);
int write(int descriptor, const void* from, int size);
int close(int descriptor);
int dup(int descriptor);
int pipe(int descriptors[2]);
int unlink(const char* path);

/// A new thread that runs function(argument) on `stack`, a page of this address space. It has its
/// own pid and copies of the descriptors. Returns the pid.
int clone(void (*function)(void*), void* argument, void* stack);

/// Waits for a child that shares the address space, returns its pid, and its stack in `*stack`.
int join(void** stack);

/// Makes a child the one that Ctrl-C ends, with all its descendants; 0: Ctrl-C ends nobody.
int foreground(int pid);

/// Leak check and power switch, for the first process alone.
int audit(AuditStep step);
int halt(int status);

// --- Output ---

/// Prints with FormatText(), by one write() for up to 256 characters.
void printf(const char* format, ...);

// --- Memory: threads may share it ---

void* malloc(size_t size);
void free(void* block);

// --- Threads ---

/// Runs start(argument) in a new thread on a stack of one page. Returns its pid.
int thread_create(void (*start)(void*), void* argument);

/// Waits for a thread that this thread created, frees its stack, returns its pid.
int thread_join();

/// Mutual exclusion by atomic exchange. Zeros are an open lock too.
struct lock_t {
  uint32_t held;
};
void lock_init(lock_t* lock);
void lock_acquire(lock_t* lock);
void lock_release(lock_t* lock);

/// A condition variable is a place to wait at: its address is what counts.
struct cond_t {
  uint32_t unused;
};

/// Releases `lock` and waits, in one step, for a signal; holds `lock` again when it returns.
void cv_wait(cond_t* condition, lock_t* lock);

/// Wakes the thread that has waited longest, if there is one. Signals are not remembered.
void cv_signal(cond_t* condition);
