// Against a real server: keep-alive, gzip, TLS and HTTP/2.
#include "web/nginx.hpp"

#include <gtest/gtest.h>

#include "web/fetch_testing.hpp"

namespace crawler {
namespace {

std::string Page() {
  std::string page = "<html><body>";
  for (int i = 0; i < 2'000; ++i) page += "<p>paragraph " + std::to_string(i) + "</p>\n";
  return page + "</body></html>";
}

class WithNginx : public testing::Test {
 protected:
  void SetUp() override {
    nginx_ = Nginx::Start();
    if (nginx_ == nullptr) GTEST_SKIP() << "nginx is not installed";
    nginx_->Add("page.html", Page());
    options_ = TestOptions();
    options_.resolver = LocalHost("site.test");
    options_.ca_file = nginx_->ca_file();
  }

  std::unique_ptr<Nginx> nginx_;
  FetchOptions options_;
};

TEST_F(WithNginx, GzipOverKeptConnections) {
  Session session(options_);
  for (int i = 0; i < 5; ++i) {
    const FetchResult result = session.Fetch(nginx_->PlainUrl("/page.html"));
    ASSERT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.body(), Page());
    EXPECT_EQ(result.protocol, HttpVersion::kHttp11);
    EXPECT_EQ(result.headers.Find("content-encoding"), "gzip");
    EXPECT_TRUE(result.chunked);  // nginx does not know the length when it compresses.
    EXPECT_LT(result.raw_body.size(), Page().size() / 2);
    EXPECT_EQ(result.reused_connection, i > 0);
    EXPECT_GT(result.timings.first_byte.count(), 0);
    EXPECT_GE(result.timings.total, result.timings.first_byte);
    std::size_t payload = 0;
    result.VisitPayload([&](std::string_view part) { payload += part.size(); });
    EXPECT_GT(payload, 0u);
    EXPECT_LT(payload, result.raw_body.size());
  }
}

TEST_F(WithNginx, Http2OverTls) {
  Session session(options_);
  for (int i = 0; i < 3; ++i) {
    const FetchResult result = session.Fetch(nginx_->TlsUrl("/page.html"));
    ASSERT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.protocol, HttpVersion::kHttp2);
    EXPECT_EQ(result.tls_version, "TLSv1.3");
    EXPECT_EQ(result.body(), Page());
    EXPECT_FALSE(result.chunked);
    EXPECT_EQ(result.headers.raw().substr(0, 10), "HTTP/2 200");
    EXPECT_EQ(result.reused_connection, i > 0);
  }
}

TEST_F(WithNginx, RequestsShareAnHttp2Connection) {
  options_.limits.max_transfers_per_host = 50;
  Session session(options_);
  int done = 0, reused = 0;
  for (int i = 0; i < 50; ++i) {
    session.fetcher().Start(RequestFor(nginx_->TlsUrl("/page.html")), [&](FetchResult result) {
      EXPECT_EQ(result.body(), Page()) << result.message;
      ++done;
      reused += result.reused_connection ? 1 : 0;
    });
  }
  session.fetcher().RunUntilIdle();
  EXPECT_EQ(done, 50);
  EXPECT_EQ(reused, 49);
}

TEST_F(WithNginx, Http11WhenHttp2IsSwitchedOff) {
  options_.http2 = false;
  const FetchResult result = Fetch(nginx_->TlsUrl("/page.html"), options_);
  EXPECT_EQ(result.protocol, HttpVersion::kHttp11) << result.message;
  EXPECT_EQ(result.body(), Page());
}

TEST_F(WithNginx, ConditionalRequests) {  // RFC 9110, 13
  for (const std::string& url : {nginx_->PlainUrl("/page.html"), nginx_->TlsUrl("/page.html")}) {
    Session session(options_);
    const FetchResult first = session.Fetch(url);
    ASSERT_TRUE(first.ok()) << first.message;
    FetchRequest again = RequestFor(url);
    again.etag = first.headers.Find("etag").value();
    EXPECT_EQ(session.Fetch(again).status, 304);
    again.etag.clear();
    again.last_modified = first.headers.Find("last-modified").value();
    EXPECT_EQ(session.Fetch(again).status, 304);
    EXPECT_EQ(session.Fetch(url).status, 200);
  }
}

TEST_F(WithNginx, ThousandsAtATime) {
  options_.limits.max_transfers_per_host = 500;
  options_.limits.response = options_.limits.total = std::chrono::seconds(30);  // On any machine.
  Session session(options_);
  int good = 0;
  const std::string page = Page();
  for (int i = 0; i < 3'000; ++i) {
    session.fetcher().Start(RequestFor(nginx_->PlainUrl("/page.html?" + std::to_string(i))),
                            [&](FetchResult result) {
                              EXPECT_TRUE(result.ok()) << result.message;
                              good += result.body() == page ? 1 : 0;
                            });
  }
  EXPECT_EQ(session.fetcher().pending(), 3'000u);
  session.fetcher().RunUntilIdle();
  EXPECT_EQ(good, 3'000);
}

}  // namespace
}  // namespace crawler
