#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace crawler {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

/// One `key=value` behind a log message.
struct LogField {
  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, bool v) : key(k), value(v ? "true" : "false") {}
  template <typename T>
  requires(std::integral<T> || std::floating_point<T>) LogField(std::string_view k, T v)
      : key(k), value(std::to_string(v)) {}

  std::string_view key;
  std::string value;
};

/// Writes lines such as
///
///     2024-01-15 10:23:45.123 INFO  [parser-3] Engine - Page parsed {links=12, bytes=4096}
///
/// to a sink of the caller's, in UTC and without the newline. Control characters in what is logged
/// are escaped, so a hostile URL cannot forge a line. Without a sink it does nothing.
/// Threads: safe from any thread; the sink is called by the thread that logs and must be safe too.
class Logger {
 public:
  using Sink = std::function<void(LogLevel level, std::string_view line)>;

  Logger() = default;
  explicit Logger(Sink sink, LogLevel threshold = LogLevel::kInfo,
                  const Clock& clock = Clock::System())
      : sink_(std::move(sink)), threshold_(threshold), clock_(&clock) {}

  /// Whether a line of this level goes anywhere: ask before collecting costly fields.
  bool Enabled(LogLevel level) const { return sink_ != nullptr && level >= threshold_; }

  void Log(LogLevel level, std::string_view component, std::string_view message,
           std::initializer_list<LogField> fields = {}) const;

  void Debug(std::string_view component, std::string_view message,
             std::initializer_list<LogField> fields = {}) const {
    Log(LogLevel::kDebug, component, message, fields);
  }
  void Info(std::string_view component, std::string_view message,
            std::initializer_list<LogField> fields = {}) const {
    Log(LogLevel::kInfo, component, message, fields);
  }
  void Warn(std::string_view component, std::string_view message,
            std::initializer_list<LogField> fields = {}) const {
    Log(LogLevel::kWarn, component, message, fields);
  }
  void Error(std::string_view component, std::string_view message,
             std::initializer_list<LogField> fields = {}) const {
    Log(LogLevel::kError, component, message, fields);
  }

 private:
  Sink sink_;
  LogLevel threshold_ = LogLevel::kInfo;
  const Clock* clock_ = &Clock::System();
};

/// Names the calling thread in log lines and in debuggers, e.g. "parser-3". Log lines show the
/// first 31 characters, the system keeps 15. Needs no memory.
void SetThreadName(std::string_view name);

/// The name given to the calling thread, or "main".
std::string_view ThreadName();

}  // namespace crawler
