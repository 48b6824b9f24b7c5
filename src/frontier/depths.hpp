#pragma once

#include <cstdint>
#include <vector>

#include "model/crawl_ids.hpp"

namespace crawler {

/// The depth of each URL, the number of links from a seed, in a crawl with a depth budget.
///
/// A crawl by score, or by several threads, does not find the shortest way to a page first. When a
/// shorter one is found, everything behind that page is nearer as well, and some of it may come
/// within the budget. The map therefore stores the links of the pages it has seen (8 bytes each),
/// so that the set of crawled pages depends on the links alone, and not on the order of discovery.
/// Threads: one at a time.
class Depths {
 public:
  explicit Depths(std::uint32_t most) : most_(most) {}

  /// A URL whose depth has become smaller.
  struct Nearer {
    UrlId url = 0;
    UrlId from = 0;
    std::uint32_t depth = 0;
    bool admitted = false;  ///< It was too deep and is not any more.
  };

  /// The depth of a URL to which no link is known that may be followed.
  static constexpr std::uint32_t kUnreached = 0xffffffff;

  std::uint32_t Of(UrlId url) const { return url < urls_.size() ? urls_[url].depth : 0; }

  /// A URL was found at `depth` for the first time.
  void Add(UrlId url, std::uint32_t depth);
  /// A path to a known URL was found. Appends all URLs that are nearer now, the URL included.
  void Offer(UrlId url, UrlId from, std::uint32_t depth, std::vector<Nearer>* nearer);
  /// `from` links or redirects to `to`; redirects cost no depth. To be called once for each link.
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
