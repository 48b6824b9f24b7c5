#include "store/catalogue.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "store/schema.hpp"
#include "store/url_reader.hpp"

namespace crawler {
namespace {

void Check(const Status& status) { ASSERT_TRUE(status.ok()) << status.message(); }

class CatalogueTest : public testing::Test {
 protected:
  CatalogueTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("catalogue-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Open();
  }
  ~CatalogueTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "crawl.db").string(); }

  void Open() {
    catalogue_ = nullptr;
    Result<std::unique_ptr<Catalogue>> opened = Catalogue::Open(path(), Durability::kNormal);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    catalogue_ = std::move(opened).value();
  }

  void AddUrl(UrlId id, SkipReason skipped = SkipReason::kNone) {
    UrlRow row;
    row.id = id;
    row.url = "http://a.example/" + std::to_string(id);
    row.host = 1;
    row.skipped = skipped;
    Check(catalogue_->AddUrl(row));
  }

  std::int64_t Visit(UrlId url, VisitOutcome outcome, int status, bool final = true) {
    VisitRow row;
    row.url = url;
    row.at = 1;
    row.outcome = outcome;
    row.status = status;
    row.final = final;
    return catalogue_->AddVisit(row, {}).value();
  }

  std::int64_t AddPage(UrlId url, std::string content, UrlId duplicate_of = 0,
                       std::string links = {}) {
    PageRow row;
    row.url_id = url;
    row.url = "http://a.example/" + std::to_string(url);
    row.content_hash = std::move(content);
    row.status = 200;
    row.etag = "\"tag\"";
    row.duplicate_of = duplicate_of;
    row.payload_hash = "";
    row.links = std::move(links);
    const std::int64_t visit = Visit(url, VisitOutcome::kPage, 200);
    const AddedPage added = catalogue_->AddPage(row, visit, {}).value();
    was_duplicate_ = added.is_duplicate;
    return added.id;
  }

  std::vector<std::string> Rows(const std::string& sql) {
    std::vector<std::string> rows;
    Result<Statement> select = catalogue_->database().Prepare(sql);
    EXPECT_TRUE(select.ok()) << select.status().message();
    for (Result<bool> row = select->Step(); row.ok() && *row; row = select->Step()) {
      rows.emplace_back(select->Text(0));
    }
    return rows;
  }

  std::vector<std::string> Fates() {
    return Rows("SELECT fate || ' ' || coalesce(status_code, '') FROM fates ORDER BY url_id");
  }

  void BeginRound() {
    Check(catalogue_->BeginRound(1000));
    Check(catalogue_->DropIndexes());
  }

  const std::filesystem::path folder_;
  std::unique_ptr<Catalogue> catalogue_;
  bool was_duplicate_ = false;  // The page that was added last.
};

using Texts = std::vector<std::string>;

// docs/formats.md: a newer program brings an older folder up to date.
TEST_F(CatalogueTest, AFolderFromBeforeRoundsKeepsWhatIsInIt) {
  constexpr std::size_t kBeforeRounds = 5;
  const std::string old_path = (folder_ / "old.db").string();
  {
    Result<Database> db = Database::Open(old_path, Database::Mode::kCreate);
    ASSERT_TRUE(db.ok());
    Check(Migrate(*db, CatalogueSchema().first(kBeforeRounds)));
    Check(db->Execute(
        "INSERT INTO urls VALUES(1,'http://a.example/',1,0,0,0,NULL,NULL);"
        "INSERT INTO urls VALUES(2,'http://a.example/2',1,1,0,1,1,NULL);"
        "INSERT INTO urls VALUES(3,'http://a.example/3',1,1,0,1,1,'nofollow');"
        "INSERT INTO visits(id, url_id, at, final, outcome, status_code, failures, priority, bytes)"
        " VALUES(7,1,1,1,'page',200,0,1,1);"
        "INSERT INTO pages(id, url_id, visit_id, url, domain, content_hash, status_code,"
        " crawled_at, depth, priority, size, noindex, nofollow)"
        " VALUES(4,1,7,'http://a.example/','a.example','c',200,1,0,0,1,0,0)"));
  }
  Result<std::unique_ptr<Catalogue>> opened = Catalogue::Open(old_path, Durability::kNormal);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  catalogue_ = std::move(opened).value();
  EXPECT_EQ(catalogue_->round().number, 0);
  EXPECT_EQ(Fates(), (Texts{"page 200", "waiting ", "skipped "}));
  BeginRound();
  EXPECT_EQ(catalogue_->round().number, 1);
  EXPECT_EQ(catalogue_->round().last_visit, 7);
  EXPECT_EQ(catalogue_->round().last_url, 3);
  UrlReader reader(old_path);
  const auto page = reader.ReadPage(1);
  ASSERT_TRUE(page.ok() && *page);
  EXPECT_EQ((*page)->id, 4);
  EXPECT_FALSE((*page)->payload_hash) << "nobody knows how it had been coded";
}

// The index wants ids to ascend, and to mean one page for ever.
TEST_F(CatalogueTest, TheIdOfAPageIsNeverUsedAgain) {
  AddUrl(1);
  AddUrl(2);
  EXPECT_EQ(AddPage(1, "one"), 1);
  EXPECT_EQ(AddPage(2, "two"), 2);
  BeginRound();
  ASSERT_TRUE(catalogue_->RemovePage(2, 2).ok());
  EXPECT_EQ(AddPage(2, "other"), 3);
  ASSERT_TRUE(catalogue_->RemovePage(3, 2).ok());
  Open();
  EXPECT_EQ(AddPage(2, "another"), 4);
}

TEST_F(CatalogueTest, DuplicatesOfAPageThatGoesAreThoseOfTheNext) {
  for (UrlId url = 1; url <= 4; ++url) AddUrl(url);
  AddPage(1, "same", 0, "[2,3]");
  AddPage(2, "same", 1);
  AddPage(3, "same", 1);
  EXPECT_TRUE(was_duplicate_);
  BeginRound();
  const std::string originals = "SELECT url_id || '>' || coalesce(duplicate_of, '') FROM pages";
  EXPECT_EQ(catalogue_->RemovePage(1, 1).value(), 2u);
  EXPECT_EQ(Rows(originals), (Texts{"2>", "3>2"}));
  EXPECT_EQ(Rows("SELECT links FROM page_links"), Texts{});
  // Decided before the page went: it does not hold any more.
  AddPage(4, "same", 1);
  EXPECT_FALSE(was_duplicate_);
  EXPECT_EQ(Rows(originals), (Texts{"2>", "3>2", "4>"}));
  EXPECT_EQ(catalogue_->RemovePage(3, 3).value(), 0u);
}

// docs/recrawling.md: a fate is that of the last round, or what an earlier one found.
TEST_F(CatalogueTest, FatesAreOfTheLastRound) {
  for (UrlId url = 1; url <= 5; ++url)
    AddUrl(url, url == 4 ? SkipReason::kNofollow : SkipReason::kNone);
  AddPage(1, "one");
  AddPage(2, "two");
  Visit(3, VisitOutcome::kHttpError, 404);
  EXPECT_EQ(Fates(), (Texts{"page 200", "page 200", "http error 404", "skipped ", "waiting "}));
  BeginRound();
  EXPECT_EQ(Fates(), (Texts{"page 200", "page 200", "http error 404", "skipped ", "unlinked "}));
  for (const UrlId url : {1, 2, 5}) Check(catalogue_->AddRequeue({url, 0, 0, true}));
  EXPECT_EQ(Fates(), (Texts{"waiting ", "waiting ", "http error 404", "skipped ", "waiting "}));
  Visit(1, VisitOutcome::kUnchanged, 304);
  Visit(2, VisitOutcome::kHttpError, 500, false);
  Visit(2, VisitOutcome::kHttpError, 410);
  AddUrl(6);
  EXPECT_EQ(Fates(), (Texts{"page 200", "http error 410", "http error 404", "skipped ", "waiting ",
                            "waiting "}));
}

TEST_F(CatalogueTest, ARoundAsksRobotsAgainAndBuriesNobody) {
  AddUrl(1);
  RobotsRow robots;
  robots.origin = "http://a.example";
  robots.policy = "allow all";
  robots.expires_at = 1LL << 50;
  Check(catalogue_->PutRobots(robots));
  Check(catalogue_->AddDeadLetter({1, 1, "timeout", "[]"}));
  Check(catalogue_->AddRequeue({1, 3, 0, true}));
  BeginRound();
  EXPECT_EQ(Rows("SELECT expires_at FROM robots_cache"), Texts{"0"});
  EXPECT_EQ(Rows("SELECT url_id FROM dead_letters UNION SELECT url_id FROM requeued"), Texts{});
}

TEST_F(CatalogueTest, WhatMayChangeAboutAPageThatDoesNot) {
  AddUrl(1);
  AddPage(1, "one", 0, "[1]");
  BeginRound();
  UrlReader reader(path());
  Result<std::optional<StoredPage>> page = reader.ReadPage(1);
  ASSERT_TRUE(page.ok() && *page);
  EXPECT_EQ((*page)->etag, "\"tag\"");
  EXPECT_EQ((*page)->payload_hash, "");
  EXPECT_EQ(reader.ReadLinks(1).value(), "[1]");
  EXPECT_EQ(reader.ReadLinks(9).value(), "");
  (*page)->etag = "\"next\"";
  (*page)->depth = 5;
  (*page)->noindex = true;
  Check(catalogue_->UpdatePage(**page));
  page = reader.ReadPage(1);
  EXPECT_EQ((*page)->etag, "\"next\"");
  EXPECT_EQ((*page)->depth, 5u);
  EXPECT_TRUE((*page)->noindex);
  page = reader.ReadPage(2);
  ASSERT_TRUE(page.ok());
  EXPECT_FALSE(*page) << "no page is no error";
}

// docs/recrawling.md: what the server says of the page ends it, what merely fails does not.
TEST(EndsPage, FailuresThatMayPassDoNot) {
  using Outcome = VisitOutcome;
  for (const auto& [outcome, status] : {std::pair{Outcome::kHttpError, 404},
                                        {Outcome::kHttpError, 410},
                                        {Outcome::kHttpError, 403},
                                        {Outcome::kRedirect, 301},
                                        {Outcome::kRefused, 0},
                                        {Outcome::kUnwanted, 200},
                                        {Outcome::kEmpty, 204}}) {
    EXPECT_TRUE(EndsPage(outcome, status)) << VisitOutcomeName(outcome) << status;
  }
  for (const auto& [outcome, status] : {std::pair{Outcome::kHttpError, 500},
                                        {Outcome::kHttpError, 408},
                                        {Outcome::kFailed, 0},
                                        {Outcome::kThrottled, 429},
                                        {Outcome::kGivenUp, 0},
                                        {Outcome::kCancelled, 0},
                                        {Outcome::kPage, 200},
                                        {Outcome::kUnchanged, 304}}) {
    EXPECT_FALSE(EndsPage(outcome, status)) << VisitOutcomeName(outcome) << status;
  }
}

}  // namespace
}  // namespace crawler
