#include "graph/address_set.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/hash.hpp"

namespace crawler {
namespace {

// Stored in front of the text of an address. With the hash at hand, growing a table does not read
// the texts.
struct AddressHeader {
  std::uint32_t length;
  std::uint32_t hash;
};
static_assert(sizeof(AddressHeader) == 8);

constexpr std::size_t kFirstBlock = std::size_t{1} << 10;
constexpr std::size_t kLargestBlock = std::size_t{1} << 18;
constexpr std::size_t kFirstSlots = 16;
constexpr int kPointerBits = 48;
constexpr std::uint64_t kPointerMask = (std::uint64_t{1} << kPointerBits) - 1;

AddressHeader ReadHeader(const char* text) {
  AddressHeader header;
  std::memcpy(&header, text - sizeof(AddressHeader), sizeof(AddressHeader));
  return header;
}

const char* Text(std::uint64_t slot) {
  // A slot must stay 8 bytes: pointer and tag share them.
  return reinterpret_cast<const char*>(slot & kPointerMask);  // NOLINT(performance-no-int-to-ptr)
}

// The hash is used in three parts that do not overlap: shard, place in the table, tag.
std::size_t ShardOf(std::uint64_t hash) { return hash >> 58; }
std::uint32_t PlaceOf(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }
std::uint64_t TagOf(std::uint64_t hash) { return (hash >> 32) << kPointerBits; }

}  // namespace

std::size_t Address::size() const { return ReadHeader(text_).length; }

char* AddressSet::Arena::Allocate(std::size_t bytes) {
  bytes = (bytes + alignof(AddressHeader) - 1) / alignof(AddressHeader) * alignof(AddressHeader);
  if (bytes > left_) {
    // A quarter of the present memory: blocks stay few, and little of the last one is unused.
    const std::size_t block = std::max(std::clamp(memory_ / 4, kFirstBlock, kLargestBlock), bytes);
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block));
    free_ = blocks_.back().get();
    left_ = block;
    memory_ += block;
  }
  char* const result = free_;
  free_ += bytes;
  left_ -= bytes;
  return result;
}

AddressSet::AddressSet() : hash_key_(RandomKey()) {}

void AddressSet::Grow(Shard& shard) {
  std::vector<std::uint64_t> bigger(std::max(kFirstSlots, shard.slots.size() * 2));
  const std::size_t mask = bigger.size() - 1;
  for (const std::uint64_t slot : shard.slots) {
    if (slot == 0) continue;
    std::size_t place = ReadHeader(Text(slot)).hash & mask;
    while (bigger[place] != 0) place = (place + 1) & mask;
    bigger[place] = slot;
  }
  shard.slots = std::move(bigger);
}

AddressSet::Inserted AddressSet::Insert(std::string_view text) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("an address of 4 GiB or more");
  }
  const std::uint64_t hash = Hash64(text, hash_key_);
  const std::uint64_t tag = TagOf(hash);
  Shard& shard = shards_[ShardOf(hash)];

  MutexLock lock(shard.mutex);
  if ((shard.used + 1) * 4 > shard.slots.size() * 3) Grow(shard);
  const std::size_t mask = shard.slots.size() - 1;
  std::size_t place = PlaceOf(hash) & mask;
  for (; shard.slots[place] != 0; place = (place + 1) & mask) {
    const std::uint64_t slot = shard.slots[place];
    if ((slot & ~kPointerMask) != tag) continue;
    const Address known(Text(slot));
    if (known.view() == text) return {known, false};
  }

  char* const record = shard.arena.Allocate(sizeof(AddressHeader) + text.size() + 1);
  const AddressHeader header{static_cast<std::uint32_t>(text.size()), PlaceOf(hash)};
  std::memcpy(record, &header, sizeof(AddressHeader));
  char* const copy = record + sizeof(AddressHeader);
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  shard.slots[place] = tag | reinterpret_cast<std::uintptr_t>(copy);
  ++shard.used;
  return {Address(copy), true};
}

}  // namespace crawler
