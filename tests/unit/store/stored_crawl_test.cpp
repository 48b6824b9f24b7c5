#include "store/stored_crawl.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/page_scan.hpp"
#include "unit/store/expect_ok.hpp"

namespace crawler {
namespace {

using Texts = std::vector<std::string>;

class StoredCrawlTest : public testing::Test {
 protected:
  StoredCrawlTest() : folder_((std::filesystem::temp_directory_path() / "stored-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    catalogue_ = Catalogue::Open(path(), Durability::kNormal).value();
    ExpectOk(catalogue_->AddHost({1, "http://a.example", "a.example"}));
    ExpectOk(catalogue_->AddHost({2, "http://b.example", "b.example"}));
  }
  ~StoredCrawlTest() override {
    catalogue_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  std::string path() const { return folder_ + "/crawl.db"; }
  Database& db() { return catalogue_->database(); }
  StoredCrawl Open() { return StoredCrawl::Open(db()).value(); }

  void AddUrl(UrlId id, SkipReason skipped = SkipReason::kNone, HostId host = 1) {
    UrlRow row;
    row.id = id;
    row.url = "http://a.example/" + std::to_string(id);
    row.host = host;
    row.depth = 3;
    row.via = Via::kRedirect;
    row.from = 1;
    row.skipped = skipped;
    ExpectOk(catalogue_->AddUrl(row));
  }

  static void ExpectCorrupt(const Status& status, const std::string& message) {
    EXPECT_EQ(status.code(), StatusCode::kCorruption);
    EXPECT_NE(status.message().find(message), std::string::npos) << status.message();
  }

  std::string folder_;
  std::unique_ptr<Catalogue> catalogue_;
};

TEST_F(StoredCrawlTest, RowsComeBackAsTheyWereWritten) {
  AddUrl(1);
  AddUrl(2, SkipReason::kTooDeep);
  ExpectOk(catalogue_->AddRequeue({2, 1, 1, true}));
  VisitRow visit;
  visit.url = 1;
  visit.at = 17;
  visit.outcome = VisitOutcome::kThrottled;
  visit.final = false;
  visit.status = 429;
  visit.failures = 2;
  visit.retry_after = 5000;
  visit.total = 9;
  visit.redirect_to = 2;
  visit.change = PageChange::kKept;
  ASSERT_TRUE(catalogue_->AddVisit(visit, {}).ok());
  ExpectOk(catalogue_->PutState("status", "running"));

  StoredCrawl stored = Open();
  EXPECT_TRUE(stored.was_interrupted());
  EXPECT_EQ(stored.round().number, 0);
  EXPECT_EQ(stored.url_count(), 2);
  Texts origins;
  ExpectOk(stored.ForEachHost([&](const StoredHost& host) {
    origins.push_back(std::string(host.origin) + " " + std::string(host.site));
    return Status::Ok();
  }));
  EXPECT_EQ(origins, (Texts{"http://a.example a.example", "http://b.example b.example"}));
  std::vector<SkipReason> skipped;
  ExpectOk(stored.ForEachUrl([&](const StoredUrl& url) {
    EXPECT_EQ(url.url, "http://a.example/" + std::to_string(url.id));
    EXPECT_EQ(url.depth, 3u);
    EXPECT_EQ(url.via, Via::kRedirect);
    EXPECT_EQ(url.from, 1u);
    skipped.push_back(url.skipped);
    return Status::Ok();
  }));
  EXPECT_EQ(skipped, (std::vector<SkipReason>{SkipReason::kNone, SkipReason::kTooDeep}));
  int requeued = 0;
  ExpectOk(stored.ForEachRequeue([&](const RequeueRow& row) {
    EXPECT_EQ(row.url, 2u);
    EXPECT_EQ(row.depth, 1u);
    EXPECT_TRUE(row.waits);
    ++requeued;
    return Status::Ok();
  }));
  EXPECT_EQ(requeued, 1);
  int visits = 0;
  ExpectOk(stored.ForEachVisit([&](const StoredVisit& row) {
    EXPECT_EQ(row.url, 1u);
    EXPECT_EQ(row.at, 17);
    EXPECT_FALSE(row.final);
    EXPECT_EQ(row.outcome, VisitOutcome::kThrottled);
    EXPECT_EQ(row.status, 429);
    EXPECT_EQ(row.failures, 2u);
    EXPECT_EQ(row.retry_after, 5000);
    EXPECT_EQ(row.total, 9);
    EXPECT_EQ(row.redirect_to, 2u);
    EXPECT_EQ(row.change, PageChange::kKept);
    ++visits;
    return Status::Ok();
  }));
  EXPECT_EQ(visits, 1);
}

TEST_F(StoredCrawlTest, RowsThatContradictEachOtherAreNamed) {
  const auto ignore = [](const auto&) { return Status::Ok(); };
  AddUrl(1);
  AddUrl(3);
  ExpectCorrupt(Open().ForEachUrl(ignore), "row 3 of urls is out of order");
  AddUrl(2, SkipReason::kNone, 9);
  ExpectCorrupt(Open().ForEachUrl(ignore), "row 2 of urls has a host that is not there");
  ExpectOk(catalogue_->AddRequeue({7, 1, 1, true}));
  ExpectCorrupt(Open().ForEachRequeue(ignore), "row 1 of ");
  VisitRow visit;
  visit.url = 4;
  ASSERT_TRUE(catalogue_->AddVisit(visit, {}).ok());
  ExpectCorrupt(Open().ForEachVisit(ignore), "row 1 of visits has a URL that is not there");
  ExpectOk(db().Execute("UPDATE visits SET url_id = 1, outcome = 'nonsense'"));
  ExpectCorrupt(Open().ForEachVisit(ignore), "row 1 of visits has an unknown outcome");
  ExpectOk(db().Execute("INSERT INTO page_links VALUES(8, '[1]')"));
  ExpectCorrupt(Open().ForEachLinkList(ignore), "row 1 of page_links");
  ExpectOk(db().Execute("DELETE FROM hosts WHERE id = 1"));
  ExpectCorrupt(Open().ForEachHost(ignore), "row 2 of hosts is out of order");
}

TEST_F(StoredCrawlTest, TheStatusOfACallbackEndsThePass) {
  AddUrl(1);
  AddUrl(2);
  int seen = 0;
  const Status status = Open().ForEachUrl([&](const StoredUrl&) {
    ++seen;
    return Status(StatusCode::kCancelled, "enough");
  });
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(seen, 1);
}

TEST_F(StoredCrawlTest, APageScanGoesOnBehindAPage) {
  for (UrlId url = 1; url <= 3; ++url) {
    AddUrl(url);
    PageRow page;
    page.url_id = url;
    page.url = "http://a.example/" + std::to_string(url);
    page.depth = url + 1;
    ASSERT_TRUE(catalogue_->AddPage(page, 0, {}).ok());
  }
  Result<PageScan> scan = PageScan::Open(path(), 1);
  ASSERT_TRUE(scan.ok()) << scan.status().message();
  PageScan::Page page;
  ASSERT_TRUE(scan->Next(&page).value());
  ExpectOk(db().Execute("DELETE FROM pages WHERE id = 3"));
  EXPECT_EQ(page.id, 2);
  EXPECT_EQ(page.url_id, 2u);
  EXPECT_EQ(page.url, "http://a.example/2");
  EXPECT_EQ(page.depth, 3u);
  ASSERT_TRUE(scan->Next(&page).value()) << "it reads the catalogue as it was";
  EXPECT_EQ(page.id, 3);
  EXPECT_FALSE(scan->Next(&page).value());
}

}  // namespace
}  // namespace crawler
