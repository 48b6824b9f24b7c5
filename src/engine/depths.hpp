#pragma once

#include <cstdint>
#include <vector>

#include "model/crawl_ids.hpp"

namespace crawler {

/// How far each URL of a crawl with a depth budget is from the seeds, as far as links are known.
///
/// A crawl by score, or by several threads, does not find the shortest way to a page first. When a
/// shorter one is found, everything behind that page is nearer as well, and some of it may come
/// within the budget: so that what is crawled depends on the links alone, and not on the order in
/// which they are found, the map remembers the links of the pages it has seen (8 bytes each).
/// Threads: one at a time.
class Depths {
 public:
  explicit Depths(std::uint32_t most) : most_(most) {}

  /// What changed for a URL.
  struct Nearer {
    UrlId url = 0;
    UrlId from = 0;
    std::uint32_t depth = 0;
    bool admitted = false;  ///< It was too deep and is not any more.
  };

  /// The depth of a URL to which no link is known that may be followed.
  static constexpr std::uint32_t kUnreached = 0xffffffff;

  /// Links deeper than this are not followed.
  std::uint32_t most() const { return most_; }
  std::uint32_t Of(UrlId url) const { return url < urls_.size() ? urls_[url].depth : 0; }

  /// A URL was found at `depth` for the first time.
  void Add(UrlId url, std::uint32_t depth);
  /// A way to a known URL was found. Appends what is nearer by it, the URL itself included.
  void Offer(UrlId url, UrlId from, std::uint32_t depth, std::vector<Nearer>* nearer);
  /// What `from` leads to; redirects cost no depth. Once for each URL.
  void AddLink(UrlId from, UrlId to, bool redirect);

 private:
  struct Entry {
    std::uint32_t depth = 0;
    std::uint32_t first_link = 0;  // In links_; those of a URL are chained. 0: none.
  };
  struct LinkEntry {
    UrlId to = 0;
    std::uint32_t next : 31 = 0;
    std::uint32_t redirect : 1 = 0;
  };

  const std::uint32_t most_;
  std::vector<Entry> urls_;
  std::vector<LinkEntry> links_{1};
};

}  // namespace crawler
