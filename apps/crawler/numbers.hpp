#pragma once

#include <cstdint>
#include <string>

/// "1,234,567"
std::string Thousands(std::uint64_t number);
/// "35 MB", "1.2 GB"
std::string Bytes(double bytes);
/// "12.3 s", "5:07 min", "1:02:03 h"
std::string Time(double seconds);
