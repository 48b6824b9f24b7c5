#include "index/language.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace crawler {
namespace {

constexpr Language kLanguages[] = {
    {""},
    {"en", "english"},
    {"ar", "arabic", false},
    {"ca", "catalan", true, true},
    {"da", "danish"},
    {"de", "german"},
    {"el", "greek", false},
    {"es", "spanish"},
    {"eu", "basque"},
    {"fi", "finnish"},
    {"fr", "french", true, true},
    {"ga", "irish"},
    {"hi", "hindi", false},
    {"hu", "hungarian"},
    {"hy", "armenian", false},
    {"id", "indonesian"},
    {"it", "italian", true, true},
    {"lt", "lithuanian"},
    {"ne", "nepali", false},
    {"nl", "dutch"},
    {"no", "norwegian"},
    {"pt", "portuguese"},
    {"ro", "romanian"},
    {"ru", "russian", false},
    {"sr", "serbian", false},
    {"sv", "swedish"},
    {"ta", "tamil", false},
    {"tr", "turkish"},
    {"yi", "yiddish", false},
    // Without a stemmer; but their function words are known.
    {"cs"},
    {"pl"},
    // Without a stemmer, and not in Latin letters.
    {"am", nullptr, false},
    {"be", nullptr, false},
    {"bg", nullptr, false},
    {"bn", nullptr, false},
    {"fa", nullptr, false},
    {"gu", nullptr, false},
    {"he", nullptr, false},
    {"ja", nullptr, false},
    {"ka", nullptr, false},
    {"km", nullptr, false},
    {"kn", nullptr, false},
    {"ko", nullptr, false},
    {"lo", nullptr, false},
    {"mk", nullptr, false},
    {"ml", nullptr, false},
    {"mr", nullptr, false},
    {"my", nullptr, false},
    {"pa", nullptr, false},
    {"si", nullptr, false},
    {"te", nullptr, false},
    {"th", nullptr, false},
    {"uk", nullptr, false},
    {"ur", nullptr, false},
    {"zh", nullptr, false},
};
static_assert(std::size(kLanguages) <= kMaxLanguages);

constexpr auto kNumbered = [] {
  std::array<Language, std::size(kLanguages)> languages{};
  for (std::size_t i = 0; i < languages.size(); ++i) {
    languages[i] = kLanguages[i];
    languages[i].number = static_cast<std::uint8_t>(i);
  }
  return languages;
}();

// Codes that were withdrawn, and languages so close that one stands for both.
constexpr std::pair<std::string_view, LanguageCode> kAliases[] = {
    {"nb", "no"}, {"nn", "no"}, {"iw", "he"}, {"in", "id"},  {"ji", "yi"},
    {"mo", "ro"}, {"jw", "jv"}, {"sh", "sr"}, {"tl", "fil"},
};

// Every code of ISO 639-1 and a few more, to give views that live for ever.
constexpr std::string_view kCodes =
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu "
    "hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb "
    "lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nd ne ng nl no nr nv ny oc oj om or os "
    "pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te "
    "tg th ti tk tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "
    "chr fil haw hmn nso syr";

}  // namespace

const Language& FindLanguage(LanguageCode code) {
  const auto* found = std::find_if(kNumbered.begin() + 1, kNumbered.end(),
                                   [&](const Language& known) { return known.code == code; });
  return found != kNumbered.end() ? *found : kNumbered[0];
}

LanguageCode NormalLanguageCode(std::string_view tag) {
  const std::size_t begin = std::min(tag.find_first_not_of(" \t\r\n"), tag.size());
  std::string code;
  for (const char c : tag.substr(begin, 4)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    if (lower < 'a' || lower > 'z') break;
    code.push_back(lower);
  }
  if (code.size() < 2 || code.size() > 3) return {};
  for (const auto& [alias, normal] : kAliases) {
    if (code == alias) return normal;
  }
  for (std::size_t at = 0; at < kCodes.size();) {
    const std::size_t end = std::min(kCodes.find(' ', at), kCodes.size());
    if (kCodes.substr(at, end - at) == code) return kCodes.substr(at, end - at);
    at = end + 1;
  }
  return {};
}

}  // namespace crawler
