// Names, asked of a real name server on loopback: fast, slow, dead, lying and with long answers.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "fetch/dns_resolver.hpp"
#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"
#include "web/name_server.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Answer = std::shared_ptr<const ResolvedHost>;

Answer AskFor(HostResolver& resolver, std::string_view host) {
  std::promise<Answer> promise;
  auto future = promise.get_future();
  resolver.Resolve(host, [&](Answer answer) { promise.set_value(std::move(answer)); });
  return future.get();
}

std::vector<std::string> TextsOf(const Answer& answer) {
  std::vector<std::string> texts;
  for (const IpAddress& address : answer->addresses) texts.push_back(address.ToString());
  std::sort(texts.begin(), texts.end());
  return texts;
}

// How long the answer is kept from now on, rounded up.
seconds KeptFor(const Answer& answer) {
  return std::chrono::ceil<seconds>(answer->expires - Clock::System().Now());
}

std::shared_ptr<DnsResolver> ResolverAt(std::vector<std::string> servers,
                                        DnsResolver::Options options = {}) {
  options.servers = std::move(servers);
  return DnsResolver::Create(std::move(options)).value();
}

// A UDP socket on loopback.
class UdpSocket {
 public:
  UdpSocket() : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    const int buffer = 1 << 20;
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer));
  }
  ~UdpSocket() { close(fd_); }
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  int fd() const { return fd_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const int fd_;
  std::uint16_t port_ = 0;
};

// A name server that answers every question for an address with 192.0.2.7, but only once `hold`
// questions wait, or none has come for a while. Other questions have an empty answer.
class PatientServer {
 public:
  explicit PatientServer(std::size_t hold) : hold_(hold), thread_([this] { Run(); }) {}
  ~PatientServer() {
    stopping_ = true;
    thread_.join();
  }
  std::string address() const { return socket_.address(); }
  std::size_t most_at_a_time() const { return most_; }

 private:
  struct Question {
    std::string bytes;
    sockaddr_in from;
  };

  void Run() {
    std::deque<Question> held;
    while (!stopping_) {
      pollfd ready{socket_.fd(), POLLIN, 0};
      const bool quiet = poll(&ready, 1, 50) == 0;
      if (!quiet) Receive(&held);
      most_ = std::max(most_.load(), held.size());
      if (!quiet && held.size() < hold_) continue;
      for (const Question& question : held) Reply(question);
      held.clear();
    }
  }
  void Receive(std::deque<Question>* held) const {
    char buffer[1'500];
    sockaddr_in from{};
    socklen_t size = sizeof(from);
    const ssize_t count = recvfrom(socket_.fd(), buffer, sizeof(buffer), 0,
                                   reinterpret_cast<sockaddr*>(&from), &size);
    if (count > 12) held->push_back({std::string(buffer, static_cast<std::size_t>(count)), from});
  }
  void Reply(const Question& question) const {
    const std::size_t name_end = question.bytes.find('\0', 12);
    std::string reply = question.bytes.substr(0, name_end + 5);
    const bool is_a = reply[name_end + 2] == 1;  // The type is behind the name.
    reply.replace(
        2, 10,
        std::string("\x84\x00\x00\x01\x00", 5) + (is_a ? '\1' : '\0') + std::string(4, '\0'));
    if (is_a) {
      reply += std::string("\xC0\x0C\x00\x01\x00\x01\x00\x00\x00\x3C\x00\x04\xC0\x00\x02\x07", 16);
    }
    sendto(socket_.fd(), reply.data(), reply.size(), 0,
           reinterpret_cast<const sockaddr*>(&question.from), sizeof(question.from));
  }

  const std::size_t hold_;
  UdpSocket socket_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> most_{0};
  std::thread thread_;
};

class Dns : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string records =
        "www 600 IN A 192.0.2.1\nwww 600 IN AAAA 2001:db8::1\n"
        "short 1 IN A 192.0.2.2\nlong 1000000 IN A 192.0.2.3\n"
        "alias 100 IN CNAME www\nempty 60 IN TXT \"no address\"\n"
        "private 60 IN A 10.0.0.1\nmixed 60 IN A 10.0.0.1\nmixed 60 IN A 127.0.0.1\n"
        "here 60 IN A 127.0.0.1\n";
    for (int i = 1; i <= 200; ++i) records += "many 60 IN A 198.51.100." + std::to_string(i) + "\n";
    for (int i = 0; i < 1'000; ++i) {
      records += "n" + std::to_string(i) + " 60 IN A 203.0.113." + std::to_string(i % 250) + "\n";
    }
    server_ = NameServer::Start(records).release();
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "knotd is not installed";
  }

  static NameServer* server_;
};

NameServer* Dns::server_ = nullptr;

TEST_F(Dns, BothFamiliesAndTheirLifetime) {
  const auto resolver = ResolverAt({server_->address()});
  const Answer answer = AskFor(*resolver, "www.test");
  EXPECT_EQ(TextsOf(answer), (std::vector<std::string>{"192.0.2.1", "2001:db8::1"}));
  EXPECT_LE(KeptFor(answer), seconds(600));
  EXPECT_GT(KeptFor(answer), seconds(300));
  EXPECT_EQ(AskFor(*resolver, "www.test"), answer) << "it is kept";
}

TEST_F(Dns, LifetimesAreBounded) {
  const auto resolver = ResolverAt({server_->address()});
  EXPECT_GT(KeptFor(AskFor(*resolver, "short.test")), seconds(10));
  EXPECT_LE(KeptFor(AskFor(*resolver, "long.test")), seconds(3'600));
  EXPECT_LE(KeptFor(AskFor(*resolver, "alias.test")), seconds(100)) << "the alias expires first";
}

TEST_F(Dns, OneFamilyIfAsked) {
  DnsResolver::Options options;
  options.ip_version = IpVersion::kV4;
  const auto four = ResolverAt({server_->address()}, options);
  EXPECT_EQ(TextsOf(AskFor(*four, "alias.test")), (std::vector<std::string>{"192.0.2.1"}));
  options.ip_version = IpVersion::kV6;
  const auto six = ResolverAt({server_->address()}, options);
  EXPECT_EQ(TextsOf(AskFor(*six, "alias.test")), (std::vector<std::string>{"2001:db8::1"}));
}

TEST_F(Dns, MissingNamesAreAnswersThatAreKept) {
  const auto resolver = ResolverAt({server_->address()});
  for (const char* host : {"missing.test", "empty.test"}) {
    const Answer answer = AskFor(*resolver, host);
    EXPECT_TRUE(answer->addresses.empty());
    EXPECT_FALSE(answer->error.empty());
    EXPECT_GT(KeptFor(answer), seconds(60));
    EXPECT_EQ(AskFor(*resolver, host), answer);
  }
}

TEST_F(Dns, LongAnswersComeOverTcp) {
  const auto resolver = ResolverAt({server_->address()});
  const Answer answer = AskFor(*resolver, "many.test");
  EXPECT_EQ(answer->addresses.size(), DnsResolver::Options().max_addresses) << answer->error;
}

TEST_F(Dns, ManyNamesAtOnce) {
  DnsResolver::Options options;
  options.timeout = milliseconds(200);
  options.tries = 7;  // The machine may be busy, so that the server loses questions.
  const auto resolver = ResolverAt({server_->address()}, options);
  std::atomic<int> good{0}, answered{0};
  std::promise<void> all;
  for (int i = 0; i < 1'000; ++i) {
    resolver->Resolve("n" + std::to_string(i) + ".test", [&](const Answer& answer) {
      if (answer->addresses.size() == 1) ++good;
      if (++answered == 1'000) all.set_value();
    });
  }
  all.get_future().wait();
  EXPECT_EQ(good, 1'000);
}

TEST_F(Dns, ADeadServerIsPassedOver) {
  const UdpSocket dead;
  DnsResolver::Options options;
  options.timeout = milliseconds(50);
  const auto resolver = ResolverAt({dead.address(), server_->address()}, options);
  EXPECT_EQ(AskFor(*resolver, "www.test")->addresses.size(), 2u);
}

TEST_F(Dns, TheGuardSeesEveryAnswer) {
  HostileServer server(HostileServer::Always(OkResponse("x")));
  FetchOptions options = TestOptions();
  options.resolver = ResolverAt({server_->address()});
  Session session(options);
  EXPECT_EQ(session.Fetch(server.UrlFor("here.test")).body(), "x");
  EXPECT_EQ(session.Fetch(server.UrlFor("private.test")).failure, FetchFailure::kBlockedAddress);
  const FetchResult mixed = session.Fetch(server.UrlFor("mixed.test"));
  EXPECT_EQ(mixed.body(), "x") << mixed.message;
  EXPECT_EQ(mixed.remote_address->ToString(), "127.0.0.1");
  EXPECT_EQ(session.Fetch(server.UrlFor("missing.test")).failure, FetchFailure::kDns);
}

TEST(DnsResolver, ManyLookupsWaitTogetherForASlowServer) {
  constexpr int kNames = 300;
  PatientServer server(kNames);
  DnsResolver::Options options;
  options.ip_version = IpVersion::kV4;
  options.timeout = milliseconds(20'000);
  const auto resolver = ResolverAt({server.address()}, options);
  std::atomic<int> good{0}, answered{0};
  std::promise<void> all;
  for (int i = 0; i < kNames; ++i) {
    resolver->Resolve("s" + std::to_string(i) + ".test", [&](const Answer& answer) {
      if (TextsOf(answer) == std::vector<std::string>{"192.0.2.7"}) ++good;
      if (++answered == kNames) all.set_value();
    });
  }
  all.get_future().wait();
  EXPECT_EQ(good, kNames);
  EXPECT_GE(server.most_at_a_time(), 50u);
}

TEST(DnsResolver, OnlyDeadServersAreAFailureThatIsKept) {
  const UdpSocket dead;
  DnsResolver::Options options;
  options.timeout = milliseconds(10);
  options.tries = 2;
  const auto resolver = ResolverAt({dead.address()}, options);
  const Answer answer = AskFor(*resolver, "www.test");
  EXPECT_TRUE(answer->addresses.empty());
  EXPECT_FALSE(answer->error.empty());
  EXPECT_LE(KeptFor(answer), seconds(30));
  EXPECT_EQ(AskFor(*resolver, "www.test"), answer);
}

TEST(DnsResolver, ReadsTheHostsFile) {
  const UdpSocket dead;
  const auto resolver = ResolverAt({dead.address()});
  EXPECT_FALSE(AskFor(*resolver, "localhost")->addresses.empty());
}

TEST(DnsResolver, MayGoWhileLookupsAreUnderWay) {
  const UdpSocket dead;
  std::atomic<int> answered{0};
  for (int i = 0; i < 20; ++i) {
    const auto resolver = ResolverAt({dead.address()});
    resolver->Resolve("www.test", [&](const Answer&) { ++answered; });
  }
  EXPECT_EQ(answered, 0);
}

TEST(DnsResolver, ServersAreAddresses) {
  for (const char* text : {"", "ns.example.org", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536",
                           "192.0.2.1:5x", "[::1", "[::1]53", "192.0.2.1,192.0.2.2"}) {
    DnsResolver::Options options;
    options.servers = {text};
    EXPECT_EQ(DnsResolver::Create(options).status().code(), StatusCode::kInvalidArgument) << text;
  }
  for (const char* text : {"192.0.2.1", "192.0.2.1:5353", "::1", "[::1]", "[2001:db8::1]:53"}) {
    DnsResolver::Options options;
    options.servers = {text};
    EXPECT_TRUE(DnsResolver::Create(options).ok()) << text;
  }
}

}  // namespace
}  // namespace crawler
