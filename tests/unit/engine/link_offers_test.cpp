#include "engine/link_offers.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "parse/document_reader.hpp"
#include "test_response.hpp"

namespace crawler {
namespace {

std::vector<Frontier::Offered> Ids(const std::vector<UrlId>& ids) {
  std::vector<Frontier::Offered> offered(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) offered[i].url = ids[i];
  return offered;
}

class LinkOffersTest : public ::testing::Test {
 protected:
  // The links of an HTML page, one link from a seed.
  void AddLinks(std::string body) {
    DocumentReader reader(ToExtractOptions("testbot", {}), 1 << 20);
    reader.Read(TestResponse(200, std::move(body), "Content-Type: text/html\r\n"), &document_);
    offers_.AddLinks(document_.page, 2);
  }

  std::string LinksJson(const std::vector<Frontier::Offered>& offered) const {
    std::uint64_t count = 0;
    std::string json = offers_.LinksJson(document_.page, offered, &count);
    EXPECT_EQ(count, offers_.CountLinks(offered));
    return json;
  }

  const std::unique_ptr<Scope> scope_ = TestScope(Reach::kHost, {"/private"});
  LinkOffers offers_{*scope_, {}, 2};
  Document document_;
};

TEST_F(LinkOffersTest, EachUrlOnceInNormalForm) {
  offers_.Add("HTTP://E.com:80/a#part", Via::kSeed, 0);
  offers_.Add("http://e.com/a", Via::kSeed, 1);
  offers_.Add("mailto:a@e.com", Via::kSeed, 0);
  offers_.Add("no url", Via::kSeed, 0);
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/a seed 0"}));
  EXPECT_EQ(offers_.candidates()[0].origin, "http://e.com");
  EXPECT_EQ(offers_.candidates()[0].site, "e.com");
  offers_.Clear();
  EXPECT_TRUE(offers_.candidates().empty());
  offers_.Add("http://e.com/a", Via::kSeed, 1);
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/a seed 1"}));
}

TEST_F(LinkOffersTest, ScopeAndDepthDecideButNotAboutSitemaps) {
  offers_.Add("http://e.com/private", Via::kLink, 1);
  offers_.Add("http://e.com/deep", Via::kLink, 3);
  offers_.Add("http://x.example/private/map.xml", Via::kSitemapFile, 9);
  offers_.Add("http://e.com/loop", Via::kRedirect, 1, 11, SkipReason::kTooManyRedirects);
  ASSERT_EQ(offers_.candidates().size(), 4u);
  EXPECT_EQ(offers_.candidates()[0].skipped, SkipReason::kExcluded);
  EXPECT_EQ(offers_.candidates()[0].skip_detail, "/private");
  EXPECT_EQ(offers_.candidates()[1].skipped, SkipReason::kTooDeep);
  EXPECT_EQ(offers_.candidates()[2].skipped, SkipReason::kNone);
  EXPECT_EQ(offers_.candidates()[3].skipped, SkipReason::kTooManyRedirects);
  EXPECT_EQ(offers_.candidates()[3].redirects, 11u);
}

TEST_F(LinkOffersTest, WithoutADepthBudgetNothingIsTooDeep) {
  LinkOffers unlimited(*scope_, {}, -1);
  unlimited.Add("http://e.com/deep", Via::kLink, 1000);
  EXPECT_EQ(Describe(unlimited), (Lines{"http://e.com/deep link 1000"}));
}

TEST_F(LinkOffersTest, NormalizeOptionsHold) {
  NormalizeOptions normalize;
  normalize.drop_tracking = true;
  LinkOffers offers(*scope_, normalize, -1);
  offers.Add("http://e.com/a?utm_source=x", Via::kLink, 1);
  EXPECT_EQ(Describe(offers), (Lines{"http://e.com/a link 1"}));
}

TEST_F(LinkOffersTest, OneLinkThatMayBeFollowedIsEnough) {
  AddLinks(
      "<a href=/a rel=nofollow></a><a href=/a>text</a><a href=/private rel=nofollow>p</a>"
      "<a href=/private>p</a><a href=/b>b</a><a href=/b rel=nofollow>b</a>");
  EXPECT_EQ(Describe(offers_), (Lines{"http://e.com/a link 2",
                                      "http://e.com/private link 2, scope: exclude pattern "
                                      "/private",
                                      "http://e.com/b link 2"}));
  EXPECT_FALSE(offers_.nofollow(0) || offers_.nofollow(1) || offers_.nofollow(2));
  EXPECT_EQ(LinksJson(Ids({5, 6, 7})), R"([[5,0,"text"],[6,0,"p"],[7,0,"b"]])");
}

TEST_F(LinkOffersTest, NextAndPreviousAreFollowedLikeAnchors) {
  AddLinks(
      "<link rel=next href=/2><link rel='Prev' href=/0><link rel='previous start' href=/00>"
      "<link rel=stylesheet href=/s.css><link rel=canonical href=/1><link href=/none>"
      "<link rel='next nofollow' href=/3><p>text <a href=/2>anchor</a>");
  EXPECT_EQ(Describe(offers_),
            (Lines{"http://e.com/2 link 2", "http://e.com/0 link 2", "http://e.com/00 link 2",
                   "http://e.com/3 link 2, nofollow"}));
  EXPECT_EQ(LinksJson(Ids({5, 6, 7, 8})), R"([[5,0,"anchor"],6,7,[8,1,""]])");
}

TEST_F(LinkOffersTest, LinksAreStoredAsShortAsTheyCanBe) {
  AddLinks("<a href=/a></a><a href=/b rel=nofollow></a><a href=/c>c</a><a href=/d></a>");
  // A URL without an id was not taken.
  EXPECT_EQ(LinksJson(Ids({5, 6, 7, 0})), R"([5,[6,1,""],[7,0,"c"]])");
  offers_.SetWorth(300);
  EXPECT_EQ(LinksJson(Ids({5, 6, 7, 8})),
            R"([[5,0,"",300],[6,1,"",300],[7,0,"c",300],[8,0,"",300]])");
  offers_.Clear();
  EXPECT_EQ(LinksJson(Ids({})), "");
  offers_.Add("http://e.com/map.xml", Via::kSitemapFile, 0);
  EXPECT_EQ(LinksJson(Ids({5})), "") << "a sitemap is no link of a page";
}

}  // namespace
}  // namespace crawler
