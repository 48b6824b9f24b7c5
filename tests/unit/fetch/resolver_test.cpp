#include "fetch/resolver.hpp"

#include <gtest/gtest.h>

#include <future>

namespace crawler {
namespace {

std::shared_ptr<const ResolvedHost> Ask(HostResolver& resolver, std::string_view host) {
  std::promise<std::shared_ptr<const ResolvedHost>> promise;
  auto future = promise.get_future();
  resolver.Resolve(host, [&](std::shared_ptr<const ResolvedHost> answer) {
    promise.set_value(std::move(answer));
  });
  return future.get();
}

TEST(SystemResolver, FindsLocalhostAndRemembersIt) {
  SystemResolver resolver({});
  const auto first = Ask(resolver, "localhost");
  ASSERT_FALSE(first->addresses.empty()) << first->error;
  EXPECT_GT(first->expires, Clock::System().Now());
  EXPECT_EQ(Ask(resolver, "localhost"), first);
}

TEST(SystemResolver, OnlyTheVersionAskedFor) {
  SystemResolver::Options options;
  options.ip_version = IpVersion::kV4;
  SystemResolver resolver(options);
  for (const IpAddress& address : Ask(resolver, "localhost")->addresses) {
    EXPECT_TRUE(address.is_v4());
  }
}

TEST(SystemResolver, FailuresAreAnswersToo) {  // H016. Never asks a server: DNS cannot hold it.
  SystemResolver resolver({});
  const auto answer = Ask(resolver, "a..b");
  EXPECT_TRUE(answer->addresses.empty());
  EXPECT_FALSE(answer->error.empty());
  EXPECT_EQ(Ask(resolver, "a..b"), answer);
}

TEST(SystemResolver, ForgetsWhenFull) {
  SystemResolver::Options options;
  options.max_entries = 2;
  SystemResolver resolver(options);
  const auto first = Ask(resolver, "a..0");
  for (int i = 1; i < 10; ++i) Ask(resolver, "a.." + std::to_string(i));
  EXPECT_NE(Ask(resolver, "a..0"), first);
}

TEST(SystemResolver, ManyRequestsForOneNameAreAllAnswered) {
  SystemResolver::Options options;
  options.threads = 2;
  SystemResolver resolver(options);
  std::promise<void> all;
  std::atomic<int> answered{0};
  for (int i = 0; i < 100; ++i) {
    resolver.Resolve(i % 2 == 0 ? "localhost" : "a..b",
                     [&](const std::shared_ptr<const ResolvedHost>&) {
                       if (++answered == 100) all.set_value();
                     });
  }
  all.get_future().wait();
  EXPECT_EQ(answered, 100);
}

TEST(SystemResolver, MayGoWhileLookupsAreUnderWay) {
  for (int i = 0; i < 20; ++i) {
    SystemResolver resolver({});
    auto owned = std::make_shared<int>(1);  // What the callback needs must be its own.
    resolver.Resolve("localhost",
                     [owned](const std::shared_ptr<const ResolvedHost>&) { ++*owned; });
  }
}

}  // namespace
}  // namespace crawler
