#include "base/log.hpp"

#include <fmt/format.h>  // With core.h alone clang finds no vformat_to() in the library.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <string>

#include "base/printable.hpp"

namespace crawler {
namespace {

// A plain buffer: a thread_local with a destructor would abort the process if memory is short when
// its thread first uses it. Empty until the thread is named or logs.
thread_local char thread_name[32] = "";

// By LogLevel: as an option spells the level, and as a line shows it.
struct LevelNames {
  std::string_view option, line;
};
constexpr LevelNames kLevelNames[] = {
    {"debug", "DEBUG"}, {"info", "INFO "}, {"warn", "WARN "}, {"error", "ERROR"}};

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

// Without the quotes that such values get, a text could look like several fields.
bool NeedsQuotes(std::string_view value) {
  return value.empty() || value.find_first_of(" ,\"{}") != std::string_view::npos;
}

void AppendValue(std::string& line, std::string_view value) {
  if (!NeedsQuotes(value)) return AppendPrintable(value, &line);
  line.push_back('"');
  for (std::size_t quote; (quote = value.find('"')) != std::string_view::npos;) {
    AppendPrintable(value.substr(0, quote), &line);
    line.append("\\\"");
    value.remove_prefix(quote + 1);
  }
  AppendPrintable(value, &line);
  line.push_back('"');
}

}  // namespace

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kLevelNames); ++i) {
    if (name == kLevelNames[i].option) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

void Logger::Write(const LogEvent& event, Fields fields) const {
  std::string line;
  AppendTimestamp(line, clock_->WallNow());
  line.append(" ").append(kLevelNames[static_cast<std::size_t>(event.level)].line);
  line.append(" [").append(ThreadName()).append("] ");
  line.append(event.component).append(" - ");
  AppendPrintable(event.message, &line);
  const auto out = std::back_inserter(line);
  std::string_view separator = " {";
  for (const LogField& field : fields) {
    line.append(separator).append(field.key_).append("=");
    separator = ", ";
    switch (field.kind_) {
      case LogField::Kind::kText:
        AppendValue(line, field.value_.text);
        break;
      case LogField::Kind::kSigned:
        fmt::format_to(out, "{}", field.value_.signed_number);
        break;
      case LogField::Kind::kUnsigned:
        fmt::format_to(out, "{}", field.value_.unsigned_number);
        break;
      case LogField::Kind::kReal:
        fmt::format_to(out, "{}", field.value_.real);
        break;
    }
  }
  if (fields.size() > 0) line.push_back('}');
  sink_(event.level, line);
}

void SetThreadName(std::string_view name) {
  constexpr std::size_t kSystemLimit = 15;
  const std::size_t length = std::min(name.size(), sizeof thread_name - 1);
  thread_name[name.copy(thread_name, std::min(length, kSystemLimit))] = '\0';
  pthread_setname_np(pthread_self(), thread_name);
  thread_name[name.copy(thread_name, length)] = '\0';
}

std::string_view ThreadName() {
  if (thread_name[0] == '\0') {
    // The system's own name is not asked for: a thread inherits it from the thread that starts it.
    const pid_t id = gettid();
    if (id == getpid()) return "main";
    *fmt::format_to_n(thread_name, sizeof thread_name - 1, "thread-{}", id).out = '\0';
  }
  return thread_name;
}

}  // namespace crawler
