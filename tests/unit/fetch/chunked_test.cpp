#include "fetch/chunked.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

using namespace std::literals;

std::string Payload(std::string_view raw) {
  std::string payload;
  for (const FetchResult::Part& part : ReadChunks(raw).parts) {
    payload += raw.substr(part.offset, part.size);
  }
  return payload;
}

TEST(Chunked, FindsThePayload) {  // RFC 9112, 7.1
  const ChunkedBody body = ReadChunks("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
  EXPECT_TRUE(body.complete);
  EXPECT_EQ(body.payload_size, 11u);
  EXPECT_EQ(body.parts.size(), 2u);
  EXPECT_EQ(Payload("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"), "hello world");
}

TEST(Chunked, EndsBeforeWhatFollows) {
  const std::string raw = "1\r\nx\r\n0\r\nTrailer: y\r\n\r\n";
  const ChunkedBody body = ReadChunks(raw + "HTTP/1.1 200 OK");
  EXPECT_TRUE(body.complete);
  EXPECT_EQ(body.end, raw.size());
}

TEST(Chunked, TakesLineFeedsZerosCapitalsAndExtensions) {
  EXPECT_EQ(Payload("0000A\n0123456789\n0\n\n"), "0123456789");
  EXPECT_EQ(Payload("a;x=\"1\"\r\n0123456789\r\n0;y\r\n\r\n"), "0123456789");
  EXPECT_EQ(Payload("2 \t\r\nhi\r\n0\r\n\r\n"), "hi");
}

TEST(Chunked, EveryPrefixIsIncompleteAndNotMalformed) {
  const std::string raw = "3;e\r\nabc\r\n1\r\nd\r\n0\r\nT: v\r\n\r\n";
  for (std::size_t size = 0; size < raw.size(); ++size) {
    const ChunkedBody body = ReadChunks(std::string_view(raw).substr(0, size));
    EXPECT_FALSE(body.complete) << size;
    EXPECT_TRUE(body.malformed.empty()) << size;
    EXPECT_LE(body.end, size);
    EXPECT_EQ(std::string("abcd").substr(0, body.payload_size),
              Payload(std::string_view(raw).substr(0, size)));
  }
  EXPECT_TRUE(ReadChunks(raw).complete);
}

TEST(Chunked, NonsenseIsMalformed) {
  for (const char* raw :
       {"\r\n", "x\r\n", "-1\r\n", "0x1\r\nx", "1x\r\nx\r\n", "1\r\nxy\r\n0\r\n\r\n",
        "10000000000000000\r\nx", "fffffffffffffffff\r\nx"}) {
    EXPECT_FALSE(ReadChunks(raw).malformed.empty()) << raw;
  }
  EXPECT_FALSE(ReadChunks("0\r\nA: \0\r\n\r\n"sv).malformed.empty());
}

}  // namespace
}  // namespace crawler
