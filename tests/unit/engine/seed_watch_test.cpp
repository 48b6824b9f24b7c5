#include "engine/seed_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/failure_text.hpp"

namespace crawler {
namespace {

using ::testing::HasSubstr;

constexpr UrlId kSeed = 1;
constexpr const char* kUrl = "http://a.example/";

class SeedWatchTest : public ::testing::Test {
 protected:
  SeedWatchTest() {
    Url url;
    ParseUrl(kUrl, nullptr, &url);
    scope_->AddSeed(url);
    watch_.Add(kSeed, kUrl);
  }

  // The sentence and the hint about the only seed; empty if it has not failed.
  std::string Sentence(bool unfinished = false) {
    const SeedWatch::Failures failures = watch_.Describe(*scope_, unfinished);
    if (failures.all == 0) return "";
    const CrawlResult::SeedFailure& seed = failures.shown.front();
    EXPECT_EQ(seed.url, kUrl);
    return seed.what + "." + (seed.hint.empty() ? "" : " " + seed.hint);
  }
  static SeedWatch::Attempt Answer(VisitOutcome outcome, int status) {
    SeedWatch::Attempt attempt;
    attempt.outcome = outcome;
    attempt.status = status;
    return attempt;
  }
  static SeedWatch::Attempt Status(int status) { return Answer(VisitOutcome::kHttpError, status); }
  static SeedWatch::Attempt Failed(FetchFailure failure, std::string_view detail) {
    return {VisitOutcome::kFailed, 0, failure, GiveUpReason::kNone, detail};
  }
  static SeedWatch::Attempt Redirect(std::string_view to, UrlId target, bool skipped = false) {
    return {VisitOutcome::kRedirect,
            301,
            FetchFailure::kNone,
            GiveUpReason::kNone,
            to,
            true,
            target,
            skipped};
  }

  std::unique_ptr<Scope> scope_ = Scope::Create({}).value();
  SeedWatch watch_;
};

TEST_F(SeedWatchTest, TellsTheFirstFailureOfTheFirstSeeds) {
  for (UrlId id = 2; id < 10; ++id) watch_.Add(id, "http://a.example/" + std::to_string(id));
  SeedWatch::Attempt attempt = Failed(FetchFailure::kRefused, "refused: nobody listens");
  attempt.final = false;
  EXPECT_FALSE(watch_.TellFirst(99, attempt, *scope_)) << "no seed";
  const auto told = watch_.TellFirst(kSeed, attempt, *scope_);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->url, kUrl);
  EXPECT_EQ(told->what, "cannot be reached: the connection was refused (nobody listens)");
  EXPECT_THAT(told->hint, HasSubstr("Check that the server runs"));
  EXPECT_FALSE(watch_.TellFirst(kSeed, attempt, *scope_)) << "once";
  std::size_t count = 1;
  for (UrlId id = 2; id < 10; ++id) count += watch_.TellFirst(id, attempt, *scope_).has_value();
  EXPECT_EQ(count, SeedWatch::kMostTold);
  EXPECT_EQ(Sentence(), "") << "telling decides nothing";
}

TEST_F(SeedWatchTest, APageIsNoFailure) {
  EXPECT_EQ(Sentence(), "");
  watch_.Note(kSeed, Answer(VisitOutcome::kPage, 200));
  EXPECT_EQ(Sentence(true), "");
  watch_.Note(kSeed, Status(404));  // It is not watched any more.
  EXPECT_EQ(Sentence(), "");
}

TEST_F(SeedWatchTest, StatusCodes) {
  watch_.Note(kSeed, Status(403));
  EXPECT_EQ(
      Sentence(),
      "answered 403 (forbidden). Check the URL, or send credentials with --basic-auth-from or "
      "--bearer-from.");
}

TEST_F(SeedWatchTest, FailuresOfTheNetwork) {
  watch_.Note(kSeed, Failed(FetchFailure::kBlockedAddress,
                            "blocked address: 127.0.0.1 is loopback (127.0.0.0/8)"));
  EXPECT_EQ(Sentence(),
            "was refused: 127.0.0.1 is loopback (127.0.0.0/8). If the server is yours, add "
            "--allow-net 127.0.0.0/8.");
}

TEST_F(SeedWatchTest, AGivenUpHostSaysItsLastFailure) {
  watch_.Note(kSeed, {VisitOutcome::kGivenUp, 0, FetchFailure::kTls, GiveUpReason::kNoRobots,
                      "no robots.txt from its host, given up; the last: tls: self-signed"});
  EXPECT_EQ(Sentence(),
            "cannot be reached safely: self-signed. --ca-file trusts another authority, --insecure "
            "any certificate.");
}

TEST_F(SeedWatchTest, AServerWithoutRobotsTxtIsTold) {
  watch_.Note(kSeed, {VisitOutcome::kGivenUp, 0, FetchFailure::kNone, GiveUpReason::kNoRobots,
                      "no robots.txt from its host; the last: status 503"});
  EXPECT_THAT(Sentence(), HasSubstr("status 503"));
  EXPECT_THAT(Sentence(), HasSubstr("--no-robots"));
}

TEST_F(SeedWatchTest, RobotsTxtRefuses) {
  watch_.Note(kSeed, {VisitOutcome::kRefused, 0, FetchFailure::kNone, GiveUpReason::kNone,
                      "robots.txt line 2: Disallow: /"});
  EXPECT_EQ(
      Sentence(),
      "is refused by robots.txt line 2: Disallow: /. If the site is yours, --no-robots ignores "
      "its robots.txt.");
}

TEST_F(SeedWatchTest, RedirectsAreFollowed) {
  watch_.Note(kSeed, Redirect("to http://a.example/b", 2));
  EXPECT_EQ(Sentence(true), "");
  watch_.Note(2, Status(404));
  EXPECT_EQ(Sentence(), "redirects to a URL that answered 404 (not found). Check the URL.");
}

TEST_F(SeedWatchTest, ARedirectOutOfScope) {
  watch_.Note(kSeed, Redirect("to http://b.example/", 2, true));
  EXPECT_EQ(Sentence(),
            "redirects to http://b.example/, which is outside the scope of the crawl. Begin at "
            "http://b.example/, or take a larger --scope.");
}

TEST_F(SeedWatchTest, ALoopOfRedirects) {
  watch_.Note(kSeed, Redirect("to http://a.example/b", 2));
  watch_.Note(2, Redirect("to http://a.example/", kSeed));
  EXPECT_EQ(Sentence(), "redirects in a circle: to http://a.example/.");
}

TEST_F(SeedWatchTest, SeedsThatLeadToOneUrlShareItsEnd) {
  watch_.Add(5, "http://a.example/five");
  watch_.Note(kSeed, Redirect("to http://a.example/b", 2));
  watch_.Note(5, Redirect("to http://a.example/b", 2));
  watch_.Note(2, Status(500));
  EXPECT_EQ(watch_.Describe(*scope_, false).all, 2u);
}

TEST_F(SeedWatchTest, AnAttemptThatIsRepeatedCountsOnlyIfTheCrawlIsCutShort) {
  SeedWatch::Attempt attempt = Failed(FetchFailure::kRefused, "refused: connection refused");
  attempt.final = false;
  watch_.Note(kSeed, attempt);
  EXPECT_EQ(Sentence(), "");
  EXPECT_THAT(Sentence(true), HasSubstr("the connection was refused"));
}

TEST_F(SeedWatchTest, ManySeedsAreBounded) {
  for (UrlId id = 2; id < 3 * SeedWatch::kMostSeeds; ++id) {
    watch_.Add(id, "http://a.example/" + std::to_string(id));
    watch_.Note(id, Status(404));
  }
  watch_.Note(kSeed, Status(404));
  const SeedWatch::Failures failures = watch_.Describe(*scope_, false);
  EXPECT_EQ(failures.all, SeedWatch::kMostSeeds);
  EXPECT_EQ(failures.shown.size(), SeedWatch::kMostShown);
}

TEST(FailureText, HintsNameTheNetworkAndNothingElse) {
  EXPECT_EQ(FailureHint(FetchFailure::kBlockedAddress, "::1 is loopback (::1/128)"),
            "If the server is yours, add --allow-net ::1/128.");
  EXPECT_EQ(FailureHint(FetchFailure::kBlockedAddress, "port 25 is not a web server's"), "");
  EXPECT_EQ(FailureHint(FetchFailure::kBlockedAddress, "a (b) c/d ("), "");
  EXPECT_EQ(FailureHint(FetchFailure::kProtocol, "x"), "");
}

}  // namespace
}  // namespace crawler
