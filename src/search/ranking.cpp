#include "search/ranking.hpp"

#include <utility>

namespace crawler {

bool RankingWeights::Set(std::string_view name, double value) {
  constexpr std::array<std::string_view, kFieldCount> kNames = {"body", "heading",    "title",
                                                                "url",  "navigation", "anchor"};
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (!name.starts_with(kNames[i])) continue;
    const std::string_view rest = name.substr(kNames[i].size());
    if (rest.empty()) field[i] = value;
    if (rest == "_length") length_share[i] = value;
    if (rest.empty() || rest == "_length") return true;
  }
  const std::pair<std::string_view, double*> numbers[] = {{"saturation", &saturation},
                                                          {"static_share", &static_share},
                                                          {"stop_word_share", &stop_word_share},
                                                          {"missing", &missing},
                                                          {"proximity", &proximity},
                                                          {"exact_title", &exact_title},
                                                          {"title_power", &title_power},
                                                          {"title_forgives", &title_forgives},
                                                          {"exact_heading", &exact_heading}};
  for (const auto& [known, number] : numbers) {
    if (known != name) continue;
    *number = value;
    return true;
  }
  return false;
}

}  // namespace crawler
