#include "frontier/depths.hpp"

namespace crawler {

void Depths::Add(UrlId url, std::uint32_t depth) {
  if (url >= urls_.size()) urls_.resize(url + 1);
  urls_[url].depth = depth;
}

void Depths::AddLink(UrlId from, UrlId to, bool redirect) {
  if (from >= urls_.size() || links_.size() > 0x7fffffff) return;
  LinkEntry link;
  link.to = to;
  link.next = urls_[from].first_link & 0x7fffffff;
  link.redirect = redirect;
  urls_[from].first_link = static_cast<std::uint32_t>(links_.size());
  links_.push_back(link);
}

void Depths::Offer(UrlId url, UrlId from, std::uint32_t depth, std::vector<Nearer>* nearer) {
  const std::size_t first = nearer->size();
  const auto lower = [&](UrlId to, UrlId by, std::uint32_t to_depth) {
    if (to >= urls_.size() || to_depth >= urls_[to].depth) return;
    nearer->push_back({to, by, to_depth, urls_[to].depth > most_ && to_depth <= most_});
    urls_[to].depth = to_depth;
  };
  lower(url, from, depth);
  // Breadth first, and every step only lowers: a URL is looked at again at most `depth` times.
  for (std::size_t i = first; i < nearer->size(); ++i) {
    const UrlId at = (*nearer)[i].url;
    for (std::uint32_t link = urls_[at].first_link; link != 0; link = links_[link].next) {
      lower(links_[link].to, at, urls_[at].depth + (links_[link].redirect ? 0 : 1));
    }
  }
}

}  // namespace crawler
