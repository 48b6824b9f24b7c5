// Records as WARC 1.1 (ISO 28500:2017) wants them; the numbers are its sections.
#include "store/warc_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "unit/store/warc_testing.hpp"

namespace crawler {
namespace {

using testing::HasSubstr;

std::string RandomBytes(std::size_t size) {
  std::mt19937 random(7);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST(WarcRecord, CaptureIsResponseRequestAndMetadataInMembersOfTheirOwn) {
  CaptureDetails details;
  details.via = "http://e.com/from";
  details.depth = 3;
  const EncodedCapture capture = Encode(TestResult("http://e.com/a?b#c", "<p>hello"), details);
  const std::vector<WarcRecord> records = ReadWhole(capture.bytes);
  ASSERT_EQ(records.size(), 3u);
  ASSERT_EQ(capture.members.size(), 3u);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(records[i].type, WarcTypeName(capture.members[i].type));
    EXPECT_EQ(records[i].offset, capture.members[i].begin);
    EXPECT_EQ(records[i].offset + records[i].length, capture.members[i].end);
    EXPECT_TRUE(records[i].head.raw().starts_with("WARC/1.1\r\n"));
    EXPECT_EQ(records[i].uri, "http://e.com/a?b");           // 5.10
    EXPECT_EQ(records[i].date, "2026-01-31T23:59:07Z");      // 5.4
    EXPECT_EQ(records[i].block_digest, DigestCheck::kPass);  // 5.8
    ids.insert(std::string(records[i].Field("WARC-Record-ID")));
  }
  EXPECT_EQ(ids.size(), 3u);  // 5.2
  EXPECT_EQ(records[0].type, "response");
  EXPECT_EQ(records[0].block,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>hello");
  EXPECT_EQ(records[0].Field("Content-Type"), "application/http;msgtype=response");  // 6.3
  EXPECT_EQ(records[0].Field("WARC-IP-Address"), "192.0.2.7");
  EXPECT_EQ(records[0].Field("WARC-Truncated"), "");
  EXPECT_EQ(records[0].payload_digest, DigestCheck::kPass);  // 5.9
  EXPECT_EQ(records[1].type, "request");
  EXPECT_EQ(records[1].block, "GET / HTTP/1.1\r\nHost: e.com\r\n\r\n");
  EXPECT_EQ(records[2].type, "metadata");
  EXPECT_EQ(records[2].block, "via: http://e.com/from\r\ndepth: 3\r\nfetchTimeMs: 12\r\n");
  for (const std::size_t i : {1, 2}) {
    EXPECT_EQ(records[i].Field("WARC-Concurrent-To"), records[0].Field("WARC-Record-ID"));  // 5.7
  }
}

TEST(WarcRecord, IdsAreUuidsOfVersion4AndUniqueAcrossEncoders) {
  std::set<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    for (const WarcRecord& record : ReadWhole(Encode(TestResult("http://e.com/", "x")).bytes)) {
      const std::string id(record.Field("WARC-Record-ID"));
      EXPECT_THAT(id, testing::MatchesRegex("<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-"
                                            "[89ab][0-9a-f]{3}-[0-9a-f]{12}>"));
      ids.insert(id);
    }
  }
  EXPECT_EQ(ids.size(), 60u);
}

TEST(WarcRecord, BodiesOfAnyKindComeBackAsTheyWere) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "word" + std::to_string(i * 7919 % 1000) + " ";
  const std::string bodies[] = {"",
                                "x",
                                std::string(5'000, '\0'),
                                text,
                                RandomBytes(3'000),
                                RandomBytes(200'000),
                                text + RandomBytes(70'000)};
  for (const std::string& body : bodies) {
    const FetchResult result = TestResult("http://e.com/", body);
    const std::vector<WarcRecord> records = ReadWhole(Encode(result).bytes);
    ASSERT_EQ(records.size(), 3u);
    EXPECT_TRUE(records[0].block == result.headers.raw() + body) << body.size();
    EXPECT_EQ(records[0].block_digest, DigestCheck::kPass);
    EXPECT_EQ(records[0].payload_digest, DigestCheck::kPass);
    EXPECT_EQ(records[0].payload_size, body.size());
  }
}

TEST(WarcRecord, IncompressibleBodiesAreStoredNotBlownUp) {
  const std::string body = RandomBytes(100'000);
  EXPECT_LT(Encode(TestResult("http://e.com/", body)).bytes.size(), body.size() + 2'000);
  EXPECT_LT(Encode(TestResult("http://e.com/", std::string(100'000, 'x'))).bytes.size(), 3'000u);
}

TEST(WarcRecord, PayloadOfAChunkedBodyIsWithoutItsFraming) {
  FetchResult result =
      TestResult("http://e.com/", "4\r\nwiki\r\n5;x=y\r\npedia\r\n0\r\nTrailer: 1\r\n\r\n",
                 "Transfer-Encoding: chunked\r\n");
  result.chunked = true;
  result.payload_parts = {{3, 4}, {16, 5}};
  const std::vector<WarcRecord> records = ReadWhole(Encode(result).bytes);
  EXPECT_EQ(records[0].block, result.headers.raw() + result.raw_body);
  EXPECT_EQ(records[0].payload_size, 9u);
  EXPECT_EQ(records[0].payload_digest, DigestCheck::kPass);
  // printf wikipedia | sha256sum
  EXPECT_EQ(records[0].Field("WARC-Payload-Digest"),
            "sha256:bf11ba3f487c384138273c1715b1b4630260bda6d9074fc398bae619aaaf561d");
}

TEST(WarcRecord, TakesAPayloadDigestThatIsKnown) {
  const FetchResult result = TestResult("http://e.com/", "hello");
  Sha256Digest digest{};
  digest[0] = 0xAB;
  CaptureDetails details;
  details.payload_digest = &digest;
  const EncodedCapture capture = Encode(result, details);
  EXPECT_EQ(capture.payload_digest, digest);
  const WarcRecord record = ReadWhole(capture.bytes)[0];
  EXPECT_EQ(record.Field("WARC-Payload-Digest"), "sha256:ab" + std::string(62, '0'));
  EXPECT_EQ(record.payload_digest, DigestCheck::kFail);
  WarcEncoder encoder;
  EXPECT_EQ(encoder.PayloadDigest(result), Encode(result).payload_digest);
}

TEST(WarcRecord, RevisitHasTheHeadAndPointsAtTheOriginal) {
  CaptureDetails details;
  details.original = {"http://e.com/first", kTestTime - std::chrono::days(31)};
  const FetchResult result = TestResult("http://e.com/second", "the same");
  const WarcRecord record = ReadWhole(Encode(result, details).bytes)[0];
  EXPECT_EQ(record.type, "revisit");
  EXPECT_EQ(record.Field("WARC-Profile"),  // 6.7.2
            "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
  EXPECT_EQ(record.Field("WARC-Refers-To-Target-URI"), "http://e.com/first");
  EXPECT_EQ(record.Field("WARC-Refers-To-Date"), "2025-12-31T23:59:07Z");
  EXPECT_EQ(record.Field("WARC-Truncated"), "length");
  EXPECT_THAT(std::string(record.Field("WARC-Payload-Digest")), HasSubstr("sha256:"));
  EXPECT_EQ(record.block, result.headers.raw());
  EXPECT_EQ(record.block_digest, DigestCheck::kPass);
  EXPECT_EQ(record.status, 200);
}

TEST(WarcRecord, NotModifiedIsARevisitOfItsOwnProfile) {
  FetchResult result = TestResult("http://e.com/", "");
  result.status = 304;
  result.headers = HeaderBlock("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
  CaptureDetails details;
  details.original = {"http://e.com/", kTestTime};
  const WarcRecord record = ReadWhole(Encode(result, details).bytes)[0];
  EXPECT_EQ(record.Field("WARC-Profile"),  // 6.7.3
            "http://netpreserve.org/warc/1.1/revisit/server-not-modified");
  EXPECT_EQ(record.Field("WARC-Truncated"), "");
  EXPECT_EQ(record.Field("WARC-Payload-Digest"), "");
  EXPECT_EQ(record.block, result.headers.raw());
}

TEST(WarcRecord, SaysWhyABodyIsCut) {  // 5.13
  const auto reason = [](FetchFailure failure, Truncation truncated) {
    FetchResult result = TestResult("http://e.com/", "abc");
    result.failure = failure;
    result.truncated = truncated;
    return std::string(ReadWhole(Encode(result).bytes)[0].Field("WARC-Truncated"));
  };
  EXPECT_EQ(reason(FetchFailure::kTooLarge, Truncation::kLength), "length");
  EXPECT_EQ(reason(FetchFailure::kReadTimeout, Truncation::kTime), "time");
  EXPECT_EQ(reason(FetchFailure::kDisconnected, Truncation::kDisconnect), "disconnect");
  EXPECT_EQ(reason(FetchFailure::kUnwantedType, Truncation::kNone), "unspecified");
  EXPECT_EQ(reason(FetchFailure::kBomb, Truncation::kNone), "");  // All of it is there.
}

TEST(WarcRecord, Http2HeadsGetAStatusLineThatReadersKnow) {
  FetchResult result = TestResult("https://e.com/", "x");
  result.protocol = HttpVersion::kHttp2;
  result.headers = HeaderBlock("HTTP/2 404 \r\ncontent-type: text/html\r\n\r\n");
  result.status = 404;
  const WarcRecord record = ReadWhole(Encode(result).bytes)[0];
  EXPECT_EQ(record.block, "HTTP/1.1 404 \r\ncontent-type: text/html\r\n\r\nx");
  EXPECT_EQ(record.status, 404);
  EXPECT_EQ(record.Field("WARC-Protocol"), "h2");
  EXPECT_EQ(record.block_digest, DigestCheck::kPass);
}

TEST(WarcRecord, SecretsAndLineBreaksStayOut) {
  FetchResult result = TestResult("http://user:pass@e.com:81/x", "x");
  result.via_proxy = true;  // Then the address is the proxy's.
  CaptureDetails details;
  details.via = "http://e.com/\r\nforged: 1\n";
  const std::vector<WarcRecord> records = ReadWhole(Encode(result, details).bytes);
  EXPECT_EQ(records[0].uri, "http://e.com:81/x");
  EXPECT_EQ(records[0].Field("WARC-IP-Address"), "");
  EXPECT_THAT(records[2].block, HasSubstr("via: http://e.com/  forged: 1 \r\ndepth"));
}

TEST(WarcRecord, WithoutAResponseThereIsNothing) {
  FetchResult result = TestResult("http://e.com/", "");
  result.status = 0;
  result.headers = HeaderBlock();
  EncodedCapture capture = Encode(TestResult("http://e.com/", "x"));
  WarcEncoder encoder;
  encoder.EncodeCapture(result, {}, &capture);
  EXPECT_TRUE(capture.bytes.empty());
  EXPECT_TRUE(capture.members.empty());
}

TEST(WarcRecord, WarcinfoNamesItsFile) {  // 6.2
  WarcEncoder encoder;
  EncodedCapture capture;
  encoder.EncodeWarcinfo("x-00001.warc.gz", kTestTime, {{"software", "crawler\n1"}}, &capture);
  const std::vector<WarcRecord> records = ReadWhole(capture.bytes);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].type, "warcinfo");
  EXPECT_EQ(records[0].Field("WARC-Filename"), "x-00001.warc.gz");
  EXPECT_EQ(records[0].Field("Content-Type"), "application/warc-fields");
  EXPECT_EQ(records[0].block, "software: crawler 1\r\n");
}

TEST(WarcRecord, DatesAreOfTheCalendar) {
  using namespace std::chrono;
  EXPECT_EQ(WarcDate(sys_days{February / 29 / 2024}), "2024-02-29T00:00:00Z");
  EXPECT_EQ(WarcDate(WallTime() - seconds(1)), "1969-12-31T23:59:59Z");
}

TEST(WarcDigest, ReadsTheFormsInUse) {
  // All of them the SHA-1 of nothing.
  const std::string empty(
      "\xda\x39\xa3\xee\x5e\x6b\x4b\x0d\x32\x55\xbf\xef\x95\x60\x18\x90\xaf\xd8\x07\x09", 20);
  for (const char* text :
       {"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "SHA-1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
        "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk"}) {
    const std::optional<LabelledDigest> digest = LabelledDigest::Parse(text);
    ASSERT_TRUE(digest) << text;
    EXPECT_EQ(digest->algorithm, DigestAlgorithm::kSha1);
    EXPECT_EQ(digest->bytes, empty) << text;
  }
  EXPECT_EQ(LabelledDigest::Parse("sha1:abc")->bytes, "");
  EXPECT_EQ(LabelledDigest::Parse("sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ")->bytes, "");
  EXPECT_FALSE(LabelledDigest::Parse("crc32:00000000"));
  EXPECT_FALSE(LabelledDigest::Parse("3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"));
}

}  // namespace
}  // namespace crawler
