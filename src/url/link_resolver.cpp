#include "url/link_resolver.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMinSlots = 256;  // A power of two, as every number of slots.
// What a page with very many links leaves behind is given back at the next one.
constexpr std::size_t kKeptEntries = 8192;

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
    : options_(options), seed_(RandomSeed()), slots_(kMinSlots) {}

void LinkResolver::Reset(const Url& base, const QueryEncoder* query_encoder) {
  base_ = base;
  query_encoder_ = query_encoder;
  count_ = 0;
  if (entries_.size() > kKeptEntries) {
    entries_.resize(kKeptEntries);
    slots_.resize(kKeptEntries * 2);
    slots_.shrink_to_fit();
  }
  std::fill(slots_.begin(), slots_.end(), 0);
}

std::size_t LinkResolver::FindSlot(std::string_view href, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    const Entry& entry = *entries_[slots_[slot] - 1];
    if (entry.hash == hash && entry.href == href) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

LinkResolver::Link LinkResolver::Resolve(std::string_view href) {
  href = DropFragment(href, base_);
  const std::uint64_t hash = Hash64(href, seed_);
  std::size_t slot = FindSlot(href, hash);
  if (slots_[slot] != 0) {
    const std::uint32_t number = slots_[slot] - 1;
    return {&entries_[number]->url, false, number};
  }
  if ((count_ + 1) * std::size_t{2} > slots_.size()) {
    Grow();
    slot = FindSlot(href, hash);
  }
  if (count_ == entries_.size()) entries_.push_back(std::make_unique<Entry>());
  Entry& entry = *entries_[count_];
  entry.href.assign(href);
  entry.hash = hash;
  ParseUrl(href, &base_, &entry.url, query_encoder_);
  NormalizeUrl(&entry.url, options_);
  const std::uint32_t number = count_++;
  slots_[slot] = count_;
  return {&entry.url, true, number};
}

void LinkResolver::Grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < count_; ++i) {
    std::size_t slot = entries_[i]->hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = i + 1;
  }
}

}  // namespace crawler
