#include "store/lost_captures.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "unit/store/expect_ok.hpp"

namespace crawler {
namespace {

using Texts = std::vector<std::string>;

// A catalogue whose captures are 100 bytes long and lie in files of as many bytes as they need.
class LostCapturesTest : public testing::Test {
 protected:
  LostCapturesTest() : folder_((std::filesystem::temp_directory_path() / "lost-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    Open();
    ExpectOk(catalogue_->AddHost({1, "http://a.example", "a.example"}));
  }
  ~LostCapturesTest() override {
    catalogue_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  void Open() {
    catalogue_ = nullptr;
    Result<std::unique_ptr<Catalogue>> opened =
        Catalogue::Open(folder_ + "/crawl.db", Durability::kNormal);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    catalogue_ = std::move(opened).value();
  }

  void AddUrl(UrlId id) {
    UrlRow row;
    row.id = id;
    row.url = "http://a.example/" + std::to_string(id);
    row.host = 1;
    row.depth = id;
    ExpectOk(catalogue_->AddUrl(row));
  }

  static WarcRef At(std::uint32_t file, std::uint64_t offset) {
    return file == 0 ? WarcRef() : WarcRef{file, offset, 100};
  }

  std::int64_t Visit(UrlId url, VisitOutcome outcome, const WarcRef& warc,
                     PageChange change = PageChange::kNone) {
    VisitRow row;
    row.url = url;
    row.at = 1;
    row.outcome = outcome;
    row.status = 200;
    row.change = change;
    return catalogue_->AddVisit(row, warc).value();
  }

  std::int64_t AddPage(UrlId url, const WarcRef& warc, UrlId duplicate_of = 0) {
    PageRow row;
    row.url_id = url;
    row.url = "http://a.example/" + std::to_string(url);
    row.content_hash = "same";
    row.status = 200;
    row.depth = url;
    row.duplicate_of = duplicate_of;
    row.links = "[1]";
    return catalogue_->AddPage(row, Visit(url, VisitOutcome::kPage, warc), warc).value().id;
  }

  void PutFile(std::uint32_t number, std::uint64_t size) {
    const std::string path = folder_ + "/" + WarcFileName("crawl", number);
    std::ofstream(path).put('w');
    std::filesystem::resize_file(path, size);
  }

  // The archive reaches up to here.
  void Commit(std::uint32_t file, std::uint64_t offset) {
    ExpectOk(catalogue_->PutState("warc", std::to_string(file) + " " + std::to_string(offset)));
    PutFile(file, offset);
  }

  std::vector<ArchiveLoss> Check() {
    ExpectOk(catalogue_->Begin());
    const Result<std::vector<ArchiveLoss>> losses = RequeueLostCaptures(*catalogue_, folder_, 1);
    EXPECT_TRUE(losses.ok()) << losses.status().message();
    ExpectOk(CutArchive(folder_, *losses));
    ExpectOk(catalogue_->Commit());
    return *losses;
  }

  std::uint64_t SizeOf(std::uint32_t number) {
    return std::filesystem::file_size(folder_ + "/" + WarcFileName("crawl", number));
  }

  Texts Rows(const std::string& sql) {
    Texts rows;
    Result<Statement> select = catalogue_->database().Prepare(sql);
    EXPECT_TRUE(select.ok()) << select.status().message();
    for (Result<bool> row = select->Step(); row.ok() && *row; row = select->Step()) {
      rows.emplace_back(select->Text(0));
    }
    return rows;
  }
  Texts Pages() { return Rows("SELECT url_id FROM pages ORDER BY id"); }
  Texts Waiting() { return Rows("SELECT url_id FROM fates WHERE fate = 'waiting' ORDER BY 1"); }
  Texts References() {
    return Rows(
        "SELECT warc_file || ' ' || warc_offset FROM visits WHERE warc_file > 0 ORDER BY id");
  }

  std::string folder_;
  std::unique_ptr<Catalogue> catalogue_;
};

TEST_F(LostCapturesTest, AWholeArchiveIsLeftAlone) {
  AddUrl(1);
  AddPage(1, At(1, 0));
  Commit(1, 100);
  EXPECT_TRUE(Check().empty());
  PutFile(1, 170);  // What was being written when it was killed is the writer's to cut off.
  EXPECT_TRUE(Check().empty());
  EXPECT_EQ(Pages(), Texts{"1"});
}

TEST_F(LostCapturesTest, EveryFileIsLookedAt) {
  for (UrlId url = 1; url <= 6; ++url) AddUrl(url);
  AddPage(1, At(1, 0));
  AddPage(2, At(1, 100));
  Visit(3, VisitOutcome::kRedirect, At(1, 200));
  AddPage(4, At(2, 0));
  AddPage(5, At(3, 0));
  AddPage(6, At(3, 100));
  PutFile(2, 100);
  Commit(3, 200);
  PutFile(1, 150);
  std::ofstream(folder_ + "/crawl-00001.cdxj").put('x');

  const std::vector<ArchiveLoss> losses = Check();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].file, "crawl-00001.warc.gz");
  EXPECT_EQ(losses[0].bytes, 150u);
  EXPECT_EQ(losses[0].pages, std::vector<std::int64_t>{2});
  EXPECT_EQ(losses[0].others, 1u);
  EXPECT_EQ(SizeOf(1), 100u) << "a reader must not come upon half a record";
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/crawl-00001.cdxj"));
  EXPECT_EQ(Pages(), (Texts{"1", "4", "5", "6"}));
  EXPECT_EQ(Waiting(), (Texts{"2", "3"}));
  EXPECT_EQ(References(), (Texts{"1 0", "2 0", "3 0", "3 100"}));
  EXPECT_EQ(Rows("SELECT value FROM crawl_state WHERE key = 'warc'"), Texts{"3 200"})
      << "what is fetched again goes to the end";
  EXPECT_TRUE(Check().empty());

  PutFile(3, 120);
  ASSERT_EQ(Check().size(), 1u);
  EXPECT_EQ(Rows("SELECT value FROM crawl_state WHERE key = 'warc'"), Texts{"3 100"});
}

TEST_F(LostCapturesTest, AFileThatIsGoneIsAskedFor) {
  AddUrl(1);
  AddUrl(2);
  AddPage(1, At(1, 0));
  AddPage(2, At(2, 0));
  Commit(2, 100);
  const Result<std::vector<ArchiveLoss>> losses = RequeueLostCaptures(*catalogue_, folder_, 1);
  ASSERT_FALSE(losses.ok());
  EXPECT_EQ(losses.status().code(), StatusCode::kCorruption);
  for (const char* part : {"crawl-00001.warc.gz is missing", "--no-warc"}) {
    EXPECT_NE(losses.status().message().find(part), std::string::npos) << losses.status().message();
  }
}

// docs/formats.md: ids of pages are never used again, in this run and after it.
TEST_F(LostCapturesTest, IdsOfLostPagesStayUsed) {
  for (UrlId url = 1; url <= 3; ++url) AddUrl(url);
  EXPECT_EQ(AddPage(1, At(1, 0)), 1);
  EXPECT_EQ(AddPage(2, At(1, 100)), 2);
  EXPECT_EQ(AddPage(3, At(1, 200)), 3);
  Commit(1, 300);
  PutFile(1, 10);
  ASSERT_EQ(Check().size(), 1u);
  EXPECT_EQ(Pages(), Texts{});
  Open();
  EXPECT_EQ(AddPage(1, At(1, 0)), 4);
}

// What a later visit left as it was is not there any more: that visit counts for nothing, though
// its own record may be whole, or may never have been made.
TEST_F(LostCapturesTest, VisitsThatKeptALostPageAreLostWithIt) {
  for (UrlId url = 1; url <= 3; ++url) AddUrl(url);
  AddPage(1, At(1, 0));
  AddPage(2, At(1, 100));
  AddPage(3, At(1, 200));
  ExpectOk(catalogue_->BeginRound(1));
  for (UrlId url = 1; url <= 2; ++url) ExpectOk(catalogue_->AddRequeue({url, url, 0, true}));
  Visit(1, VisitOutcome::kUnchanged, At(2, 0), PageChange::kUnchanged);
  Visit(2, VisitOutcome::kUnchanged, At(0, 0), PageChange::kUnchanged);
  Commit(2, 100);
  PutFile(1, 10);
  ASSERT_EQ(Check().size(), 1u);
  EXPECT_EQ(Pages(), Texts{});
  // The third, too, though nothing has led to it in this round.
  EXPECT_EQ(Waiting(), (Texts{"1", "2", "3"}));
  EXPECT_EQ(References(), Texts{"2 0"}) << "what the archive has, the catalogue knows";
}

TEST_F(LostCapturesTest, APageOutlivesTheLossOfALaterVisit) {
  AddUrl(1);
  AddPage(1, At(1, 0));
  ExpectOk(catalogue_->BeginRound(1));
  ExpectOk(catalogue_->AddRequeue({1, 1, 0, true}));
  Visit(1, VisitOutcome::kUnchanged, At(1, 100), PageChange::kUnchanged);
  Commit(1, 200);
  PutFile(1, 100);
  ASSERT_EQ(Check().size(), 1u);
  EXPECT_EQ(Pages(), Texts{"1"});
  EXPECT_EQ(Waiting(), Texts{"1"});
}

TEST_F(LostCapturesTest, DuplicatesOfALostPageHaveANewOriginal) {
  for (UrlId url = 1; url <= 3; ++url) AddUrl(url);
  AddPage(1, At(1, 0));
  AddPage(2, At(2, 0), 1);
  AddPage(3, At(2, 100), 1);
  Commit(2, 200);
  PutFile(1, 0);
  ASSERT_EQ(Check().size(), 1u);
  EXPECT_EQ(Rows("SELECT url_id || ' ' || coalesce(duplicate_of, '-') FROM pages ORDER BY id"),
            (Texts{"2 -", "3 2"}));
}

}  // namespace
}  // namespace crawler
