#pragma once

#include <stdint.h>

namespace kernel {

struct Cpu;

/// Mutual exclusion between processors, by spinning. Interrupts are off on the holder's processor
/// while any spin lock is held, so an interrupt handler never spins on a lock its own processor
/// holds, and a holder is never preempted.
///
/// Order, when several are taken: README.md, "The order of locks".
class SpinLock {
 public:
  constexpr explicit SpinLock(const char* name) : name_(name) {}
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  void Acquire();
  void Release();
  bool HeldHere() const;

 private:
  const char* name_;
  uint32_t locked_ = 0;
  Cpu* holder_ = nullptr;
};

/// Holds a SpinLock for the length of a block.
class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock_.Acquire(); }
  ~SpinGuard() { lock_.Release(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

/// Mutual exclusion for long work: who has to wait sleeps, and the holder may itself sleep or be
/// preempted. Never taken while a spin lock is held.
class SleepLock {
 public:
  void Acquire();
  void Release();

 private:
  SpinLock guard_{"sleep lock"};
  bool held_ = false;
};

/// Disables interrupts on this processor; calls nest, and the last EnableIfFirst() restores what
/// the first DisableNested() found.
void DisableNested();
void EnableIfFirst();

}  // namespace kernel
