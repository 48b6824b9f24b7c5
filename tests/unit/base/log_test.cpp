#include "base/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Lines {
  std::vector<std::string> all;
  Logger::Sink Sink() {
    return [this](LogLevel, std::string_view line) { all.emplace_back(line); };
  }
};

TEST(Logger, LineLooksAsDocumented) {
  ManualClock clock(WallTime(seconds(1705314225) + milliseconds(123)));
  Lines lines;
  const Logger log(lines.Sink(), LogLevel::kInfo, clock);
  std::thread([&] {
    SetThreadName("parser-3");
    log.Info("Engine", "Message", {{"key", "value"}, {"links", 12}, {"ok", true}});
    log.Error("Engine", "Bare");
  }).join();
  EXPECT_THAT(lines.all,
              testing::ElementsAre("2024-01-15 10:23:45.123 INFO  [parser-3] Engine - Message "
                                   "{key=value, links=12, ok=true}",
                                   "2024-01-15 10:23:45.123 ERROR [parser-3] Engine - Bare"));
}

TEST(Logger, BelowThresholdAndWithoutSinkIsSilent) {
  Lines lines;
  const Logger log(lines.Sink(), LogLevel::kWarn);
  log.Info("Engine", "not shown");
  log.Warn("Engine", "shown");
  EXPECT_EQ(lines.all.size(), 1u);
  EXPECT_FALSE(log.Enabled(LogLevel::kInfo));
  EXPECT_FALSE(Logger().Enabled(LogLevel::kError));
  Logger().Error("Engine", "goes nowhere");
}

// A URL is chosen by strangers: it must not be able to start a line of its own.
TEST(Logger, ControlCharactersAreEscaped) {
  ManualClock clock;
  Lines lines;
  Logger(lines.Sink(), LogLevel::kInfo, clock).Info("Fetch", "a\nb", {{"url", "x\r\n\x1b[31m"}});
  EXPECT_EQ(lines.all.at(0),
            "1970-01-01 00:00:00.000 INFO  [main] Fetch - a\\x0ab {url=x\\x0d\\x0a\\x1b[31m}");
}

// "a value that is empty or holds a blank, a comma, a quote or a brace is quoted"
TEST(Logger, ValuesCannotForgeFields) {
  ManualClock clock;
  Lines lines;
  Logger(lines.Sink(), LogLevel::kInfo, clock)
      .Info("Fetch", "Failed",
            {{"why", "refused, status=200"},
             {"quoted", "a\"b"},
             {"none", ""},
             {"url", "http://a/?b=c"}});
  EXPECT_EQ(lines.all.at(0),
            "1970-01-01 00:00:00.000 INFO  [main] Fetch - Failed {why=\"refused, status=200\", "
            "quoted=\"a\\\"b\", none=\"\", url=http://a/?b=c}");
}

TEST(Logger, NumbersAreWhole) {
  ManualClock clock;
  Lines lines;
  Logger(lines.Sink(), LogLevel::kInfo, clock)
      .Info("Test", "n",
            {{"least", std::numeric_limits<std::int64_t>::min()},
             {"most", std::numeric_limits<std::uint64_t>::max()},
             {"real", 0.25},
             {"no", false}});
  EXPECT_EQ(lines.all.at(0),
            "1970-01-01 00:00:00.000 INFO  [main] Test - n {least=-9223372036854775808, "
            "most=18446744073709551615, real=0.25, no=false}");
}

TEST(Logger, EventsCarryTheirLevel) {
  constexpr LogEvent kQuiet{LogLevel::kDebug, "Test", "quiet"};
  constexpr LogEvent kLoud{LogLevel::kError, "Test", "loud"};
  std::vector<LogLevel> levels;
  const Logger log([&](LogLevel level, std::string_view) { levels.push_back(level); });
  log.Log(kQuiet);
  log.Log(kLoud, {{"n", 1}});
  EXPECT_THAT(levels, testing::ElementsAre(LogLevel::kError));
}

TEST(Logger, LevelsAreParsedByName) {
  EXPECT_EQ(ParseLogLevel("debug"), LogLevel::kDebug);
  EXPECT_EQ(ParseLogLevel("info"), LogLevel::kInfo);
  EXPECT_EQ(ParseLogLevel("warn"), LogLevel::kWarn);
  EXPECT_EQ(ParseLogLevel("error"), LogLevel::kError);
  for (const char* name : {"", "Debug", "warning", "info ", "0"}) {
    EXPECT_EQ(ParseLogLevel(name), std::nullopt) << name;
  }
}

TEST(ThreadName, IsNeverThatOfAnotherThread) {
  EXPECT_EQ(ThreadName(), "main");
  std::string unnamed, child, named, longest;
  std::thread([&] {
    unnamed = ThreadName();
    SetThreadName("parser-3");
    named = ThreadName();
    // The system's name of a thread is inherited; ours must not be.
    std::thread([&] { child = ThreadName(); }).join();
    SetThreadName(std::string(40, 'x'));
    longest = ThreadName();
  }).join();
  EXPECT_EQ(named, "parser-3");
  EXPECT_THAT(unnamed, testing::MatchesRegex("thread-[0-9]+"));
  EXPECT_THAT(child, testing::MatchesRegex("thread-[0-9]+"));
  EXPECT_NE(child, unnamed);
  EXPECT_EQ(longest, std::string(31, 'x'));
  EXPECT_EQ(ThreadName(), "main");
}

}  // namespace
}  // namespace crawler
