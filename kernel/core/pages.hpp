#pragma once

#include <stdint.h>

#include "abi.hpp"

/// Physical memory, in pages. All of it is mapped at kKernelBase, so a page is named by its
/// address there.
namespace kernel {

inline constexpr uint32_t kKernelBase = 0x80000000;
inline constexpr uint32_t kMaxPhysical = 256 << 20;  ///< As much as boot.S maps.

inline uint32_t ToPhysical(const void* address) {
  return reinterpret_cast<uint32_t>(address) - kKernelBase;
}
inline uint8_t* FromPhysical(uint32_t physical) {
  return reinterpret_cast<uint8_t*>(physical + kKernelBase);
}
constexpr uint32_t RoundUpToPage(uint32_t address) {
  return (address + kPageSize - 1) & ~(kPageSize - 1);
}

/// Gives the whole pages between two addresses to the allocator.
void AddFreePages(uint8_t* begin, uint8_t* end);

/// A page of zeros, or null when memory has run out.
uint8_t* AllocatePage();

/// Takes back what AllocatePage() gave; null is allowed. Fills it with junk, so that a stale
/// pointer shows.
void FreePage(void* page);

uint32_t CountFreePages();

}  // namespace kernel
