#include "engine/focus.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

TEST(TopicOfSeeds, IsWhatTheirQueriesAskFor) {
  EXPECT_EQ(TopicOfSeeds({"https://example.org/search?q=solar+cells"}), "solar cells");
  EXPECT_EQ(TopicOfSeeds({"https://example.org/?lang=de&query=M%C3%BCnchen%20Isar&page=2"}),
            "München Isar");
  EXPECT_EQ(TopicOfSeeds({"http://a.example/?q=one", "http://b.example/?search=two",
                          "http://c.example/?q=one"}),
            "one two");
}

TEST(TopicOfSeeds, IsEmptyWithoutAny) {
  EXPECT_EQ(TopicOfSeeds({}), "");
  EXPECT_EQ(TopicOfSeeds({"https://example.org/", "https://example.org/?id=7", "no url"}), "");
  EXPECT_EQ(TopicOfSeeds({"https://example.org/?q=", "https://example.org/?q", "http://e/?&=&"}),
            "");
  EXPECT_EQ(TopicOfSeeds({"https://example.org/#q=words"}), "");
}

}  // namespace
}  // namespace crawler
