#include "engine/crawl_phases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace crawler {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CrawlPhasesTest : public ::testing::Test {
 protected:
  ManualClock clock_;
  std::vector<std::string> lines_;
  Logger logger_{[this](LogLevel, std::string_view line) { lines_.emplace_back(line); },
                 LogLevel::kInfo};
  CrawlPhases::Work work_;
  CrawlPhases phases_{clock_, logger_, [this] { return work_; }};
};

TEST_F(CrawlPhasesTest, NoneAtTheStart) {
  EXPECT_STREQ(phases_.current(), "starting");
  EXPECT_THAT(phases_.Report(), IsEmpty());
  phases_.Finish();
  EXPECT_STREQ(phases_.current(), "over");
  EXPECT_THAT(phases_.Report(), IsEmpty());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(CrawlPhasesTest, EachHasItsOwnTimeAndNumbers) {
  phases_.Enter("discovery");
  clock_.Advance(milliseconds(300));
  work_ = {5, 2};
  phases_.Enter("expansion");
  EXPECT_STREQ(phases_.current(), "expansion");
  clock_.Advance(milliseconds(70));
  work_ = {9, 4};
  std::vector<CrawlPhase> report = phases_.Report();
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0].name, "discovery");
  EXPECT_EQ(report[0].elapsed, milliseconds(300));
  EXPECT_EQ(report[0].requests, 5u);
  EXPECT_EQ(report[0].pages, 2u);
  EXPECT_EQ(report[1].elapsed, milliseconds(70)) << "up to now";
  EXPECT_EQ(report[1].requests, 4u);
  EXPECT_EQ(report[1].pages, 2u);

  phases_.Finish();
  clock_.Advance(milliseconds(1'000));
  work_ = {20, 20};
  report = phases_.Report();
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[1].elapsed, milliseconds(70)) << "it is over";
  EXPECT_EQ(report[1].requests, 4u);
}

TEST_F(CrawlPhasesTest, BeginningsAndEndsAreLoggedOnce) {
  phases_.Enter("discovery");
  clock_.Advance(milliseconds(12));
  work_ = {3, 1};
  phases_.Finish();
  phases_.Finish();
  EXPECT_THAT(lines_,
              ElementsAre(HasSubstr("Phase begins {phase=discovery}"),
                          HasSubstr("Phase ends {phase=discovery, ms=12, requests=3, pages=1}")));
}

}  // namespace
}  // namespace crawler
