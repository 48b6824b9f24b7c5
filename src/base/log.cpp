#include "base/log.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <ctime>
#include <iterator>

namespace crawler {
namespace {

std::string& MutableThreadName() {
  thread_local std::string name = "main";
  return name;
}

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO ";
    case LogLevel::kWarn:
      return "WARN ";
    case LogLevel::kError:
      return "ERROR";
  }
  return "?    ";
}

void AppendTimestamp(std::string& line, WallTime now) {
  using std::chrono::milliseconds;
  const auto since_epoch = std::chrono::floor<milliseconds>(now.time_since_epoch());
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(since_epoch).count();
  const auto millis = (since_epoch - std::chrono::seconds(seconds)).count();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  fmt::format_to(std::back_inserter(line), "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
                 utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                 utc.tm_sec, millis);
}

void AppendEscaped(std::string& line, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", byte);
    } else {
      line.push_back(c);
    }
  }
}

}  // namespace

void Logger::Log(LogLevel level, std::string_view component, std::string_view message,
                 std::initializer_list<LogField> fields) const {
  if (!Enabled(level)) return;
  std::string line;
  AppendTimestamp(line, clock_->WallNow());
  line.append(" ").append(LevelName(level)).append(" [").append(ThreadName()).append("] ");
  line.append(component).append(" - ");
  AppendEscaped(line, message);
  std::string_view separator = " {";
  for (const LogField& field : fields) {
    line.append(separator).append(field.key).append("=");
    AppendEscaped(line, field.value);
    separator = ", ";
  }
  if (fields.size() > 0) line.push_back('}');
  sink_(level, line);
}

void SetThreadName(std::string name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  MutableThreadName() = std::move(name);
}

std::string_view ThreadName() { return MutableThreadName(); }

}  // namespace crawler
