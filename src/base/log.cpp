#include "base/log.hpp"

#include <fmt/format.h>  // With core.h alone clang finds no vformat_to() in the library.
#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <iterator>

namespace crawler {
namespace {

// A plain buffer: a thread_local with a destructor would abort the process if memory is short when
// its thread first uses it.
thread_local char thread_name[32] = "main";

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

void SetThreadName(std::string_view name) {
  constexpr std::size_t kSystemLimit = 15;
  const std::size_t length = std::min(name.size(), sizeof thread_name - 1);
  thread_name[name.copy(thread_name, std::min(length, kSystemLimit))] = '\0';
  pthread_setname_np(pthread_self(), thread_name);
  thread_name[name.copy(thread_name, length)] = '\0';
}

std::string_view ThreadName() { return thread_name; }

}  // namespace crawler
