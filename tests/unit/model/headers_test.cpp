#include "model/headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

using namespace std::literals;

using testing::ElementsAre;

TEST(HeaderBlock, FindsFieldsWhateverTheirCase) {
  const HeaderBlock head("HTTP/1.1 200 OK\r\nContent-Type: text/html \r\nETag:\t\"x\"\r\n\r\n");
  EXPECT_EQ(head.Find("content-type"), "text/html");
  EXPECT_EQ(head.Find("ETAG"), "\"x\"");
  EXPECT_EQ(head.Find("HTTP/1.1 200 OK"), std::nullopt);
  EXPECT_EQ(head.Find("missing"), std::nullopt);
  EXPECT_FALSE(head.Check());
}

TEST(HeaderBlock, KeepsRepeatedFieldsInOrder) {  // RFC 9110, 5.3
  const HeaderBlock head("HTTP/1.1 200\nLink: a\nX: 1\nlink: b\n\n");
  EXPECT_THAT(head.FindAll("Link"), ElementsAre("a", "b"));
  EXPECT_EQ(head.Joined("Link"), "a, b");
  EXPECT_EQ(head.Joined("none"), "");
}

TEST(HeaderBlock, JoinsFoldedLines) {  // RFC 9112, 5.2; curl test 1274
  const HeaderBlock head("HTTP/1.1 200 OK\r\nA: one\r\n  two\r\n\tthree  \r\nB: x\r\n \r\n\r\n");
  EXPECT_EQ(head.Find("A"), "one two three");
  EXPECT_EQ(head.Find("B"), "x");
}

TEST(HeaderBlock, IgnoresAFoldBeforeTheFirstField) {  // curl test 1473
  const HeaderBlock head("HTTP/1.1 200 OK\r\n folded: first\r\nA: 1\r\n\r\n");
  EXPECT_EQ(head.Find("folded"), std::nullopt);
  EXPECT_EQ(head.Find("A"), "1");
  EXPECT_FALSE(head.Check());
}

TEST(HeaderBlock, AFoldBehindAStrangeNameStaysWithIt) {
  const HeaderBlock head("HTTP/1.1 200 OK\r\nA: 1\r\nB\xc3\xa4r: x\r\n y\r\n\r\n");
  EXPECT_EQ(head.Find("A"), "1");
  EXPECT_FALSE(head.Check());
}

TEST(HeaderBlock, NamesThatAreNoTokensAreNotFound) {  // RFC 9110, 5.1
  const HeaderBlock head("HTTP/1.1 200 OK\r\nX Y: 1\r\nZ : 2\r\n: 3\r\n\r\n");
  EXPECT_EQ(head.Find("X Y"), std::nullopt);
  EXPECT_EQ(head.Find("Z"), std::nullopt);
  EXPECT_FALSE(head.Check());
}

TEST(HeaderBlock, FlawsAreSaid) {  // RFC 9112, 2.2 and 5.1
  EXPECT_TRUE(HeaderBlock("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n").Check());
  EXPECT_TRUE(HeaderBlock("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n").Check());
  EXPECT_TRUE(HeaderBlock("HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n"s).Check());
  EXPECT_TRUE(HeaderBlock("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n").Check());
  EXPECT_TRUE(HeaderBlock("HTTP/1.1 200 OK\r\nTransfer-Encoding\t: chunked\r\n\r\n").Check());
}

TEST(HeaderBlock, StopsAtTheEmptyLine) {
  const HeaderBlock head("HTTP/1.1 200 OK\r\nA: 1\r\n\r\nB: 2\r\n");
  EXPECT_EQ(head.Find("B"), std::nullopt);
}

TEST(HeaderBlock, SurvivesBeingMoved) {
  HeaderBlock head("HTTP/1.1 200\nA:1\n\n");  // Short enough to live inside the string object.
  const HeaderBlock moved = std::move(head);
  EXPECT_EQ(moved.Find("A"), "1");
}

TEST(HeaderBlock, TakesAnyBytes) {
  EXPECT_TRUE(HeaderBlock("").empty());
  for (const char* text : {"\r", "\n", "\r\n", ":", "\n:", "\n \n", "x", "\n\r\r\n", "\n:\n :"}) {
    const HeaderBlock head{std::string(text)};
    for (std::size_t i = 0; i < head.size(); ++i)
      (void)(head.name(i).size() + head.value(i).size());
  }
}

TEST(MediaTypeEssence, IsTypeAndSubtypeInLowerCase) {
  EXPECT_EQ(MediaTypeEssence("Text/HTML; charset=UTF-8"), "text/html");
  EXPECT_EQ(MediaTypeEssence(" text/plain "), "text/plain");
  for (const char* nothing : {"", "text", "text/", "/html", ";charset=x"}) {
    EXPECT_EQ(MediaTypeEssence(nothing), "") << nothing;
  }
}

}  // namespace
}  // namespace crawler
