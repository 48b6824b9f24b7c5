#include "url/address.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "url/url.hpp"

namespace crawler {
namespace {

IpAddress Ip(std::string_view text) {
  const auto address = IpAddress::FromText(text);
  EXPECT_TRUE(address) << text;
  return address.value_or(IpAddress::V4(0));
}

// The registry entry's range, or "" for a public address.
std::string RangeOf(std::string_view text) {
  const auto special = FindSpecialPurpose(Ip(text));
  return special ? std::string(special->range) : "";
}

TEST(IpAddress, TextGoesBothWays) {
  for (const char* text : {"0.0.0.0", "192.0.2.1", "255.255.255.255", "::", "::1", "2001:db8::1",
                           "1:2:3:4:5:6:7:8", "1:0:0:2::3", "64:ff9b::102:304"}) {
    EXPECT_EQ(Ip(text).ToString(), text);
  }
  EXPECT_EQ(Ip("[2001:DB8::]").ToString(), "2001:db8::");
  for (const char* text : {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x1.2.3.4",
                           "1.2.3.4 ", "::g", "[::1", "fe80::1%eth0", "ff", "1:2", "1.2.3.4:80"}) {
    EXPECT_FALSE(IpAddress::FromText(text)) << text;
  }
}

TEST(IpAddress, MappedIpv6IsTheIpv4ItIs) {
  EXPECT_EQ(Ip("::ffff:10.0.0.1"), Ip("10.0.0.1"));
  EXPECT_TRUE(Ip("::ffff:a00:1").is_v4());
  EXPECT_FALSE(Ip("::fffe:a00:1").is_v4());
}

TEST(IpAddress, FromSockaddr) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x7f000001);
  const auto* raw4 = reinterpret_cast<const sockaddr*>(&v4);
  EXPECT_EQ(IpAddress::FromSockaddr(raw4, sizeof v4), Ip("127.0.0.1"));
  EXPECT_FALSE(IpAddress::FromSockaddr(raw4, sizeof v4 - 1));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  ASSERT_EQ(inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6.sin6_addr), 1);
  const auto* raw6 = reinterpret_cast<const sockaddr*>(&v6);
  EXPECT_EQ(IpAddress::FromSockaddr(raw6, sizeof v6), Ip("127.0.0.1"));
  EXPECT_FALSE(IpAddress::FromSockaddr(raw6, sizeof(sockaddr_in)));
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  EXPECT_FALSE(IpAddress::FromSockaddr(reinterpret_cast<const sockaddr*>(&local), sizeof local));
  EXPECT_FALSE(IpAddress::FromSockaddr(nullptr, 0));
}

// https://www.iana.org/assignments/iana-ipv4-special-registry: first and last of every range, and
// their neighbours outside.
TEST(SpecialPurpose, Ipv4Ranges) {
  struct {
    const char *range, *before, *first, *last, *after;
  } const cases[] = {
      {"0.0.0.0/8", nullptr, "0.0.0.0", "0.255.255.255", "1.0.0.0"},
      {"10.0.0.0/8", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
      {"100.64.0.0/10", "100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
      {"127.0.0.0/8", "126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
      {"169.254.0.0/16", "169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
      {"172.16.0.0/12", "172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
      {"192.0.0.0/24", "191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
      {"192.0.2.0/24", "192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
      {"192.88.99.0/24", "192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
      {"192.168.0.0/16", "192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
      {"198.18.0.0/15", "198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
      {"198.51.100.0/24", "198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
      {"203.0.113.0/24", "203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
      {"224.0.0.0/4", "223.255.255.255", "224.0.0.0", "239.255.255.255", nullptr},
      {"240.0.0.0/4", nullptr, "240.0.0.0", "255.255.255.254", nullptr},
      {"255.255.255.255/32", nullptr, "255.255.255.255", "255.255.255.255", nullptr},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(RangeOf(c.first), c.range);
    EXPECT_EQ(RangeOf(c.last), c.range);
    if (c.before != nullptr) {
      EXPECT_EQ(RangeOf(c.before), "") << c.before;
    }
    if (c.after != nullptr) {
      EXPECT_EQ(RangeOf(c.after), "") << c.after;
    }
  }
}

// https://www.iana.org/assignments/iana-ipv6-special-registry
TEST(SpecialPurpose, Ipv6Ranges) {
  struct {
    const char *address, *range;
  } const cases[] = {
      {"::", "::/128"},
      {"::1", "::1/128"},
      {"64:ff9b:1::", "64:ff9b:1::/48"},
      {"64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "64:ff9b:1::/48"},
      {"64:ff9b:2::", ""},
      {"100::1", "100::/64"},
      {"100:0:0:1::", "100:0:0:1::/64"},
      {"100:0:0:2::", ""},
      {"2001::1", "2001::/32"},
      {"2001:2::1", "2001::/23"},
      {"2001:3::1", ""},
      {"2001:4:112::1", ""},
      {"2001:10::", "2001:10::/28"},
      {"2001:2f:ffff::", "2001:20::/28"},
      {"2001:30::", ""},
      {"2001:1ff::1", "2001::/23"},
      {"2001:200::", ""},
      {"2001:db8::", "2001:db8::/32"},
      {"2001:db9::", ""},
      {"3fff::", "3fff::/20"},
      {"3fff:1000::", ""},
      {"5f00::1", "5f00::/16"},
      {"fbff::", ""},
      {"fc00::", "fc00::/7"},
      {"fdff::", "fc00::/7"},
      {"fe00::", ""},
      {"fe80::1", "fe80::/10"},
      {"fec0::1", "fec0::/10"},
      {"ff02::1", "ff00::/8"},
      {"2606:4700:4700::1111", ""},
      {"2620:4f:8000::", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(RangeOf(c.address), c.range) << c.address;
}

TEST(SpecialPurpose, LooksIntoEmbeddedIpv4) {
  struct {
    const char *address, *range;
  } const cases[] = {
      {"::ffff:10.0.0.1", "10.0.0.0/8"},          // Mapped: the address itself.
      {"::10.0.0.1", "10.0.0.0/8"},               // v4-compatible
      {"64:ff9b::10.0.0.1", "10.0.0.0/8"},        // NAT64
      {"2002:a00:1::", "10.0.0.0/8"},             // 6to4
      {"2a00::5efe:10.0.0.1", "10.0.0.0/8"},      // ISATAP
      {"2a00::200:5efe:10.0.0.1", "10.0.0.0/8"},  // ISATAP, globally unique id
      {"64:ff9b::8.8.8.8", ""},
      {"::ffff:0:10.0.0.1", "10.0.0.0/8"},  // IPv4-translated (RFC 2765)
      {"::ffff:0:127.0.0.1", "127.0.0.0/8"},
      {"::ffff:0:a9fe:a9fe", "169.254.0.0/16"},
      {"::ffff:0:8.8.8.8", ""},
      {"::fffe:0:10.0.0.1", ""},
      {"2002:808:808::1", ""},
      {"2a00::5efe:8.8.8.8", ""},
      {"::ffff:8.8.8.8", ""},
      {"2a00::10.0.0.1", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(RangeOf(c.address), c.range) << c.address;
  EXPECT_TRUE(FindSpecialPurpose(Ip("2002:a00:1::"))->embedded);
  EXPECT_TRUE(FindSpecialPurpose(Ip("::ffff:0:10.0.0.1"))->embedded);
  EXPECT_FALSE(FindSpecialPurpose(Ip("::ffff:10.0.0.1"))->embedded);
}

TEST(Cidr, ContainsItsRange) {
  const auto net = Cidr::Parse("10.1.2.3/15");
  ASSERT_TRUE(net.ok());
  EXPECT_TRUE(net->Contains(Ip("10.0.0.0")));
  EXPECT_TRUE(net->Contains(Ip("::ffff:10.1.255.255")));
  EXPECT_FALSE(net->Contains(Ip("10.2.0.0")));
  EXPECT_FALSE(net->Contains(Ip("::10.0.0.1")));
  EXPECT_TRUE(Cidr::Parse("0.0.0.0/0")->Contains(Ip("8.8.8.8")));
  EXPECT_FALSE(Cidr::Parse("0.0.0.0/0")->Contains(Ip("::1")));
  EXPECT_TRUE(Cidr::Parse("::1")->Contains(Ip("::1")));
  EXPECT_FALSE(Cidr::Parse("::1")->Contains(Ip("::2")));
  EXPECT_TRUE(Cidr::Parse("fd00::/8")->Contains(Ip("fdff::1")));
  EXPECT_TRUE(Cidr::Parse("::ffff:10.0.0.0/104")->Contains(Ip("10.255.0.1")));
  EXPECT_FALSE(Cidr::Parse("::ffff:10.0.0.0/104")->Contains(Ip("11.0.0.1")));
}

TEST(Cidr, RefusesWhatIsNone) {
  for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "x/8",
                           "::/129", "10.0.0.0/8 ", "10.0.0.0/8/8", "::ffff:10.0.0.0/95"}) {
    const auto net = Cidr::Parse(text);
    ASSERT_FALSE(net.ok()) << text;
    EXPECT_EQ(net.status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(RefuseAddress, ExceptionsMatchTheAddressItself) {
  const std::string nets[] = {"10.0.0.0/8", "::1"};
  const auto allowed = AllowedNets::Parse(nets);
  ASSERT_TRUE(allowed.ok());
  EXPECT_FALSE(RefuseAddress(Ip("10.1.1.1"), *allowed));
  EXPECT_FALSE(RefuseAddress(Ip("::ffff:10.1.1.1"), *allowed));
  EXPECT_FALSE(RefuseAddress(Ip("8.8.8.8"), *allowed));
  EXPECT_TRUE(RefuseAddress(Ip("127.0.0.1"), *allowed));
  EXPECT_TRUE(RefuseAddress(Ip("2002:a01:101::"), *allowed));
  const std::string wrong[] = {"10.0.0.0/8", "oops"};
  EXPECT_NE(AllowedNets::Parse(wrong).status().message().find("oops"), std::string::npos);
}

TEST(RefuseHost, JudgesLiteralsAndLocalhost) {
  const AllowedNets none;
  const auto refused = [](std::string_view text, const AllowedNets& allowed) {
    Url url;
    EXPECT_EQ(ParseUrl(text, nullptr, &url), UrlKind::kFollowable) << text;
    return RefuseHost(url, allowed).has_value();
  };
  EXPECT_TRUE(refused("http://127.1/", none));
  EXPECT_TRUE(refused("http://[::ffff:7f00:1]/", none));
  EXPECT_TRUE(refused("http://localhost/", none));
  EXPECT_TRUE(refused("http://LOCALHOST.:80/", none));
  EXPECT_TRUE(refused("http://a.localhost/", none));
  EXPECT_FALSE(refused("http://localhost.example/", none));
  EXPECT_FALSE(refused("http://notlocalhost/", none));
  EXPECT_FALSE(refused("http://8.8.8.8/", none));
  AllowedNets loopback;
  loopback.Add(*Cidr::Parse("127.0.0.0/8"));
  EXPECT_FALSE(refused("http://localhost/", loopback));
  EXPECT_FALSE(refused("http://127.0.0.1:8080/", loopback));
  EXPECT_TRUE(refused("http://10.0.0.1/", loopback));
}

}  // namespace
}  // namespace crawler
