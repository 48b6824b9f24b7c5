// UAX 29 word boundaries; ICU's own iterator is the oracle.
#include "index/word_breaks.hpp"

#include <gtest/gtest.h>
#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "url/utf8.hpp"

namespace crawler {
namespace {

bool HasLetterOrDigit(std::string_view segment) {
  for (std::size_t at = 0; at < segment.size();) {
    const Utf8Char decoded = DecodeUtf8(segment, at);
    const auto c = static_cast<UChar32>(decoded.code_point);
    const int word_break = u_getIntPropertyValue(c, UCHAR_WORD_BREAK);
    const bool unspaced =
        word_break == U_WB_OTHER || word_break == U_WB_KATAKANA || word_break == U_WB_HEBREW_LETTER;
    if (word_break == U_WB_ALETTER || word_break == U_WB_NUMERIC) return true;
    if (unspaced && u_isalnum(c) && decoded.valid) {
      const bool dictionary = word_break != U_WB_OTHER ||
                              u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT ||
                              u_hasBinaryProperty(c, UCHAR_IDEOGRAPHIC) ||
                              u_getIntPropertyValue(c, UCHAR_SCRIPT) == USCRIPT_HAN ||
                              u_getIntPropertyValue(c, UCHAR_SCRIPT) == USCRIPT_HIRAGANA;
      if (dictionary) return true;
    }
    at += decoded.length;
  }
  return false;
}

// Of valid UTF-8. (Over UTF-8 itself, ICU 72's dictionaries for Lao and Burmese err now and then.)
std::vector<std::string> IcuWords(std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  static const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), error));
  // What it finds depends on the dictionaries it has loaded, so all of them are loaded first.
  [[maybe_unused]] static const bool loaded = [] {
    const icu::UnicodeString scripts = icu::UnicodeString::fromUTF8(kDictionaryScripts);
    breaks->setText(scripts);
    while (breaks->next() != icu::BreakIterator::DONE) continue;
    return true;
  }();
  const icu::UnicodeString utf16 = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  breaks->setText(utf16);
  std::vector<std::string> words;
  std::int32_t begin = breaks->first();
  for (std::int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
    std::string segment;
    utf16.tempSubStringBetween(begin, end).toUTF8String(segment);
    if (HasLetterOrDigit(segment)) words.push_back(segment);
    begin = end;
  }
  return words;
}

std::vector<std::string> OurWords(std::string_view text) {
  static WordBreaker breaker;
  std::vector<std::string> words;
  breaker.ForEachWord(text,
                      [&](const char* begin, const char* end) { words.emplace_back(begin, end); });
  return words;
}

void AppendUtf8(UChar32 c, std::string* out) { icu::UnicodeString(c).toUTF8String(*out); }

TEST(WordBreaks, AreThoseOfTheStandard) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(OurWords("The quick (\"brown\") fox can't jump 32.3 feet, right?"),
            (Words{"The", "quick", "brown", "fox", "can't", "jump", "32.3", "feet", "right"}));
  EXPECT_EQ(OurWords("push_back x86_64 1,000 a.b don\u2019t _x_ ___ 3.a"),
            (Words{"push_back", "x86_64", "1,000", "a.b", "don\u2019t", "_x_", "3", "a"}));
  EXPECT_EQ(OurWords("std::vector<int>"), (Words{"std", "vector", "int"}));
  EXPECT_EQ(OurWords("na\u00EFve na\u0069\u0308ve co\u00ADop"),
            (Words{"na\u00EFve", "na\u0069\u0308ve", "co\u00ADop"}));
  EXPECT_EQ(OurWords("me@example.org \u05D0@\u05D1 @property"),
            (Words{"me", "example.org", "\u05D0", "\u05D1", "property"}));
  EXPECT_EQ(OurWords(""), Words());
}

// Every character of Unicode between and beside letters, digits and joining punctuation.
TEST(WordBreaks, AgreeWithIcuOnEveryCharacter) {
  std::size_t failures = 0;
  for (UChar32 c = 0; c <= UCHAR_MAX_VALUE && failures < 10; ++c) {
    if (U_IS_SURROGATE(c) || c == '@') continue;
    if (c > 0x1FBFF && c < 0xE0000 && c % 257 != 0) continue;  // Han and nothing, all alike.
    if (c > 0xE01EF && c % 4099 != 0) continue;                // Private use.
    std::string mark;
    AppendUtf8(c, &mark);
    const std::string text = "a" + mark + "b 1" + mark + "2 c." + mark + "d " + mark + "e" + mark +
                             " x_" + mark + "y" + mark + mark + "1." + mark;
    const auto ours = OurWords(text);
    const auto icu = IcuWords(text);
    if (ours != icu) {
      ++failures;
      ADD_FAILURE() << "U+" << std::hex << c << ": " << testing::PrintToString(ours) << " vs "
                    << testing::PrintToString(icu);
    }
  }
}

// Texts of characters that matter, in any order.
TEST(WordBreaks, AgreeWithIcuOnRandomTexts) {
  const std::vector<std::string> pieces = {
      "a",      "B",          "z",          "0",      "7",      "_",      ".",      ",",
      "'",      "\"",         ":",          ";",      "-",      " ",      "\n",     "\t",
      "(",      "/",          "\u00E9",     "\u00DF", "\u00B7", "\u2019", "\u2018", "\u00AD",
      "\u0301", "\u200D",     "\u00A0",     "\u0416", "\u0439", "\u03B1", "\u05D0", "\u05D1",
      "\u0628", "\u064E",     "\u0915",     "\u093F", "\u0E01", "\u0E32", "\u6F22", "\u5B57",
      "\u3042", "\u30AB",     "\u30FC",     "\uD55C", "\uAE00", "\uFF21", "\uFF0E", "\u2026",
      "\u3002", "\U0001F600", "\U0001F1E9", "\uFE0F", "\u202F", "\u066C", "\u0665", "\u0EAA",
      "\u1780", "\u1019",     "\u00A9",     "\u2122"};
  std::mt19937 random(29);  // NOLINT: the same texts each time.
  std::size_t failures = 0;
  for (int round = 0; round < 40000 && failures < 10; ++round) {
    std::string text;
    // Some rounds of mostly plain text, as texts are.
    const std::size_t range = round % 3 == 0 ? 20 : pieces.size();
    const std::size_t size = 1 + random() % 14;
    for (std::size_t i = 0; i < size; ++i) text += pieces[random() % range];
    const auto ours = OurWords(text);
    const auto icu = IcuWords(text);
    if (ours != icu) {
      ++failures;
      ADD_FAILURE() << testing::PrintToString(text) << ": " << testing::PrintToString(ours)
                    << " vs " << testing::PrintToString(icu);
    }
  }
}

TEST(WordBreaks, AgreeWithIcuOnRealTexts) {
  const std::string text =
      "Das Straßenverkehrsamt, gegründet 1952 (§ 3 Abs. 2), sagt: „Nein!“ — L’été d’aujourd’hui. "
      "Съешь ещё этих мягких французских булок, да выпей чаю. Ξεσκεπάζω τὴν ψυχοφθόρα βδελυγμία. "
      "איך בלש תפס גמד רוצח עז קטנה? צה\"ל. نص حكيم له سر قاطع وذو شأن عظيم. "
      "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश। "
      "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"
      "人人生而自由，在尊严和权利上一律平等。 모든 인간은 태어날 때부터 자유로우며 2024년. "
      "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน "
      "មនុស្សទាំងអស់ កើតមកមានសេរីភាព ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ လူတိုင်းသည် တူညီ လွတ်လပ်သော";
  EXPECT_EQ(OurWords(text), IcuWords(text));
}

TEST(WordBreaks, TakeAnyBytes) {
  std::mt19937 random(7);  // NOLINT: the same texts each time.
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 60, '\0');
    for (char& c : text) c = static_cast<char>(random());
    std::size_t at = 0;
    for (const std::string& word : OurWords(text)) {
      ASSERT_FALSE(word.empty());
      at = text.find(word, at);  // In order, and all from the text.
      ASSERT_NE(at, std::string::npos);
      at += word.size();
    }
  }
  EXPECT_EQ(OurWords("caf\xE9 ol\xC3"), (std::vector<std::string>{"caf", "ol"}));
}

// A megabyte without a blank takes no longer than one with blanks, give or take.
TEST(WordBreaks, TakeLinearTime) {
  for (const char* unit : {"a", "a.", "_", ".\u0301", "\u0E01\u0E32", "\u6F22", "\u05D0\"",
                           "a\u200D", "\u30AB", "\u1780\u17D2", "\uD55C", "1,"}) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    const auto begin = std::chrono::steady_clock::now();
    OurWords(text);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << unit;
  }
}

}  // namespace
}  // namespace crawler
