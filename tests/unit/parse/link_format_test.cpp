#include "parse/link_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace crawler {
namespace {

using std::string_literals::operator""s;
using Links = std::vector<std::string>;

Links Read(std::string_view page) {
  Links links;
  LinkFormatReader reader(page);
  for (std::string_view link; reader.Next(&link);) links.emplace_back(link);
  return links;
}

TEST(LinkFormat, Table) {
  const struct {
    std::string page;
    Links links;
  } cases[] = {
      {"", {}},
      {"link:a", {"a"}},
      {"link:a\n", {"a"}},
      {" link:a ", {"a"}},
      {"x link:a y", {"a"}},
      {"link:a link:b\nlink:c", {"a", "b", "c"}},
      {"link:a  link:a", {"a", "a"}},
      // White space before: space, tab, newline, carriage return, vertical tab, form feed.
      {"x\tlink:a", {"a"}},
      {"x\rlink:a", {"a"}},
      {"x\vlink:a", {"a"}},
      {"x\flink:a", {"a"}},
      // Anything else is not.
      {"xlink:a", {}},
      {"invalidlink:a", {}},
      {":link:a", {}},
      {"\0link:a"s, {}},
      {"\xa0link:a", {}},
      {"\x85link:a", {}},
      // The word itself.
      {"link", {}},
      {"lin", {}},
      {"link a", {}},
      {"link :a", {}},
      {"LINK:a", {}},
      {"Link:a", {}},
      {"l link:a", {"a"}},
      {"link link:a", {"a"}},
      {"lilink:a", {}},
      // Only space and newline end an address.
      {"link:a\tb", {"a\tb"}},
      {"link:a\r\nlink:b", {"a\r", "b"}},
      {"link:a\tlink:b link:c", {"a\tlink:b", "c"}},
      {"link:\ta", {"\ta"}},
      {"link:a\0b c"s, {"a\0b"s}},
      {"link:link:a", {"link:a"}},
      {"link::", {":"}},
      // An empty address is no link.
      {"link:", {}},
      {"link: ", {}},
      {"link:\n", {}},
      {"link: a", {}},
      {"link: link:a", {"a"}},
      {"link:\nlink:\nlink:a", {"a"}},
  };
  for (const auto& [page, links] : cases) {
    EXPECT_EQ(Read(page), links) << testing::PrintToString(page);
  }
}

TEST(LinkFormat, LeavesTheAddressAloneAtTheEnd) {
  LinkFormatReader reader("link:a text");
  std::string_view address = "before";
  EXPECT_TRUE(reader.Next(&address));
  EXPECT_EQ(address, "a");
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(reader.Next(&address));
    EXPECT_EQ(address, "a");
  }
}

TEST(LinkFormat, ViewsPointIntoThePage) {
  const std::string page = "see link:abc there";
  std::string_view address;
  ASSERT_TRUE(LinkFormatReader(page).Next(&address));
  EXPECT_EQ(address.data(), page.data() + 9);
}

// Reads nothing beyond the end of a page, which need not have a terminator.
TEST(LinkFormat, StaysInsideThePage) {
  const std::string page = "link:abc";
  for (std::size_t length = 0; length <= page.size(); ++length) {
    const std::vector<char> exact(page.begin(), page.begin() + static_cast<long>(length));
    const Links expected = length > 5 ? Links{page.substr(5, length - 5)} : Links{};
    EXPECT_EQ(Read({exact.data(), exact.size()}), expected);
  }
}

/// The words of the header, byte by byte.
Links ReadNaively(const std::string& page) {
  const std::string white = " \t\n\r\v\f";
  Links links;
  for (std::size_t i = 0; i < page.size(); ++i) {
    const bool may_start = i == 0 || white.find(page[i - 1]) != std::string::npos;
    if (!may_start || page.compare(i, 5, "link:") != 0) continue;
    const std::size_t begin = i + 5;
    for (i = begin; i < page.size() && page[i] != ' ' && page[i] != '\n';) ++i;
    if (i > begin) links.push_back(page.substr(begin, i - begin));
  }
  return links;
}

TEST(LinkFormat, AgreesWithANaiveReader) {
  static const std::string kPieces[] = {"link:", "link:", "link:", "link", "l",  "i",   "n",
                                        "k",     ":",     " ",     " ",    "\n", "\t",  "\r\n",
                                        "\v",    "\f",    "\0"s,   "a",    "bc", "\xff"};
  std::mt19937 random(9);
  for (int i = 0; i < 100000; ++i) {
    std::string page;
    for (auto n = random() % 20; n > 0; --n) page += kPieces[random() % std::size(kPieces)];
    ASSERT_EQ(Read(page), ReadNaively(page)) << testing::PrintToString(page);
  }
}

// Pages made to be slow are read in one pass all the same: quadratic work would take hours here.
TEST(LinkFormat, HostilePagesTakeLinearTime) {
  constexpr std::size_t kCount = 2000000;
  for (const std::string piece :
       {"link", " link", "link:", " link:", "l", " ", "li nk:", "xlink:"}) {
    std::string page;
    page.reserve(piece.size() * kCount);
    for (std::size_t i = 0; i < kCount; ++i) page += piece;
    EXPECT_LE(Read(page).size(), 1u);
  }
}

}  // namespace
}  // namespace crawler
