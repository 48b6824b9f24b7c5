#pragma once

#include <charconv>
#include <concepts>
#include <string>

namespace synthetic {

/// Appends `number` in decimal.
template <std::integral Number>
void AppendNumber(std::string& out, Number number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

}  // namespace synthetic
