#include "engine/recrawl.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_response.hpp"

namespace crawler {
namespace {

constexpr std::string_view kBody = "<title>Page</title>";

// Stored by a crawl with the default options.
StoredPage Stored() {
  StoredPage page;
  page.id = 3;
  page.url_id = 7;
  page.status = 200;
  page.content_hash = HexDigestOf(kBody);
  page.etag = "\"v1\"";
  page.last_modified = "Tue, 14 Nov 2023 22:13:20 GMT";
  page.charset = "UTF-8";
  page.depth = 2;
  page.indexed = true;
  page.archived = true;
  return page;
}

CrawlOptions Options(bool index, bool warc) {
  CrawlOptions options;
  options.index = index;
  options.warc = warc;
  return options;
}

TEST(MayBeKept, NeedsWhatAPageFetchedNowWouldHave) {
  const CrawlOptions both = Options(true, true);
  EXPECT_TRUE(MayBeKept(Stored(), both));
  StoredPage page = Stored();
  page.indexed = false;
  EXPECT_FALSE(MayBeKept(page, both));
  EXPECT_TRUE(MayBeKept(page, Options(false, true)));
  page.noindex = true;
  EXPECT_TRUE(MayBeKept(page, both)) << "a page that asks not to be indexed has no text to miss";
  page = Stored();
  page.archived = false;
  EXPECT_FALSE(MayBeKept(page, both));
  EXPECT_TRUE(MayBeKept(page, Options(true, false)));
}

TEST(MayBeConfirmed, NotIfA304CannotTellThatDirectivesAreGone) {
  const CrawlOptions options = Options(true, true);
  EXPECT_TRUE(MayBeConfirmed(Stored(), options));
  StoredPage page = Stored();
  page.noindex = true;
  EXPECT_TRUE(MayBeKept(page, options));
  EXPECT_FALSE(MayBeConfirmed(page, options));
  page = Stored();
  page.nofollow = true;
  EXPECT_TRUE(MayBeKept(page, options));
  EXPECT_FALSE(MayBeConfirmed(page, options));
  page = Stored();
  page.truncated = true;
  EXPECT_FALSE(MayBeConfirmed(page, options));
}

TEST(IsSamePage, TheSameBytesAreAnotherPageIfTheirHeadersSaySo) {
  Document document;
  document.charset.charset = Charset::kUtf8;
  const FetchResult response = TestResponse(200, std::string(kBody));
  const Sha256Digest digest = DigestOf(kBody);
  EXPECT_TRUE(IsSamePage(Stored(), response, document, digest));
  EXPECT_FALSE(IsSamePage(Stored(), response, document, DigestOf("other")));
  EXPECT_FALSE(IsSamePage(Stored(), TestResponse(203), document, digest));

  Document other = document;
  other.page.robots.noindex = true;
  EXPECT_FALSE(IsSamePage(Stored(), response, other, digest));
  StoredPage noindex = Stored();
  noindex.noindex = true;
  EXPECT_TRUE(IsSamePage(noindex, response, other, digest));
  other = document;
  other.page.robots.nofollow = true;
  EXPECT_FALSE(IsSamePage(Stored(), response, other, digest));
  other = document;
  other.charset.charset = Charset::kWindows1251;
  EXPECT_FALSE(IsSamePage(Stored(), response, other, digest));

  FetchResult cut = response;
  cut.truncated = Truncation::kLength;
  EXPECT_FALSE(IsSamePage(Stored(), cut, document, digest));
  StoredPage was_cut = Stored();
  was_cut.truncated = true;
  EXPECT_TRUE(IsSamePage(was_cut, cut, document, digest));
  EXPECT_FALSE(IsSamePage(was_cut, response, document, digest)) << "whole this time";
}

const std::string kSameValidators =
    "ETag: \"v1\"\r\nLast-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n";

TEST(UpdatedPage, NothingIsWrittenIfNothingIsNew) {
  EXPECT_FALSE(UpdatedPage(Stored(), TestResponse(200, {}, kSameValidators), {}, 2));
  EXPECT_FALSE(UpdatedPage(Stored(), TestResponse(304, {}, kSameValidators), {}, 2));
  EXPECT_FALSE(UpdatedPage(Stored(), TestResponse(304), {}, 2)) << "a 304 need not repeat them";
}

TEST(UpdatedPage, ValidatorsAreThoseOfTheLastResponse) {
  for (const int status : {200, 304}) {
    const auto page = UpdatedPage(
        Stored(), TestResponse(status, {}, "ETag: \"v2\"\r\nLast-Modified: later\r\n"), {}, 2);
    ASSERT_TRUE(page) << status;
    EXPECT_EQ(page->etag, "\"v2\"");
    EXPECT_EQ(page->last_modified, "later");
    EXPECT_EQ(page->id, 3);
    EXPECT_EQ(page->content_hash, Stored().content_hash);
  }
  const auto without = UpdatedPage(Stored(), TestResponse(200), {}, 2);
  ASSERT_TRUE(without) << "the page was sent, and has none any more";
  EXPECT_EQ(without->etag, "");
  EXPECT_EQ(without->last_modified, "");
}

TEST(UpdatedPage, ANewDepthIsWritten) {
  const auto page = UpdatedPage(Stored(), TestResponse(304), {}, 1);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->depth, 1u);
  EXPECT_EQ(page->etag, "\"v1\"");
}

TEST(UpdatedPage, A304MayCarryDirectives) {
  RobotsDirectives robots;
  robots.noindex = true;
  auto page = UpdatedPage(Stored(), TestResponse(304), robots, 2);
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->noindex);
  EXPECT_EQ(page->etag, "\"v1\"");

  // Its links are stored as links to follow: the next crawl has to read the page.
  robots = {};
  robots.nofollow = true;
  page = UpdatedPage(Stored(), TestResponse(304, {}, kSameValidators), robots, 2);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->etag, "");
  EXPECT_EQ(page->last_modified, "");
  EXPECT_FALSE(page->noindex);

  // With a 200 they are part of IsSamePage() already.
  EXPECT_FALSE(UpdatedPage(Stored(), TestResponse(200, {}, kSameValidators), robots, 2));
}

VisitRow Visit(VisitOutcome outcome, int status) {
  VisitRow visit;
  visit.outcome = outcome;
  visit.status = status;
  return visit;
}

TEST(PageChangeOf, ComparesBeforeAndAfter) {
  const VisitRow page = Visit(VisitOutcome::kPage, 200);
  EXPECT_EQ(PageChangeOf(page, false, true), PageChange::kNew);
  EXPECT_EQ(PageChangeOf(page, true, true), PageChange::kChanged);
  for (const int status : {200, 304}) {
    EXPECT_EQ(PageChangeOf(Visit(VisitOutcome::kUnchanged, status), true, false),
              PageChange::kUnchanged);
  }
}

TEST(PageChangeOf, OnlyAnAnswerEndsAPage) {
  for (const VisitRow& gone :
       {Visit(VisitOutcome::kHttpError, 404), Visit(VisitOutcome::kHttpError, 410),
        Visit(VisitOutcome::kRedirect, 301), Visit(VisitOutcome::kRefused, 0)}) {
    EXPECT_EQ(PageChangeOf(gone, true, false), PageChange::kGone) << VisitOutcomeName(gone.outcome);
    EXPECT_EQ(PageChangeOf(gone, false, false), PageChange::kNone);
  }
  for (const VisitRow& failed :
       {Visit(VisitOutcome::kHttpError, 500), Visit(VisitOutcome::kHttpError, 408),
        Visit(VisitOutcome::kFailed, 0), Visit(VisitOutcome::kGivenUp, 0)}) {
    EXPECT_EQ(PageChangeOf(failed, true, false), PageChange::kKept)
        << VisitOutcomeName(failed.outcome);
    EXPECT_EQ(PageChangeOf(failed, false, false), PageChange::kNone);
  }
}

TEST(EndsStoredPage, IfItIsGoneOrReplaced) {
  EXPECT_TRUE(EndsStoredPage(PageChange::kGone));
  EXPECT_TRUE(EndsStoredPage(PageChange::kChanged));
  for (const PageChange change :
       {PageChange::kNone, PageChange::kNew, PageChange::kUnchanged, PageChange::kKept}) {
    EXPECT_FALSE(EndsStoredPage(change)) << PageChangeName(change);
  }
}

}  // namespace
}  // namespace crawler
