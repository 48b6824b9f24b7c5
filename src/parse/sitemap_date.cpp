#include <array>
#include <chrono>

#include "base/ascii.hpp"
#include "parse/sitemap.hpp"

namespace crawler {
namespace {

// Reads a date from left to right.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return text_.empty(); }

  // Consumes `c` if it is next.
  bool Take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  // Consumes `low` to `high` digits.
  std::optional<int> Number(size_t low, size_t high) {
    size_t digits = 0;
    int value = 0;
    while (digits < high && digits < text_.size() && IsDigit(text_[digits])) {
      value = value * 10 + (text_[digits++] - '0');
    }
    if (digits < low) return std::nullopt;
    last_digits_ = digits;
    text_.remove_prefix(digits);
    return value;
  }
  size_t last_digits() const { return last_digits_; }

  std::string_view Letters() {
    size_t length = 0;
    while (length < text_.size() && (text_[length] | 32) >= 'a' && (text_[length] | 32) <= 'z') {
      ++length;
    }
    const std::string_view letters = text_.substr(0, length);
    text_.remove_prefix(length);
    return letters;
  }

  bool Spaces() {
    const size_t before = text_.size();
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) {
      text_.remove_prefix(1);
    }
    return text_.size() != before;
  }

 private:
  std::string_view text_;
  size_t last_digits_ = 0;
};

struct DateTime {
  int year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int zone_minutes = 0;

  std::optional<int64_t> Seconds() const {
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || hour > 24 || minute > 59 || second > 60) return std::nullopt;
    if (hour == 24 && (minute != 0 || second != 0)) return std::nullopt;
    const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return ((days * 24 + hour) * 60 + minute - zone_minutes) * 60 + second;
  }
};

// hh:mm, and, if it is there, :ss.
bool ReadTime(DateReader& in, DateTime& out, size_t hour_digits) {
  const auto hour = in.Number(hour_digits, 2);
  if (!hour || !in.Take(':')) return false;
  const auto minute = in.Number(2, 2);
  if (!minute) return false;
  out.hour = *hour;
  out.minute = *minute;
  if (!in.Take(':')) return true;
  const auto second = in.Number(2, 2);
  if (!second) return false;
  out.second = *second;
  return true;
}

// +hh:mm or +hhmm.
bool ReadOffset(DateReader& in, DateTime& out) {
  const bool west = in.Take('-');
  if (!west && !in.Take('+')) return false;
  const auto hours = in.Number(2, 2);
  if (!hours) return false;
  in.Take(':');
  const auto minutes = in.Number(2, 2);
  if (!minutes || *hours > 24 || *minutes > 59) return false;
  out.zone_minutes = (west ? -1 : 1) * (*hours * 60 + *minutes);
  return true;
}

// https://www.w3.org/TR/NOTE-datetime
std::optional<int64_t> ParseW3cDate(std::string_view text) {
  DateReader in(text);
  DateTime date;
  const auto year = in.Number(4, 4);
  if (!year) return std::nullopt;
  date.year = *year;
  if (in.AtEnd()) return date.Seconds();
  const auto month = in.Take('-') ? in.Number(2, 2) : std::nullopt;
  if (!month) return std::nullopt;
  date.month = *month;
  if (in.AtEnd()) return date.Seconds();
  const auto day = in.Take('-') ? in.Number(2, 2) : std::nullopt;
  if (!day) return std::nullopt;
  date.day = *day;
  if (in.AtEnd()) return date.Seconds();
  // Some write a space for the T, or a small one.
  if (!in.Take('T') && !in.Take('t') && !in.Take(' ')) return std::nullopt;
  if (!ReadTime(in, date, 2)) return std::nullopt;
  if (in.Take('.') && !in.Number(1, 9)) return std::nullopt;
  // The zone is required; a time without one is taken as UTC, being at most hours off.
  if (!in.AtEnd() && !in.Take('Z') && !in.Take('z') && !ReadOffset(in, date)) {
    return std::nullopt;
  }
  return in.AtEnd() ? date.Seconds() : std::nullopt;
}

bool SameWord(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 32) != lower[i]) return false;
  }
  return true;
}

std::optional<int> MonthNumber(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
  for (size_t i = 0; i < kMonths.size(); ++i) {
    if (SameWord(name.substr(0, 3), kMonths[i])) return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

bool ReadNamedZone(std::string_view name, DateTime& out) {
  struct Zone {
    std::string_view name;
    int hours;
  };
  static constexpr Zone kZones[] = {{"ut", 0},   {"utc", 0},  {"gmt", 0},  {"z", 0},
                                    {"est", -5}, {"edt", -4}, {"cst", -6}, {"cdt", -5},
                                    {"mst", -7}, {"mdt", -6}, {"pst", -8}, {"pdt", -7}};
  for (const Zone& zone : kZones) {
    if (!SameWord(name, zone.name)) continue;
    out.zone_minutes = zone.hours * 60;
    return true;
  }
  return false;
}

// RFC 822, section 5, with the years of RFC 2822: "[Tue, ]10 Jun 2003 04:00[:00] GMT".
std::optional<int64_t> ParseRfc822Date(std::string_view text) {
  DateReader in(text);
  DateTime date;
  if (!in.Letters().empty()) {
    in.Take(',');
    in.Spaces();
  }
  const auto day = in.Number(1, 2);
  if (!day || !in.Spaces()) return std::nullopt;
  const auto month = MonthNumber(in.Letters());
  if (!month || !in.Spaces()) return std::nullopt;
  const auto year = in.Number(2, 4);
  if (!year) return std::nullopt;
  date.day = *day;
  date.month = *month;
  date.year = *year;
  if (in.last_digits() == 2) date.year += *year < 50 ? 2000 : 1900;
  if (in.last_digits() == 3) date.year += 1900;
  if (!in.Spaces()) return in.AtEnd() ? date.Seconds() : std::nullopt;
  if (!ReadTime(in, date, 1)) return std::nullopt;
  in.Spaces();
  if (!in.AtEnd() && !ReadOffset(in, date) && !ReadNamedZone(in.Letters(), date)) {
    return std::nullopt;
  }
  return in.AtEnd() ? date.Seconds() : std::nullopt;
}

}  // namespace

std::optional<int64_t> ParseSitemapDate(std::string_view text) {
  if (const auto seconds = ParseW3cDate(text)) return seconds;
  return ParseRfc822Date(text);
}

}  // namespace crawler
