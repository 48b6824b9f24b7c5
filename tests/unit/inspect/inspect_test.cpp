#include "inspect/inspect.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "engine/options_json.hpp"
#include "store/catalogue.hpp"
#include "store/schema.hpp"

namespace crawler {
namespace {

void ExpectOk(const Status& status) { ASSERT_TRUE(status.ok()) << status.message(); }

/// A folder with a small crawl: a seed that is a page, a link that is waiting, one that is skipped,
/// and one that was given up.
class InspectTest : public testing::Test {
 protected:
  InspectTest() : folder_((std::filesystem::temp_directory_path() / "inspect-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~InspectTest() override {
    catalogue_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  std::string path() const { return folder_ + "/crawl.db"; }

  void MakeCrawl() {
    catalogue_ = Catalogue::Open(path(), Durability::kNormal).value();
    CrawlOptions options;
    options.seeds = {"http://a.example/"};
    ExpectOk(catalogue_->PutState("options", ToJson(options)));
    ExpectOk(catalogue_->PutState("hash_key", "0123456789abcdef"));
    ExpectOk(catalogue_->PutState("status", "stopped"));
    ExpectOk(catalogue_->PutState("live", R"({"at":5,"phase":"expansion","pages":1})"));
    ExpectOk(catalogue_->AddHost({1, "http://a.example", "a.example"}));
    AddUrl(1, "http://a.example/", Via::kSeed);
    AddUrl(2, "http://a.example/waits", Via::kLink);
    AddUrl(3, "http://a.example/out", Via::kLink, SkipReason::kExcluded, "/out$");
    AddUrl(4, "http://a.example/dead", Via::kLink);
    VisitRow visit;
    visit.url = 1;
    visit.outcome = VisitOutcome::kPage;
    visit.status = 200;
    PageRow page;
    page.url_id = 1;
    page.url = "http://a.example/";
    page.title = "Home";
    page.content_hash = std::string(64, 'a');
    page.links = R"([2,[3,1,"out"],4])";
    ASSERT_TRUE(catalogue_->AddPage(page, catalogue_->AddVisit(visit, {}).value(), {}).ok());
    visit = {};
    visit.url = 4;
    visit.outcome = VisitOutcome::kGivenUp;
    visit.given_up = GiveUpReason::kFailures;
    visit.detail = "its host was given up";
    ASSERT_TRUE(catalogue_->AddVisit(visit, {}).ok());
    ExpectOk(catalogue_->AddDeadLetter({4, 1, "its host was given up", "[]"}));
  }

  void AddUrl(UrlId id, std::string url, Via via, SkipReason skipped = SkipReason::kNone,
              std::string detail = {}) {
    UrlRow row;
    row.id = id;
    row.url = std::move(url);
    row.host = 1;
    row.depth = id == 1 ? 0 : 1;
    row.via = via;
    row.from = id == 1 ? 0 : 1;
    row.skipped = skipped;
    row.skip_detail = std::move(detail);
    ExpectOk(catalogue_->AddUrl(row));
  }

  void Change(const std::string& sql) { ExpectOk(catalogue_->database().Execute(sql)); }

  std::string OnlyProblem() {
    const CrawlVerification found = InspectAll(folder_);
    EXPECT_EQ(found.error, "");
    EXPECT_GE(found.problem_count, 1u);
    return found.problems.empty() ? "" : found.problems.front();
  }

  std::string folder_;
  std::unique_ptr<Catalogue> catalogue_;
};

TEST_F(InspectTest, AFolderWithoutACrawlSaysSo) {
  for (const std::string& error : {InspectStatus(folder_).error, InspectAll(folder_).error,
                                   InspectUrl(folder_, "http://a.example/").error}) {
    EXPECT_NE(error.find("there is no crawl in " + folder_), std::string::npos) << error;
  }
}

TEST_F(InspectTest, StatusIsThatOfTheLastCommit) {
  MakeCrawl();
  CrawlStatus status = InspectStatus(folder_);
  EXPECT_EQ(status.error, "");
  EXPECT_EQ(status.state, "stopped");
  EXPECT_FALSE(status.running);
  EXPECT_EQ(status.statistics.phase, "expansion");
  EXPECT_EQ(status.statistics.pages, 1u);
  ExpectOk(catalogue_->PutState("status", "running"));
  EXPECT_EQ(InspectStatus(folder_).state, "interrupted");
  ExpectOk(catalogue_->PutState("live", R"({"phase":7})"));
  EXPECT_NE(InspectStatus(folder_).error.find("cannot be read"), std::string::npos);
}

TEST_F(InspectTest, EveryFateIsExplained) {
  MakeCrawl();
  const UrlExplanation page = InspectUrl(folder_, "http://a.example/#part");
  EXPECT_EQ(page.error, "");
  EXPECT_EQ(page.fate, "page");
  EXPECT_EQ(page.via, "seed");
  EXPECT_EQ(page.title, "Home");
  EXPECT_EQ(page.attempts.size(), 1u);
  const UrlExplanation waiting = InspectUrl(folder_, "http://a.example/waits");
  EXPECT_EQ(waiting.fate, "waiting");
  EXPECT_EQ(waiting.due, "when the crawl is resumed");
  EXPECT_EQ(waiting.links, 1u);
  const UrlExplanation skipped = InspectUrl(folder_, "http://a.example/out");
  EXPECT_EQ(skipped.fate, "skipped");
  EXPECT_EQ(skipped.skipped, "out of scope: --exclude /out$ is found in it");
  ASSERT_FALSE(skipped.linked_by.empty());
  EXPECT_TRUE(skipped.linked_by.back().nofollow);
  EXPECT_EQ(skipped.linked_by.back().text, "out");
  const UrlExplanation dead = InspectUrl(folder_, "http://a.example/dead");
  EXPECT_EQ(dead.fate, "given up");
  EXPECT_EQ(dead.dead_letter, "its host was given up");
  const UrlExplanation unknown = InspectUrl(folder_, "http://a.example/never");
  EXPECT_FALSE(unknown.known);
  EXPECT_EQ(unknown.fate, "unknown");
  EXPECT_NE(InspectUrl(folder_, "mailto:a@b").error, "");
}

TEST_F(InspectTest, AnInterruptedCrawlHasNothingUnderWay) {
  MakeCrawl();
  ExpectOk(catalogue_->PutState("status", "running"));
  ExpectOk(catalogue_->PutState(
      "live", R"({"at":5,"phase":"expansion","urls_waiting":7,"urls_under_way":3,"holdups":[
        {"host":"http://a.example","waiting":7,"under_way":3,"why":"request under way"},
        {"host":"http://b.example","waiting":2,"under_way":0,"due_in_ms":900,"why":"politeness"}]})"));
  const CrawlStatus status = InspectStatus(folder_);
  EXPECT_EQ(status.state, "interrupted");
  EXPECT_EQ(status.statistics.urls_under_way, 0u);
  EXPECT_EQ(status.statistics.urls_waiting, 10u);
  ASSERT_EQ(status.holdups.size(), 2u);
  EXPECT_EQ(status.holdups[0].under_way, 0u);
  EXPECT_EQ(status.holdups[0].waiting, 10u);
  EXPECT_EQ(status.holdups[0].why, "interrupted");
  EXPECT_EQ(status.holdups[1].why, "politeness");
}

TEST_F(InspectTest, ThePathLeadsFromTheSeedAndRedirectsAreFollowed) {
  MakeCrawl();
  const auto add = [&](UrlId id, const std::string& path, Via via, UrlId from) {
    UrlRow row;
    row.id = id;
    row.url = "http://a.example/" + path;
    row.host = 1;
    row.via = via;
    row.from = from;
    ExpectOk(catalogue_->AddUrl(row));
  };
  const auto redirect = [&](UrlId from, UrlId to) {
    VisitRow visit;
    visit.url = from;
    visit.outcome = VisitOutcome::kRedirect;
    visit.status = 301;
    visit.redirect_to = to;
    visit.final = true;
    ASSERT_TRUE(catalogue_->AddVisit(visit, {}).ok());
  };
  add(5, "five", Via::kLink, 4);
  add(6, "six", Via::kRedirect, 5);
  add(7, "seven", Via::kRedirect, 6);
  add(8, "itself", Via::kLink, 8);
  redirect(5, 6);
  redirect(6, 7);
  redirect(7, 6);
  redirect(8, 8);
  const UrlExplanation five = InspectUrl(folder_, "/five");
  EXPECT_EQ(five.error, "");
  ASSERT_EQ(five.path.size(), 2u);
  EXPECT_EQ(five.path[0].url, "http://a.example/");
  EXPECT_EQ(five.path[0].via, "seed");
  EXPECT_EQ(five.path[1].url, "http://a.example/dead");
  EXPECT_EQ(five.redirects,
            (std::vector<std::string>{"http://a.example/six", "http://a.example/seven",
                                      "http://a.example/six"}));
  EXPECT_TRUE(five.redirect_loop);
  EXPECT_TRUE(five.redirected_from.empty());
  const UrlExplanation six = InspectUrl(folder_, "six");
  EXPECT_EQ(six.redirected_from,
            (std::vector<std::string>{"http://a.example/five", "http://a.example/seven"}));
  EXPECT_EQ(six.path.back().url, "http://a.example/five");
  // Damaged: from itself, to itself.
  const UrlExplanation itself = InspectUrl(folder_, "a.example/itself");
  EXPECT_TRUE(itself.path.empty());
  EXPECT_EQ(itself.redirects, (std::vector<std::string>{"http://a.example/itself"}));
  EXPECT_TRUE(itself.redirect_loop);
}

TEST_F(InspectTest, PartsOfPagesAndNoindexAreSaid) {
  MakeCrawl();
  EXPECT_EQ(InspectUrl(folder_, "/").truncated, "");
  EXPECT_FALSE(InspectUrl(folder_, "/").noindex);
  const struct {
    const char *stored, *said;
  } cases[] = {{"length", "it is larger than --max-page-bytes"},
               {"time", "it took longer than --timeout"},
               {"disconnect", "the connection ended before the page did"}};
  for (const auto& c : cases) {
    Change("UPDATE pages SET noindex = 1, truncated = '" + std::string(c.stored) + "'");
    EXPECT_EQ(InspectUrl(folder_, "/").truncated, c.said);
    EXPECT_TRUE(InspectUrl(folder_, "/").noindex);
  }
}

TEST_F(InspectTest, APathNeedsACrawlWithOneHost) {
  MakeCrawl();
  EXPECT_EQ(InspectUrl(folder_, "/waits").fate, "waiting");
  EXPECT_EQ(InspectUrl(folder_, "waits").fate, "waiting");
  EXPECT_EQ(InspectUrl(folder_, "a.example/waits").fate, "waiting");
  EXPECT_EQ(InspectUrl(folder_, "a.example").fate, "page");
  EXPECT_NE(InspectUrl(folder_, "mailto:x@a.example").error.find("scheme mailto:"),
            std::string::npos);
  EXPECT_NE(InspectUrl(folder_, "").error, "");
  CrawlOptions options;
  options.seeds = {"http://a.example/", "http://b.example/"};
  ExpectOk(catalogue_->PutState("options", ToJson(options)));
  EXPECT_NE(InspectUrl(folder_, "/waits").error.find("several hosts"), std::string::npos);
  EXPECT_NE(InspectUrl(folder_, "a.example").error.find("did you mean https://a.example/"),
            std::string::npos);
}

TEST_F(InspectTest, AWholeCrawlHasNoProblems) {
  MakeCrawl();
  const CrawlVerification found = InspectAll(folder_);
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.problem_count, 0u) << found.problems.front();
  EXPECT_EQ(found.urls, 4u);
  EXPECT_EQ(found.visits, 2u);
  EXPECT_EQ(found.pages, 1u);
  EXPECT_EQ(found.links, 3u);
}

TEST_F(InspectTest, ContradictionsAreFound) {
  MakeCrawl();
  const struct {
    const char* damage;
    const char* repair;
    const char* problem;
  } cases[] = {
      {"UPDATE urls SET url = 'http://a.example/' WHERE id = 2",
       "UPDATE urls SET url = 'http://a.example/waits' WHERE id = 2",
       "http://a.example/ is there twice: urls rows 1 and 2"},
      {"INSERT INTO requeued VALUES(1, 99, 0, NULL, 1)", "DELETE FROM requeued",
       "requeued row 1 has a URL that is not there"},
      {"UPDATE visits SET url_id = 99 WHERE url_id = 4",
       "UPDATE visits SET url_id = 4 WHERE url_id = 99", "has a URL that is not there"},
      {"UPDATE visits SET outcome = 'failed' WHERE url_id = 1",
       "UPDATE visits SET outcome = 'page' WHERE url_id = 1",
       "http://a.example/ has a page without the visit that it names"},
      {"UPDATE page_links SET links = '[2,99]'", "UPDATE page_links SET links = '[2]'",
       "http://a.example/ has links that cannot be read"},
      {"UPDATE visits SET warc_file = 1, warc_offset = 0, warc_length = 9",
       "UPDATE visits SET warc_file = NULL, warc_offset = NULL, warc_length = NULL",
       "names WARC records, but no WARC file"},
  };
  for (const auto& [damage, repair, problem] : cases) {
    Change(damage);
    EXPECT_NE(OnlyProblem().find(problem), std::string::npos) << damage << ": " << OnlyProblem();
    Change(repair);
  }
  EXPECT_EQ(InspectAll(folder_).problem_count, 0u);
}

// docs/formats.md: status, explain and verify read older folders as they are.
TEST_F(InspectTest, AFolderOfAnOlderSchemaIsReadAsItIs) {
  {
    Result<Database> db = Database::Open(path(), Database::Mode::kCreate);
    ASSERT_TRUE(db.ok());
    ExpectOk(Migrate(*db, CatalogueSchema().first(5)));
    CrawlOptions options;
    options.seeds = {"http://a.example/"};
    ExpectOk(
        db->Execute("INSERT INTO hosts VALUES(1, 'http://a.example', 'a.example');"
                    "INSERT INTO crawl_state VALUES('seed', '00ff'), ('status', 'finished'),"
                    " ('options', '" +
                    ToJson(options) +
                    "');"
                    "INSERT INTO urls VALUES(1, 'http://a.example/', 1, 0, 0, 0, NULL, NULL),"
                    " (2, 'http://a.example/2', 1, 1, 0, 1, 1, 'nofollow');"
                    "INSERT INTO promotions VALUES(1, 2, 1, 1, 1);"
                    "INSERT INTO visits(url_id, at, final, outcome, failures, priority, bytes)"
                    " VALUES(1, 1, 1, 'http error', 0, 1, 1)"));
  }
  EXPECT_EQ(InspectStatus(folder_).state, "finished");
  const UrlExplanation url = InspectUrl(folder_, "http://a.example/2");
  EXPECT_EQ(url.error, "");
  EXPECT_EQ(url.fate, "waiting");
  EXPECT_EQ(url.skipped, "every link to it says nofollow, or its page does");
  const CrawlVerification found = InspectAll(folder_);
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.problem_count, 0u) << found.problems.front();
  EXPECT_EQ(found.urls, 2u);
}

}  // namespace
}  // namespace crawler
