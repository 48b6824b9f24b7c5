#include "index/language.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "index/analyzer.hpp"

namespace crawler {
namespace {

struct Text {
  const char* language;
  const char* text;
};

constexpr Text kTexts[] = {
    {"en",
     "All human beings are born free and equal in dignity and rights. They are endowed with "
     "reason and conscience and should act towards one another in a spirit of brotherhood."},
    {"de",
     "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft "
     "und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen."},
    {"fr",
     "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués "
     "de raison et de conscience et doivent agir les uns envers les autres."},
    {"es",
     "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como "
     "están de razón y conciencia, deben comportarse fraternalmente los unos con los otros."},
    {"it",
     "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati "
     "di ragione e di coscienza e devono agire gli uni verso gli altri."},
    {"nl",
     "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd "
     "met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap."},
    {"ru",
     "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены "
     "разумом и совестью и должны поступать в отношении друг друга в духе братства."},
    {"el", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."},
    {"ja", "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"},
    {"zh",
     "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"},
    {"ko", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."},
    {"ar", "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً."},
    {"th", "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ"},
};

TEST(DetectLanguage, OfTexts) {
  for (const Text& text : kTexts) {
    EXPECT_EQ(DetectLanguage(text.text, ""), text.language);
    EXPECT_EQ(DetectLanguage(text.text, text.language), text.language);
  }
}

// Templates say "en" whatever the page is written in.
TEST(DetectLanguage, DoesNotBelieveAWrongHint) {
  for (const Text& text : kTexts) {
    std::string longer;
    for (int i = 0; i < 4; ++i) longer += std::string(text.text) + "\n";
    EXPECT_EQ(DetectLanguage(longer, "en-US"), text.language);
    EXPECT_EQ(DetectLanguage(longer, "nonsense"), text.language);
  }
}

TEST(DetectLanguage, TheHintDecidesWhereTheTextDoesNot) {
  EXPECT_EQ(DetectLanguage("", "de-AT"), "de");
  EXPECT_EQ(DetectLanguage("12 34 56", "FR"), "fr");
  EXPECT_EQ(DetectLanguage("ok", "pt_BR"), "pt");
  EXPECT_EQ(DetectLanguage("", ""), "");
  EXPECT_EQ(DetectLanguage("", "<script>"), "");
}

TEST(DetectLanguage, AnyBytesWillDo) {
  std::mt19937 random(11);  // NOLINT: the same bytes each time.
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 3000, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const LanguageCode code = DetectLanguage(text, text.substr(0, round % 6));
    EXPECT_EQ(NormalLanguageCode(code), code);
  }
  // English in a sea of broken bytes.
  std::string text;
  for (int i = 0; i < 20; ++i) text += std::string(kTexts[0].text) + "\xFF\xC3 \xED\xA0\x80 ";
  EXPECT_EQ(DetectLanguage(text, ""), "en");
}

TEST(LanguageCodes, AreNormal) {
  EXPECT_EQ(NormalLanguageCode("de-AT"), "de");
  EXPECT_EQ(NormalLanguageCode(" EN_us"), "en");
  EXPECT_EQ(NormalLanguageCode("nb"), "no");
  EXPECT_EQ(NormalLanguageCode("iw"), "he");
  EXPECT_EQ(NormalLanguageCode("zh-Hant-TW"), "zh");
  EXPECT_EQ(NormalLanguageCode("english"), "");
  EXPECT_EQ(NormalLanguageCode("e"), "");
  EXPECT_EQ(NormalLanguageCode("qq"), "");
}

}  // namespace
}  // namespace crawler
