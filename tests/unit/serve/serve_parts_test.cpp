// The small parts of the service: series, events, slots, names, JSON, metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "serve/crawl_directory.hpp"
#include "serve/crawl_json.hpp"
#include "serve/crawl_series.hpp"
#include "serve/event_log.hpp"
#include "serve/metrics.hpp"
#include "serve/serve_address.hpp"
#include "serve/work_slots.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(CrawlSeries, IsThinnedAsTimeGoes) {
  CrawlSeries series;
  CrawlStatistics statistics;
  for (std::int64_t second = 0; second < 10'000; ++second) {
    statistics.pages = static_cast<std::uint64_t>(second);
    series.Add(second * 1'000, statistics);
    ASSERT_LE(series.points().size(), CrawlSeries::kMost);
  }
  EXPECT_GE(series.points().size(), CrawlSeries::kMost / 2 - 1);
  EXPECT_EQ(0, series.points().front().at);
  EXPECT_GE(series.points().back().at, 9'950'000);
  for (std::size_t i = 1; i < series.points().size(); ++i) {
    const CrawlSeries::Point& point = series.points()[i];
    EXPECT_EQ(series.interval().count(), point.at - series.points()[i - 1].at);
    EXPECT_EQ(point.at, static_cast<std::int64_t>(point.pages) * 1'000);
  }
}

TEST(EventLog, GivesWhatIsNew) {
  EventLog log;
  log.Add("page", "1");
  log.Add("log", "2");
  const auto past = std::chrono::steady_clock::now();
  const std::vector<EventLog::Event> events = log.WaitBehind(1, past);
  ASSERT_EQ(1u, events.size());
  EXPECT_EQ("log", events[0].kind);
  EXPECT_TRUE(log.WaitBehind(log.last(), past).empty());
}

TEST(EventLog, ForgetsTheOldestOnes) {
  EventLog log;
  for (std::size_t i = 0; i < EventLog::kMost + 10; ++i) log.Add("page", std::to_string(i));
  const auto events = log.WaitBehind(0, std::chrono::steady_clock::now());
  ASSERT_EQ(EventLog::kMost, events.size());
  EXPECT_EQ(11u, events.front().number);
}

TEST(EventLog, WakesThoseWhoWait) {
  EventLog log;
  std::thread adder([&log] { log.Add("page", "{}"); });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  EXPECT_EQ(1u, log.WaitBehind(0, deadline).size());
  adder.join();
}

TEST(EventLog, HasABoundPerSecond) {
  EventLog log;
  std::uint32_t room = 0;
  for (int i = 0; i < 10'000; ++i) room += log.HasRoom() ? 1 : 0;
  EXPECT_GE(room, EventLog::kMostPerSecond);
  EXPECT_LT(room, 10'000u);
}

TEST(WorkSlots, AreLimited) {
  WorkSlots slots(2);
  const WorkSlots::Lease first(slots, milliseconds(0));
  {
    const WorkSlots::Lease second(slots, milliseconds(0));
    EXPECT_TRUE(second.held());
    EXPECT_FALSE(WorkSlots::Lease(slots, milliseconds(0)).held());
  }
  EXPECT_TRUE(WorkSlots::Lease(slots, milliseconds(0)).held());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&slots] {
      for (int k = 0; k < 100; ++k) {
        EXPECT_TRUE(WorkSlots::Lease(slots, std::chrono::minutes(1)).held());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(IsCrawlName, TakesPlainNamesOnly) {
  for (const char* name : {"a", "my-crawl_2.0", "0"}) EXPECT_TRUE(IsCrawlName(name)) << name;
  for (const char* name : {"", ".", "..", ".x", "-x", "a/b", "a b", "a\\b", "ä", "a\n"}) {
    EXPECT_FALSE(IsCrawlName(name)) << name;
  }
  EXPECT_FALSE(IsCrawlName(std::string(101, 'a')));
}

TEST(CrawlDirectory, NamesAreUnique) {
  CrawlDirectory crawls({"/tmp/nowhere/a/site", "/tmp/nowhere/b/site", "/tmp/nowhere/b/site/"}, "");
  const auto all = crawls.All();
  ASSERT_EQ(3u, all.size());
  EXPECT_EQ("site", all[0]->name());
  EXPECT_EQ("site-2", all[1]->name());
  EXPECT_EQ("site-3", all[2]->name());
  EXPECT_EQ(all[1], crawls.Find("site-2"));
  EXPECT_EQ(nullptr, crawls.Find("other"));
  EXPECT_EQ(all[0], crawls.Add("/tmp/nowhere/a/site"));
}

TEST(Utf16Offset, CountsAsBrowsersDo) {
  const std::string text = "aé€😀b";  // 1, 2, 3 and 4 bytes, then 1.
  EXPECT_EQ(0u, Utf16Offset(text, 0));
  EXPECT_EQ(1u, Utf16Offset(text, 1));
  EXPECT_EQ(2u, Utf16Offset(text, 3));
  EXPECT_EQ(3u, Utf16Offset(text, 6));
  EXPECT_EQ(5u, Utf16Offset(text, 10));
  EXPECT_EQ(6u, Utf16Offset(text, 11));
}

TEST(WhyNotFinished, SaysWhatHoldsTheCrawlUp) {
  CrawlView view;
  view.status.state = "finished";
  EXPECT_EQ("", WhyNotFinished(view));
  view.status.state = "stopped";
  view.status.statistics.urls_waiting = 1;
  EXPECT_EQ("It was stopped; 1 URL waits.", WhyNotFinished(view));
  view.status.running = true;
  view.status.statistics.phase = "expansion";
  view.status.statistics.paused = true;
  EXPECT_EQ("It is paused; 1 URL waits.", WhyNotFinished(view));
  view.status.statistics.paused = false;
  HostHoldup holdup;
  holdup.host = "http://a.example";
  holdup.due_in = milliseconds(14'000);
  holdup.why = "backoff";
  holdup.trouble = "503 at /";
  view.activity.holdup = holdup;
  EXPECT_EQ(
      "All hosts have to wait; the last one due is http://a.example in 14 s (backoff, 503 at /).",
      WhyNotFinished(view));
}

TEST(MetricsText, EscapesLabelsAndKeepsMetricsTogether) {
  EXPECT_EQ("a\\\"b\\\\c\\nd", EscapeLabel("a\"b\\c\nd"));
  MetricsText metrics;
  CrawlView view;
  view.status.statistics.pages = 7;
  metrics.AddCrawl("a\"b", view, std::nullopt);
  metrics.AddCrawl("c", view, std::nullopt);
  EXPECT_THAT(metrics.Text(), HasSubstr("# TYPE crawler_pages_total counter\n"
                                        "crawler_pages_total{crawl=\"a\\\"b\"} 7\n"
                                        "crawler_pages_total{crawl=\"c\"} 7\n"));
}

TEST(ServeAddress, TakesAddressAndPort) {
  ServeOptions options;
  EXPECT_EQ("", ReadServeAddress("80", &options));
  EXPECT_EQ("127.0.0.1", options.address);
  EXPECT_EQ(80, options.port);
  EXPECT_EQ("", ReadServeAddress("[::1]:8400", &options));
  EXPECT_EQ("::1", options.address);
  EXPECT_EQ("", ReadServeAddress("0.0.0.0:0", &options));
  EXPECT_EQ("0.0.0.0", options.address);
  for (const char* wrong : {"", ":", ":80", "a:b", "1.2.3.4:", "1.2.3.4:65536", "80 "}) {
    ServeOptions other;
    EXPECT_NE("", ReadServeAddress(wrong, &other)) << wrong;
  }
}

}  // namespace
}  // namespace crawler
