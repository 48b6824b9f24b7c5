#include "store/requeue.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "unit/store/expect_ok.hpp"

namespace crawler {
namespace {

using Texts = std::vector<std::string>;

// Two hosts on one name, one elsewhere; URL 1 is the seed.
class RequeueTest : public testing::Test {
 protected:
  RequeueTest() : folder_((std::filesystem::temp_directory_path() / "requeue-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    catalogue_ = Catalogue::Open(folder_ + "/crawl.db", Durability::kNormal).value();
    ExpectOk(catalogue_->AddHost({1, "http://a.example", "a.example"}));
    ExpectOk(catalogue_->AddHost({2, "http://a.example:81", "a.example"}));
    ExpectOk(catalogue_->AddHost({3, "https://b.example", "b.example"}));
    for (UrlId url = 1; url <= 6; ++url) AddUrl(url, url < 4 ? 1 : url == 4 ? 2 : 3);
  }
  ~RequeueTest() override {
    catalogue_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  void AddUrl(UrlId id, HostId host) {
    UrlRow row;
    row.id = id;
    row.url = "http://x/" + std::to_string(id);
    row.host = host;
    row.via = id == 1 ? Via::kSeed : Via::kLink;
    ExpectOk(catalogue_->AddUrl(row));
  }

  VisitRow Row(UrlId url, VisitOutcome outcome, int status = 0) {
    VisitRow row;
    row.url = url;
    row.at = 1;
    row.outcome = outcome;
    row.status = status;
    return row;
  }
  std::int64_t Add(const VisitRow& row) { return catalogue_->AddVisit(row, {}).value(); }

  // Three attempts that come to nothing.
  void Fail(UrlId url, FetchFailure failure, int status = 0) {
    for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
      VisitRow row =
          Row(url, status == 0 ? VisitOutcome::kFailed : VisitOutcome::kHttpError, status);
      row.failure = failure;
      row.failures = attempt;
      row.final = attempt == 3;
      Add(row);
    }
    ExpectOk(catalogue_->AddDeadLetter({url, 1, "why", "[]"}));
  }

  void GiveUp(UrlId url, GiveUpReason reason) {
    VisitRow row = Row(url, VisitOutcome::kGivenUp);
    row.given_up = reason;
    Add(row);
    ExpectOk(catalogue_->AddDeadLetter({url, 1, "host", "[]"}));
  }

  void AddPage(UrlId url) {
    PageRow page;
    page.url_id = url;
    const std::int64_t visit = Add(Row(url, VisitOutcome::kPage, 200));
    ASSERT_TRUE(catalogue_->AddPage(page, visit, {}).ok());
  }

  std::uint64_t Requeue(const RetryFilter& filter) {
    const Result<std::uint64_t> count = RequeueFailed(*catalogue_, filter);
    EXPECT_TRUE(count.ok()) << count.status().message();
    return count.ok() ? *count : 0;
  }

  Texts Rows(const std::string& sql) {
    Texts rows;
    ExpectOk(ForEachRow(catalogue_->database(), sql,
                        [&rows](Statement& row) { rows.emplace_back(row.Text(0)); }));
    return rows;
  }
  Texts Waiting() { return Rows("SELECT url_id FROM fates WHERE fate = 'waiting' ORDER BY 1"); }
  Texts DeadLetters() { return Rows("SELECT url_id FROM dead_letters ORDER BY 1"); }

  std::string folder_;
  std::unique_ptr<Catalogue> catalogue_;
};

TEST_F(RequeueTest, AllDeadLettersWaitAgainWithFreshAttempts) {
  AddPage(1);
  Fail(2, FetchFailure::kDns);
  Fail(3, FetchFailure::kNone, 500);
  Add(Row(4, VisitOutcome::kHttpError, 404));
  GiveUp(5, GiveUpReason::kNoRobots);
  GiveUp(6, GiveUpReason::kThrottled);
  VisitRow robots = Row(0, VisitOutcome::kRobots);
  robots.host = 3;
  robots.failures = 4;
  Add(robots);
  robots.host = 2;
  Add(robots);
  EXPECT_EQ(Waiting(), Texts{});
  EXPECT_EQ(Requeue({}), 4u);
  EXPECT_EQ(Waiting(), (Texts{"2", "3", "5", "6"}));
  EXPECT_EQ(DeadLetters(), Texts{});
  EXPECT_EQ(Rows("SELECT count(*) FROM visits WHERE url_id IN (2, 3) AND failures = 0"),
            Texts{"6"});
  EXPECT_EQ(Rows("SELECT host_id FROM visits WHERE url_id IS NULL AND failures > 0"), Texts{"2"})
      << "nothing of the other host was requeued";
  EXPECT_EQ(Requeue({}), 0u);
}

TEST_F(RequeueTest, EveryConditionHasToBeMet) {
  Fail(2, FetchFailure::kDns);
  Fail(3, FetchFailure::kNone, 500);
  Fail(4, FetchFailure::kDns);
  Fail(5, FetchFailure::kNone, 503);
  GiveUp(6, GiveUpReason::kFailures);
  EXPECT_EQ(Requeue({"nowhere.example", {}, {}, 0}), 0u);
  EXPECT_EQ(Requeue({"", FetchFailure::kTls, {}, 0}), 0u);
  EXPECT_EQ(Requeue({"b.example", {}, {}, 500}), 0u);
  EXPECT_EQ(DeadLetters(), (Texts{"2", "3", "4", "5", "6"}));
  EXPECT_EQ(Requeue({"a.example:81", FetchFailure::kDns, {}, 0}), 1u);
  EXPECT_EQ(DeadLetters(), (Texts{"2", "3", "5", "6"}));
  EXPECT_EQ(Requeue({"", {}, {}, 503}), 1u);
  EXPECT_EQ(DeadLetters(), (Texts{"2", "3", "6"}));
  EXPECT_EQ(Requeue({"", {}, GiveUpReason::kFailures, 0}), 1u);
  EXPECT_EQ(DeadLetters(), (Texts{"2", "3"}));
  EXPECT_EQ(Requeue({"http://a.example", {}, {}, 0}), 2u);
  EXPECT_EQ(DeadLetters(), Texts{});
}

TEST(RetryFilterTest, KindsAreStatusCodesFailuresAndReasons) {
  EXPECT_EQ(MakeRetryFilter("a.example", "")->host, "a.example");
  EXPECT_EQ(MakeRetryFilter("", "503")->status, 503);
  EXPECT_EQ(MakeRetryFilter("", "connect timeout")->failure, FetchFailure::kConnectTimeout);
  EXPECT_EQ(MakeRetryFilter("", "no robots.txt")->given_up, GiveUpReason::kNoRobots);
  for (const char* kind : {"0", "-1", "5 ", "503x", "99999999999", "Dns", "none", "nonsense"}) {
    const Result<RetryFilter> filter = MakeRetryFilter("", kind);
    EXPECT_EQ(filter.status().code(), StatusCode::kInvalidArgument) << kind;
  }
}

TEST_F(RequeueTest, ANameWithoutAPortMeansEveryPort) {
  Fail(2, FetchFailure::kDns);
  Fail(4, FetchFailure::kDns);
  Fail(5, FetchFailure::kDns);
  EXPECT_EQ(Requeue({"a.example", {}, {}, 0}), 2u);
  EXPECT_EQ(DeadLetters(), Texts{"5"});
}

TEST_F(RequeueTest, EarlierRoundsStayAsTheyWere) {
  Fail(2, FetchFailure::kDns);
  ExpectOk(catalogue_->BeginRound(1));
  ExpectOk(catalogue_->AddRequeue({3, 0, 0, true}));
  Fail(3, FetchFailure::kDns);
  EXPECT_EQ(Requeue({}), 1u);
  EXPECT_EQ(Waiting(), Texts{"3"});
  EXPECT_EQ(Rows("SELECT url_id FROM visits WHERE final"), Texts{"2"});
  EXPECT_EQ(Rows("SELECT sum(failures) FROM visits WHERE url_id = 2"), Texts{"6"});
}

TEST_F(RequeueTest, RefusedUrlsAndThoseWithoutRobotsTxt) {
  Add(Row(1, VisitOutcome::kRefused));
  Fail(2, FetchFailure::kDns);
  GiveUp(3, GiveUpReason::kNoRobots);
  GiveUp(4, GiveUpReason::kFailures);
  EXPECT_EQ(RequeueRefused(*catalogue_).value(), 2u);
  EXPECT_EQ(Waiting(), (Texts{"1", "3", "5", "6"}));
  EXPECT_EQ(DeadLetters(), (Texts{"2", "4"}));
}

TEST_F(RequeueTest, SeedsWaitAgainIfThereIsNoPage) {
  VisitRow moved = Row(1, VisitOutcome::kRedirect, 301);
  moved.redirect_to = 2;
  Add(moved);
  moved = Row(2, VisitOutcome::kRedirect, 301);
  moved.redirect_to = 3;
  Add(moved);
  Fail(3, FetchFailure::kRefused);
  for (const UrlId url : {4, 5, 6}) Add(Row(url, VisitOutcome::kHttpError, 404));
  EXPECT_EQ(RequeueSeedsWithoutPage(*catalogue_).value(), 3u);
  EXPECT_EQ(Waiting(), (Texts{"1", "2", "3"}));
  EXPECT_EQ(DeadLetters(), Texts{});
}

// A resume is no way around the retry policy for a seed that still waits.
TEST_F(RequeueTest, SeedsThatWaitKeepTheirFailures) {
  VisitRow failed = Row(1, VisitOutcome::kHttpError, 500);
  failed.failures = 2;
  failed.final = false;
  Add(failed);
  EXPECT_EQ(RequeueSeedsWithoutPage(*catalogue_).value(), 0u);
  EXPECT_EQ(Rows("SELECT failures FROM visits"), Texts{"2"});

  // The same for a URL that a seed redirects to; the seed itself is over and is tried again.
  VisitRow moved = Row(1, VisitOutcome::kRedirect, 301);
  moved.redirect_to = 3;
  Add(moved);
  failed.url = 3;
  Add(failed);
  EXPECT_EQ(RequeueSeedsWithoutPage(*catalogue_).value(), 1u);
  EXPECT_EQ(Rows("SELECT failures FROM visits WHERE url_id = 3"), Texts{"2"});
}

TEST_F(RequeueTest, SeedsStayOverIfThereIsAPage) {
  Add(Row(1, VisitOutcome::kHttpError, 404));
  AddPage(2);
  EXPECT_EQ(RequeueSeedsWithoutPage(*catalogue_).value(), 0u);
  EXPECT_EQ(Rows("SELECT fate FROM fates WHERE url_id = 1"), Texts{"http error"});
}

}  // namespace
}  // namespace crawler
