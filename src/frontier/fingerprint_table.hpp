#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace crawler {

/// A hash table from 64-bit fingerprints to ids, with 9 to 10 bytes per entry. It stores the upper
/// half of a fingerprint; the caller stores the lower half with the object that has the id.
///
/// The entries of a partition (there are 256, by the topmost bits) lie in one array in the order
/// of their upper halves, each at the place its value would have if all were spread evenly, or as
/// close behind it as there is room. So a search reads a few neighbouring slots whether it finds
/// something or not, and growing a partition is one pass over it that reads nothing else. Entries
/// are never removed.
/// Requires: fingerprints that nobody outside can predict (see Hash64()).
/// Threads: one at a time.
class FingerprintTable {
 public:
  FingerprintTable() = default;
  ~FingerprintTable();
  FingerprintTable(const FingerprintTable&) = delete;
  FingerprintTable& operator=(const FingerprintTable&) = delete;

  /// The id under `fingerprint`, 0 if none. `same(id)` says whether the lower half agrees.
  template <typename Same>
  std::uint32_t Find(std::uint64_t fingerprint, Same&& same) const {
    const std::uint32_t tag = TagOf(fingerprint);
    const Partition& partition = partitions_[tag >> kTagBits];
    if (partition.homes == 0) return 0;
    for (const Slot* slot = partition.slots + HomeOf(tag, partition.homes);; ++slot) {
      if (slot->id == 0 || slot->tag > tag) return 0;  // A last slot is always empty.
      if (slot->tag == tag && same(slot->id)) return slot->id;
    }
  }

  /// Prefetches the memory that Find() will read.
  void Prefetch(std::uint64_t fingerprint) const {
    const std::uint32_t tag = TagOf(fingerprint);
    const Partition& partition = partitions_[tag >> kTagBits];
    if (partition.homes != 0) {
      __builtin_prefetch(partition.slots + HomeOf(tag, partition.homes));
    }
  }

  /// Requires: `id` is not 0, and Find() does not find the fingerprint.
  void Insert(std::uint64_t fingerprint, std::uint32_t id);

  std::size_t memory() const;

 private:
  static constexpr int kTagBits = 24;  // Of the 32 that tell the entries of a partition apart.
  struct Slot {
    std::uint32_t tag, id;
  };
  struct Partition {
    Slot* slots = nullptr;
    std::uint32_t homes = 0;  // Where entries belong: the slots below this.
    std::uint32_t size = 0;   // All slots: room behind the last home as well.
    std::uint32_t used = 0;
  };

  static std::uint32_t TagOf(std::uint64_t fingerprint) {
    return static_cast<std::uint32_t>(fingerprint >> 32);
  }
  static std::uint32_t HomeOf(std::uint32_t tag, std::uint32_t homes) {
    const std::uint64_t spread = tag & ((1u << kTagBits) - 1);
    return static_cast<std::uint32_t>((spread * homes) >> kTagBits);
  }
  static bool InsertInto(Partition& partition, Slot entry);
  static void Grow(Partition& partition);
  static void Resize(Partition& partition, std::uint32_t size);

  std::array<Partition, 1u << (32 - kTagBits)> partitions_;
};

}  // namespace crawler
