#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/page.hpp"

namespace crawler {

/// Replaces `*blocks` by the pieces of `text` that consist of links: navigation, tables of
/// contents, lists of other pages. `links` are the texts of the links, ascending; a link within
/// another is not counted twice.
///
/// A line consists of links if at least 60% of its bytes are in links. Such lines in a row, with at
/// most one short line of other text between two of them, are a block if they have at least four
/// links. Depends on the page alone. Takes time linear in the text.
void FindLinkBlocks(std::string_view text, std::span<const PageSlice> links,
                    std::vector<PageSlice>* blocks);

}  // namespace crawler
