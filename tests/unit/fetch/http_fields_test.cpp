#include "fetch/http_fields.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

using namespace std::literals;

using std::chrono::seconds;
using Kind = BodyFraming::Kind;

BodyFraming Framing(const std::string& fields, int status = 200) {
  return ReadFraming(HeaderBlock("HTTP/1.1 200 OK\r\n" + fields + "\r\n"), status,
                     FetchRequest::Method::kGet);
}

TEST(HttpFields, Framing) {  // RFC 9112, 6.3
  EXPECT_EQ(Framing("").kind, Kind::kUntilClose);
  EXPECT_EQ(Framing("Content-Length: 7\r\n").kind, Kind::kLength);
  EXPECT_EQ(Framing("Content-Length: 7\r\n").length, 7u);
  EXPECT_EQ(Framing("Content-Length: 7, 7\r\nContent-Length: 7\r\n").length, 7u);
  EXPECT_EQ(Framing("Content-Length: 99999999999999999999\r\n").length, UINT64_MAX);
  EXPECT_EQ(Framing("Transfer-Encoding: Chunked\r\n").kind, Kind::kChunked);
  EXPECT_EQ(Framing("Transfer-Encoding: identity\r\n").kind, Kind::kUntilClose);
  EXPECT_EQ(Framing("Transfer-Encoding: identity, chunked\r\n").kind, Kind::kChunked);
  EXPECT_TRUE(Framing("Transfer-Encoding: chunked\r\nContent-Length: 7\r\n").ambiguous);
  EXPECT_EQ(Framing("Content-Length: 7\r\n", 204).kind, Kind::kNone);
  EXPECT_EQ(Framing("Content-Length: 7\r\n", 304).kind, Kind::kNone);
}

TEST(HttpFields, FramingThatContradictsItself) {
  for (const char* fields :
       {"Content-Length: 7\r\nContent-Length: 8\r\n", "Content-Length: 7, 8\r\n",
        "Content-Length: -7\r\n", "Content-Length: seven\r\n", "Content-Length:\r\n",
        "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: xchunked\r\n"}) {
    EXPECT_EQ(Framing(fields).kind, Kind::kBad) << fields;
  }
}

TEST(HttpFields, StatusLine) {  // RFC 9112, 4
  EXPECT_EQ(ParseStatusLine("HTTP/1.1 200 OK\r\n"), 200);
  EXPECT_EQ(ParseStatusLine("HTTP/1.0 404"), 404);
  EXPECT_EQ(ParseStatusLine("HTTP/2 503 \r\n"), 503);
  for (const char* line : {"", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000",
                           "HTTP/1.1 099 x", "HTTP/1.2 200 OK", "http/1.1 200 OK", "HTTP/1.1 -20",
                           " HTTP/1.1 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 2x0 OK"}) {
    EXPECT_EQ(ParseStatusLine(line), 0) << line;
  }
}

TEST(HttpFields, LooksBinary) {  // MIME Sniffing Standard, "binary data byte"
  EXPECT_FALSE(LooksBinary(""));
  EXPECT_FALSE(LooksBinary("<html>\r\n\t\f\x1b caf\xc3\xa9"));
  EXPECT_TRUE(LooksBinary("a\0b"sv));
  EXPECT_TRUE(LooksBinary("\x89PNG\x0b"));
  EXPECT_FALSE(LooksBinary("\xff\xfe<\0"sv));
}

TEST(HttpFields, Dates) {  // RFC 9110, 5.6.7
  const std::optional<WallTime> expected = WallTime(seconds(784111777));
  EXPECT_EQ(ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), expected);
  EXPECT_EQ(ParseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT"), expected);
  EXPECT_EQ(ParseHttpDate("Sun Nov  6 08:49:37 1994"), expected);
  for (const char* text :
       {"", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nix 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT", "0", "-1", "tomorrow",
        "Sun, 06 Nov 1994 08:49:37 CET", "a b c d e", "a b c d GMT", "a, b c d e GMT"}) {
    EXPECT_EQ(ParseHttpDate(text), std::nullopt) << text;
  }
  // Dates that the clock cannot hold.
  EXPECT_GT(ParseHttpDate("Fri, 31 Dec 9999 23:59:59 GMT"), expected);
  EXPECT_LT(ParseHttpDate("Mon, 01 Jan 0001 00:00:00 GMT"), expected);
}

TEST(HttpFields, RetryAfterIsClamped) {  // H054; RFC 9110, 10.2.3
  const WallTime now{seconds(784111777)};
  const seconds cap(3600);
  EXPECT_EQ(ParseRetryAfter("120", now, cap), seconds(120));
  EXPECT_EQ(ParseRetryAfter(" 0 ", now, cap), seconds(0));
  EXPECT_EQ(ParseRetryAfter("99999999999", now, cap), cap);
  EXPECT_EQ(ParseRetryAfter("99999999999999999999999999", now, cap), cap);
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:50:37 GMT", now, cap), seconds(60));
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:00:00 GMT", now, cap), seconds(0));
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 2094 08:00:00 GMT", now, cap), cap);
  EXPECT_EQ(ParseRetryAfter("Fri, 31 Dec 9999 23:59:59 GMT", now, cap), cap);
  EXPECT_EQ(ParseRetryAfter("Mon, 01 Jan 0001 00:00:00 GMT", now, cap), seconds(0));
  for (const char* nothing : {"", "-1", "soon", "1.5", "1 2"}) {
    EXPECT_EQ(ParseRetryAfter(nothing, now, cap), std::nullopt) << nothing;
  }
}

}  // namespace
}  // namespace crawler
