#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

double Seconds(std::chrono::milliseconds time);
/// "1,234,567"
std::string Thousands(std::uint64_t number);
/// "1 page", "1,234 pages"
std::string Counted(std::uint64_t number, std::string_view one, std::string_view many);
/// "35 MB", "1.2 GB"
std::string Bytes(double bytes);
/// "12.3 s", "5:07 min", "1:02:03 h"
std::string Time(double seconds);
/// "0:21", "1:42:00"
std::string Clock(double seconds);
