#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "url/normalize.hpp"
#include "url/url.hpp"

namespace crawler {

/// Resolves and normalises the links of one page after the other, and remembers the hrefs of the
/// page at hand, fragments aside: pages repeat them (menus, contents, "#" links), and looking one
/// up costs a fraction of resolving it. Keeps its memory from page to page, so that in the long run
/// a link allocates nothing. Threads: one thread at a time.
class LinkResolver {
 public:
  explicit LinkResolver(const NormalizeOptions& options = {});

  /// Starts a page whose links are relative to `base` and, if its encoding is not UTF-8, have their
  /// queries written by `query_encoder`, which must outlive the page. Forgets the page before it.
  void Reset(const Url& base, const QueryEncoder* query_encoder = nullptr);

  struct Link {
    const Url* url;        ///< Valid until Reset(). kInvalid if the href is no URL.
    bool first;            ///< It has not been asked for since Reset(), fragments aside.
    std::uint32_t number;  ///< Counts the different hrefs of the page from 0.
  };

  /// The URL that `href` (UTF-8, as in the attribute) means on this page, in normal form.
  Link Resolve(std::string_view href);

 private:
  struct Entry {
    std::string href;
    Url url;
    std::uint64_t hash = 0;
  };

  void Grow();
  // The slot of `href`: the one it is in, or the free one where it belongs.
  std::size_t FindSlot(std::string_view href, std::uint64_t hash) const;

  const NormalizeOptions options_;
  const std::uint64_t seed_;  // Unknown outside, so that no page can make its hrefs collide.
  Url base_;
  const QueryEncoder* query_encoder_ = nullptr;
  // Entries are reused from page to page; the first count_ belong to this one.
  std::vector<std::unique_ptr<Entry>> entries_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> slots_;  // Open addressing: entry number + 1, or 0 for free.
};

}  // namespace crawler
