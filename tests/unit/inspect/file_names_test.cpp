#include "inspect/file_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

std::string Name(const std::string& text, std::string_view media_type = "text/html") {
  Url url;
  EXPECT_EQ(ParseUrl(text, nullptr, &url), UrlKind::kFollowable) << text;
  std::string name;
  for (const std::string& part : FileNameOf(url, media_type)) {
    EXPECT_FALSE(part.empty() || part == "." || part == ".." || part.size() > 140) << part;
    EXPECT_EQ(part.find_first_of("/\\:*?\"<>|\n"), std::string::npos) << part;
    name += (name.empty() ? "" : "/") + part;
  }
  return name;
}

TEST(FileNames, AreLikeTheUrl) {
  EXPECT_EQ(Name("http://a.example/"), "a.example/index.html");
  EXPECT_EQ(Name("http://a.example/docs/"), "a.example/docs/index.html");
  EXPECT_EQ(Name("http://a.example/docs/a.png", "image/png"), "a.example/docs/a.png");
  EXPECT_EQ(Name("http://a.example/docs/a"), "a.example/docs/a.html");
  EXPECT_EQ(Name("http://a.example:81/x.css"), "a.example_81/x.css");
}

TEST(FileNames, NoUrlLeavesTheFolder) {
  EXPECT_EQ(Name("http://a.example/%2e%2e/%2e%2e/etc/passwd"), "a.example/etc/passwd.html");
  EXPECT_EQ(Name("http://a.example/..%2f..%2fetc%2fpasswd"),
            "a.example/_..%2f..%2fetc%2fpasswd.html");
  EXPECT_EQ(Name("http://a.example//etc//passwd"), "a.example/etc/passwd.html");
  EXPECT_EQ(Name("http://a.example/.bashrc"), "a.example/_.bashrc");
  EXPECT_EQ(Name("http://a.example/-rf"), "a.example/_-rf.html");
  EXPECT_EQ(Name("http://[::1]/a:b*c"), "___1_/a_b_c.html");
}

TEST(FileNames, AreShortAndTellQueriesApart) {
  EXPECT_LT(Name("http://a.example/" + std::string(2000, 'x')).size(), 150u);
  EXPECT_NE(Name("http://a.example/a?x=1"), Name("http://a.example/a?x=2"));
  EXPECT_NE(Name("http://a.example/" + std::string(2000, 'x') + "1"),
            Name("http://a.example/" + std::string(2000, 'x') + "2"));
  std::string deep = "http://a.example";
  for (int i = 0; i < 500; ++i) deep += "/d";
  EXPECT_LT(Name(deep).size(), 300u);
}

}  // namespace
}  // namespace crawler
