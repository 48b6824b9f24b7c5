#include "index/boilerplate.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

const std::string kNavigation = "Home\nProducts\nPrices\nContact";

std::string PageText(int number) {
  return kNavigation + "\nWhat page " + std::to_string(number) +
         " says of itself alone, at length\n" +
         "All rights of this example are reserved by nobody at all";
}

std::string Marked(BoilerplateFinder& finder, const std::string& host, const std::string& text) {
  std::vector<PageSlice> found;
  finder.Find(host, text, &found);
  std::string marked;
  for (const PageSlice& slice : found) marked += "[" + text.substr(slice.offset, slice.size) + "]";
  return marked;
}

TEST(Boilerplate, WhatRepeatsAcrossAHostIsFoundAfterSomePages) {
  BoilerplateFinder finder;
  for (int page = 0; page < static_cast<int>(BoilerplateFinder::kLeastPages); ++page) {
    EXPECT_EQ(Marked(finder, "a.example", PageText(page)), "");
  }
  EXPECT_EQ(Marked(finder, "a.example", PageText(100)),
            "[" + kNavigation + "][All rights of this example are reserved by nobody at all]");
  // Another host has pages of its own.
  EXPECT_EQ(Marked(finder, "b.example", PageText(100)), "");
}

TEST(Boilerplate, AShortBlockAloneIsNone) {
  BoilerplateFinder finder;
  for (int page = 0; page < 50; ++page) {
    const std::string text = "Return value\nWhat page " + std::to_string(page) + " returns";
    EXPECT_EQ(Marked(finder, "a.example", text), "");
  }
}

TEST(Boilerplate, CopiesOfAPageKeepTheirText) {
  BoilerplateFinder finder;
  for (int page = 0; page < 50; ++page) {
    EXPECT_EQ(Marked(finder, "a.example", PageText(1)), "");
  }
}

// A block that stands twice on a page is on one page.
TEST(Boilerplate, PagesAreCountedNotPlaces) {
  BoilerplateFinder finder;
  const std::string twice = kNavigation + "\nsomething else\n" + kNavigation;
  for (int page = 0; page < static_cast<int>(BoilerplateFinder::kLeastPages); ++page) {
    EXPECT_EQ(Marked(finder, "a.example", twice + std::to_string(page)), "");
  }
}

// Memory is bounded: more different blocks than there is room for do no harm.
TEST(Boilerplate, ForgetsWhatIsSeldom) {
  BoilerplateFinder finder;
  std::string text;
  for (int page = 0; page < 40; ++page) {
    text = PageText(page);
    for (int line = 0; line < 10'000; ++line) {
      text += "\nline " + std::to_string(page * 10'000 + line);
    }
    const std::string marked = Marked(finder, "a.example", text);
    if (page <= 20) continue;
    EXPECT_EQ(marked.substr(0, 5), "[Home");
  }
}

}  // namespace
}  // namespace crawler
