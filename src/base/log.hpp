#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.hpp"

namespace crawler {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

/// The level named `name`: "debug", "info", "warn" or "error". Empty for any other text.
std::optional<LogLevel> ParseLogLevel(std::string_view name);

/// One `key=value` pair behind a log message. Refers to the key and to a text value without a copy:
/// both must live until the log call returns. A number is formatted only if the line is written.
class LogField {
 public:
  LogField(std::string_view key, std::string_view value)
      : key_(key), kind_(Kind::kText), value_{.text = value} {}
  LogField(std::string_view key, const char* value) : LogField(key, std::string_view(value)) {}
  LogField(std::string_view key, bool value)
      : LogField(key, std::string_view(value ? "true" : "false")) {}
  template <std::signed_integral T>
  LogField(std::string_view key, T value)
      : key_(key), kind_(Kind::kSigned), value_{.signed_number = value} {}
  template <std::unsigned_integral T>
  LogField(std::string_view key, T value)
      : key_(key), kind_(Kind::kUnsigned), value_{.unsigned_number = value} {}
  LogField(std::string_view key, double value)
      : key_(key), kind_(Kind::kReal), value_{.real = value} {}

 private:
  friend class Logger;
  enum class Kind : std::uint8_t { kText, kSigned, kUnsigned, kReal };

  union Value {
    std::string_view text;
    std::int64_t signed_number;
    std::uint64_t unsigned_number;
    double real;
  };

  std::string_view key_;
  Kind kind_;
  Value value_;
};

/// A kind of log line: its level, the component it comes from, its message. Events that several
/// places log are constants, so that all of them use the same words and the same level.
struct LogEvent {
  LogLevel level;
  std::string_view component;
  std::string_view message;
};

/// Writes lines such as
///
///     2024-01-15 10:23:45.123 INFO  [parser-3] Engine - Page parsed {links=12, why="not found"}
///
/// to the caller's sink, in UTC and without a newline. Control characters are escaped, and a value
/// that is empty or holds a blank, a comma, a quote or a brace is quoted: a hostile URL can forge
/// neither a line nor a field. Without a sink a Logger does nothing.
/// Threads: safe from any thread. The sink runs on the thread that logs and must be safe from any
/// thread as well.
class Logger {
 public:
  using Sink = std::function<void(LogLevel level, std::string_view line)>;
  using Fields = std::initializer_list<LogField>;

  Logger() = default;
  explicit Logger(Sink sink, LogLevel threshold = LogLevel::kInfo,
                  const Clock& clock = Clock::System())
      : sink_(std::move(sink)), threshold_(threshold), clock_(&clock) {}

  /// Whether lines of this level reach the sink. Callers ask before they compute costly fields.
  bool Enabled(LogLevel level) const { return sink_ != nullptr && level >= threshold_; }

  /// Writes one line, or does nothing if `event.level` is not enabled.
  void Log(const LogEvent& event, Fields fields = {}) const {
    if (Enabled(event.level)) Write(event, fields);
  }

  void Debug(std::string_view component, std::string_view message, Fields fields = {}) const {
    Log({LogLevel::kDebug, component, message}, fields);
  }
  void Info(std::string_view component, std::string_view message, Fields fields = {}) const {
    Log({LogLevel::kInfo, component, message}, fields);
  }
  void Warn(std::string_view component, std::string_view message, Fields fields = {}) const {
    Log({LogLevel::kWarn, component, message}, fields);
  }
  void Error(std::string_view component, std::string_view message, Fields fields = {}) const {
    Log({LogLevel::kError, component, message}, fields);
  }

 private:
  void Write(const LogEvent& event, Fields fields) const;

  Sink sink_;
  LogLevel threshold_ = LogLevel::kInfo;
  const Clock* clock_ = &Clock::System();
};

/// Names the calling thread in log lines and in debuggers, e.g. "parser-3". Log lines show the
/// first 31 characters, the system keeps 15. Allocates no memory.
void SetThreadName(std::string_view name);

/// The name given to the calling thread by SetThreadName(). Without one: "main" on the thread that
/// began the process, "thread-" and the system's thread id on any other. Allocates no memory.
std::string_view ThreadName();

}  // namespace crawler
