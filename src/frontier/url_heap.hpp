#pragma once

#include <cstddef>
#include <cstdint>

#include "frontier/compact_vector.hpp"
#include "frontier/url_records.hpp"

namespace crawler {

/// The order in which a host's URLs are taken: most links first, the oldest of equals; or the
/// oldest first throughout.
struct UrlOrder {
  UrlRecords& records;
  bool by_links;

  bool Before(UrlId a, UrlId b) const {
    if (by_links) {
      const std::uint32_t links_a = records.links(a), links_b = records.links(b);
      if (links_a != links_b) return links_a > links_b;
    }
    return a < b;
  }
};

/// The URLs that wait at a host, best first: 4 bytes each. Their places are in their records.
class UrlHeap {
 public:
  bool empty() const { return urls_.empty(); }
  std::uint32_t size() const { return urls_.size(); }
  UrlId top() const { return urls_[0]; }
  const UrlId* begin() const { return urls_.begin(); }
  const UrlId* end() const { return urls_.end(); }
  std::size_t memory() const { return urls_.memory(); }

  void Push(UrlId url, const UrlOrder& order) {
    urls_.PushBack(url);
    Up(urls_.size() - 1, order);
  }

  /// `url`, which is in here, may come earlier now.
  void Rise(UrlId url, const UrlOrder& order) { Up(order.records.place(url), order); }

  UrlId Pop(const UrlOrder& order) {
    const UrlId first = urls_[0];
    const UrlId last = urls_[urls_.size() - 1];
    urls_.PopBack();
    if (!urls_.empty()) Down(last, order);
    return first;
  }

  void Clear() { urls_ = CompactVector<UrlId>(); }

 private:
  void Up(std::uint32_t place, const UrlOrder& order) {
    const UrlId url = urls_[place];
    while (place > 0 && order.Before(url, urls_[(place - 1) / 2])) {
      Put(place, urls_[(place - 1) / 2], order);
      place = (place - 1) / 2;
    }
    Put(place, url, order);
  }

  // From the top to where `url` belongs.
  void Down(UrlId url, const UrlOrder& order) {
    std::uint32_t place = 0;
    for (std::uint32_t child; (child = 2 * place + 1) < urls_.size(); place = child) {
      if (child + 1 < urls_.size() && order.Before(urls_[child + 1], urls_[child])) ++child;
      if (!order.Before(urls_[child], url)) break;
      Put(place, urls_[child], order);
    }
    Put(place, url, order);
  }

  void Put(std::uint32_t place, UrlId url, const UrlOrder& order) {
    urls_[place] = url;
    order.records.set_place(url, place);
  }

  CompactVector<UrlId> urls_;
};

}  // namespace crawler
