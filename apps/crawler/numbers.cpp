#include "numbers.hpp"

#include <fmt/core.h>

#include <cstddef>

double Seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::string Thousands(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text.push_back(',');
    text.push_back(digits[i]);
  }
  return text;
}

std::string Counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", Thousands(number), number == 1 ? one : many);
}

std::string Bytes(double bytes) {
  const char* unit = "B";
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (bytes < 1000) break;
    bytes /= 1000;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 10 && *unit != 'B' ? 1 : 0, unit);
}

std::string Time(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 60) return fmt::format("{:.1f} s", seconds);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string Clock(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}
