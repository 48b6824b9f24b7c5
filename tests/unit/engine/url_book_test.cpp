#include "engine/url_book.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace crawler {
namespace {

UrlCandidate At(std::string_view url, std::uint32_t depth) {
  UrlCandidate candidate;
  candidate.url = url;
  candidate.origin = candidate.site = "http://127.0.0.1";
  candidate.depth = depth;
  return candidate;
}

UrlCandidate TurnedAway(UrlCandidate candidate, std::string_view why) {
  candidate.turned_away = why;
  candidate.too_deep = why == kReasonTooDeep;
  return candidate;
}

// Links that may not be followed come first, one that may but leads too deep next, and then the
// page it is on turns out to be nearer: all before the first commit.
TEST(UrlBook, WhatComesWithinReachIsFoundBeforeItIsCommitted) {
  Frontier frontier(FrontierOptions{});
  UrlBook book(frontier, 1 << 20);
  book.KeepDepths(std::make_unique<Depths>(1));
  UrlReader nothing_committed("/nonexistent/crawl.db");

  const UrlId seed = book.Register({At("http://127.0.0.1/", 0)}, 0).ids[0];
  const Registration first = book.Register(
      {TurnedAway(At("http://127.0.0.1/shy", 1), "nofollow"), At("http://127.0.0.1/a", 1)}, seed);
  const UrlId shy = first.ids[0];
  const UrlId a = first.ids[1];
  EXPECT_TRUE(book.Register({TurnedAway(At("http://127.0.0.1/shy", 2), kReasonTooDeep)}, a)
                  .admitted.empty());

  const Registration nearer = book.Register({At("http://127.0.0.1/a", 0)}, 0);
  ASSERT_EQ(nearer.admitted, std::vector<UrlId>{shy});
  const Result<UrlRow> row = book.Find(shy, nothing_committed);
  ASSERT_TRUE(row.ok()) << row.status().message();
  EXPECT_EQ(row->url, "http://127.0.0.1/shy");
  EXPECT_EQ(book.DepthOf(*row), 1U);
}

// The archive says of every page which one led to it, whether or not the book was read back.
TEST(UrlBook, KnowsWhereAUrlWasFound) {
  Frontier frontier(FrontierOptions{});
  UrlBook book(frontier, 1 << 20);
  UrlReader nothing_committed("/nonexistent/crawl.db");

  const UrlId seed = book.Register({At("http://127.0.0.1/", 0)}, 0).ids[0];
  const UrlId a = book.Register({At("http://127.0.0.1/a", 1)}, seed).ids[0];
  const Result<UrlRow> row = book.Find(a, nothing_committed);
  ASSERT_TRUE(row.ok()) << row.status().message();
  EXPECT_EQ(row->from, seed);
  EXPECT_EQ(book.Find(seed, nothing_committed)->from, 0U);
}

// A resume with more room has to know of what was known, and found again when there was none.
TEST(UrlBook, WhatFindsTheFrontierFullIsWrittenDown) {
  FrontierOptions options;
  options.max_frontier = 1;
  Frontier frontier(options);
  UrlBook book(frontier, 1 << 20);
  const UrlId shy =
      book.Register({TurnedAway(At("http://127.0.0.1/shy", 1), "nofollow")}, 0).ids[0];
  book.Register({At("http://127.0.0.1/", 0)}, 0);
  const Registration full = book.Register({At("http://127.0.0.1/shy", 2)}, 0);
  ASSERT_EQ(full.promotions.size(), 1u);
  EXPECT_EQ(full.promotions[0].url, shy);
  EXPECT_EQ(full.promotions[0].depth, 2u);
  EXPECT_FALSE(full.promotions[0].waits);
}

}  // namespace
}  // namespace crawler
