#include "engine/page_report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test_response.hpp"

namespace crawler {
namespace {

TEST(ReportPage, TellsLinksThenThePage) {
  const auto scope = TestScope(Reach::kHost);
  LinkOffers links(*scope, {}, -1);
  links.AddLink("http://e.com/a", 1, false, 0);
  links.AddLink("http://e.com/b", 1, true, 0);
  PageRow row;
  row.url = "http://e.com/page";
  row.title = "Title";
  row.content_type = "text/html";
  row.status = 203;
  row.depth = 2;
  row.score = 250;
  row.size = 4;

  std::vector<std::string> told;
  CrawlCallbacks callbacks;
  callbacks.on_edge = [&](std::string_view from, std::string_view to, bool nofollow) {
    told.push_back(std::string(from) + " -> " + std::string(to) + (nofollow ? " nofollow" : ""));
  };
  callbacks.on_page = [&](const CrawledPage& page) {
    told.emplace_back(page.url);
    EXPECT_EQ(page.title, "Title");
    EXPECT_EQ(page.text, "text");
    EXPECT_EQ(page.body, "body");
    EXPECT_EQ(page.content_type, "text/html");
    EXPECT_EQ(page.status, 203);
    EXPECT_EQ(page.depth, 2);
    EXPECT_DOUBLE_EQ(page.score, 2.5);
    EXPECT_EQ(page.size, 4u);
    EXPECT_EQ(page.change, "changed");
  };
  ReportPage(callbacks, row, PageChange::kChanged, "text", "body", links);
  EXPECT_EQ(told, (Lines{"http://e.com/page -> http://e.com/a",
                         "http://e.com/page -> http://e.com/b nofollow", "http://e.com/page"}));
  ReportPage({}, row, PageChange::kNone, "text", "body", links);  // Nobody wants to know.
  EXPECT_EQ(told.size(), 3u);
}

TEST(ReportKnownPage, TellsOnlyOfUnchangedAndGonePages) {
  Frontier::Lease lease;
  lease.url = "http://e.com/page";
  lease.depth = 2;
  lease.score = 250;
  std::vector<std::string> told;
  CrawlCallbacks callbacks;
  callbacks.on_known_page = [&](const CrawledPage& page) {
    EXPECT_EQ(page.url, "http://e.com/page");
    EXPECT_EQ(page.depth, 2);
    EXPECT_DOUBLE_EQ(page.score, 2.5);
    told.push_back(std::string(page.change) + " " + std::to_string(page.status));
  };
  for (const PageChange change : {PageChange::kNone, PageChange::kNew, PageChange::kChanged,
                                  PageChange::kUnchanged, PageChange::kGone, PageChange::kKept}) {
    ReportKnownPage(callbacks, lease, {change, 404, 0});
  }
  EXPECT_EQ(told, (Lines{"unchanged 404", "gone 404"}));
  ReportKnownPage({}, lease, {PageChange::kGone, 404, 0});  // Nobody wants to know.
}

}  // namespace
}  // namespace crawler
