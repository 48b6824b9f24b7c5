#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "frontier/chunked_array.hpp"
#include "frontier/compact_vector.hpp"
#include "frontier/frontier_options.hpp"
#include "frontier/url_records.hpp"

namespace crawler {

/// The order in which a host's URLs are taken: those that were never tried first; among them the
/// one with the highest key, the oldest of equals.
struct UrlOrder {
  UrlRecords& records;
  FrontierOrder order;

  std::uint32_t Key(UrlId url) const {
    switch (order) {
      case FrontierOrder::kBfs:
        return 0;
      case FrontierOrder::kDfs:
        return records.first_of_offer(url);
      case FrontierOrder::kPriority:
      case FrontierOrder::kWorth:  // Has the place of the links.
        break;
    }
    return records.links(url);
  }

  bool Before(UrlId a, UrlId b) const {
    const bool tried_a = records.tried(a), tried_b = records.tried(b);
    if (tried_a != tried_b) return tried_b;
    const std::uint32_t key_a = Key(a), key_b = Key(b);
    return key_a != key_b ? key_a > key_b : a < b;
  }
};

/// The memory of all UrlHeaps: blocks of one size, so that any host can use a block that another
/// has returned. With millions of growing arrays, malloc() would waste as much memory as they use.
class UrlBlocks {
 public:
  static constexpr std::uint32_t kBlock = 16;

  std::uint32_t Take() {
    if (free_ == kNone) return blocks_.Append({});
    const std::uint32_t block = free_;
    free_ = blocks_[block][0];
    return block;
  }
  void Give(std::uint32_t block) {
    blocks_[block][0] = free_;
    free_ = block;
  }
  UrlId& At(std::uint32_t block, std::uint32_t i) { return blocks_[block][i]; }
  std::size_t memory() const { return blocks_.memory(); }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  ChunkedArray<std::array<UrlId, kBlock>, 4096> blocks_;
  std::uint32_t free_ = kNone;  // Each free block names the next in its first place.
};

/// How the URLs of a host are ordered and where they are kept; the same for all heaps.
struct UrlHeapContext {
  UrlOrder order;
  UrlBlocks& blocks;
};

/// The waiting URLs of a host, best first, with a little over 4 bytes per URL. The record of a URL
/// holds its place in the heap. Every call takes the same context.
class UrlHeap {
 public:
  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  UrlId top() const { return top_; }
  std::size_t memory() const { return blocks_.memory(); }

  void Push(UrlId url, const UrlHeapContext& context) {
    if (size_ == blocks_.size() * UrlBlocks::kBlock) blocks_.PushBack(context.blocks.Take());
    Up(size_++, url, context);
  }

  /// `url`, which is in here, may come earlier now.
  void Rise(UrlId url, const UrlHeapContext& context) {
    Up(context.order.records.place(url), url, context);
  }

  /// The URL above `url`, or `url` itself if it is the first. PrefetchAbove() prefetches the memory
  /// that this function reads.
  UrlId Above(UrlId url, const UrlHeapContext& context) const {
    return At(PlaceAbove(context.order.records.place(url)), context);
  }
  void PrefetchAbove(UrlId url, const UrlHeapContext& context) const {
    const std::uint32_t above = PlaceAbove(context.order.records.place(url));
    __builtin_prefetch(&Slot(above, context));
  }

  UrlId Pop(const UrlHeapContext& context) {
    const UrlId first = top_;
    const UrlId last = PopAny(context);
    if (size_ > 0) Down(last, context);
    return first;
  }

  /// Takes one out, no matter which.
  UrlId PopAny(const UrlHeapContext& context) {
    const UrlId last = At(--size_, context);
    if (size_ % UrlBlocks::kBlock == 0) {
      context.blocks.Give(blocks_[blocks_.size() - 1]);
      blocks_.PopBack();
    }
    return last;
  }

 private:
  // URLs rise with every link to them, far more often than one is taken, and each level is memory
  // that is in no cache: four children make half the levels of two.
  static constexpr std::uint32_t kChildren = 4;

  static std::uint32_t PlaceAbove(std::uint32_t place) {
    return place == 0 ? 0 : (place - 1) / kChildren;
  }
  UrlId& Slot(std::uint32_t place, const UrlHeapContext& context) const {
    return context.blocks.At(blocks_[place / UrlBlocks::kBlock], place % UrlBlocks::kBlock);
  }
  UrlId At(std::uint32_t place, const UrlHeapContext& context) const {
    return Slot(place, context);
  }

  // Puts `url` at `place` or as far above it as it belongs.
  void Up(std::uint32_t place, UrlId url, const UrlHeapContext& context) {
    while (place > 0) {
      const std::uint32_t above = PlaceAbove(place);
      const UrlId parent = At(above, context);
      if (!context.order.Before(url, parent)) break;
      Put(place, parent, context);
      place = above;
    }
    Put(place, url, context);
  }

  // Puts `url` at the top or as far below it as it belongs.
  void Down(UrlId url, const UrlHeapContext& context) {
    std::uint32_t place = 0;
    for (std::uint32_t child; (child = kChildren * place + 1) < size_; place = child) {
      UrlId best = At(child, context);
      const std::uint32_t end = std::min(child + kChildren, size_);
      for (std::uint32_t sibling = child + 1; sibling < end; ++sibling) {
        const UrlId other = At(sibling, context);
        if (context.order.Before(other, best)) best = other, child = sibling;
      }
      if (!context.order.Before(best, url)) break;
      Put(place, best, context);
    }
    Put(place, url, context);
  }

  void Put(std::uint32_t place, UrlId url, const UrlHeapContext& context) {
    Slot(place, context) = url;
    context.order.records.set_place(url, place);
    if (place == 0) top_ = url;
  }

  CompactVector<std::uint32_t> blocks_;
  std::uint32_t size_ = 0;
  UrlId top_ = 0;
};

}  // namespace crawler
