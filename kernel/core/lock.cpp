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
  holder_ = &CurrentCpu();
}

void SpinLock::Release() {
  if (!HeldHere()) Panic("lock %s released by another", name_);
  holder_ = nullptr;
  __atomic_store_n(&locked_, 0, __ATOMIC_RELEASE);
  EnableIfFirst();
}

bool SpinLock::HeldHere() const { return locked_ != 0 && holder_ == &CurrentCpu(); }

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
