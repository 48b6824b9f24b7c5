#pragma once

#include <string_view>

#include "index/analyzer.hpp"

namespace crawler {

/// The function words of a language, separated by blanks: articles, pronouns, prepositions,
/// conjunctions and the like, as they are written. Empty for a language we have no list for.
std::string_view StopWords(LanguageCode code);

}  // namespace crawler
