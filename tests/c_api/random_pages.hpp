#pragma once

#include <random>
#include <string>

#include "c_api/graph_site.hpp"

namespace crawler_test {

/// `size` addresses that link to each other at random: few or many links, some broken, some twice,
/// to themselves, and text between them that is nearly a link. The first page of the map exists.
inline Pages RandomPages(std::mt19937& random, int size) {
  static constexpr const char* kNoise[] = {"text",    "link",    "link:",   "\t", "xlink:no",
                                           "\r\n",    "link:\n", "ulink:0", "\n", "Link:1",
                                           "link :2", "lin k:3", ":",       "",   "linklink:4"};
  static constexpr const char* kWhite[] = {" ", "\n", " \n", "\n\n", " \t", "\n\v", "  "};
  const auto pick = [&](const auto& from) { return from[random() % std::size(from)]; };
  const unsigned most_links = 1 + static_cast<unsigned>(random() % 10);
  const unsigned broken = static_cast<unsigned>(random() % 3) * 10;  // Per cent.
  Pages pages;
  for (int i = 0; i < size; ++i) {
    std::string page = random() % 4 == 0 ? "" : pick(kNoise);
    for (unsigned k = static_cast<unsigned>(random() % (2 * most_links)); k > 0; --k) {
      if (!page.empty()) page += pick(kWhite);
      if (random() % 4 == 0) page.append(pick(kNoise)).append(pick(kWhite));
      page += "link:n" + std::to_string(random() % static_cast<unsigned>(size));
    }
    if (i == 0 || random() % 100 >= broken) pages["n" + std::to_string(i)] = page;
  }
  return pages;
}

}  // namespace crawler_test
