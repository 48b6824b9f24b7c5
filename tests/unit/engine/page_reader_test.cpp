#include "engine/page_reader.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test_response.hpp"

namespace crawler {
namespace {

const std::string kHtml = "Content-Type: text/html; charset=utf-8\r\n";
const std::string kXml = "Content-Type: application/xml\r\n";

PageReaderOptions Options(bool index = true, std::optional<std::string> topic = {}) {
  PageReaderOptions options;
  options.extract = ToExtractOptions("testbot", {});
  options.max_text = 1 << 20;
  options.index = index;
  options.topic = std::move(topic);
  return options;
}

class PageReaderTest : public ::testing::Test {
 protected:
  const std::unique_ptr<Scope> scope_ = TestScope(Reach::kHost);
  LinkOffers offers_{*scope_, {}, 3};
  PageReader reader_{Options()};
  SitemapBudget budget_{SitemapOptions()};

  SitemapSource Source(std::uint32_t depth) { return {depth, 1, budget_}; }
};

TEST_F(PageReaderTest, LinksAreOneDeeperThanTheirPage) {
  const std::string body =
      "<title>T</title><a href=/a>A</a><a href=/b rel=nofollow>B</a><a href=http://x.example/>X</a>"
      "<a href=/a>again</a><img src=/i.png>";
  const PageContent content = reader_.ReadPage(TestResponse(200, body, kHtml), 1, &offers_);
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/a link 2", "http://e.com/b link 2, nofollow",
                                      "http://x.example/ link 2, scope: reach x.example"}));
  EXPECT_EQ(reader_.document().kind, Document::Kind::kHtml);
  EXPECT_EQ(reader_.document().page.title, "T");
  EXPECT_EQ(content.digest, DigestOf(body));
  EXPECT_TRUE(content.payload_is_content);
}

TEST_F(PageReaderTest, LinksBelowTheDepthBudgetAreKnownButSkipped) {
  reader_.ReadPage(TestResponse(200, "<a href=/a>A</a>", kHtml), 3, &offers_);
  ASSERT_EQ(offers_.candidates().size(), 1u);
  EXPECT_EQ(offers_.candidates()[0].depth, 4u);
  EXPECT_EQ(offers_.candidates()[0].skipped, SkipReason::kTooDeep);
}

TEST_F(PageReaderTest, APageThatAsksForItHasNoLinksToFollow) {
  for (const bool in_header : {true, false}) {
    offers_.Clear();
    reader_.ReadPage(TestResponse(200,
                                  in_header ? "<a href=/a>A</a>"
                                            : "<meta name=robots content=nofollow><a href=/a>A</a>",
                                  kHtml + (in_header ? "X-Robots-Tag: nofollow\r\n" : "")),
                     0, &offers_);
    EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/a link 1, nofollow"})) << in_header;
    EXPECT_TRUE(offers_.nofollow(0));
    EXPECT_NE(reader_.BuildDocument("http://e.com/page", TestResponse(200)), nullptr);
  }
}

TEST_F(PageReaderTest, AnEmptyBodyIsAPageWithoutLinks) {
  const PageContent content = reader_.ReadPage(TestResponse(200, "", kHtml), 0, &offers_);
  EXPECT_TRUE(offers_.candidates().empty());
  EXPECT_EQ(content.digest, DigestOf(""));
  EXPECT_EQ(reader_.document().kind, Document::Kind::kNone);
}

TEST_F(PageReaderTest, ACutPageIsReadAsFarAsItCame) {
  FetchResult cut = TestResponse(200, "<a href=/a>A</a><a href=/b", kHtml);
  cut.truncated = Truncation::kLength;
  reader_.ReadPage(cut, 0, &offers_);
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/a link 1"}));
}

TEST_F(PageReaderTest, ThePayloadIsTheContentUnlessItIsCodedOrChunked) {
  FetchResult coded = TestResponse(200, "packed", kHtml);
  coded.decoded_body = "<a href=/a>A</a>";
  coded.body_is_raw = false;
  const PageContent content = reader_.ReadPage(coded, 0, &offers_);
  EXPECT_EQ(content.digest, DigestOf(coded.decoded_body));
  EXPECT_FALSE(content.payload_is_content);
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/a link 1"}));

  FetchResult chunked = TestResponse(200, "5\r\nplain\r\n0\r\n\r\n", kHtml);
  chunked.chunked = true;
  EXPECT_FALSE(reader_.ReadPage(chunked, 0, &offers_).payload_is_content);
}

// Each call has a digest and links of its own.
TEST_F(PageReaderTest, NothingOfThePageBeforeIsLeft) {
  reader_.ReadPage(TestResponse(200, "<title>Old</title><a href=/old>O</a>", kHtml), 0, &offers_);
  offers_.Clear();
  const PageContent content =
      reader_.ReadPage(TestResponse(200, "<a href=/new>N</a>", kHtml), 0, &offers_);
  EXPECT_EQ(content.digest, DigestOf("<a href=/new>N</a>"));
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/new link 1"}));
  EXPECT_EQ(reader_.document().page.title, "");
}

TEST_F(PageReaderTest, TheEntriesOfAFeedAreItsLinks) {
  const std::string feed =
      "<rss version='2.0'><channel><item><link>http://e.com/1</link></item>"
      "<item><link>http://e.com/2</link></item></channel></rss>";
  reader_.ReadPage(TestResponse(200, feed, "Content-Type: application/rss+xml\r\n"), 1, &offers_);
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/1 link 2", "http://e.com/2 link 2"}));
  EXPECT_EQ(reader_.document().kind, Document::Kind::kSitemap);
  offers_.Clear();
  reader_.ReadPage(
      TestResponse(200, feed, "Content-Type: application/rss+xml\r\nX-Robots-Tag: nofollow\r\n"), 1,
      &offers_);
  EXPECT_EQ(Describe(offers_),
            (Lines{"http://e.com/1 link 2, nofollow", "http://e.com/2 link 2, nofollow"}));
}

TEST_F(PageReaderTest, ADocumentIsMadeUnlessItIsNotToBeIndexed) {
  const FetchResult page = TestResponse(200, "<title>Solar</title><p>Cells made of silicon.",
                                        kHtml + "Last-Modified: Mon, 13 Nov 2023 00:00:00 GMT\r\n");
  reader_.ReadPage(page, 0, &offers_);
  const auto document = reader_.BuildDocument("http://e.com/page", page);
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->words, 5u);
  EXPECT_EQ(document->date, 1'699'833'600'000);

  reader_.ReadPage(TestResponse(200, "<p>text", kHtml), 0, &offers_);
  EXPECT_EQ(reader_.BuildDocument("http://e.com/page", TestResponse(200))->date, 1'700'000'000'500)
      << "without Last-Modified it is as old as the visit";

  reader_.ReadPage(TestResponse(200, "<p>text", kHtml + "X-Robots-Tag: noindex\r\n"), 0, &offers_);
  EXPECT_EQ(reader_.BuildDocument("http://e.com/page", page), nullptr);

  PageReader unindexed(Options(false));
  unindexed.ReadPage(page, 0, &offers_);
  EXPECT_EQ(unindexed.BuildDocument("http://e.com/page", page), nullptr);
}

TEST_F(PageReaderTest, LinksAreWeighedByTheTopic) {
  EXPECT_FALSE(reader_.weighs_links());
  PageReader focused(Options(true, "solar"));
  ASSERT_TRUE(focused.weighs_links());
  const FetchResult page = TestResponse(
      200, "<title>Solar</title><p>Solar power.<a href=/a>solar cells</a><a href=/b>other</a>",
      kHtml);
  focused.ReadPage(page, 0, &offers_);
  const auto document = focused.BuildDocument("http://e.com/page", page);
  focused.WeighLinks(document.get(), &offers_);
  ASSERT_EQ(offers_.candidates().size(), 2u);
  // Two fifths for the page, two for the text of the link, one for the URL; see Focus::OfLink().
  EXPECT_EQ(offers_.candidates()[0].worth, 8000);
  EXPECT_EQ(offers_.candidates()[1].worth, 4000);
  // A page that is not indexed has no relevance of its own.
  focused.WeighLinks(nullptr, &offers_);
  EXPECT_EQ(offers_.candidates()[0].worth, 4000);
  EXPECT_EQ(offers_.candidates()[1].worth, 0);
}

std::string SitemapOf(const std::string& root, const std::string& entry,
                      const std::vector<std::string>& urls) {
  std::string xml = "<?xml version='1.0'?><" + root + ">";
  for (const std::string& url : urls) {
    xml += "<" + entry + "><loc>" + url + "</loc></" + entry + ">";
  }
  return xml + "</" + root + ">";
}

TEST_F(PageReaderTest, TheEntriesOfASitemapAreOneLinkFromASeed) {
  const FetchResult response =
      TestResponse(200, SitemapOf("urlset", "url", {"http://e.com/1", "http://x.example/"}), kXml);
  const SitemapResult read = reader_.ReadSitemap(response, Source(2), &offers_);
  EXPECT_EQ(read.outcome, VisitOutcome::kSitemap);
  EXPECT_EQ(read.detail, "urlset with 2 entries");
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/1 sitemap 1",
                                      "http://x.example/ sitemap 1, scope: reach "
                                      "x.example"}));
}

TEST_F(PageReaderTest, AnIndexNamesSitemapsUpToALimit) {
  const FetchResult index = TestResponse(
      200, SitemapOf("sitemapindex", "sitemap", {"http://e.com/1.xml", "http://x.example/2.xml"}),
      kXml);
  EXPECT_EQ(reader_.ReadSitemap(index, Source(2), &offers_).detail, "index with 2 entries");
  EXPECT_EQ(Describe(offers_),
            (Lines{"http://e.com/1.xml sitemap file 3", "http://x.example/2.xml sitemap file 3"}));
  offers_.Clear();
  const SitemapResult nested = reader_.ReadSitemap(index, Source(3), &offers_);
  EXPECT_EQ(nested.outcome, VisitOutcome::kSitemap);
  EXPECT_EQ(nested.detail, "index with 2 entries; nested too deeply to be read");
  EXPECT_TRUE(offers_.candidates().empty());
  // That holds for indexes: what they name is read.
  reader_.ReadSitemap(TestResponse(200, SitemapOf("urlset", "url", {"http://e.com/1"}), kXml),
                      Source(3), &offers_);
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/1 sitemap 1"}));
}

TEST_F(PageReaderTest, TheBudgetOfAHostLeavesEntriesOut) {
  const FetchResult files = TestResponse(
      200, SitemapOf("sitemapindex", "sitemap", {"http://e.com/1", "http://e.com/2"}), kXml);
  const FetchResult pages = TestResponse(
      200, SitemapOf("urlset", "url", {"http://e.com/a", "http://e.com/b", "http://e.com/c"}),
      kXml);
  SitemapOptions limits;
  limits.max_files = 1;
  limits.max_entries = 2;
  SitemapBudget budget(limits);
  const SitemapResult index = reader_.ReadSitemap(files, {0, 7, budget}, &offers_);
  EXPECT_EQ(index.detail,
            "index with 2 entries; 1 left out, beyond the limit of 1 sitemaps per host "
            "(--max-sitemaps)");
  EXPECT_EQ(index.limit, budget.FileLimit());
  const SitemapResult read = reader_.ReadSitemap(pages, {1, 7, budget}, &offers_);
  EXPECT_EQ(read.limit, budget.EntryLimit());
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/1 sitemap file 1", "http://e.com/a sitemap 1",
                                      "http://e.com/b sitemap 1"}));
  EXPECT_EQ(budget.Spent(7), budget.EntryLimit());
  EXPECT_EQ(budget.Spent(8), "");
}

TEST_F(PageReaderTest, WhatIsNoSitemapIsUnwanted) {
  for (const std::string body : {"", "<html><title>Not found</title>"}) {
    const SitemapResult read =
        reader_.ReadSitemap(TestResponse(200, body, kHtml), Source(0), &offers_);
    EXPECT_EQ(read.outcome, VisitOutcome::kUnwanted) << body;
    EXPECT_EQ(read.detail, "not a sitemap");
    EXPECT_TRUE(offers_.candidates().empty());
  }
}

TEST_F(PageReaderTest, ABrokenSitemapIsReadUpToTheBreak) {
  std::string xml = SitemapOf("urlset", "url", {"http://e.com/1", "http://e.com/2"});
  xml.resize(xml.find("/2"));
  const SitemapResult read = reader_.ReadSitemap(TestResponse(200, xml, kXml), Source(0), &offers_);
  EXPECT_EQ(read.outcome, VisitOutcome::kSitemap);
  EXPECT_EQ(read.detail.rfind("urlset with 1 entries; ", 0), 0u) << read.detail;
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/1 sitemap 1"}));
}

TEST_F(PageReaderTest, EntriesOfASitemapAreWeighedByTheirUrls) {
  PageReader focused(Options(true, "solar"));
  focused.ReadSitemap(
      TestResponse(200, SitemapOf("urlset", "url", {"http://e.com/solar", "http://e.com/x"}), kXml),
      Source(0), &offers_);
  ASSERT_EQ(offers_.candidates().size(), 2u);
  EXPECT_EQ(offers_.candidates()[0].worth, 2000);
  EXPECT_EQ(offers_.candidates()[1].worth, 0);
}

class StoredLinksTest : public PageReaderTest {
 protected:
  Status Read(std::string_view json, const std::string& headers = {}) {
    return reader_.ReadStoredLinks(
        {json, "http://e.com/page", "crawl.db"}, TestResponse(304, {}, headers).headers, 1,
        [](UrlId id) -> Result<std::string> {
          if (id == 9) return Status(StatusCode::kIoError, "cannot be read");
          return "http://e.com/" + std::to_string(id);
        },
        &offers_);
  }
};

TEST_F(StoredLinksTest, AreOfferedAsIfThePageHadBeenSent) {
  EXPECT_TRUE(Read(R"([2,[3,1,"text"],[4,0,"text",500]])").ok());
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/2 link 2", "http://e.com/3 link 2, nofollow",
                                      "http://e.com/4 link 2"}));
  EXPECT_EQ(offers_.candidates()[0].worth, 0);
  EXPECT_EQ(offers_.candidates()[2].worth, 500);
}

TEST_F(StoredLinksTest, APageMayHaveNone) {
  EXPECT_TRUE(Read("").ok());
  EXPECT_TRUE(Read("[]").ok());
  EXPECT_TRUE(offers_.candidates().empty());
}

TEST_F(StoredLinksTest, A304MayForbidToFollowThem) {
  EXPECT_TRUE(Read("[2]", "X-Robots-Tag: nofollow\r\n").ok());
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/2 link 2, nofollow"}));
}

TEST_F(StoredLinksTest, DamageIsReported) {
  for (const std::string_view json : {"[2,[3,1", "[2", "2", "[2]x"}) {
    offers_.Clear();
    const Status status = Read(json);
    EXPECT_EQ(status.code(), StatusCode::kCorruption) << json;
    EXPECT_EQ(status.message(), "crawl.db: the links of http://e.com/page are damaged");
  }
  offers_.Clear();
  EXPECT_FALSE(Read("[2,[3,1").ok());
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/2 link 2"}));
}

TEST_F(StoredLinksTest, AUrlThatCannotBeReadEndsThem) {
  const Status status = Read("[2,9,3]");
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/2 link 2"}));
}

}  // namespace
}  // namespace crawler
