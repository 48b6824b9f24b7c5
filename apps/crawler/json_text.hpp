#pragma once

#include <crawler/printable.hpp>
#include <nlohmann/json.hpp>
#include <string>

/// `json` as the program prints it, with a line feed at the end: indented, in UTF-8 (broken bytes
/// replaced), and safe for a terminal.
inline std::string JsonText(const nlohmann::ordered_json& json) {
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  return crawler::ToPrintableJson(json.dump(2, ' ', false, kReplace)) + "\n";
}
