#pragma once

#include <cstddef>
#include <cstdint>

#include "frontier/compact_vector.hpp"

namespace crawler {

/// The place of an item that is in no heap.
constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

/// A binary heap, ordered by Entry::operator<, whose entries can be changed and removed: the heap
/// stores the place of each entry with its item. Entry has a member `item`; `place_of(item)`
/// returns a reference to the variable that holds the place of the item.
template <typename Entry>
class IndexedHeap {
 public:
  bool empty() const { return entries_.empty(); }
  std::uint32_t size() const { return entries_.size(); }
  const Entry& top() const { return entries_[0]; }
  const Entry* begin() const { return entries_.begin(); }
  const Entry* end() const { return entries_.end(); }
  std::size_t memory() const { return entries_.memory(); }

  /// Puts `entry` in, or changes the one of its item.
  template <typename PlaceOf>
  void Set(const Entry& entry, PlaceOf&& place_of) {
    std::uint32_t place = place_of(entry.item);
    if (place == kNowhere) {
      place = entries_.size();
      entries_.PushBack(entry);
    } else {
      entries_[place] = entry;
    }
    Settle(place, place_of);
  }

  /// Takes `item` out, if it is in.
  template <typename PlaceOf>
  void Remove(std::uint32_t item, PlaceOf&& place_of) {
    const std::uint32_t place = place_of(item);
    if (place == kNowhere) return;
    place_of(item) = kNowhere;
    const Entry last = entries_[entries_.size() - 1];
    entries_.PopBack();
    if (last.item == item) return;
    entries_[place] = last;
    Settle(place, place_of);
  }

 private:
  /// Moves the entry at `place` up or down to where it belongs.
  template <typename PlaceOf>
  void Settle(std::uint32_t place, PlaceOf&& place_of) {
    const Entry entry = entries_[place];
    while (place > 0 && entry < entries_[(place - 1) / 2]) {
      Put(place, entries_[(place - 1) / 2], place_of);
      place = (place - 1) / 2;
    }
    for (std::uint32_t child; (child = 2 * place + 1) < entries_.size(); place = child) {
      if (child + 1 < entries_.size() && entries_[child + 1] < entries_[child]) ++child;
      if (!(entries_[child] < entry)) break;
      Put(place, entries_[child], place_of);
    }
    Put(place, entry, place_of);
  }

  template <typename PlaceOf>
  void Put(std::uint32_t place, const Entry& entry, PlaceOf&& place_of) {
    entries_[place] = entry;
    place_of(entry.item) = place;
  }

  CompactVector<Entry> entries_;
};

}  // namespace crawler
