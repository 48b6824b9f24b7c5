#include "fetch/host_addresses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

using testing::ElementsAre;

const TimePoint kNow{std::chrono::hours(1)};
const TimePoint kLater = kNow + std::chrono::minutes(5);

std::vector<IpAddress> Addresses() {
  return {*IpAddress::FromText("192.0.2.1"), *IpAddress::FromText("2001:db8::1")};
}

TEST(HostAddresses, AreToldUntilConfirmed) {
  HostAddresses told(10);
  EXPECT_FALSE(told.Knows("a.test:80", kNow));
  EXPECT_THAT(told.Tell("a.test:80", Addresses(), kLater),
              ElementsAre("a.test:80:192.0.2.1,2001:db8::1"));
  EXPECT_FALSE(told.Knows("a.test:80", kNow));
  told.Confirm("a.test:80");
  EXPECT_TRUE(told.Knows("a.test:80", kNow));
  EXPECT_FALSE(told.Knows("a.test:443", kNow));
  EXPECT_FALSE(told.Knows("a.test:80", kLater));
}

TEST(HostAddresses, ForgetTheLeastRecentlyUsed) {
  HostAddresses told(2);
  for (const char* key : {"a:1", "b:1"}) {
    told.Tell(key, Addresses(), kLater);
    told.Confirm(key);
  }
  EXPECT_TRUE(told.Knows("a:1", kNow));
  EXPECT_THAT(told.Tell("c:1", Addresses(), kLater),
              ElementsAre("-b:1", "c:1:192.0.2.1,2001:db8::1"));
  EXPECT_TRUE(told.Knows("a:1", kNow));
  EXPECT_FALSE(told.Knows("b:1", kNow));
  told.Confirm("b:1");  // Forgotten: nothing to confirm.
  EXPECT_FALSE(told.Knows("b:1", kNow));
}

}  // namespace
}  // namespace crawler
