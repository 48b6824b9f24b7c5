#include "parse/document_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace crawler {
namespace {

// X-Robots-Tag is there for what has no <meta>, and holds whatever the type.
TEST(DocumentReader, HeadersAskRobotsForAnyType) {
  DocumentReader reader(ToExtractOptions("crawler", {}), 1 << 20);
  for (const std::string type : {"text/html", "text/plain", "application/rss+xml"}) {
    for (const std::string body : {"", "some text"}) {
      FetchResult response;
      response.status = 200;
      response.raw_body = body;
      response.body_is_raw = true;
      ParseUrl("http://a.example/", nullptr, &response.url);
      response.headers = HeaderBlock("HTTP/1.1 200 OK\r\nContent-Type: " + type +
                                     "\r\nX-Robots-Tag: noindex\r\n"
                                     "X-Robots-Tag: otherbot: nofollow\r\n\r\n");
      Document document;
      reader.Read(response, &document);
      EXPECT_TRUE(document.page.robots.noindex) << type << " '" << body << "'";
      EXPECT_FALSE(document.page.robots.nofollow) << type;
    }
  }
}

FetchResult ResponseOf(const std::string& type, std::string body) {
  FetchResult result;
  ParseUrl("http://e.com/", nullptr, &result.url);
  result.status = 200;
  result.headers = HeaderBlock("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n\r\n");
  result.raw_body = std::move(body);
  return result;
}

// As of HTML; what is stored can be read again.
TEST(DocumentReader, OfAnyTypeNoMoreTextIsKept) {
  ExtractOptions options;
  options.max_text_bytes = 1000;
  DocumentReader reader(options, 1 << 20);
  for (const std::string type : {"text/html", "text/plain; charset=utf-8"}) {
    std::string body;
    for (int i = 0; i < 1000; ++i) body += "é";
    Document document;
    reader.Read(ResponseOf(type + "; charset=utf-8", body), &document);
    EXPECT_EQ(document.page.text.size(), 1000u) << type;
  }
}

// "Overwrites *document": nothing of a page is left in the next, whatever that is.
TEST(DocumentReader, NothingOfTheDocumentBeforeIsLeft) {
  const FetchResult others[] = {
      ResponseOf("text/html", ""),
      ResponseOf("application/rss+xml",
                 "<rss><channel><item><link>/x</link></item></channel></rss>"),
      ResponseOf("text/plain; charset=utf-8", "plain"),
      ResponseOf("text/html; charset=utf-8", "<p>other"),
      ResponseOf("text/html; charset=koi8-r", "<title>other</title><a href=/y>link</a>"),
  };
  for (const FetchResult& other : others) {
    DocumentReader fresh_reader({}, 1000), reader({}, 1000);
    Document fresh, document;
    fresh_reader.Read(other, &fresh);
    reader.Read(ResponseOf("text/html; charset=windows-1251",
                           "<html lang=ru><title>\xcf\xf0</title><meta name=robots "
                           "content=noindex><h1>head</h1><a href=/a>text</a>"),
                &document);
    ASSERT_EQ(document.charset.charset, Charset::kWindows1251);
    ASSERT_TRUE(document.page.robots.noindex);
    ASSERT_EQ(document.page.links.size(), 1u);
    reader.Read(other, &document);
    EXPECT_EQ(document.charset.charset, fresh.charset.charset);
    EXPECT_EQ(document.charset.source, fresh.charset.source);
    EXPECT_EQ(document.kind, fresh.kind);
    EXPECT_EQ(document.media_type, fresh.media_type);
    EXPECT_EQ(document.page.title, fresh.page.title);
    EXPECT_EQ(document.page.text, fresh.page.text);
    EXPECT_EQ(document.page.language, fresh.page.language);
    EXPECT_EQ(document.page.robots.noindex, fresh.page.robots.noindex);
    EXPECT_EQ(document.page.headings.size(), fresh.page.headings.size());
    EXPECT_EQ(document.page.links.size(), fresh.page.links.size());
  }
}

}  // namespace
}  // namespace crawler
