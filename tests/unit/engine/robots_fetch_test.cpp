#include "engine/robots_fetch.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

using Outcome = RobotsFetch::Outcome;

FetchResult RobotsResponse(int status, FetchFailure failure = FetchFailure::kNone) {
  FetchResult result;
  result.status = status;
  result.failure = failure;
  result.headers = HeaderBlock("HTTP/1.1 " + std::to_string(status) + " X\r\n\r\n");
  result.raw_body = "User-agent: *\nDisallow: /a\n";
  return result;
}

RobotsPolicy Policy(const FetchResult& result) { return PolicyOf(ToRobotsFetch(result)); }

TEST(RobotsFetch, WholeFilesAndCutOnesAreRead) {
  EXPECT_EQ(Policy(RobotsResponse(200)), RobotsPolicy::kRules);
  EXPECT_EQ(Policy(RobotsResponse(200, FetchFailure::kTooLarge)), RobotsPolicy::kRules);
}

// The line that refuses may be in the part that did not come.
TEST(RobotsFetch, HalfAFileIsANetworkError) {
  for (const FetchFailure failure : {FetchFailure::kReadTimeout, FetchFailure::kDisconnected,
                                     FetchFailure::kProtocol, FetchFailure::kBadEncoding}) {
    EXPECT_EQ(Policy(RobotsResponse(200, failure)), RobotsPolicy::kRefuseAll)
        << FetchFailureName(failure);
  }
  FetchResult damaged = RobotsResponse(200);
  damaged.decoding_incomplete = true;
  EXPECT_EQ(Policy(damaged), RobotsPolicy::kRefuseAll);
}

// The target of the redirect may have rules, which nobody has seen.
TEST(RobotsFetch, ARedirectThatBreaksOffAllowsNothing) {
  for (const FetchFailure failure : {FetchFailure::kReadTimeout, FetchFailure::kDisconnected}) {
    EXPECT_EQ(Policy(RobotsResponse(301, failure)), RobotsPolicy::kRefuseAll);
  }
}

TEST(RobotsFetch, WithoutAFileTheStatusIsEnough) {
  for (const FetchFailure failure :
       {FetchFailure::kNone, FetchFailure::kReadTimeout, FetchFailure::kDisconnected}) {
    EXPECT_EQ(Policy(RobotsResponse(404, failure)), RobotsPolicy::kAllowAll);
    EXPECT_EQ(Policy(RobotsResponse(503, failure)), RobotsPolicy::kRefuseAll);
  }
  EXPECT_EQ(ToRobotsFetch(RobotsResponse(301)).outcome, Outcome::kTooManyRedirects);
  FetchResult coded = RobotsResponse(404);
  coded.decoding_incomplete = true;
  EXPECT_EQ(Policy(coded), RobotsPolicy::kAllowAll);
}

TEST(RobotsFetch, NoAnswerRefuses) {
  for (const FetchFailure failure :
       {FetchFailure::kDns, FetchFailure::kRefused, FetchFailure::kTls, FetchFailure::kTooLarge}) {
    EXPECT_EQ(ToRobotsFetch(RobotsResponse(0, failure)).outcome, Outcome::kUnreachable);
  }
}

}  // namespace
}  // namespace crawler
