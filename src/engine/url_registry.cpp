#include "engine/url_registry.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace crawler {
namespace {

// What is kept in front of a text.
struct UrlHeader {
  HostId host;
  UrlId from;
  std::uint32_t depth;
  std::uint16_t redirects;
  std::uint8_t via;
  std::uint8_t unused;
  std::uint32_t size;
};

Frontier::Offer ToOffer(const UrlCandidate& candidate) {
  Frontier::Offer offer;
  offer.url = candidate.url;
  offer.origin = candidate.origin;
  offer.site = candidate.site;
  offer.depth = candidate.depth;
  offer.turned_away = candidate.skipped != SkipReason::kNone;
  offer.urgent = candidate.via == Via::kSitemapFile;
  offer.is_link = candidate.via == Via::kLink;
  offer.worth = candidate.worth;
  return offer;
}

}  // namespace

Registration UrlRegistry::Register(const std::vector<UrlCandidate>& candidates, UrlId from) {
  std::vector<Frontier::Offer> offers;
  offers.reserve(candidates.size());
  for (const UrlCandidate& candidate : candidates) offers.push_back(ToOffer(candidate));
  std::vector<Frontier::Offered> results;

  Registration registration;
  registration.ids.reserve(candidates.size());
  // The lock is held over both steps, so that whoever leases one of these URLs finds its text.
  MutexLock lock(mutex_);
  registration.ticket = frontier_.OfferAll(offers, &results);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const UrlCandidate& candidate = candidates[i];
    const Frontier::Offered& result = results[i];
    registration.ids.push_back(result.url);  // 0 if there is no room for another URL at all.
    registration.waiting += result.waits;
    if (result.host_is_new) {
      registration.hosts.push_back(
          {result.host, std::string(candidate.origin), std::string(candidate.site)});
    }
    if (!result.is_new && !result.waits) {
      // It has no row to say so in, but a resume with more room has to know. Once is enough: pages
      // that all link to each other offer it again and again.
      const bool full = result.frontier_full && !result.again && result.url != 0;
      if (full) registration.requeued.push_back({result.url, candidate.depth, from, false});
      continue;
    }
    UrlRow row{result.url,
               std::string(candidate.url),
               result.host,
               candidate.depth,
               candidate.redirects,
               candidate.via,
               from,
               candidate.skipped,
               std::string(candidate.skip_detail)};
    if (result.frontier_full) row.skipped = SkipReason::kFrontierFull;
    // A depth budget may have to find again, before it is committed, what is turned away now.
    if (result.waits || depths_ != nullptr) Keep(row, registration.ticket);
    if (result.is_new) {
      registration.urls.push_back(std::move(row));
    } else {
      registration.requeued.push_back({result.url, candidate.depth, from, true});
    }
  }
  if (depths_ != nullptr) UpdateDepths(candidates, results, from, &registration);
  return registration;
}

void UrlRegistry::UpdateDepths(const std::vector<UrlCandidate>& candidates,
                               const std::vector<Frontier::Offered>& results, UrlId from,
                               Registration* registration) {
  std::vector<Depths::Nearer> nearer;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const UrlCandidate& candidate = candidates[i];
    if (results[i].is_new) depths_->Add(results[i].url, Depths::kUnreached);
    const bool followed =
        candidate.skipped == SkipReason::kNone || candidate.skipped == SkipReason::kTooDeep;
    if (!followed || results[i].url == 0) continue;
    const bool redirect = candidate.via == Via::kRedirect;
    std::uint32_t depth = candidate.depth;
    if (from != 0 && (candidate.via == Via::kLink || redirect)) {
      depths_->AddLink(from, results[i].url, redirect);
      // `from` may have come nearer since it was read.
      depth = std::min(depth, depths_->Of(from) + (redirect ? 0 : 1));
    }
    const bool first = results[i].is_new ||
                       (results[i].waits && depths_->Of(results[i].url) == Depths::kUnreached);
    if (first && depth == candidate.depth) {
      depths_->Add(results[i].url, depth);  // Nothing is behind it yet.
    } else {
      depths_->Offer(results[i].url, from, depth, &nearer);
    }
  }
  for (const Depths::Nearer& change : nearer) {
    registration->requeued.push_back({change.url, change.depth, change.from, false});
    if (change.admitted) registration->admitted.push_back(change.url);
  }
}

void UrlRegistry::KeepDepths(std::unique_ptr<Depths> depths) {
  MutexLock lock(mutex_);
  depths_ = std::move(depths);
}

std::uint32_t UrlRegistry::DepthOf(const UrlRow& url) const {
  MutexLock lock(mutex_);
  return depths_ == nullptr ? url.depth : depths_->Of(url.id);
}

void UrlRegistry::Keep(const UrlRow& row, std::uint64_t ticket) {
  Block& block = blocks_[row.id / kBlock];
  block.ticket = ticket;
  const UrlHeader header{row.host,
                         row.from,
                         row.depth,
                         static_cast<std::uint16_t>(row.redirects),
                         static_cast<std::uint8_t>(row.via),
                         0,
                         static_cast<std::uint32_t>(row.url.size())};
  block.starts[row.id % kBlock] = static_cast<std::uint32_t>(block.bytes.size()) + 1;
  block.bytes.append(reinterpret_cast<const char*>(&header), sizeof header).append(row.url);
  held_ += sizeof header + row.url.size();
}

Result<UrlRow> UrlRegistry::Find(UrlId url, UrlReader& reader) const {
  {
    MutexLock lock(mutex_);
    const auto block = blocks_.find(url / kBlock);
    const std::uint32_t start = block == blocks_.end() ? 0 : block->second.starts[url % kBlock];
    if (start != 0) {
      const std::string& bytes = block->second.bytes;
      UrlHeader header;
      std::memcpy(&header, bytes.data() + start - 1, sizeof header);
      UrlRow row;
      row.id = url;
      row.host = header.host;
      row.from = header.from;
      row.depth = header.depth;
      row.redirects = header.redirects;
      row.via = static_cast<Via>(header.via);
      row.url.assign(bytes, start - 1 + sizeof header, header.size);
      return row;
    }
  }
  return reader.Read(url);
}

void UrlRegistry::Committed(std::uint64_t ticket) {
  MutexLock lock(mutex_);
  // The newest go first: the oldest are the next to be leased, or at least as likely as any.
  auto block = blocks_.end();
  while (held_ > room_ && block != blocks_.begin()) {
    --block;
    if (block->second.ticket > ticket) continue;  // Part of it is not committed.
    held_ -= block->second.bytes.size();
    block = blocks_.erase(block);
  }
}

}  // namespace crawler
