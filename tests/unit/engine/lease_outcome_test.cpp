#include "engine/lease_outcome.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "test_response.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ToOutcome, TellsTheFrontierWhatTheRequestCameTo) {
  FetchResult result = TestResponse(503);
  result.timings.total = milliseconds(250);
  result.remote_address = IpAddress::FromText("192.0.2.7");
  ResponseClass response;
  response.kind = Kind::kRetry;
  response.no_answer = true;
  response.server_error = true;
  response.retry_after = seconds(9);
  const TimePoint now = TimePoint() + seconds(100);
  const Frontier::Outcome outcome = ToOutcome(result, response, now);
  EXPECT_EQ(outcome.kind, Kind::kRetry);
  EXPECT_TRUE(outcome.no_answer);
  EXPECT_TRUE(outcome.server_error);
  EXPECT_EQ(outcome.retry_after, Duration(seconds(9)));
  EXPECT_EQ(outcome.now, now);
  EXPECT_EQ(outcome.took, milliseconds(250));
  EXPECT_EQ(outcome.started, now - milliseconds(250));
  ASSERT_TRUE(outcome.address);
  EXPECT_EQ(outcome.address->ToString(), "192.0.2.7");

  const Frontier::Outcome plain = ToOutcome(TestResponse(200), {}, now);
  EXPECT_EQ(plain.kind, Kind::kDone);
  EXPECT_FALSE(plain.no_answer || plain.server_error || plain.retry_after || plain.address);
}

TEST(AddressOfHost, IsNeitherThatOfAProxyNorThatOfAnotherOrigin) {
  FetchResult result = TestResponse(200);
  result.remote_address = IpAddress::FromText("192.0.2.7");
  EXPECT_TRUE(AddressOfHost(result));
  result.via_proxy = true;
  EXPECT_FALSE(AddressOfHost(result));
  EXPECT_FALSE(ToOutcome(result, {}, TimePoint()).address)
      << "hosts behind a proxy share no address";
  result.via_proxy = false;
  result.redirected_from = {"http://elsewhere.example/"};
  EXPECT_FALSE(AddressOfHost(result));
}

TEST(NothingSent, TookNoTime) {
  const TimePoint now = TimePoint() + seconds(100);
  const Frontier::Outcome outcome = NothingSent(Kind::kReturned, now);
  EXPECT_EQ(outcome.kind, Kind::kReturned);
  EXPECT_EQ(outcome.now, now);
  EXPECT_EQ(outcome.started, now);
  EXPECT_EQ(outcome.took, Duration::zero());
}

}  // namespace
}  // namespace crawler
