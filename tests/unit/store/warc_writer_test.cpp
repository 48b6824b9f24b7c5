// The writer's promises: where things lie, when files change, and what a reopen finds.
#include "store/warc_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "unit/store/warc_testing.hpp"

namespace crawler {
namespace {

namespace fs = std::filesystem;

class WarcWriterTest : public testing::Test {
 protected:
  WarcWriterTest() {
    char name[] = "/tmp/warc-writer-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~WarcWriterTest() override { fs::remove_all(folder_); }

  std::unique_ptr<WarcWriter> Open(const WarcEnd& committed = {}) {
    Result<std::unique_ptr<WarcWriter>> writer = WarcWriter::Open(folder_, options_, committed);
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    return writer.ok() ? std::move(*writer) : nullptr;
  }
  StatusCode OpenFailure(const WarcEnd& committed) {
    return WarcWriter::Open(folder_, options_, committed).status().code();
  }
  WarcPosition Append(WarcWriter& writer, const std::string& url, std::size_t size = 100) {
    std::string body(size, '\0');
    for (char& c : body) c = static_cast<char>(random_());
    const Result<WarcPosition> position = writer.Append(Encode(TestResult(url, body)));
    EXPECT_TRUE(position.ok()) << position.status().ToString();
    return position.ok() ? *position : WarcPosition();
  }
  std::string Read(const std::string& name) {
    std::ifstream in(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  std::vector<std::string> Uris(const std::string& name) {
    std::vector<std::string> uris;
    for (const WarcRecord& record : ReadWhole(Read(name))) {
      if (record.type == "response" || record.type == "warcinfo") uris.push_back(record.uri);
    }
    return uris;
  }
  std::vector<std::string> Files() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
  WarcWriter::Options options_;
  std::mt19937 random_;
};

TEST_F(WarcWriterTest, NothingAppendedIsNoFile) {
  auto writer = Open();
  EXPECT_TRUE(writer->Flush(true).ok());
  EXPECT_EQ(writer->position(), WarcEnd());
  EXPECT_TRUE(Files().empty());
}

TEST_F(WarcWriterTest, PositionsAreThoseOfTheFirstRecord) {
  options_.software = "crawler/1";
  options_.user_agent = "agent";
  auto writer = Open();
  const WarcPosition a = Append(*writer, "http://e.com/a");
  const WarcPosition b = Append(*writer, "http://e.com/b");
  ASSERT_TRUE(writer->Flush(false).ok());
  EXPECT_EQ(Files(), std::vector<std::string>{"crawl-00001.warc.gz"});
  EXPECT_EQ(writer->position(), (WarcEnd{1, fs::file_size(folder_ / "crawl-00001.warc.gz")}));
  const std::vector<WarcRecord> records = ReadWhole(Read(writer->FileName(1)));
  ASSERT_EQ(records.size(), 7u);
  EXPECT_EQ(records[0].type, "warcinfo");
  EXPECT_EQ(records[0].Field("WARC-Filename"), "crawl-00001.warc.gz");
  EXPECT_THAT(records[0].block, testing::HasSubstr("software: crawler/1\r\n"));
  EXPECT_THAT(records[0].block, testing::HasSubstr("http-header-user-agent: agent\r\n"));
  EXPECT_THAT(records[0].block, testing::Not(testing::HasSubstr("robots")));
  for (const auto& [record, position] : {std::pair{records[1], a}, {records[4], b}}) {
    EXPECT_EQ(record.type, "response");
    EXPECT_EQ(position.file, 1u);
    EXPECT_EQ(record.offset, position.offset);
    EXPECT_EQ(record.length, position.length);
  }
}

TEST_F(WarcWriterTest, FilesRotateAtTheirLimitAndNeverWithinACapture) {
  options_.max_file_bytes = 10'000;
  auto writer = Open();
  for (int i = 0; i < 10; ++i) Append(*writer, "http://e.com/" + std::to_string(i), 3'000);
  Append(*writer, "http://e.com/large", 50'000);
  Append(*writer, "http://e.com/last", 10);
  ASSERT_TRUE(writer->Flush(true).ok());
  std::vector<std::string> uris;
  for (const std::string& name : Files()) {
    const std::vector<std::string> in_file = Uris(name);
    ASSERT_GE(in_file.size(), 2u);
    EXPECT_EQ(in_file[0], "") << "warcinfo comes first";
    uris.insert(uris.end(), in_file.begin() + 1, in_file.end());
    if (in_file[1] != "http://e.com/large") {
      EXPECT_LE(fs::file_size(folder_ / name), options_.max_file_bytes);
    }
  }
  EXPECT_EQ(Files().size(), 7u);
  EXPECT_EQ(uris.size(), 12u);
}

// The index that is written beside a file is the one that reading the file gives.
TEST_F(WarcWriterTest, FilesThatAreBegunGetTheirIndex) {
  options_.max_file_bytes = 10'000;
  options_.index = true;
  WarcEnd committed;
  {
    auto writer = Open();
    for (int i = 0; i < 4; ++i) Append(*writer, "http://e.com/" + std::to_string(i), 3'000);
    FetchResult unchanged = TestResult("http://user:secret@e.com/old#part", "");
    unchanged.status = 304;
    unchanged.headers = HeaderBlock("HTTP/1.1 304 Not Modified\r\n\r\n");
    CaptureDetails details;
    details.original = {"http://e.com/old", kTestTime};
    ASSERT_TRUE(writer->Append(Encode(unchanged, details)).ok());
    EXPECT_TRUE(fs::exists(folder_ / "crawl-00001.cdxj")) << "the file is full";
    EXPECT_FALSE(fs::exists(folder_ / "crawl-00002.cdxj"));
    ASSERT_TRUE(writer->Flush(false).ok());
    ASSERT_TRUE(writer->FinishIndex().ok());
    committed = writer->position();
  }
  ASSERT_EQ(committed.file, 2u);
  for (const std::string name : {"crawl-00001", "crawl-00002"}) {
    const std::string written = Read(name + ".cdxj");
    EXPECT_FALSE(written.empty());
    ASSERT_TRUE(IndexWarc(folder_ / (name + ".warc.gz")).ok());
    EXPECT_EQ(written, Read(name + ".cdxj"));
  }
  // A file of an earlier run is not indexed while it grows: its first lines are missing.
  auto writer = Open(committed);
  Append(*writer, "http://e.com/more");
  ASSERT_TRUE(writer->Flush(false).ok());
  ASSERT_TRUE(writer->FinishIndex().ok());
  EXPECT_FALSE(fs::exists(folder_ / "crawl-00002.cdxj"));
}

TEST_F(WarcWriterTest, ManyFilesInOneSyncAreFine) {
  options_.max_file_bytes = 1;
  auto writer = Open();
  for (int i = 0; i < 25; ++i) Append(*writer, "http://e.com/");
  EXPECT_TRUE(writer->Flush(true).ok());
  EXPECT_EQ(Files().size(), 25u);
}

TEST_F(WarcWriterTest, ReopeningForgetsWhatWasNotCommitted) {
  options_.max_file_bytes = 10'000;
  WarcEnd committed;
  {
    auto writer = Open();
    Append(*writer, "http://e.com/1");
    ASSERT_TRUE(writer->Flush(false).ok());
    committed = writer->position();
    for (int i = 0; i < 5; ++i) Append(*writer, "http://e.com/lost", 4'000);
    ASSERT_TRUE(writer->Flush(false).ok());
  }
  ASSERT_GT(Files().size(), 2u);
  std::ofstream(folder_ / "crawl-00001.cdxj") << "stale";
  std::ofstream(folder_ / "other-00009.warc.gz") << "not ours";
  std::ofstream(folder_ / "crawl-2.warc.gz") << "not ours either";
  auto writer = Open(committed);
  EXPECT_EQ(writer->position(), committed);
  EXPECT_EQ(Files(), (std::vector<std::string>{"crawl-00001.warc.gz", "crawl-2.warc.gz",
                                               "other-00009.warc.gz"}));
  Append(*writer, "http://e.com/2");
  ASSERT_TRUE(writer->Flush(true).ok());
  EXPECT_EQ(Uris("crawl-00001.warc.gz"),
            (std::vector<std::string>{"", "http://e.com/1", "http://e.com/2"}));
}

TEST_F(WarcWriterTest, ReopeningWithNothingCommittedBeginsAnew) {
  {
    auto writer = Open();
    Append(*writer, "http://e.com/lost");
    ASSERT_TRUE(writer->Flush(false).ok());
  }
  auto writer = Open();
  Append(*writer, "http://e.com/1");
  ASSERT_TRUE(writer->Flush(false).ok());
  EXPECT_EQ(Uris("crawl-00001.warc.gz"), (std::vector<std::string>{"", "http://e.com/1"}));
}

TEST_F(WarcWriterTest, AnyCutBehindTheCommitIsHealed) {
  WarcEnd committed;
  {
    auto writer = Open();
    Append(*writer, "http://e.com/1");
    ASSERT_TRUE(writer->Flush(false).ok());
    committed = writer->position();
    Append(*writer, "http://e.com/2");
    ASSERT_TRUE(writer->Flush(false).ok());
  }
  const std::string all = Read("crawl-00001.warc.gz");
  for (std::size_t size = committed.offset; size <= all.size(); size += 7) {
    std::ofstream(folder_ / "crawl-00001.warc.gz", std::ios::binary) << all.substr(0, size);
    auto writer = Open(committed);
    ASSERT_NE(writer, nullptr);
    Append(*writer, "http://e.com/3");
    ASSERT_TRUE(writer->Flush(false).ok());
    EXPECT_EQ(Uris("crawl-00001.warc.gz"),
              (std::vector<std::string>{"", "http://e.com/1", "http://e.com/3"}));
  }
}

TEST_F(WarcWriterTest, ArchivesShorterThanWhatWasCommittedAreCorrupt) {
  EXPECT_EQ(OpenFailure({1, 10}), StatusCode::kCorruption);
  std::ofstream(folder_ / "crawl-00001.warc.gz") << "123";
  EXPECT_EQ(OpenFailure({1, 4}), StatusCode::kCorruption);
  EXPECT_EQ(Read("crawl-00001.warc.gz"), "123");
  folder_ /= "missing";
  EXPECT_EQ(OpenFailure({}), StatusCode::kIoError);
  options_.prefix = "../x";
  EXPECT_EQ(OpenFailure({}), StatusCode::kInvalidArgument);
}

// Limits the size of files for as long as it lives; writing beyond fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*const handler_)(int);
};

TEST_F(WarcWriterTest, AFullDiskIsAStatusAndTheCommittedPartStaysGood) {
  WarcEnd committed;
  {
    const FileSizeLimit full(100'000);
    auto writer = Open();
    Append(*writer, "http://e.com/1");
    ASSERT_TRUE(writer->Flush(true).ok());
    committed = writer->position();
    Append(*writer, "http://e.com/lost", 200'000);  // Still in the buffer.
    const Status status = writer->Flush(false);
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
    EXPECT_THAT(status.message(), testing::HasSubstr("crawl-00001.warc.gz"));
    // It says so ever after, instead of writing behind a gap.
    EXPECT_EQ(writer->Append(Encode(TestResult("http://e.com/", ""))).status().code(),
              StatusCode::kResourceExhausted);
    EXPECT_FALSE(writer->Flush(false).ok());
  }
  auto writer = Open(committed);
  Append(*writer, "http://e.com/2", 200'000);
  ASSERT_TRUE(writer->Flush(false).ok());
  EXPECT_EQ(Uris("crawl-00001.warc.gz"),
            (std::vector<std::string>{"", "http://e.com/1", "http://e.com/2"}));
}

TEST_F(WarcWriterTest, AppendingFailsWhenTheBufferCannotBeWritten) {
  const FileSizeLimit full(100'000);
  auto writer = Open();
  std::string body(3 << 20, '\0');
  for (char& c : body) c = static_cast<char>(random_());
  EXPECT_EQ(writer->Append(Encode(TestResult("http://e.com/", body))).status().code(),
            StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace crawler
