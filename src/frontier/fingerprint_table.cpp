#include "frontier/fingerprint_table.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>

namespace crawler {
namespace {

// Nine tenths full at most: searches read five slots or so, and an insertion moves about fifty.
constexpr std::uint32_t MostUsed(std::uint32_t homes) { return homes - homes / 10; }

// Entries pushed off the last homes need room behind them; the very last slot stays empty.
constexpr std::uint32_t SizeFor(std::uint32_t homes) {
  return homes + std::min(homes / 8 + 8, 256u);
}

// Large arrays are pages of their own, which grow without a copy and leave no holes in the heap:
// malloc() does that only for sizes above a threshold that changes as a program runs.
constexpr std::size_t kOwnPages = 8192;

}  // namespace

FingerprintTable::~FingerprintTable() {
  for (Partition& partition : partitions_) {
    const std::size_t bytes = partition.size * sizeof(Slot);
    if (bytes >= kOwnPages) {
      munmap(partition.slots, bytes);
    } else {
      std::free(partition.slots);
    }
  }
}

// Makes the array longer; what is new in it is undefined.
void FingerprintTable::Resize(Partition& partition, std::uint32_t size) {
  const std::size_t old_bytes = partition.size * sizeof(Slot);
  const std::size_t bytes = size * sizeof(Slot);
  void* slots = nullptr;
  if (bytes < kOwnPages) {
    slots = std::realloc(partition.slots, bytes);
    if (slots == nullptr) throw std::bad_alloc();
  } else if (old_bytes >= kOwnPages) {
    slots = mremap(partition.slots, old_bytes, bytes, MREMAP_MAYMOVE);
    if (slots == MAP_FAILED) throw std::bad_alloc();
  } else {
    slots = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slots == MAP_FAILED) throw std::bad_alloc();
    if (old_bytes != 0) std::memcpy(slots, partition.slots, old_bytes);
    std::free(partition.slots);
  }
  partition.slots = static_cast<Slot*>(slots);
  partition.size = size;
}

void FingerprintTable::Insert(std::uint64_t fingerprint, std::uint32_t id) {
  assert(id != 0);
  const Slot entry{TagOf(fingerprint), id};
  Partition& partition = partitions_[entry.tag >> kTagBits];
  while (!InsertInto(partition, entry)) Grow(partition);
}

bool FingerprintTable::InsertInto(Partition& partition, Slot entry) {
  if (partition.used >= MostUsed(partition.homes)) return false;
  Slot* const slots = partition.slots;
  std::uint32_t at = HomeOf(entry.tag, partition.homes);
  while (slots[at].id != 0 && slots[at].tag <= entry.tag) ++at;
  std::uint32_t gap = at;
  while (slots[gap].id != 0) ++gap;
  if (gap + 1 >= partition.size) return false;
  std::memmove(slots + at + 1, slots + at, (gap - at) * sizeof(Slot));
  slots[at] = entry;
  ++partition.used;
  return true;
}

// In place, so that growing needs no second copy: the entries are packed at the end of the longer
// array, then dealt out from its start. The write never overtakes the read, because what is left
// always fits behind it.
void FingerprintTable::Grow(Partition& partition) {
  // When there is no room behind the last homes though most are free, more homes are no help.
  const bool crowded = partition.used >= MostUsed(partition.homes) / 4 * 3;
  const std::uint32_t homes =
      crowded ? std::max(8u, partition.homes + partition.homes / 8) : partition.homes;
  std::uint32_t next = 0;  // Behind the last entry, once dealt out.
  for (std::uint32_t i = 0; i < partition.size; ++i) {
    const Slot& entry = partition.slots[i];
    if (entry.id != 0) next = std::max(HomeOf(entry.tag, homes), next) + 1;
  }
  const std::uint32_t room = crowded ? 8 : partition.size / 8 + 8;
  const std::uint32_t size = std::max(SizeFor(homes), next + room);

  const std::uint32_t old_size = partition.size;
  Resize(partition, size);
  Slot* const slots = partition.slots;
  std::uint32_t first = size;
  for (std::uint32_t i = old_size; i-- > 0;) {
    if (slots[i].id != 0) slots[--first] = slots[i];
  }
  next = 0;
  for (std::uint32_t read = first; read < size; ++read) {
    const Slot entry = slots[read];
    const std::uint32_t at = std::max(HomeOf(entry.tag, homes), next);
    std::fill(slots + next, slots + at, Slot{0, 0});
    slots[at] = entry;
    next = at + 1;
  }
  std::fill(slots + next, slots + size, Slot{0, 0});
  partition.homes = homes;
}

std::size_t FingerprintTable::memory() const {
  std::size_t bytes = sizeof(*this);
  for (const Partition& partition : partitions_) bytes += partition.size * sizeof(Slot);
  return bytes;
}

}  // namespace crawler
