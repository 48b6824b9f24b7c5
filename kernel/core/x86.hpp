#pragma once

#include <stdint.h>

/// The instructions that C++ has no words for.
namespace kernel {

inline uint8_t In8(uint16_t port) {
  uint8_t value;
  asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}

inline void Out8(uint16_t port, uint8_t value) {
  asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

inline void Out16(uint16_t port, uint16_t value) {
  asm volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

inline void DisableInterrupts() { asm volatile("cli" : : : "memory"); }
inline void EnableInterrupts() { asm volatile("sti" : : : "memory"); }

/// Waits for the next interrupt. An interrupt that came while they were disabled is not missed:
/// `sti` takes effect only after the instruction that follows it.
inline void WaitForInterrupt() { asm volatile("sti; hlt; cli" : : : "memory"); }

inline bool InterruptsEnabled() {
  uint32_t flags;
  asm volatile("pushfl; popl %0" : "=r"(flags));
  return (flags & 0x200) != 0;
}

inline void LoadPageDirectory(uint32_t physical) {
  asm volatile("movl %0, %%cr3" : : "r"(physical) : "memory");
}

inline uint32_t FaultAddress() {
  uint32_t address;
  asm volatile("movl %%cr2, %0" : "=r"(address));
  return address;
}

inline uint16_t TaskRegister() {
  uint16_t selector;
  asm volatile("str %0" : "=r"(selector));
  return selector;
}

}  // namespace kernel
