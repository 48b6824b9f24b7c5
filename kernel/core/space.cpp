#include "space.hpp"

#include "console.hpp"
#include "cpu.hpp"
#include "pages.hpp"
#include "text.hpp"

extern "C" uint32_t KernelDirectory[1024];

namespace kernel {
namespace {

// Bits of an entry of a page directory or page table; the upper 20 are the page's address.
constexpr uint32_t kPresent = 1, kWritable = 2, kUser = 4;
constexpr uint32_t kEntries = 1024;
constexpr uint32_t kKernelEntry = kKernelBase >> 22;

constinit AddressSpace spaces[kMaxProcesses * 2] = {};  // exec() holds two for a moment.
constinit SpinLock spaces_lock{"address spaces"};

// Takes a page from a list of pages, and its link out of the page.
void* TakeFirst(void*** pages) {
  void** page = *pages;
  *pages = static_cast<void**>(*page);
  *page = nullptr;
  return page;
}

uint8_t* PageOf(uint32_t entry) { return FromPhysical(entry & ~(kPageSize - 1)); }

}  // namespace

AddressSpace* AddressSpace::Create(Process* owner) {
  auto* directory = reinterpret_cast<uint32_t*>(AllocatePage());
  if (directory == nullptr) return nullptr;
  memcpy(directory + kKernelEntry, KernelDirectory + kKernelEntry, kPageSize / 2);
  SpinGuard guard(spaces_lock);
  for (AddressSpace& space : spaces) {
    if (space.directory_ != nullptr) continue;
    space.directory_ = directory;
    space.SetSize(kUserBase);
    space.references_ = 1;
    space.owner_ = owner;
    return &space;
  }
  Panic("more address spaces than processes can hold");
}

AddressSpace* AddressSpace::Copy(Process* new_owner) const {
  AddressSpace* copy = Create(new_owner);
  if (copy == nullptr) return nullptr;
  // No lock is needed, although another thread may be growing the space. The size is read once;
  // Resize() mapped every page below it before it stored that size; and nothing is unmapped while
  // the space is shared. So the copy is the space as it was before or after a growth, never
  // between.
  const uint32_t size = this->size();
  for (uint32_t at = kUserBase; at < size; at += kPageSize) {
    const uint32_t entry = Lookup(at);
    if (entry == 0) continue;
    if (!copy->Map(at, at + kPageSize, (entry & kWritable) != 0)) {
      copy->Release();
      return nullptr;
    }
    memcpy(copy->Find(at), PageOf(entry), kPageSize);
  }
  copy->SetSize(size);
  return copy;
}

void AddressSpace::Retain() { __atomic_add_fetch(&references_, 1, __ATOMIC_RELAXED); }

bool AddressSpace::Shared() const { return __atomic_load_n(&references_, __ATOMIC_ACQUIRE) > 1; }

void AddressSpace::Release() {
  if (__atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (PageDirectoryInUse(ToPhysical(directory_))) Panic("freeing a page directory in use");
  for (uint32_t i = 0; i < kKernelEntry; ++i) {
    if ((directory_[i] & kPresent) == 0) continue;
    auto* table = reinterpret_cast<uint32_t*>(PageOf(directory_[i]));
    for (uint32_t j = 0; j < kEntries; ++j) {
      if ((table[j] & kPresent) != 0) FreePage(PageOf(table[j]));
    }
    FreePage(table);
  }
  FreePage(directory_);
  SpinGuard guard(spaces_lock);
  directory_ = nullptr;
}

int AddressSpace::Resize(int delta) {
  lock_.Acquire();
  const uint32_t old_size = size();
  const uint32_t new_size = old_size + static_cast<uint32_t>(delta);
  bool done = delta == 0;
  if (delta > 0 && new_size <= kKernelBase - kPageSize && new_size > old_size) {
    done = Map(RoundUpToPage(old_size), RoundUpToPage(new_size), true);
    // New pages are zeros; what is left of the last old one has perhaps been in use before.
    const uint32_t rest = RoundUpToPage(old_size) - old_size;
    uint8_t* at = Find(old_size);
    if (done && rest != 0 && at != nullptr) memset(at, 0, rest);
  } else if (delta < 0 && new_size >= kUserBase && new_size < old_size && !Shared()) {
    Unmap(RoundUpToPage(new_size), RoundUpToPage(old_size));
    Activate();  // Forgets the translations this processor remembers.
    done = true;
  }
  if (done) SetSize(new_size);  // After Map(): see Copy() and Allows().
  lock_.Release();
  return done ? static_cast<int>(old_size) : -1;
}

bool AddressSpace::Map(uint32_t begin, uint32_t end, bool writable) {
  if (end > begin && (end - begin) / kPageSize > CountFreePages()) return false;  // Not even try.
  // First get everything, the pages in a list through their first words: what another thread has
  // once seen mapped could not be taken back.
  void** pages = nullptr;
  bool complete = true;
  for (uint32_t at = begin; complete && at < end; at += kPageSize) {
    const uint32_t* entry = Entry(at, true);
    if (entry != nullptr && (*entry & kPresent) != 0) continue;
    void** page = entry == nullptr ? nullptr : reinterpret_cast<void**>(AllocatePage());
    complete = page != nullptr;
    if (complete) *page = pages, pages = page;
  }
  const uint32_t rights = kPresent | kUser | (writable ? kWritable : 0);
  for (uint32_t at = begin; complete && at < end; at += kPageSize) {
    uint32_t* entry = Entry(at, false);
    uint32_t value = *entry | rights;
    if ((*entry & kPresent) == 0) value |= ToPhysical(TakeFirst(&pages));
    // Other threads may look at any moment: the page is ready before it can be seen.
    __atomic_store_n(entry, value, __ATOMIC_RELEASE);
  }
  while (pages != nullptr) FreePage(TakeFirst(&pages));
  return complete;
}

void AddressSpace::Unmap(uint32_t begin, uint32_t end) {
  for (uint32_t at = begin; at < end; at += kPageSize) {
    uint32_t* entry = Entry(at, false);
    if (entry == nullptr || (*entry & kPresent) == 0) continue;
    FreePage(PageOf(*entry));
    *entry = 0;
  }
}

// The entry of an address in its page table, which is made if `create`; null if there is none.
uint32_t* AddressSpace::Entry(uint32_t address, bool create) {
  uint32_t& table = directory_[address >> 22];
  if ((table & kPresent) == 0) {
    uint8_t* page = create ? AllocatePage() : nullptr;
    if (page == nullptr) return nullptr;
    __atomic_store_n(&table, ToPhysical(page) | kPresent | kWritable | kUser, __ATOMIC_RELEASE);
  }
  return reinterpret_cast<uint32_t*>(PageOf(table)) + (address >> 12) % kEntries;
}

// The same for looking only: the entry's value, 0 if the page is not mapped.
uint32_t AddressSpace::Lookup(uint32_t address) const {
  if (address >= kKernelBase) return 0;
  const uint32_t table = __atomic_load_n(&directory_[address >> 22], __ATOMIC_ACQUIRE);
  if ((table & kPresent) == 0) return 0;
  const auto* entries = reinterpret_cast<const uint32_t*>(PageOf(table));
  const uint32_t entry = __atomic_load_n(&entries[(address >> 12) % kEntries], __ATOMIC_ACQUIRE);
  return (entry & kPresent) != 0 ? entry : 0;
}

bool AddressSpace::Allows(uint32_t address, uint32_t length, bool write) const {
  const uint32_t size = this->size();
  if (address < kUserBase || address > size || length > size - address) return false;
  const uint32_t end = address + length;
  for (uint32_t at = address & ~(kPageSize - 1); at < end; at += kPageSize) {
    const uint32_t entry = Lookup(at);
    if (entry == 0 || (write && (entry & kWritable) == 0)) return false;
  }
  return true;
}

uint8_t* AddressSpace::Find(uint32_t address) const {
  const uint32_t entry = Lookup(address);
  return entry == 0 ? nullptr : PageOf(entry) + address % kPageSize;
}

void AddressSpace::Activate() const { UsePageDirectory(ToPhysical(directory_)); }

void ActivateKernelSpace() { UsePageDirectory(ToPhysical(KernelDirectory)); }

int AddressSpace::CountUsed() {
  SpinGuard guard(spaces_lock);
  int used = 0;
  for (const AddressSpace& space : spaces) used += space.directory_ != nullptr ? 1 : 0;
  return used;
}

}  // namespace kernel
