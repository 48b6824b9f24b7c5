// What hostile servers do with redirects: H089 to H109 of the checklist.
#include <gtest/gtest.h>

#include <atomic>

#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

std::string Redirect(std::string_view location, std::string_view status = "302 Found") {
  return "HTTP/1.1 " + std::string(status) + "\r\nLocation: " + std::string(location) +
         "\r\nContent-Length: 0\r\n\r\n";
}

// Answers every request on every connection with what `answer(request line)` says.
HostileServer::Script Answering(std::function<std::string(const std::string&)> answer) {
  return [answer = std::move(answer)](HostileConnection& connection) {
    for (std::string head; !(head = connection.ReadRequest()).empty();) {
      connection.Send(answer(head.substr(0, head.find("\r\n"))));
    }
  };
}

TEST(HostileRedirects, H089ToItselfStops) {
  HostileServer server(Answering([](const std::string&) { return Redirect("/"); }));
  const FetchResult result = Fetch(server.Url(), TestOptions(), 5);
  EXPECT_EQ(result.status, 302);
  EXPECT_EQ(result.message, "redirected in a circle");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(HostileRedirects, H090CircleOfTwoStops) {
  HostileServer server(Answering(
      [](const std::string& line) { return Redirect(line.starts_with("GET /a ") ? "/b" : "/a"); }));
  const FetchResult result = Fetch(server.Url("/a"), TestOptions(), 5);
  EXPECT_EQ(result.message, "redirected in a circle");
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(HostileRedirects, H091ChainsEndAtTheLimit) {
  const auto chain = [](int length) {
    return Answering([length](const std::string& line) {
      const int step = std::stoi(line.substr(5));
      return step < length ? Redirect("/" + std::to_string(step + 1)) : OkResponse("there");
    });
  };
  HostileServer five(chain(5));
  const FetchResult reached = Fetch(five.Url("/0"), TestOptions(), 5);
  EXPECT_EQ(reached.body(), "there");
  EXPECT_EQ(reached.url.path(), "/5");
  EXPECT_EQ(reached.redirected_from.size(), 5u);
  HostileServer six(chain(6));
  const FetchResult stopped = Fetch(six.Url("/0"), TestOptions(), 5);
  EXPECT_EQ(stopped.status, 302);
  EXPECT_EQ(stopped.message, "too many redirects");
}

TEST(HostileRedirects, H092EndlessChainStops) {
  std::atomic<int> count{0};
  HostileServer server(Answering(
      [&count](const std::string&) { return Redirect("/?n=" + std::to_string(++count)); }));
  EXPECT_EQ(Fetch(server.Url(), TestOptions(), 5).message, "too many redirects");
  EXPECT_EQ(count, 6);
}

TEST(HostileRedirects, H093CookieWallStops) {
  std::atomic<int> count{0};
  HostileServer server(Answering([&count](const std::string&) {
    const std::string n = std::to_string(++count);
    return "HTTP/1.1 302 Found\r\nSet-Cookie: c" + n + "=1\r\nLocation: /?" + n +
           "\r\nContent-Length: 0\r\n\r\n";
  }));
  FetchOptions options = TestOptions();
  options.cookies = true;
  EXPECT_EQ(Fetch(server.Url(), options, 5).message, "too many redirects");
}

FetchResult FetchRedirect(std::string reply) {
  HostileServer server(HostileServer::Reply(std::move(reply)));
  return Fetch(server.Url("/dir/page?q#f"));
}

TEST(HostileRedirects, H094NoLocationIsTheAnswer) {
  const FetchResult result = FetchRedirect("HTTP/1.1 301 Moved\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_FALSE(result.redirect);
  EXPECT_EQ(result.body(), "hi");
}

TEST(HostileRedirects, H095EmptyLocationIsNone) {
  EXPECT_FALSE(FetchRedirect(Redirect("")).redirect);
  EXPECT_FALSE(FetchRedirect(Redirect("  ")).redirect);
}

TEST(HostileRedirects, H096StrangeBytesAreNormalised) {
  EXPECT_EQ(FetchRedirect(Redirect("/a b\tc")).redirect->path(), "/a%20bc");
  EXPECT_EQ(FetchRedirect(Redirect("/\xc3\xa4")).redirect->path(), "/%C3%A4");
  EXPECT_EQ(FetchRedirect(Redirect("/\xe4")).redirect->path(), "/%E4");  // Latin-1, as it came.
  EXPECT_EQ(FetchRedirect(Redirect("/%zz%4")).redirect->path(), "/%zz%4");
}

TEST(HostileRedirects, H097RelativeLocations) {
  const auto target = [](const char* location) {
    return std::string(FetchRedirect(Redirect(location)).redirect->path_and_query());
  };
  EXPECT_EQ(target("?x"), "/dir/page?x");
  EXPECT_EQ(target("../x"), "/x");
  EXPECT_EQ(target("./x"), "/dir/x");
  EXPECT_EQ(target("#other"), "/dir/page?q");
  EXPECT_EQ(FetchRedirect(Redirect("//elsewhere.test/x")).redirect->href(),
            "http://elsewhere.test/x");
}

TEST(HostileRedirects, H098FragmentsAreNotSent) {
  HostileServer server(Answering([](const std::string& line) {
    return line.starts_with("GET / ") ? Redirect("/there#fragment") : OkResponse("ok");
  }));
  EXPECT_EQ(Fetch(server.Url(), TestOptions(), 5).body(), "ok");
  EXPECT_EQ(server.requests().back().substr(0, 20), "GET /there HTTP/1.1\r");
}

TEST(HostileRedirects, H100OtherSchemesAreNotFollowed) {
  for (const char* location : {"file:///etc/passwd", "gopher://x/", "ftp://x/", "data:text/html,x",
                               "javascript:alert(1)"}) {
    HostileServer server(Answering([&](const std::string&) { return Redirect(location); }));
    const FetchResult result = Fetch(server.Url(), TestOptions(), 5);
    EXPECT_EQ(result.status, 302) << location;
    EXPECT_FALSE(result.redirect->followable());
    EXPECT_EQ(result.message, "redirected to a scheme that is not fetched");
  }
}

TEST(HostileRedirects, H101PrivateAddressesAreRefused) {
  for (const char* location :
       {"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "//192.168.0.1/",
        "http://[::ffff:10.0.0.1]/", "http://0x0a000001/", "http://[fd00::1]/"}) {
    HostileServer server(Answering([&](const std::string&) { return Redirect(location); }));
    const FetchResult result = Fetch(server.Url(), TestOptions(), 5);
    EXPECT_EQ(result.failure, FetchFailure::kBlockedAddress) << location;
    EXPECT_EQ(result.redirected_from.size(), 1u);
  }
}

TEST(HostileRedirects, H102OtherProtocolsPortsAreRefused) {
  for (const int port : {22, 25, 6379, 11211}) {
    HostileServer server(Answering([&](const std::string&) {
      return Redirect("http://127.0.0.1:" + std::to_string(port) + "/");
    }));
    const FetchResult result = Fetch(server.Url(), TestOptions(), 5);
    EXPECT_EQ(result.failure, FetchFailure::kBlockedAddress) << port;
  }
}

TEST(HostileRedirects, H103HugeBodyIsNotRead) {
  HostileServer announced(HostileServer::Reply(
      "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 1000000000\r\n\r\nxx"));
  const FetchResult result = Fetch(announced.Url());
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.redirect->path(), "/x");
  EXPECT_EQ(result.truncated, Truncation::kLength);

  HostileServer endless([](HostileConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n");
    while (connection.Send(std::string(10'000, 'x'))) {
    }
  });
  const FetchResult cut = Fetch(endless.Url());
  EXPECT_TRUE(cut.ok()) << cut.message;
  EXPECT_EQ(cut.redirect->path(), "/x");
  EXPECT_EQ(cut.raw_body.size(), TestOptions().limits.max_redirect_body);
}

TEST(HostileRedirects, H104OtherCodesAreNotRedirects) {
  for (const char* status :
       {"300 Choices", "304 Not Modified", "305 Use Proxy", "306 x", "399 x", "201 Created"}) {
    EXPECT_FALSE(FetchRedirect(Redirect("/x", status)).redirect) << status;
  }
}

TEST(HostileRedirects, H105RedirectsKeepTheMethod) {
  for (const char* status : {"303 See Other", "307 Temporary", "308 Permanent"}) {
    HostileServer server(Answering([&](const std::string& line) {
      return line.find(" / ") != std::string::npos
                 ? Redirect("/x", status)
                 : std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    }));
    FetchRequest request = RequestFor(server.Url());
    request.method = FetchRequest::Method::kHead;
    EXPECT_EQ(Fetch(request, TestOptions(), 5).status, 200);
    EXPECT_EQ(server.requests().back().substr(0, 7), "HEAD /x");
  }
}

TEST(HostileRedirects, H107HugeLocationIsRefused) {
  EXPECT_FALSE(FetchRedirect(Redirect("/" + std::string(200'000, 'x'))).ok());
}

TEST(HostileRedirects, H108CredentialsInUrlsAreNotSent) {
  HostileServer server(Answering([](const std::string& line) {
    return line.starts_with("GET / ") ? Redirect("http://user:secret@127.0.0.1:1/")
                                      : OkResponse("ok");
  }));
  const FetchResult result = Fetch(server.Url("/"));
  ASSERT_TRUE(result.redirect);
  const std::string with_user =
      "http://user:secret@127.0.0.1:" + std::to_string(server.port()) + "/next";
  EXPECT_EQ(Fetch(with_user).body(), "ok");
  for (const std::string& head : server.requests()) {
    EXPECT_EQ(head.find("uthorization"), std::string::npos) << head;
    EXPECT_EQ(head.find("secret"), std::string::npos) << head;
  }
}

TEST(Credentials, GoToTheirOriginAndNoOther) {  // H099, H156; RFC 9110, 11.6.2
  HostileServer other(Answering([](const std::string&) { return OkResponse("other"); }));
  HostileServer own(Answering([&](const std::string& line) {
    return line.starts_with("GET /away ") ? Redirect(other.Url()) : OkResponse("own");
  }));
  setenv("CRAWLER_TEST_LOGIN", "user:pass:word", 1);
  setenv("CRAWLER_TEST_TOKEN", "t0ken", 1);
  FetchOptions options = TestOptions();
  options.credentials = {
      Credential::BasicFromEnvironment(own.Url(), "CRAWLER_TEST_LOGIN").value(),
      Credential::BearerFromEnvironment("https://127.0.0.1:" + std::to_string(other.port()),
                                        "CRAWLER_TEST_TOKEN")
          .value()};
  EXPECT_EQ(Fetch(own.Url("/away"), options, 5).body(), "other");
  EXPECT_NE(own.requests().front().find("\r\nAuthorization: Basic dXNlcjpwYXNzOndvcmQ=\r\n"),
            std::string::npos);
  // Neither the other server's login, nor its own token, which is for https.
  EXPECT_EQ(other.requests().front().find("uthorization"), std::string::npos);
}

TEST(Credentials, ThatAreMissingAreAnError) {
  unsetenv("CRAWLER_TEST_NONE");
  EXPECT_FALSE(Credential::BasicFromEnvironment("https://a.test", "CRAWLER_TEST_NONE").ok());
  setenv("CRAWLER_TEST_NONE", "no colon", 1);
  EXPECT_FALSE(Credential::BasicFromEnvironment("https://a.test", "CRAWLER_TEST_NONE").ok());
  EXPECT_FALSE(Credential::BearerFromEnvironment("mailto:x", "CRAWLER_TEST_NONE").ok());
  setenv("CRAWLER_TEST_NONE", "two\nlines", 1);
  EXPECT_FALSE(Credential::BearerFromEnvironment("https://a.test", "CRAWLER_TEST_NONE").ok());
}

}  // namespace
}  // namespace crawler
