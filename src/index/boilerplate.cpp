#include "index/boilerplate.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace crawler {

BoilerplateFinder::BoilerplateFinder() : blocks_(kSets) {}

std::uint32_t BoilerplateFinder::Count(std::uint64_t hash) {
  std::array<Block, kWays>& set = blocks_[hash % kSets];
  auto at = std::find_if(set.begin(), set.end(),
                         [hash](const Block& block) { return block.hash == hash; });
  if (at == set.end()) {
    at = std::min_element(set.begin(), set.end(),
                          [](const Block& a, const Block& b) { return a.pages < b.pages; });
    *at = {hash, 0, 0};
  }
  if (at->last_page == page_) return at->pages - 1;  // Again on the same page.
  at->last_page = page_;
  return at->pages++;
}

void BoilerplateFinder::Find(std::string_view host, std::string_view text,
                             std::vector<PageSlice>* found) {
  found->clear();
  ++page_;
  const std::uint64_t host_hash = Hash64(host, 0);
  if (host_pages_.size() >= kMostHosts && !host_pages_.contains(host_hash)) host_pages_.clear();
  const std::uint32_t pages = host_pages_[host_hash]++;
  std::size_t run = 0, blocks = 0, words = 0;  // Blocks in a row that repeat, from `run` on.
  const auto end_run = [&](std::size_t end) {
    if (blocks >= kLeastBlocks || words >= kLeastWords) {
      found->push_back({static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(end - run)});
    }
    blocks = words = 0;
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view block = text.substr(begin, end - begin);
    const std::uint32_t before = Count(Hash64(block, host_hash));
    if (before >= kLeastPages && before >= kLeastShare * pages) {
      if (blocks == 0) run = begin;
      ++blocks;
      words += 1 + static_cast<std::size_t>(std::count(block.begin(), block.end(), ' '));
    } else if (blocks > 0) {
      end_run(begin - 1);
    }
    begin = end + 1;
  }
  if (blocks > 0) end_run(text.size());
  // Where next to nothing else is left the page is a copy of others, which is not the same.
  std::size_t bytes = 0;
  for (const PageSlice& slice : *found) bytes += slice.size;
  if (static_cast<double>(bytes) > kMostOfText * static_cast<double>(text.size())) found->clear();
}

}  // namespace crawler
