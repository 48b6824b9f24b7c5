#include "frontier/url_texts.hpp"

#include <cstring>
#include <iterator>

namespace crawler {
namespace {

// The fixed part of a stored row; the text follows.
struct UrlHeader {
  HostId host;
  UrlId from;
  std::uint32_t depth;
  std::uint16_t redirects;
  std::uint8_t via;
  std::uint8_t unused;
  std::uint32_t size;
};

}  // namespace

void UrlTexts::Keep(const UrlRow& row, std::uint64_t offer) {
  const auto [found, is_new] = blocks_.try_emplace(row.id / kBlock);
  // A string grows to twice its size; the block before this one has all of its rows.
  if (is_new && found != blocks_.begin()) Shrink(&std::prev(found)->second);
  Block& block = found->second;
  block.offer = offer;
  const UrlHeader header{row.host,
                         row.from,
                         row.depth,
                         static_cast<std::uint16_t>(row.redirects),
                         static_cast<std::uint8_t>(row.via),
                         0,
                         static_cast<std::uint32_t>(row.url.size())};
  held_ -= block.bytes.capacity();
  block.starts[row.id % kBlock] = static_cast<std::uint32_t>(block.bytes.size()) + 1;
  block.bytes.append(reinterpret_cast<const char*>(&header), sizeof header).append(row.url);
  held_ += block.bytes.capacity();
}

void UrlTexts::Shrink(Block* block) {
  held_ -= block->bytes.capacity();
  block->bytes.shrink_to_fit();
  held_ += block->bytes.capacity();
}

bool UrlTexts::Find(UrlId url, UrlRow* row) const {
  const auto block = blocks_.find(url / kBlock);
  const std::uint32_t start = block == blocks_.end() ? 0 : block->second.starts[url % kBlock];
  if (start == 0) return false;
  const std::string& bytes = block->second.bytes;
  UrlHeader header;
  std::memcpy(&header, bytes.data() + start - 1, sizeof header);
  row->id = url;
  row->host = header.host;
  row->from = header.from;
  row->depth = header.depth;
  row->redirects = header.redirects;
  row->via = static_cast<Via>(header.via);
  row->url.assign(bytes, start - 1 + sizeof header, header.size);
  return true;
}

void UrlTexts::Settle(std::uint64_t last_offer) {
  // The newest texts leave first: the oldest URLs are the most likely to be leased next.
  auto block = blocks_.end();
  while (held_ > room_ && block != blocks_.begin()) {
    --block;
    if (block->second.offer > last_offer) continue;  // Part of it is not settled.
    held_ -= block->second.bytes.capacity();
    block = blocks_.erase(block);
  }
}

}  // namespace crawler
