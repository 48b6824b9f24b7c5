#include "parse/link_blocks.hpp"

#include <algorithm>

namespace crawler {
namespace {

constexpr double kLinkShare = 0.6;
constexpr std::size_t kLeastLinks = 4;
constexpr std::size_t kGap = 1;        // Lines of other text within a block, one after the other,
constexpr std::size_t kGapBytes = 40;  // each no longer than this: captions of menus.

/// Lines that consist of links, one after the other.
struct Run {
  std::size_t begin = 0, end = 0;
  std::size_t links = 0, gap = 0;
};

}  // namespace

void FindLinkBlocks(std::string_view text, std::span<const PageSlice> links,
                    std::vector<PageSlice>* blocks) {
  blocks->clear();
  Run run;
  const auto end_run = [&] {
    if (run.links >= kLeastLinks) {
      blocks->push_back(
          {static_cast<std::uint32_t>(run.begin), static_cast<std::uint32_t>(run.end - run.begin)});
    }
    run = {};
  };
  std::size_t covered = 0;  // Up to here links are counted.
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t bytes = 0, count = 0;
    covered = std::max(covered, begin);
    while (!links.empty() && links.front().offset < end) {
      const std::size_t from = std::max<std::size_t>(covered, links.front().offset);
      const std::size_t to = std::size_t{links.front().offset} + links.front().size;
      if (to > from) {
        bytes += std::min(to, end) - from;
        covered = std::min(to, end);
        ++count;
      }
      if (to > end) break;  // It goes on in the next line.
      links = links.subspan(1);
    }
    if (static_cast<double>(bytes) >= kLinkShare * static_cast<double>(end - begin) && count > 0) {
      if (run.links == 0) run.begin = begin;
      run.end = end;
      run.links += count;
      run.gap = 0;
    } else if (run.links > 0 && (run.gap++ == kGap || end - begin > kGapBytes)) {
      end_run();
    }
    begin = end + 1;
  }
  end_run();
}

}  // namespace crawler
