// Any bytes give a clear outcome: whole records, a clean end, a cut, or damage.
#include "store/warc_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "conformance_data.hpp"
#include "store/warc_gzip.hpp"
#include "store/warc_writer.hpp"
#include "unit/store/warc_testing.hpp"

namespace crawler {
namespace {

using testing::HasSubstr;

std::string Plain(const std::string& fields, const std::string& block) {
  return "WARC/1.0\r\nWARC-Type: response\r\n" + fields +
         "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n";
}

std::string Gzip(const std::string& record) {
  GzipEncoder encoder;
  std::string member;
  encoder.AppendMember(record, record.size(), &member);
  return member;
}

// The outcome and problem of reading `bytes`, e.g. "damaged: …".
std::string Outcome(std::string_view bytes) {
  WarcRead end = WarcRead::kEnd;
  std::string problem;
  ReadAll(bytes, &end, &problem);
  constexpr const char* kNames[] = {"record", "end", "cut: ", "damaged: "};
  return kNames[static_cast<std::size_t>(end)] + problem;
}

// "type status payload-size block-digest payload-digest" of each record, and how it ended.
std::string Summary(std::string_view bytes) {
  constexpr const char* kChecks[] = {"-", "?", "pass", "FAIL"};
  WarcRead end = WarcRead::kEnd;
  std::string text, problem;
  for (const WarcRecord& record : ReadAll(bytes, &end, &problem)) {
    text += record.type + " " + std::to_string(record.status) + " " +
            std::to_string(record.payload_size) + " " +
            kChecks[static_cast<std::size_t>(record.block_digest)] + " " +
            kChecks[static_cast<std::size_t>(record.payload_digest)] + "\n";
  }
  return text + (end == WarcRead::kEnd ? "end" : problem);
}

// Files of other writers (warcio's own test data).
TEST(WarcReader, ReadsWhatOthersWrote) {
  const std::string folder = "warc/warcio/test/data/";
  CRAWLER_REQUIRE_CONFORMANCE(folder);
  const auto summary = [&](const std::string& file) {
    return Summary(ReadConformanceFile(folder + file));
  };
  EXPECT_EQ(summary("example.warc.gz"),
            "warcinfo 0 249 - -\nwarcinfo 0 470 - -\nresponse 200 606 pass pass\n"
            "request 0 0 pass pass\nrevisit 200 0 pass -\nrequest 0 0 pass pass\nend");
  EXPECT_EQ(summary("example.warc"),
            "warcinfo 0 249 - -\nwarcinfo 0 470 - -\nresponse 200 606 pass pass\n"
            "request 0 0 - -\nrevisit 200 0 pass -\nrequest 0 0 - -\nend");
  EXPECT_EQ(summary("example-iana.org-chunked.warc"),
            "warcinfo 0 137 - -\nresponse 200 7223 pass pass\nrequest 0 0 pass -\nend");
  // Exactly one payload digest is wrong.
  EXPECT_EQ(summary("example-digest.warc"),
            "request 0 0 pass FAIL\nrequest 0 0 pass pass\nrequest 0 0 pass pass\n"
            "request 0 0 pass pass\nend");
  EXPECT_EQ(summary("example-resource.warc.gz"),
            "warcinfo 0 249 - -\nwarcinfo 0 399 - -\nresource 0 1303 pass pass\nend");
  EXPECT_EQ(summary("post-test.warc.gz"),
            "response 200 545 pass pass\nrequest 0 16 pass -\nresponse 200 552 pass pass\n"
            "request 0 12 pass -\nresponse 200 551 pass pass\nrequest 0 6 pass -\nend");
  for (const char* file : {"example-bad-non-chunked.warc.gz", "example-bad.warc.gz.bad"}) {
    EXPECT_EQ(summary(file), "the record at offset 0 shares its gzip member with others");
  }
  EXPECT_EQ(summary("example-wrong-chunks.warc.gz"),
            "the record at offset 0 ends within its block");
  // Its third record says it is shorter than it is.
  EXPECT_THAT(summary("example-trunc.warc"), HasSubstr("offset 1197 is not followed by two empty"));
  for (const char* file : {"bad.arc", "example.arc", "example.arc.gz"}) {
    EXPECT_EQ(summary(file), "the record at offset 0 does not begin with WARC/");
  }
}

TEST(WarcReader, AcceptsTheUrisOthersWrite) {
  const std::string folder = "warc/warcio/test/data/";
  CRAWLER_REQUIRE_CONFORMANCE(folder);
  const auto uri = [&](const std::string& file, std::size_t record) {
    return ReadWhole(ReadConformanceFile(folder + file))[record].uri;
  };
  EXPECT_EQ(uri("example-wget-bad-target-uri.warc.gz", 1), "http://example.com/");
  EXPECT_EQ(uri("example-space-in-target-uri.warc.gz", 1), "file:///example with spaces.png");
}

TEST(WarcReader, ACutAnywhereGivesTheRecordsBeforeIt) {
  const EncodedCapture capture = Encode(TestResult("http://e.com/", "<p>some page"));
  const std::string plain = Plain("", "one") + Plain("", "two");
  EXPECT_EQ(Outcome(""), "end");
  for (std::size_t size = 1; size < capture.bytes.size(); ++size) {
    std::size_t whole = 0;
    bool between = false;
    for (const EncodedCapture::Member& member : capture.members) {
      if (member.end <= size) ++whole;
      if (member.end == size) between = true;
    }
    WarcRead end = WarcRead::kDamaged;
    EXPECT_EQ(ReadAll(std::string_view(capture.bytes).substr(0, size), &end).size(), whole);
    EXPECT_EQ(end, between ? WarcRead::kEnd : WarcRead::kCut) << size;
  }
  for (std::size_t size = 1; size < plain.size(); ++size) {
    WarcRead end = WarcRead::kDamaged;
    const bool second = size >= plain.size() / 2;
    EXPECT_EQ(ReadAll(std::string_view(plain).substr(0, size), &end).size(), second ? 1u : 0u);
    EXPECT_EQ(end, size == plain.size() / 2 ? WarcRead::kEnd : WarcRead::kCut) << size;
  }
}

TEST(WarcReader, NoFlippedBitGoesUnnoticed) {
  const std::string bytes = Encode(TestResult("http://e.com/", "<p>some page")).bytes;
  const std::vector<WarcRecord> originals = ReadWhole(bytes);
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 3) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    WarcRead end = WarcRead::kDamaged;
    const std::vector<WarcRecord> records = ReadAll(flipped, &end);
    if (end != WarcRead::kEnd) continue;
    // Bits of gzip's own header may mean nothing; what is read is what was written.
    ASSERT_EQ(records.size(), originals.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(records[i].head.raw(), originals[i].head.raw());
      EXPECT_EQ(records[i].block, originals[i].block);
    }
  }
}

TEST(WarcReader, HostileLengthsAreDamage) {
  const std::string head = "WARC/1.1\r\nWARC-Type: response\r\n";
  for (const char* length :
       {"", "Content-Length: \r\n", "Content-Length: -1\r\n", "Content-Length: 0x3\r\n",
        "Content-Length: 3,3\r\n", "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: 3\r\nContent-Length: 4\r\n"}) {
    EXPECT_THAT(Outcome(head + length + "\r\nabc\r\n\r\n"), HasSubstr("damaged: "));
    EXPECT_THAT(Outcome(head + length + "\r\nabc\r\n\r\n"), HasSubstr("Content-Length")) << length;
  }
  EXPECT_THAT(Outcome(head + "Content-Length: 18446744073709551615\r\n\r\nabc\r\n\r\n"),
              HasSubstr("over the limit"));
  EXPECT_THAT(Outcome(head + "Content-Length: 4\r\n\r\nabc\r\n\r\n"), HasSubstr("its length"));
  EXPECT_THAT(Outcome(head + "Content-Length: 2\r\n\r\nabc\r\n\r\n"), HasSubstr("its length"));
  EXPECT_THAT(Outcome(head + "Content-Length: 999999\r\n\r\nabc\r\n\r\n"), HasSubstr("cut: "));
  EXPECT_THAT(Outcome(Gzip(head + "Content-Length: 999999\r\n\r\nabc\r\n\r\n")),
              HasSubstr("damaged: the record at offset 0 ends within its block"));
}

TEST(WarcReader, HostileHeadsAreDamage) {
  EXPECT_THAT(Outcome("GET / HTTP/1.1\r\n\r\n"), HasSubstr("does not begin with WARC/"));
  EXPECT_THAT(Outcome("WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n"), HasSubstr("no WARC-Type"));
  EXPECT_THAT(Outcome("WARC/1.1\r\nno colon\r\n\r\n"), HasSubstr("bad head"));
  EXPECT_THAT(Outcome(std::string("WARC/1.1\r\nWARC-Type: a\0b\r\n\r\n", 28)),
              HasSubstr("bad head"));
  const std::string endless = "WARC/1.1\r\n" + std::string(200'000, 'x');
  EXPECT_THAT(Outcome(endless), HasSubstr("over the limit"));
  EXPECT_THAT(Outcome(Gzip(endless)), HasSubstr("over the limit"));
}

TEST(WarcReader, AMemberIsARecord) {
  EXPECT_EQ(Outcome(Gzip(Plain("", "a")) + Gzip(Plain("", "b"))), "end");
  EXPECT_THAT(Outcome(Gzip(Plain("", "a") + Plain("", "b"))), HasSubstr("shares its gzip member"));
  EXPECT_THAT(Outcome(Gzip(Plain("", "a")) + "garbage"), HasSubstr("no valid gzip data"));
  EXPECT_THAT(Outcome(Gzip(Plain("", "a")) + Plain("", "b")), HasSubstr("no valid gzip data"));
  EXPECT_THAT(Outcome(Gzip("")), HasSubstr("damaged: the record at offset 0 ends within its head"));
}

TEST(WarcReader, BombsCostNoMemory) {
  const std::string bomb =
      Gzip(Plain("Content-Type: application/http\r\n", std::string(std::size_t{48} << 20, '\0')));
  ASSERT_LT(bomb.size(), 1u << 20);
  WarcReader::Limits limits;
  limits.keep_block = 100;
  const auto reader = WarcReader::FromBytes(bomb, limits);
  WarcRecord record;
  ASSERT_EQ(reader->Next(&record), WarcRead::kRecord);
  EXPECT_EQ(record.block_size, std::uint64_t{48} << 20);
  EXPECT_EQ(record.block.size(), 100u);
  EXPECT_TRUE(record.http.empty());
  limits.max_block = 1 << 20;
  EXPECT_EQ(WarcReader::FromBytes(bomb, limits)->Next(&record), WarcRead::kDamaged);
}

std::string Http(const std::string& headers, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body;
}

TEST(WarcReader, ChecksTheDigestOfThePayloadInBothForms) {
  const auto check = [](const std::string& digest, const std::string& block) {
    const std::string fields =
        "Content-Type: application/http; msgtype=response\r\nWARC-Payload-Digest: " + digest +
        "\r\n";
    return ReadWhole(Plain(fields, block))[0].payload_digest;
  };
  const std::string wikipedia =
      "sha256:bf11ba3f487c384138273c1715b1b4630260bda6d9074fc398bae619aaaf561d";
  const std::string chunked = "Transfer-Encoding: gzip, Chunked\r\n";
  const std::string body = "4\r\nwiki\r\n5\r\npedia\r\n0\r\n\r\n";
  EXPECT_EQ(check(wikipedia, Http("", "wikipedia")), DigestCheck::kPass);
  EXPECT_EQ(check(wikipedia, Http("", "Wikipedia")), DigestCheck::kFail);
  EXPECT_EQ(check(wikipedia, Http(chunked, body)), DigestCheck::kPass);
  EXPECT_EQ(check(wikipedia, Http("", body)), DigestCheck::kFail);
  // Chunks that end early or turn into nonsense have the payload that came before that.
  EXPECT_EQ(check(wikipedia, Http(chunked, "4\nwiki\n00fF\npedia")), DigestCheck::kPass);
  EXPECT_EQ(check(wikipedia, Http(chunked, "9 ;a\r\nwikipedia\r\nxyz")), DigestCheck::kPass);
  EXPECT_EQ(check(wikipedia, Http(chunked, "fffffffffffffffff\r\nwikipedia")), DigestCheck::kFail);
  // Some writers leave the framing on, some never had one.
  EXPECT_EQ(check(wikipedia, Http(chunked, "wikipedia")), DigestCheck::kPass);
  EXPECT_EQ(check("crc32:0", Http("", "wikipedia")), DigestCheck::kUnknown);
}

TEST(WarcReader, FindsTheEndOfHttpHeadsAcrossPieces) {
  // Pieces are 64 KiB: around that size the empty line is cut in every way.
  for (std::size_t size = 65'300; size < 65'500; ++size) {
    const std::string head = "X: " + std::string(size, 'x') + "\r\n";
    const std::string record =
        Plain("Content-Type: application/http\r\n", Http(head, "body of a page"));
    const WarcRecord read = ReadWhole(Gzip(record))[0];
    EXPECT_EQ(read.payload_size, 14u) << size;
    EXPECT_EQ(read.status, 200);
  }
}

TEST(WarcReader, ReadsAFileFromWhereItIsTold) {
  char name[] = "/tmp/warc-reader-XXXXXX";
  const std::filesystem::path folder = mkdtemp(name);
  Result<std::unique_ptr<WarcWriter>> writer = WarcWriter::Open(folder, {});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Append(Encode(TestResult("http://e.com/1", "x"))).ok());
  const WarcPosition second = *(*writer)->Append(Encode(TestResult("http://e.com/2", "x")));
  ASSERT_TRUE((*writer)->Flush(false).ok());
  const std::filesystem::path file = folder / (*writer)->FileName(1);
  Result<std::unique_ptr<WarcReader>> reader = WarcReader::Open(file, {}, second.offset);
  ASSERT_TRUE(reader.ok());
  WarcRecord record;
  ASSERT_EQ((*reader)->Next(&record), WarcRead::kRecord);
  EXPECT_EQ(record.uri, "http://e.com/2");
  EXPECT_EQ(record.offset, second.offset);
  EXPECT_EQ(record.length, second.length);
  EXPECT_EQ(WarcReader::Open(folder / "missing").status().code(), StatusCode::kNotFound);
  reader = WarcReader::Open(folder);  // A folder opens, but does not read.
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->Next(&record), WarcRead::kDamaged);
  EXPECT_THAT((*reader)->problem(), HasSubstr("cannot be read"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace crawler
