// clang-format off
#include <cstdio>  // The next header needs it.
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
// clang-format on

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.hpp"
#include "index/analyzer.hpp"
#include "index/language.hpp"
#include "url/utf8.hpp"

namespace crawler {
namespace {

// Pages begin and end with menus, so the text is tasted in a few places.
constexpr std::size_t kSamples = 4;
constexpr std::size_t kSampleBytes = 128;

// Appends what is valid UTF-8 of `text`, with blanks for the rest and for controls.
void AppendValid(std::string_view text, std::string* out) {
  const auto is_plain = [](char c) { return static_cast<signed char>(c) >= 0x20 && c != 0x7F; };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    out->append(text, begin, at - begin);
    if (at == text.size()) break;
    const Utf8Char decoded = DecodeUtf8(text, at);
    const bool control = decoded.code_point < 0x20 || decoded.code_point == 0x7F ||
                         (decoded.code_point >= 0x80 && decoded.code_point < 0xA0);
    // CLD2 calls noncharacters invalid.
    const bool fine = decoded.valid && !control && (decoded.code_point & 0xFFFE) != 0xFFFE &&
                      (decoded.code_point < 0xFDD0 || decoded.code_point > 0xFDEF);
    if (fine) {
      out->append(text.substr(at, decoded.length));
    } else {
      out->push_back(' ');
    }
    at += decoded.length;
  }
}

// Up to kSamples pieces of the text, spread over it, each from the beginning of a word if there are
// blanks.
std::string Sample(std::string_view text) {
  std::string sample;
  sample.reserve(kSamples * (kSampleBytes + 1));
  if (text.size() <= kSamples * kSampleBytes) {
    AppendValid(text, &sample);
    return sample;
  }
  for (std::size_t i = 0; i < kSamples; ++i) {
    // From the middle of each of as many equal parts.
    std::size_t at = text.size() / kSamples * i + (text.size() / kSamples - kSampleBytes) / 2;
    const std::size_t blank = text.substr(at, kSampleBytes / 4).find_first_of(" \n");
    if (blank != std::string_view::npos) at += blank + 1;
    while (at < text.size() && IsContinuation(text[at])) ++at;
    std::size_t end = std::min(at + kSampleBytes, text.size());
    while (end > at && end < text.size() && IsContinuation(text[end])) --end;
    AppendValid(text.substr(at, end - at), &sample);
    sample.push_back(' ');
  }
  return sample;
}

// The commonest words of English. Other languages have a few of them (Dutch "of" and "is", Polish
// "to", Danish "for"), none has as many.
bool IsCommonEnglish(std::string_view word) {
  using namespace std::string_view_literals;
  static constexpr std::array kTwo = {"an"sv, "as"sv, "be"sv, "by"sv, "if"sv, "is"sv,
                                      "it"sv, "of"sv, "on"sv, "or"sv, "to"sv};
  static constexpr std::array kThree = {"and"sv, "are"sv, "can"sv, "for"sv,
                                        "has"sv, "not"sv, "the"sv};
  static constexpr std::array kMore = {"from"sv, "have"sv, "that"sv, "this"sv, "which"sv, "with"sv};
  const auto among = [word](const auto& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  switch (word.size()) {
    case 2:
      return among(kTwo);
    case 3:
      return among(kThree);
    case 4:
    case 5:
      return among(kMore);
    default:
      return false;
  }
}

// Whether at least one word in `one_in` is one of those; prose has one in three. Telling that is
// quick beside CLD2, and most pages of the web are English.
bool IsPlainlyEnglish(std::string_view sample, std::size_t one_in) {
  constexpr std::size_t kLeastWords = 40;
  std::size_t words = 0, english = 0;
  for (std::size_t at = 0; at < sample.size(); ++at) {
    if (!IsLetter(sample[at])) continue;
    const std::size_t begin = at;
    while (at < sample.size() && IsLetter(sample[at])) ++at;
    ++words;
    english += IsCommonEnglish(sample.substr(begin, at - begin)) ? 1u : 0u;
  }
  return words >= kLeastWords && english * one_in >= words;
}

}  // namespace

LanguageCode DetectLanguage(std::string_view text, std::string_view hint) {
  const LanguageCode hinted = NormalLanguageCode(hint);
  const std::string sample = Sample(text);
  if (hinted == "en" && IsPlainlyEnglish(sample, 12)) return hinted;
  if (hinted.empty() && IsPlainlyEnglish(sample, 6)) return NormalLanguageCode("en");

  const std::string hint_text(hinted);
  const CLD2::CLDHints hints{hint_text.empty() ? nullptr : hint_text.c_str(), nullptr,
                             CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  CLD2::Language languages[3];
  int percents[3], text_bytes = 0, valid_bytes = 0;
  double scores[3];
  bool reliable = false;
  const CLD2::Language found = CLD2::ExtDetectLanguageSummaryCheckUTF8(
      sample.data(), static_cast<int>(sample.size()), /*is_plain_text=*/true, &hints, /*flags=*/0,
      languages, percents, scores, nullptr, &text_bytes, &reliable, &valid_bytes);
  if (reliable && found != CLD2::UNKNOWN_LANGUAGE) {
    const LanguageCode code = NormalLanguageCode(CLD2::LanguageCode(found));
    if (!code.empty()) return code;
  }
  return hinted;
}

}  // namespace crawler
