#include "lock.hpp"

#include "console.hpp"
#include "cpu.hpp"
#include "process.hpp"
#include "x86.hpp"

namespace kernel {
namespace {

constexpr uint32_t kDeadlock = 1u << 27;  // Vain tries; about a minute of nothing else.

}  // namespace

void SpinLock::Acquire() {
  DisableNested();
  if (HeldHere()) Panic("lock %s taken twice", name_);
  for (uint32_t tries = 1; __atomic_exchange_n(&locked_, 1, __ATOMIC_ACQUIRE) != 0; ++tries) {
    // Counted and not timed: a holder that the host leaves waiting is no deadlock.
    if (tries == kDeadlock) Panic("lock %s is never released", name_);
    asm volatile("pause");
  }
  __atomic_store_n(&holder_, &CurrentCpu(), __ATOMIC_RELAXED);
}

void SpinLock::Release() {
  if (!HeldHere()) Panic("lock %s released by another", name_);
  __atomic_store_n(&holder_, nullptr, __ATOMIC_RELAXED);
  __atomic_store_n(&locked_, 0, __ATOMIC_RELEASE);
  EnableIfFirst();
}

// Other processors may change both fields meanwhile, but none of them stores this processor's name.
bool SpinLock::HeldHere() const {
  return __atomic_load_n(&locked_, __ATOMIC_RELAXED) != 0 &&
         __atomic_load_n(&holder_, __ATOMIC_RELAXED) == &CurrentCpu();
}

void SleepLock::Acquire() {
  SpinGuard guard(guard_);
  while (held_) SleepOn(this, guard_);
  held_ = true;
}

void SleepLock::Release() {
  SpinGuard guard(guard_);
  held_ = false;
  Wakeup(this);
}

void DisableNested() {
  const bool were_on = InterruptsEnabled();
  DisableInterrupts();
  Cpu& cpu = CurrentCpu();
  if (cpu.disable_depth++ == 0) cpu.interrupts_were_on = were_on;
}

void EnableIfFirst() {
  Cpu& cpu = CurrentCpu();
  if (InterruptsEnabled() || cpu.disable_depth == 0) Panic("EnableIfFirst without DisableNested");
  if (--cpu.disable_depth == 0 && cpu.interrupts_were_on) EnableInterrupts();
}

}  // namespace kernel
