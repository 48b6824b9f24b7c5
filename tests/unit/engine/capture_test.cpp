#include "engine/capture.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "store/warc_reader.hpp"
#include "test_response.hpp"

namespace crawler {
namespace {

const std::string kType = "Content-Type: text/html; charset=utf-8\r\n";

class CaptureTest : public ::testing::Test {
 protected:
  // The first record of what Encode() makes, which is the response or the revisit.
  WarcRecord Encode(const FetchResult& result, const CaptureSource& source) {
    CaptureEncoder encoder(payloads_, [this](UrlId id) -> Result<std::string> {
      asked_.push_back(id);
      if (id != 5) return Status(StatusCode::kNotFound, "no such URL");
      return std::string("http://e.com/first");
    });
    encoder.Encode(result, source, &capture_);
    records_.clear();
    WarcReader::Limits limits;
    limits.keep_block = 1 << 20;
    const auto reader = WarcReader::FromBytes(capture_.bytes, limits);
    WarcRecord record;
    while (reader->Next(&record) == WarcRead::kRecord) records_.push_back(record);
    EXPECT_GE(records_.size(), 2u);
    return records_.empty() ? WarcRecord() : records_.front();
  }

  ContentIndex payloads_;
  std::vector<UrlId> asked_;
  EncodedCapture capture_;
  std::vector<WarcRecord> records_;
};

TEST_F(CaptureTest, AResponseSaysWhereItCameFrom) {
  CaptureSource source;
  source.via = "http://e.com/source";
  source.depth = 4;
  FetchResult result = TestResponse(404, "gone", kType);
  result.url = TestUrl("http://user:secret@e.com/page#part");
  const WarcRecord record = Encode(result, source);
  EXPECT_EQ(record.type, "response");
  EXPECT_EQ(record.uri, "http://e.com/page");
  EXPECT_EQ(record.payload_digest, DigestCheck::kPass);
  EXPECT_NE(record.block.find("\r\n\r\ngone"), std::string::npos);
  EXPECT_NE(records_.back().block.find("via: http://e.com/source\r\ndepth: 4\r\n"),
            std::string::npos);
  EXPECT_EQ(capture_.index.url, "http://e.com/page");
  EXPECT_EQ(capture_.index.date, "2023-11-14T22:13:20Z");
  EXPECT_EQ(capture_.index.mime, "text/html; charset=utf-8");
  EXPECT_EQ(capture_.index.status, 404);
  EXPECT_EQ(capture_.payload_digest, DigestOf("gone"));
}

TEST_F(CaptureTest, APageWithAnEarlierPayloadIsARevisit) {
  payloads_.Add(DigestOf("same"), {5, 1'600'000'000});
  CaptureSource source;
  source.is_page = true;
  const WarcRecord record = Encode(TestResponse(200, "same", kType), source);
  EXPECT_EQ(record.type, "revisit");
  EXPECT_EQ(record.Field("WARC-Refers-To-Target-URI"), "http://e.com/first");
  EXPECT_EQ(record.Field("WARC-Refers-To-Date"), "2020-09-13T12:26:40Z");
  EXPECT_EQ(capture_.index.mime, "warc/revisit");
  EXPECT_EQ(capture_.index.status, 200);
  EXPECT_EQ(capture_.payload_digest, DigestOf("same"));

  EXPECT_EQ(Encode(TestResponse(200, "other", kType), source).type, "response");
  EXPECT_EQ(asked_, std::vector<UrlId>{5});
}

TEST_F(CaptureTest, OnlyPagesAreComparedWithEarlierOnes) {
  payloads_.Add(DigestOf("same"), {5, 1'600'000'000});
  EXPECT_EQ(Encode(TestResponse(404, "same", kType), {}).type, "response");
  EXPECT_TRUE(asked_.empty());
}

TEST_F(CaptureTest, WithoutTheFirstUrlTheWholeResponseIsWritten) {
  payloads_.Add(DigestOf("same"), {6, 1'600'000'000});  // Cannot be looked up.
  CaptureSource source;
  source.is_page = true;
  EXPECT_EQ(Encode(TestResponse(200, "same", kType), source).type, "response");
  EXPECT_EQ(asked_, std::vector<UrlId>{6});
  EXPECT_EQ(capture_.index.mime, "text/html; charset=utf-8");
}

// The payload is what was sent, not what it unpacks to.
TEST_F(CaptureTest, PayloadsAreComparedAsReceived) {
  payloads_.Add(DigestOf("plain"), {5, 1'600'000'000});
  FetchResult packed = TestResponse(200, "packed", kType);
  packed.decoded_body = "plain";
  packed.body_is_raw = false;
  CaptureSource source;
  source.is_page = true;
  EXPECT_EQ(Encode(packed, source).type, "response");
  EXPECT_EQ(capture_.payload_digest, DigestOf("packed"));

  FetchResult chunked = TestResponse(200, "5\r\nplain\r\n0\r\n\r\n", kType);
  chunked.chunked = true;
  chunked.payload_parts = {{3, 5}};
  EXPECT_EQ(Encode(chunked, source).type, "revisit");
  EXPECT_EQ(capture_.payload_digest, DigestOf("plain"));
}

TEST_F(CaptureTest, AKnownPayloadDigestIsNotComputedAgain) {
  const Sha256Digest given = DigestOf("as the caller says");
  payloads_.Add(given, {5, 1'600'000'000});
  CaptureSource source;
  source.is_page = true;
  source.payload = &given;
  EXPECT_EQ(Encode(TestResponse(200, "body", kType), source).type, "revisit");
  EXPECT_EQ(capture_.payload_digest, given);
}

TEST_F(CaptureTest, A304IsARevisitOfTheStoredPage) {
  StoredPage stored;
  stored.archived = true;
  stored.crawled_at = 1'650'000'000'000;
  CaptureSource source;
  source.unchanged = &stored;
  const WarcRecord record = Encode(TestResponse(304), source);
  EXPECT_EQ(record.type, "revisit");
  EXPECT_NE(record.Field("WARC-Profile").find("server-not-modified"), std::string_view::npos);
  EXPECT_EQ(record.Field("WARC-Refers-To-Target-URI"), "http://e.com/page");
  EXPECT_EQ(record.Field("WARC-Refers-To-Date"), "2022-04-15T05:20:00Z");
  EXPECT_EQ(capture_.index.mime, "warc/revisit");
  EXPECT_EQ(capture_.index.status, 304);
}

TEST_F(CaptureTest, TheStoredPageComesBeforeOtherPagesWithThePayload) {
  payloads_.Add(DigestOf("same"), {5, 1'600'000'000});
  StoredPage stored;
  stored.archived = true;
  stored.crawled_at = 1'650'000'000'000;
  stored.content_hash = HexDigestOf("same");
  stored.payload_hash = "";
  CaptureSource source;
  source.is_page = true;
  source.unchanged = &stored;
  const WarcRecord own = Encode(TestResponse(200, "same", kType), source);
  EXPECT_EQ(own.Field("WARC-Refers-To-Target-URI"), "http://e.com/page");
  EXPECT_TRUE(asked_.empty());
  // Its capture is gone, but that of the other page is there.
  stored.archived = false;
  const WarcRecord other = Encode(TestResponse(200, "same", kType), source);
  EXPECT_EQ(other.Field("WARC-Refers-To-Target-URI"), "http://e.com/first");
}

TEST(IsRevisitOf, NeedsACaptureWithThePayload) {
  const Sha256Digest content = DigestOf("content"), packed = DigestOf("packed");
  StoredPage stored;
  stored.content_hash = HexDigestOf("content");
  stored.payload_hash = "";
  EXPECT_FALSE(IsRevisitOf(stored, 304, nullptr)) << "there is no capture";
  EXPECT_FALSE(IsRevisitOf(stored, 200, &content));
  stored.archived = true;
  EXPECT_TRUE(IsRevisitOf(stored, 304, nullptr));
  // The stored payload is the content.
  EXPECT_TRUE(IsRevisitOf(stored, 200, &content));
  EXPECT_FALSE(IsRevisitOf(stored, 200, &packed));
  // The stored payload was packed.
  stored.payload_hash->assign(packed.begin(), packed.end());
  EXPECT_FALSE(IsRevisitOf(stored, 200, &content));
  EXPECT_TRUE(IsRevisitOf(stored, 200, &packed));
  // Nobody knows it.
  stored.payload_hash.reset();
  EXPECT_FALSE(IsRevisitOf(stored, 200, &content));
  EXPECT_TRUE(IsRevisitOf(stored, 304, nullptr));
}

}  // namespace
}  // namespace crawler
