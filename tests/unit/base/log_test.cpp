#include "base/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace crawler
