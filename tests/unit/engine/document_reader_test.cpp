#include "engine/document_reader.hpp"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace crawler
