#include "url/link_resolver.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMinSlots = 256;  // A power of two, as every number of slots.
// Memory of a page with very many links is released at the next page.
constexpr std::size_t kKeptEntries = 8192;
// Longer texts are released as well: otherwise each entry would keep the size of its longest URL.
constexpr std::size_t kKeptBytes = 1024;

// `href` without its fragment, which the normal form drops anyway, where that is certain to make no
// other difference: a blank before the '#' would be trimmed off without it, and a base with an
// opaque path takes nothing but fragments.
std::string_view DropFragment(std::string_view href, const Url& base) {
  const std::size_t hash = href.find('#');
  if (hash == std::string_view::npos || !base.followable()) return href;
  if (hash > 0 && static_cast<unsigned char>(href[hash - 1]) <= 0x20) return href;
  return href.substr(0, hash);
}

}  // namespace

LinkResolver::LinkResolver(const NormalizeOptions& options)
    : options_(options), hash_key_(RandomKey()), slots_(kMinSlots) {}

void LinkResolver::Reset(const Url& base, const QueryEncoder* query_encoder) {
  base_ = base;
  query_encoder_ = query_encoder;
  for (std::size_t i = 0; i < known_count_; ++i) {
    if (known_[i].text.size() > kKeptBytes) std::string().swap(known_[i].text);
  }
  for (std::size_t i = 0; i < url_count_; ++i) {
    if (urls_[i]->href().size() > kKeptBytes) urls_[i] = std::make_unique<Url>();
  }
  url_count_ = known_count_ = 0;
  if (known_.size() > kKeptEntries) {
    known_.resize(kKeptEntries);
    urls_.resize(std::min(urls_.size(), kKeptEntries));
    slots_.resize(kKeptEntries * 2);
    slots_.shrink_to_fit();
  }
  std::fill(slots_.begin(), slots_.end(), 0);
}

LinkResolver::Link LinkResolver::Resolve(std::string_view href) {
  href = DropFragment(href, base_);
  const std::uint64_t hash = Hash64(href, hash_key_);
  const std::size_t slot = FindSlot(href, hash);
  if (slots_[slot] != 0) {
    const std::uint32_t number = known_[slots_[slot] - 1].url;
    return {number == kNoUrl ? &invalid_ : urls_[number].get(), false, number};
  }
  if (url_count_ == urls_.size()) urls_.push_back(std::make_unique<Url>());
  Url& url = *urls_[url_count_];
  ParseUrl(href, &base_, &url, query_encoder_);
  NormalizeUrl(&url, options_);
  if (url.kind() == UrlKind::kInvalid) {
    Remember(href, hash, kNoUrl);
    return {&invalid_, false, kNoUrl};
  }
  // Another href may have led there.
  if (url.href() != href) {
    const std::uint64_t url_hash = Hash64(url.href(), hash_key_);
    const std::size_t url_slot = FindSlot(url.href(), url_hash);
    if (slots_[url_slot] != 0) {
      const std::uint32_t number = known_[slots_[url_slot] - 1].url;
      Remember(href, hash, number);
      return {urls_[number].get(), false, number};
    }
    Remember(url.href(), url_hash, url_count_);
  }
  Remember(href, hash, url_count_);
  return {&url, true, url_count_++};
}

std::size_t LinkResolver::FindSlot(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    const Known& known = known_[slots_[slot] - 1];
    if (known.hash == hash && known.text == text) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void LinkResolver::Remember(std::string_view text, std::uint64_t hash, std::uint32_t url) {
  if ((known_count_ + 1) * std::size_t{2} > slots_.size()) Grow();
  if (known_count_ == known_.size()) known_.emplace_back();
  Known& known = known_[known_count_];
  known.text.assign(text);
  known.hash = hash;
  known.url = url;
  const std::size_t slot = FindSlot(text, hash);  // Before the text counts as known.
  slots_[slot] = ++known_count_;
}

void LinkResolver::Grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < known_count_; ++i) {
    std::size_t slot = known_[i].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = i + 1;
  }
}

}  // namespace crawler
