#include "engine/url_registry.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "store/catalogue.hpp"

namespace crawler {
namespace {

UrlCandidate At(std::string_view url, std::uint32_t depth) {
  UrlCandidate candidate;
  candidate.url = url;
  candidate.origin = candidate.site = "http://127.0.0.1";
  candidate.depth = depth;
  return candidate;
}

UrlCandidate TurnedAway(UrlCandidate candidate, SkipReason why) {
  candidate.skipped = why;
  return candidate;
}

// Links that may not be followed come first, one that may but leads too deep next, and then the
// page it is on turns out to be nearer: all before the first commit.
TEST(UrlRegistry, WhatComesWithinReachIsFoundBeforeItIsCommitted) {
  Frontier frontier(FrontierOptions{});
  UrlRegistry book(frontier, 1 << 20);
  book.KeepDepths(std::make_unique<Depths>(1));
  UrlReader nothing_committed("/nonexistent/crawl.db");

  const UrlId seed = book.Register({At("http://127.0.0.1/", 0)}, 0).ids[0];
  const Registration first =
      book.Register({TurnedAway(At("http://127.0.0.1/shy", 1), SkipReason::kNofollow),
                     At("http://127.0.0.1/a", 1)},
                    seed);
  const UrlId shy = first.ids[0];
  const UrlId a = first.ids[1];
  EXPECT_TRUE(book.Register({TurnedAway(At("http://127.0.0.1/shy", 2), SkipReason::kTooDeep)}, a)
                  .admitted.empty());

  const Registration nearer = book.Register({At("http://127.0.0.1/a", 0)}, 0);
  ASSERT_EQ(nearer.admitted, std::vector<UrlId>{shy});
  const Result<UrlRow> row = book.Find(shy, nothing_committed);
  ASSERT_TRUE(row.ok()) << row.status().message();
  EXPECT_EQ(row->url, "http://127.0.0.1/shy");
  EXPECT_EQ(book.DepthOf(*row), 1U);
}

// The archive says of every page which one led to it, whether or not the book was read back.
TEST(UrlRegistry, KnowsWhereAUrlWasFound) {
  Frontier frontier(FrontierOptions{});
  UrlRegistry book(frontier, 1 << 20);
  UrlReader nothing_committed("/nonexistent/crawl.db");

  const UrlId seed = book.Register({At("http://127.0.0.1/", 0)}, 0).ids[0];
  const UrlId a = book.Register({At("http://127.0.0.1/a", 1)}, seed).ids[0];
  const Result<UrlRow> row = book.Find(a, nothing_committed);
  ASSERT_TRUE(row.ok()) << row.status().message();
  EXPECT_EQ(row->from, seed);
  EXPECT_EQ(book.Find(seed, nothing_committed)->from, 0U);
}

// A repeated crawl finds an old URL again, elsewhere. Its row has been in the catalogue for long,
// but where it was found now has not: until that is committed, only the book knows.
TEST(UrlRegistry, WhatIsNotCommittedStaysHoweverOldItsUrlIs) {
  std::string folder = (std::filesystem::temp_directory_path() / "url-book-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Result<std::unique_ptr<Catalogue>> catalogue =
      Catalogue::Open(folder + "/crawl.db", Durability::kNormal);
  ASSERT_TRUE(catalogue.ok()) << catalogue.status().message();
  Frontier frontier(FrontierOptions{});
  frontier.RestoreHost("http://127.0.0.1", "http://127.0.0.1");
  constexpr UrlId kOld = 3, kUrls = 3000;
  ASSERT_TRUE((*catalogue)->Begin().ok());
  for (UrlId id = 1; id <= kUrls; ++id) {
    UrlRow row;
    row.id = id;
    row.url = "http://127.0.0.1/" + std::to_string(id);
    row.host = 1;
    row.depth = 7;
    row.from = 2;
    ASSERT_TRUE((*catalogue)->AddUrl(row).ok());
    frontier.RestoreUrl(row.url, 1, true, false);
  }
  ASSERT_TRUE((*catalogue)->Commit().ok());
  frontier.EndRestore();
  UrlRegistry book(frontier, 0);
  UrlReader reader(folder + "/crawl.db");

  const Registration first = book.Register({At("http://127.0.0.1/9", 0)}, 0);
  const Registration found = book.Register({At("http://127.0.0.1/3", 1)}, 9);
  ASSERT_EQ(found.requeued.size(), 1u);
  book.Committed(first.ticket);
  Result<UrlRow> row = book.Find(kOld, reader);
  ASSERT_TRUE(row.ok()) << row.status().message();
  EXPECT_EQ(row->depth, 1u);
  EXPECT_EQ(row->from, 9u);

  ASSERT_TRUE((*catalogue)->AddRequeue(found.requeued[0]).ok());
  book.Committed(found.ticket);
  row = book.Find(kOld, reader);  // There is no room for it any more: the catalogue says the same.
  ASSERT_TRUE(row.ok()) << row.status().message();
  EXPECT_EQ(row->depth, 1u);
  EXPECT_EQ(row->from, 9u);
  row = book.Find(4, reader);
  ASSERT_TRUE(row.ok()) << row.status().message();
  EXPECT_EQ(row->depth, 7u);
  EXPECT_EQ(row->from, 2u);
  *catalogue = nullptr;
  std::filesystem::remove_all(folder);
}

// A resume with more room has to know of what was known, and found again when there was none.
TEST(UrlRegistry, WhatFindsTheFrontierFullIsWrittenDown) {
  FrontierOptions options;
  options.max_frontier = 1;
  options.robots_checks = false;
  Frontier frontier(options);
  UrlRegistry book(frontier, 1 << 20);
  const UrlId shy =
      book.Register({TurnedAway(At("http://127.0.0.1/shy", 1), SkipReason::kNofollow)}, 0).ids[0];
  book.Register({At("http://127.0.0.1/", 0)}, 0);
  const Registration full = book.Register({At("http://127.0.0.1/shy", 2)}, 0);
  ASSERT_EQ(full.requeued.size(), 1u);
  EXPECT_EQ(full.requeued[0].url, shy);
  EXPECT_EQ(full.requeued[0].depth, 2u);
  EXPECT_FALSE(full.requeued[0].waits);

  // Once; and what its own row says is not said again at all.
  EXPECT_TRUE(book.Register({At("http://127.0.0.1/shy", 3)}, 0).requeued.empty());
  const Registration late = book.Register({At("http://127.0.0.1/late", 1)}, 0);
  ASSERT_EQ(late.urls.size(), 1u);
  EXPECT_EQ(late.urls[0].skipped, SkipReason::kFrontierFull);
  EXPECT_TRUE(book.Register({At("http://127.0.0.1/late", 1)}, 0).requeued.empty());

  // As soon as there is room, it waits.
  std::vector<Frontier::Lease> leases;
  ASSERT_EQ(frontier.LeaseSome(TimePoint(), 1, &leases), 1u);
  Frontier::Outcome done;
  frontier.Finish(leases[0], done);
  const Registration room = book.Register({At("http://127.0.0.1/shy", 3)}, 0);
  ASSERT_EQ(room.requeued.size(), 1u);
  EXPECT_TRUE(room.requeued[0].waits);
}

}  // namespace
}  // namespace crawler
