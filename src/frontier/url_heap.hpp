#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "frontier/chunked_array.hpp"
#include "frontier/compact_vector.hpp"
#include "frontier/url_records.hpp"

namespace crawler {

/// The order in which a host's URLs are taken: those that never failed first; among them most links
/// (or worth, which is kept in their place) first, the oldest of equals; or the oldest throughout.
struct UrlOrder {
  UrlRecords& records;
  bool by_links;

  bool Before(UrlId a, UrlId b) const {
    const bool failed_a = records.failures(a) > 0, failed_b = records.failures(b) > 0;
    if (failed_a != failed_b) return failed_b;
    if (by_links) {
      const std::uint32_t links_a = records.links(a), links_b = records.links(b);
      if (links_a != links_b) return links_a > links_b;
    }
    return a < b;
  }
};

/// Where all UrlHeaps keep their URLs: blocks of one size, so that what one host gives back is as
/// good for any other. Millions of arrays that grow would leave malloc() with as much in holes.
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

/// The URLs that wait at a host, best first: a little over 4 bytes each. Their places in it are in
/// their records. Every call needs the context that the first one had.
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

  /// What `url` has to come before in order to rise, itself if it is the first. PrefetchAbove()
  /// asks for the memory that this reads.
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
  // nobody has read for long: four children make half the levels of two.
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
