// Index lines as readers of archives (pywb, warcio) expect them.
#include "store/cdxj.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "store/warc_writer.hpp"
#include "unit/store/warc_testing.hpp"

namespace crawler {
namespace {

namespace fs = std::filesystem;

TEST(Cdxj, KeysAreHostsBackToFront) {
  EXPECT_EQ(SurtKey("http://example.com/"), "com,example)/");
  EXPECT_EQ(SurtKey("https://www.Example.com/Path/A.html"), "com,example)/path/a.html");
  EXPECT_EQ(SurtKey("http://www2.example.co.uk:8080/"), "uk,co,example:8080)/");
  EXPECT_EQ(SurtKey("https://example.com:443/"), "com,example)/");
  EXPECT_EQ(SurtKey("http://wwwx.example.com/"), "com,example,wwwx)/");
  EXPECT_EQ(SurtKey("http://user:pass@example.com/#x"), "com,example)/");
  EXPECT_EQ(SurtKey("http://192.0.2.7/"), "7,2,0,192)/");
  EXPECT_EQ(SurtKey("http://[2001:DB8::1]:81/x"), "[2001:db8::1]:81)/x");
  EXPECT_EQ(SurtKey("http://b\u00fccher.example/"), "example,xn--bcher-kva)/");
}

TEST(Cdxj, KeysHaveTheirParametersSorted) {
  EXPECT_EQ(SurtKey("http://e.com/a?c=3&B=2&a=1&a"), "com,e)/a?a&a=1&b=2&c=3");
  EXPECT_EQ(SurtKey("http://e.com/a?"), "com,e)/a");
  EXPECT_EQ(SurtKey("http://e.com/?x=%2F&&"), "com,e)/?&&x=%2f");
}

TEST(Cdxj, KeysOfAnythingAreOneWord) {
  EXPECT_EQ(SurtKey("file:///with blanks\n.png"), "file:///with%20blanks%0a.png");
  EXPECT_EQ(SurtKey("http://"), "http://");
  EXPECT_EQ(SurtKey("http://www./"), "http:///");
  EXPECT_EQ(SurtKey(""), "");
}

TEST(Cdxj, LinesAreKeyTimeAndJson) {
  CdxjEntry entry;
  entry.url = "http://www.e.com/a?b";
  entry.date = "2026-01-31T23:59:07Z";
  entry.mime = "text/html ; charset=utf-8";
  entry.status = 200;
  entry.digest = "sha256:abc";
  entry.length = 123;
  entry.offset = 4567890123;
  entry.filename = "crawl-00001.warc.gz";
  EXPECT_EQ(CdxjLine(entry),
            "com,e)/a?b 20260131235907 {\"url\":\"http://www.e.com/a?b\",\"mime\":\"text/html\","
            "\"status\":\"200\",\"digest\":\"abc\",\"length\":\"123\",\"offset\":\"4567890123\","
            "\"filename\":\"crawl-00001.warc.gz\"}");
}

TEST(Cdxj, HostileValuesStayInTheirPlace) {
  CdxjEntry entry;
  entry.url = "http://e.com/";
  entry.date = "yesterday";
  entry.mime = "a\"b\\\n\x01\xff{}, \"status\":1";
  const std::string line = CdxjLine(entry);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 0);
  EXPECT_TRUE(line.starts_with("com,e)/ 00000000000000 {")) << line;
  const nlohmann::json json = nlohmann::json::parse(line.substr(line.find('{')));
  EXPECT_EQ(json["mime"], "a\"b\\\n\x01\xc3\xbf{}, \"status\":1");
  EXPECT_FALSE(json.contains("status"));
}

class CdxjFileTest : public testing::Test {
 protected:
  CdxjFileTest() {
    char name[] = "/tmp/cdxj-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~CdxjFileTest() override { fs::remove_all(folder_); }

  static std::vector<std::string> Lines(const fs::path& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  std::size_t CountFiles() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(CdxjFileTest, LinesAreSortedWhateverTheMemory) {
  std::vector<std::string> expected;
  for (const std::size_t memory : {std::size_t{1}, std::size_t{2'000}, std::size_t{1} << 20}) {
    CdxjWriter writer(folder_ / "x.cdxj", memory);
    expected.clear();
    for (int i = 0; i < 100; ++i) {
      const std::string url = "http://e.com/" + std::to_string(i * 37 % 100);
      CdxjEntry entry;
      entry.url = url;
      entry.date = "2026-01-31T23:59:07Z";
      ASSERT_TRUE(writer.Add(entry).ok());
      expected.push_back(CdxjLine(entry));
    }
    EXPECT_FALSE(fs::exists(folder_ / "x.cdxj"));
    ASSERT_TRUE(writer.Finish().ok());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(Lines(folder_ / "x.cdxj"), expected);
    fs::remove(folder_ / "x.cdxj");
  }
  EXPECT_EQ(CountFiles(), 0u);
}

TEST_F(CdxjFileTest, WithoutFinishNothingIsLeft) {
  {
    CdxjWriter writer(folder_ / "x.cdxj", 1);
    CdxjEntry entry;
    entry.url = "http://e.com/";
    ASSERT_TRUE(writer.Add(entry).ok());
  }
  EXPECT_EQ(CountFiles(), 0u);
  CdxjWriter writer(folder_ / "missing" / "x.cdxj");
  EXPECT_EQ(writer.Finish().code(), StatusCode::kIoError);
}

// A link in place of the temporary file is replaced, not followed. A full disk: tests/faults.
TEST_F(CdxjFileTest, ALinkIsNotFollowed) {
  fs::create_symlink("/dev/full", folder_ / "x.cdxj.tmp");
  CdxjWriter writer(folder_ / "x.cdxj");
  CdxjEntry entry;
  entry.url = "http://e.com/";
  ASSERT_TRUE(writer.Add(entry).ok());
  EXPECT_TRUE(writer.Finish().ok());
  EXPECT_TRUE(fs::is_regular_file(folder_ / "x.cdxj"));
}

TEST_F(CdxjFileTest, OfAFolderOnlyMissingAndOldIndexesAreWritten) {
  Result<std::unique_ptr<WarcWriter>> writer = WarcWriter::Open(folder_, {});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Append(Encode(TestResult("http://e.com/", "x"))).ok());
  ASSERT_TRUE((*writer)->Flush(false).ok());
  const fs::path warc = folder_ / (*writer)->FileName(1);
  const fs::path index = CdxjPath(warc);
  ASSERT_TRUE(IndexWarcFolder(folder_).ok());
  EXPECT_EQ(Lines(index).size(), 1u);
  std::ofstream(index) << "";
  fs::last_write_time(index, fs::last_write_time(warc));
  ASSERT_TRUE(IndexWarcFolder(folder_).ok());
  EXPECT_TRUE(Lines(index).empty()) << "it is not older than its file";
  fs::last_write_time(index, fs::last_write_time(warc) - std::chrono::seconds(1));
  ASSERT_TRUE(IndexWarcFolder(folder_).ok());
  EXPECT_EQ(Lines(index).size(), 1u);
}

TEST_F(CdxjFileTest, IndexesTheCapturesOfAnArchive) {
  Result<std::unique_ptr<WarcWriter>> writer = WarcWriter::Open(folder_, {});
  ASSERT_TRUE(writer.ok());
  const WarcPosition b = *(*writer)->Append(Encode(TestResult("http://e.com/b", "x")));
  CaptureDetails details;
  details.original = {"http://e.com/b", kTestTime};
  const WarcPosition a = *(*writer)->Append(Encode(TestResult("http://e.com/a", "x"), details));
  ASSERT_TRUE((*writer)->Flush(false).ok());
  const fs::path warc = folder_ / (*writer)->FileName(1);
  ASSERT_TRUE(IndexWarc(warc).ok());
  const std::vector<std::string> lines = Lines(folder_ / "crawl-00001.cdxj");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("com,e)/a 20260131235907 {"));
  const nlohmann::json first = nlohmann::json::parse(lines[0].substr(lines[0].find('{')));
  const nlohmann::json second = nlohmann::json::parse(lines[1].substr(lines[1].find('{')));
  EXPECT_EQ(first["mime"], "warc/revisit");
  EXPECT_EQ(first["offset"], std::to_string(a.offset));
  EXPECT_EQ(second["mime"], "text/html");
  EXPECT_EQ(second["status"], "200");
  EXPECT_EQ(second["length"], std::to_string(b.length));
  EXPECT_EQ(second["filename"], "crawl-00001.warc.gz");
  EXPECT_EQ(first["digest"], second["digest"]);

  // Of a file that was cut there is an index of what is there; of a damaged one there is none.
  fs::resize_file(warc, fs::file_size(warc) - 1);
  EXPECT_TRUE(IndexWarc(warc).ok());
  fs::remove(CdxjPath(warc));
  std::ofstream(warc, std::ios::app) << "garbage that is no gzip member";
  EXPECT_EQ(IndexWarc(warc).code(), StatusCode::kCorruption);
  EXPECT_FALSE(fs::exists(CdxjPath(warc)));
}

}  // namespace
}  // namespace crawler
