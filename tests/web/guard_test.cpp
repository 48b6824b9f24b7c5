// The address guard at work: the scenarios of ssrf/dev.jsonl that are the fetcher's. Those about
// what a page links to (base href, meta refresh, canonical, sitemap lines) end in the same Start().
#include <gtest/gtest.h>

#include <cstdlib>

#include "web/certificates.hpp"
#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

using namespace std::literals;

// Only the one loopback address of "public" servers may be connected to; others are refused.
FetchOptions GuardedOptions(std::shared_ptr<HostResolver> resolver) {
  FetchOptions options = TestOptions();
  options.allowed_nets = AllowedNets::Parse(std::vector<std::string>{"127.0.0.1"}).value();
  options.resolver = std::move(resolver);
  return options;
}

TEST(AddressGuard, EveryHopOfARedirectIsChecked) {
  for (const char* status : {"301", "302", "303", "307", "308"}) {
    for (const char* target :
         {"http://127.0.0.2/", "http://169.254.169.254/", "http://[::ffff:127.0.0.2]/",
          "//127.0.0.2/", "http://2130706434/"}) {
      HostileServer server(HostileServer::Always("HTTP/1.1 " + std::string(status) +
                                                 " Moved\r\nLocation: " + target +
                                                 "\r\nContent-Length: 0\r\n\r\n"));
      FetchOptions options = GuardedOptions(LocalHost("public.test"));
      FetchRequest request = RequestFor(server.UrlFor("public.test", "/robots.txt"));
      request.any_type = true;
      const FetchResult result = Fetch(request, options, 5);
      EXPECT_EQ(result.failure, FetchFailure::kBlockedAddress) << status << " " << target;
    }
  }
}

TEST(AddressGuard, NamesOfPrivateAddressesAreRefused) {  // CNAME chains end here, too.
  HostileServer server(HostileServer::Always(OkResponse("must not be seen")));
  auto resolver = std::make_shared<TableResolver>();
  resolver->Add("private.test", {"10.0.0.1"});
  resolver->Add("several.test", {"10.0.0.1", "192.168.1.1", "fe80::1", "::1"});
  for (const char* host : {"private.test", "several.test"}) {
    const FetchResult result = Fetch(server.UrlFor(host), GuardedOptions(resolver));
    EXPECT_EQ(result.failure, FetchFailure::kBlockedAddress);
    EXPECT_NE(result.message.find(" is "), std::string::npos) << result.message;
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST(AddressGuard, LocalhostIsRefusedWithoutALookup) {  // RFC 6761, 6.3
  auto resolver = LocalHost("localhost");
  FetchOptions options = GuardedOptions(resolver);
  options.allowed_nets = AllowedNets();
  for (const char* host : {"localhost", "a.localhost", "LOCALHOST."}) {
    EXPECT_EQ(Fetch("http://" + std::string(host) + "/", options).failure,
              FetchFailure::kBlockedAddress)
        << host;
  }
  EXPECT_EQ(resolver->lookups("localhost"), 0);
}

TEST(AddressGuard, PublicAddressesOfAMixedNameAreUsed) {
  HostileServer server(HostileServer::Always(OkResponse("public")));
  auto resolver = std::make_shared<TableResolver>();
  resolver->Add("mixed.test", {"10.0.0.1", "127.0.0.1", "127.0.0.2"});
  const FetchResult result = Fetch(server.UrlFor("mixed.test"), GuardedOptions(resolver));
  EXPECT_EQ(result.body(), "public") << result.message;
  EXPECT_EQ(result.remote_address->ToString(), "127.0.0.1");
}

TEST(AddressGuard, RebindingDoesNotReachThePrivateAddress) {
  HostileServer server(HostileServer::Always(OkResponse("public", "Connection: close\r\n")));
  HostileServer::Options at_private;
  at_private.address = "127.0.0.2";
  at_private.port = server.port();
  HostileServer hidden(HostileServer::Always(OkResponse("private")), at_private);
  auto resolver = LocalHost("rebinding.test");
  FetchOptions options = GuardedOptions(resolver);
  {
    Session session(options);
    EXPECT_EQ(session.Fetch(server.UrlFor("rebinding.test")).body(), "public");
  }
  resolver->Add("rebinding.test", {"127.0.0.2"});
  Session session(options);
  EXPECT_EQ(session.Fetch(server.UrlFor("rebinding.test")).failure, FetchFailure::kBlockedAddress);
  EXPECT_EQ(hidden.connections(), 0);
}

TEST(AddressGuard, KeptConnectionsStayWithTheCheckedAddress) {
  HostileServer server(HostileServer::Always(OkResponse("public")));
  auto resolver = LocalHost("kept.test");
  Session session(GuardedOptions(resolver));
  EXPECT_EQ(session.Fetch(server.UrlFor("kept.test")).body(), "public");
  resolver->Add("kept.test", {"10.0.0.1"});
  const FetchResult second = session.Fetch(server.UrlFor("kept.test"));
  EXPECT_EQ(second.remote_address->ToString(), "127.0.0.1");
  EXPECT_TRUE(second.reused_connection);
}

TEST(AddressGuard, ProxiesOfTheEnvironmentAreNotUsed) {
  HostileServer proxy(HostileServer::Always(OkResponse("from the proxy")));
  HostileServer server(HostileServer::Always(OkResponse("direct")));
  for (const char* variable : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) {
    setenv(variable, proxy.Url("").c_str(), 1);
  }
  const FetchResult result =
      Fetch(server.UrlFor("site.test"), GuardedOptions(LocalHost("site.test")));
  for (const char* variable : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) {
    unsetenv(variable);
  }
  EXPECT_EQ(result.body(), "direct") << result.message;
  EXPECT_EQ(proxy.connections(), 0);
}

TEST(AddressGuard, AProxyIsADeliberateException) {
  HostileServer proxy(HostileServer::Always(OkResponse("through the proxy")));
  FetchOptions options = GuardedOptions(std::make_shared<TableResolver>());
  options.allowed_nets = AllowedNets();  // Not even the proxy's address is allowed otherwise.
  options.proxy = "http://user:secret@127.0.0.1:" + std::to_string(proxy.port());
  std::string log;
  const auto context =
      FetchContext::Create(options, Logger([&](LogLevel, std::string_view line) { log += line; }));
  const FetchResult result = Fetch(*context, RequestFor("http://anything.test/page"));
  EXPECT_EQ(result.body(), "through the proxy") << result.message;
  EXPECT_TRUE(result.via_proxy);
  EXPECT_EQ(proxy.requests().front().substr(0, 30), "GET http://anything.test/page ");
  EXPECT_NE(log.find("proxy"), std::string::npos);
  EXPECT_EQ(log.find("secret"), std::string::npos) << log;
  // What can be checked still is.
  EXPECT_EQ(Fetch(*context, RequestFor("http://10.0.0.1/")).failure, FetchFailure::kBlockedAddress);
}

TEST(AddressGuard, SocksProxiesThatLookNothingUpGetCheckedAddresses) {
  HostileServer proxy([](HostileConnection& connection) { connection.Stall(); });
  auto resolver = std::make_shared<TableResolver>();
  resolver->Add("private.test", {"10.0.0.1"});
  FetchOptions options = GuardedOptions(resolver);
  options.proxy = "socks5://127.0.0.1:" + std::to_string(proxy.port());
  EXPECT_EQ(Fetch("http://private.test/", options).failure, FetchFailure::kBlockedAddress);
  EXPECT_EQ(proxy.connections(), 0);
}

TEST(AddressGuard, HostsWithControlCharactersAreNoUrls) {
  for (const std::string_view url : {"http://a\0b.test/"sv, std::string_view("http://a%00b.test/"),
                                     std::string_view("http://a%0ab.test/")}) {
    EXPECT_EQ(Fetch(url).failure, FetchFailure::kBadUrl) << url;
  }
}

TEST(AddressGuard, OnlyHttpIsFetched) {
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/",
                          "dict://127.0.0.1:11211/", "data:text/html,x", "not a url"}) {
    EXPECT_EQ(Fetch(url).failure, FetchFailure::kBadUrl) << url;
  }
}

TEST(AddressGuard, PortsOfOtherProtocolsAreRefused) {  // Fetch Standard, "bad port"
  for (const std::uint16_t port : {1, 22, 25, 110, 587, 6000, 6379, 6667, 10080, 11211}) {
    EXPECT_TRUE(IsBlockedPort(port)) << port;
  }
  for (const std::uint16_t port : {80, 443, 3000, 8000, 8080, 8443, 9000, 65535}) {
    EXPECT_FALSE(IsBlockedPort(port)) << port;
  }
}

}  // namespace
}  // namespace crawler
