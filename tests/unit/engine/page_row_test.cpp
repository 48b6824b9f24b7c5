#include "engine/page_row.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_response.hpp"

namespace crawler {
namespace {

Document HtmlDocument() {
  Document document;
  document.kind = Document::Kind::kHtml;
  document.media_type = "text/html";
  document.charset.charset = Charset::kUtf8;
  document.page.title = "Title";
  document.page.description = "About";
  document.page.language = "de-AT";
  document.page.canonical = "http://e.com/canonical";
  return document;
}

TEST(ToPageRow, HasWhatUrlResponseAndDocumentSay) {
  FetchResult result = TestResponse(203, "packed", "ETag: \"v1\"\r\nLast-Modified: then\r\n");
  result.decoded_body = "the content";
  result.body_is_raw = false;
  const PageRow row =
      ToPageRow({7, "http://e.com/page", 2, 250}, result, HtmlDocument(), DigestOf("the content"));
  EXPECT_EQ(row.url_id, 7u);
  EXPECT_EQ(row.url, "http://e.com/page");
  EXPECT_EQ(row.domain, "e.com");
  EXPECT_EQ(row.title, "Title");
  EXPECT_EQ(row.description, "About");
  EXPECT_EQ(row.content_hash, HexDigestOf("the content"));
  EXPECT_EQ(row.status, 203);
  EXPECT_EQ(row.crawled_at, 1'700'000'000'500);
  EXPECT_EQ(row.etag, "\"v1\"");
  EXPECT_EQ(row.last_modified, "then");
  EXPECT_EQ(row.depth, 2u);
  EXPECT_EQ(row.score, 250);
  EXPECT_EQ(row.size, 11u) << "of the content, not of what was received";
  EXPECT_EQ(row.content_type, "text/html");
  EXPECT_EQ(row.charset, "UTF-8");
  EXPECT_EQ(row.language, "de-AT");
  EXPECT_EQ(row.canonical, "http://e.com/canonical");
  EXPECT_FALSE(row.noindex || row.nofollow);
  EXPECT_EQ(row.truncated, "");
  EXPECT_EQ(row.duplicate_of, 0u);
  EXPECT_EQ(row.links, "");
  EXPECT_FALSE(row.payload_hash);
}

TEST(ToPageRow, EmptyAndCutPagesAreRows) {
  FetchResult result = TestResponse(200);
  result.truncated = Truncation::kDisconnect;
  Document document;
  document.page.robots.noindex = true;
  const PageRow noindex = ToPageRow({}, result, document, DigestOf(""));
  EXPECT_EQ(noindex.truncated, "disconnect");
  EXPECT_EQ(noindex.size, 0u);
  EXPECT_EQ(noindex.etag, "");
  EXPECT_EQ(noindex.content_type, "");
  EXPECT_TRUE(noindex.noindex);
  EXPECT_FALSE(noindex.nofollow);
  document.page.robots = {};
  document.page.robots.nofollow = true;
  const PageRow nofollow = ToPageRow({}, result, document, DigestOf(""));
  EXPECT_FALSE(nofollow.noindex);
  EXPECT_TRUE(nofollow.nofollow);
}

TEST(ToPageRow, HasTheHeadingTheLanguagesAndSomeHeaders) {
  const FetchResult result = TestResponse(
      200, "x",
      "Server: a\"b \xff\r\nX-Secret: 1\r\nVary: Accept\r\nvary: Cookie\r\nCache-Control: " +
          std::string(1'000, 'c') + "\r\n");
  Document document = HtmlDocument();
  document.page.text = "Before\nThe heading\nAfter";
  document.page.h1 = {7, 11};
  document.page.alternates = {{"de", "", "http://e.com/de"},
                              {"", "application/rss+xml", "http://e.com/feed"},
                              {"de", "", "http://e.com/second"},
                              {"x-\"\u00e4", "", "http://e.com/x"}};
  const PageRow row = ToPageRow({}, result, document, DigestOf("x"));
  EXPECT_EQ(row.h1, "The heading");
  EXPECT_EQ(row.hreflang, "{\"de\":\"http://e.com/de\",\"x-\\\"\u00e4\":\"http://e.com/x\"}");
  EXPECT_EQ(row.headers, "{\"cache-control\":\"" + std::string(500, 'c') +
                             "\",\"server\":\"a\\\"b \\u00ff\",\"vary\":\"Accept, Cookie\"}");
  document.page.alternates.clear();
  for (int i = 0; i < 1'000; ++i) {
    document.page.alternates.push_back({"l" + std::to_string(i), "", "http://e.com/"});
  }
  const PageRow many = ToPageRow({}, result, document, DigestOf("x"));
  EXPECT_NE(many.hreflang.find("\"l99\""), many.hreflang.npos);
  EXPECT_EQ(many.hreflang.find("\"l100\""), many.hreflang.npos);
}

TEST(DuplicateOf, APageIsNoDuplicateOfItself) {
  EXPECT_EQ(DuplicateOf(std::nullopt, 7), 0u);
  EXPECT_EQ(DuplicateOf(ContentIndex::First{5, 1}, 7), 5u);
  EXPECT_EQ(DuplicateOf(ContentIndex::First{7, 1}, 7), 0u);
}

TEST(PayloadHash, IsKeptIfItIsNotThatOfTheContent) {
  EncodedCapture capture;
  EXPECT_FALSE(PayloadHash(capture, DigestOf("content"))) << "nothing was archived";
  capture.members.emplace_back();
  capture.payload_digest = DigestOf("content");
  EXPECT_EQ(PayloadHash(capture, DigestOf("content")), "");
  const Sha256Digest packed = DigestOf("packed");
  capture.payload_digest = packed;
  EXPECT_EQ(PayloadHash(capture, DigestOf("content")), std::string(packed.begin(), packed.end()));
}

}  // namespace
}  // namespace crawler
