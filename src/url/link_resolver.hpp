#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "url/normalize.hpp"
#include "url/url.hpp"

namespace crawler {

/// Resolves and normalises the links of one page after the other. Remembers the hrefs of the
/// present page, without fragments: pages repeat hrefs (menus, contents, "#" links), and a lookup
/// costs a fraction of resolving. Numbers the distinct URLs of a page, so that callers process each
/// URL once. Keeps its memory from page to page, so that in the long run a link allocates nothing.
/// Threads: one thread at a time.
class LinkResolver {
 public:
  explicit LinkResolver(const NormalizeOptions& options = {});

  /// Starts a page whose links are relative to `base` and, if its encoding is not UTF-8, have their
  /// queries written by `query_encoder`, which must outlive the page. Forgets the page before it.
  void Reset(const Url& base, const QueryEncoder* query_encoder = nullptr);

  struct Link {
    const Url* url;        ///< Valid until Reset(). kInvalid if the href is no URL.
    bool first;            ///< This is the first link to the URL since Reset().
    std::uint32_t number;  ///< Counts the different URLs of the page from 0; kNoUrl for kInvalid.
  };
  static constexpr std::uint32_t kNoUrl = 0xffffffffu;

  /// The URL that `href` (UTF-8, as in the attribute) means on this page, in normal form.
  Link Resolve(std::string_view href);

 private:
  // A resolved text: an href, or the URL of an href (which resolves to itself).
  struct Known {
    std::string text;
    std::uint64_t hash = 0;
    std::uint32_t url = kNoUrl;
  };

  // The slot that holds `text`, or the free slot where `text` belongs.
  std::size_t FindSlot(std::string_view text, std::uint64_t hash) const;
  void Remember(std::string_view text, std::uint64_t hash, std::uint32_t url);
  void Grow();

  const NormalizeOptions options_;
  const std::uint64_t hash_key_;  // Secret, so that no page can make its hrefs collide.
  const Url invalid_;
  Url base_;
  const QueryEncoder* query_encoder_ = nullptr;
  // Both vectors are reused from page to page; the counts say how many entries are of this page.
  std::vector<std::unique_ptr<Url>> urls_;
  std::vector<Known> known_;
  std::uint32_t url_count_ = 0;
  std::uint32_t known_count_ = 0;
  std::vector<std::uint32_t> slots_;  // Open addressing: number in known_ + 1, or 0 for free.
};

}  // namespace crawler
