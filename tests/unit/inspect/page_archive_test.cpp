#include "inspect/page_archive.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "store/warc_record.hpp"
#include "store/warc_writer.hpp"

namespace crawler {
namespace {

constexpr std::int64_t kBegin = 1'700'000'000'000;  // Milliseconds.
constexpr std::int64_t kDay = 86'400'000;
constexpr const char* kOriginalUrl = "http://e.com/original";

std::string BodyOf(int round) { return "<p>edition " + std::to_string(round); }

std::string HashOf(const std::string& body) {
  Hasher hasher(DigestAlgorithm::kSha256);
  hasher.Update(body);
  std::string hash;
  AppendHex(FinishSha256(hasher), &hash);
  return hash;
}

/// The archive of a crawl that was repeated every day, in which one URL was other each time.
class PageArchiveTest : public testing::Test {
 protected:
  PageArchiveTest()
      : folder_((std::filesystem::temp_directory_path() / "archive-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    catalogue_ = Catalogue::Open(folder_ + "/crawl.db", Durability::kNormal).value();
    warc_ = WarcWriter::Open(folder_, {}).value();
    UrlRow url;
    url.id = 1;
    url.url = kOriginalUrl;
    EXPECT_TRUE(catalogue_->AddUrl(url).ok());
  }
  ~PageArchiveTest() override {
    catalogue_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  WarcRef Append(const std::string& url, std::int64_t at, const std::string& body,
                 const CaptureDetails& details = {}) {
    FetchResult result;
    ParseUrl(url, nullptr, &result.url);
    result.status = 200;
    result.protocol = HttpVersion::kHttp11;
    result.headers = HeaderBlock("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    result.raw_body = body;
    result.started = WallTime(std::chrono::milliseconds(at));
    EncodedCapture capture;
    encoder_.EncodeCapture(result, details, &capture);
    const Result<WarcPosition> position = warc_->Append(capture);
    EXPECT_TRUE(position.ok());
    EXPECT_TRUE(warc_->Flush(false).ok());
    return {position->file, position->offset, position->length};
  }

  void AddRound(int round, const CaptureDetails& details = {}) {
    const std::int64_t at = kBegin + round * kDay;
    VisitRow visit;
    visit.url = 1;
    visit.at = at + 1'500;  // When it was over.
    EXPECT_TRUE(catalogue_->AddVisit(visit, Append(kOriginalUrl, at, BodyOf(round), details)).ok());
  }

  /// Whether the body can be had of a page with the content of that round, whose own record is a
  /// revisit.
  bool CanRead(int round) {
    CaptureDetails details;
    details.original = {kOriginalUrl,
                        WallTime(std::chrono::milliseconds(kBegin + round * kDay + 1'000))};
    ArchivedPage page;
    page.url = "http://e.com/copy";
    page.visit = round + 1;
    page.status = 200;
    page.size = BodyOf(round).size();
    page.content_hash = HashOf(BodyOf(round));
    page.warc = Append(page.url, kBegin + round * kDay + 60'000, BodyOf(round), details);
    PageArchive archive(*catalogue_, folder_, 10'000);
    FetchResult response;
    std::string problem;
    const Result<bool> read = archive.Read(page, &response, &problem);
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    return *read && response.body() == BodyOf(round);
  }

  std::string folder_;
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<WarcWriter> warc_;
  WarcEncoder encoder_;
};

// A crawl that is repeated every day has many captures of a URL; the one that a revisit refers to
// may be any of them.
TEST_F(PageArchiveTest, TheOriginalIsFoundAmongAnyNumberOfCaptures) {
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) AddRound(round);
  for (const int round : {0, 70, kRounds - 1}) EXPECT_TRUE(CanRead(round)) << round;
}

TEST_F(PageArchiveTest, RevisitsOfTheOriginalAreNotInTheWay) {
  AddRound(0);
  CaptureDetails unchanged;
  unchanged.original = {kOriginalUrl, WallTime(std::chrono::milliseconds(kBegin))};
  for (int round = 1; round < 70; ++round) AddRound(round, unchanged);
  EXPECT_TRUE(CanRead(0));
  EXPECT_FALSE(CanRead(5)) << "only revisits are of that content";
}

}  // namespace
}  // namespace crawler
