#pragma once

#include <stdint.h>

#include "abi.hpp"
#include "lock.hpp"

namespace kernel {

struct Process;

/// The memory that user code sees: pages from kUserBase up to size(), and above kKernelBase the
/// kernel, the same in all of them.
///
/// One process owns it (it was forked into it, or exec'ed it); threads share it. Each of them
/// holds a reference until it has been reaped, and the last one to go frees the memory.
///
/// Invariants: bytes below size() may lie on pages that are not mapped (the guard page under the
/// stack). While it is shared nothing is ever unmapped, so a checked address stays good for the
/// rest of the system call. The size changes only under the lock, and grows only after the pages
/// below it have been mapped; so it may be read without the lock.
class AddressSpace {
 public:
  static constexpr uint32_t kUserBase = kPageSize;  // Page 0 is a trap for null pointers.

  /// An empty one with one reference; null when there is no memory.
  static AddressSpace* Create(Process* owner);

  /// A copy of everything, page by page, with one reference; null when there is no memory.
  AddressSpace* Copy(Process* new_owner) const;

  void Retain();
  void Release();
  bool Shared() const;

  /// Adds `delta` bytes of zeros at the end and returns the old size. Negative: takes them away,
  /// which is refused while the space is shared (another processor may be using them). -1 and
  /// no change when it cannot be done.
  int Resize(int delta);

  /// Maps zeros at the pages from `begin` up to `end`, both page-aligned, that are not mapped
  /// yet; all of them, or none and false when there is no memory. The caller sets the size.
  bool Map(uint32_t begin, uint32_t end, bool writable);
  void SetSize(uint32_t size) { __atomic_store_n(&size_, size, __ATOMIC_RELEASE); }

  /// Whether user code may read (or write) these bytes. Callable without the lock: see above.
  bool Allows(uint32_t address, uint32_t length, bool write) const;

  /// Where a mapped user address is in the kernel's half; null when it is not mapped.
  uint8_t* Find(uint32_t address) const;

  /// Makes it the address space of this processor.
  void Activate() const;

  uint32_t size() const { return __atomic_load_n(&size_, __ATOMIC_ACQUIRE); }
  Process* owner() const { return owner_; }

  static int CountUsed();

 private:
  uint32_t* Entry(uint32_t address, bool create);
  uint32_t Lookup(uint32_t address) const;
  void Unmap(uint32_t begin, uint32_t end);

  uint32_t* directory_ = nullptr;  // Null: this slot is free.
  uint32_t size_ = 0;
  uint32_t references_ = 0;
  Process* owner_ = nullptr;
  SleepLock lock_;
};

/// Makes the kernel alone the address space of this processor.
void ActivateKernelSpace();

}  // namespace kernel
