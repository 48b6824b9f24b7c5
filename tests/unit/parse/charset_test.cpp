// Decoding, by the rules of the WHATWG Encoding Standard (https://encoding.spec.whatwg.org/).
#include "parse/charset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/ucnv.h>

#include <random>

#include "conformance_data.hpp"
#include "parse/charset_tables.hpp"
#include "parse/utf8.hpp"
#include "url/utf8.hpp"

namespace crawler {
namespace {

using testing::Eq;

std::string Decode(std::string_view bytes, Charset charset) {
  std::string buffer;
  return std::string(ToUtf8(bytes, charset, buffer).text);
}

// FNV-1a over code points, to compare whole tables with the standard's index files.
template <typename Table>
uint64_t Checksum(const Table& table) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const uint32_t code_point : table) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ (code_point >> shift & 0xFF)) * 0x100000001b3u;
    }
  }
  return hash;
}

TEST(CharsetLabels, NamesAndLabelsOfTheStandard) {
  EXPECT_EQ(CharsetName(Charset::kUtf8), "UTF-8");
  EXPECT_EQ(CharsetName(Charset::kXUserDefined), "x-user-defined");
  EXPECT_EQ(CharsetFromLabel("latin1"), Charset::kWindows1252);
  EXPECT_EQ(CharsetFromLabel("ascii"), Charset::kWindows1252);
  EXPECT_EQ(CharsetFromLabel("ISO-8859-9"), Charset::kWindows1254);
  EXPECT_EQ(CharsetFromLabel("ks_c_5601-1987"), Charset::kEucKr);
  EXPECT_EQ(CharsetFromLabel("windows-31j"), Charset::kShiftJis);
  EXPECT_EQ(CharsetFromLabel("gb2312"), Charset::kGbk);
  EXPECT_EQ(CharsetFromLabel("utf-16"), Charset::kUtf16Le);
  EXPECT_EQ(CharsetFromLabel("iso-2022-kr"), Charset::kReplacement);
}

TEST(CharsetLabels, EveryNameIsALabelOfItself) {
  for (size_t i = 0; i < kCharsetCount; ++i) {
    const auto charset = static_cast<Charset>(i);
    EXPECT_EQ(CharsetFromLabel(CharsetName(charset)), charset) << CharsetName(charset);
  }
}

TEST(CharsetLabels, WhiteSpaceIsStrippedAndCaseIgnored) {
  EXPECT_EQ(CharsetFromLabel(" \t\n\f\rUtF8\r"), Charset::kUtf8);
  EXPECT_EQ(CharsetFromLabel("\vutf8"), std::nullopt) << "a vertical tab is no ASCII white space";
  EXPECT_EQ(CharsetFromLabel("utf 8"), std::nullopt);
  EXPECT_EQ(CharsetFromLabel(std::string_view("utf-8\0", 6)), std::nullopt);
}

TEST(CharsetLabels, NoLabel) {
  EXPECT_EQ(CharsetFromLabel(""), std::nullopt);
  EXPECT_EQ(CharsetFromLabel("  "), std::nullopt);
  EXPECT_EQ(CharsetFromLabel("utf-7"), std::nullopt);
  EXPECT_EQ(CharsetFromLabel(std::string(100000, 'u')), std::nullopt);
}

TEST(CharsetLabels, Conformance) {
  CRAWLER_REQUIRE_CONFORMANCE("encoding-labels/labels-to-names.json");
  const auto labels = ParseSuiteJson(ReadConformanceFile("encoding-labels/labels-to-names.json"));
  for (const auto& [label, name] : labels.items()) {
    const auto charset = CharsetFromLabel(label);
    ASSERT_TRUE(charset) << label;
    EXPECT_EQ(CharsetName(*charset), name.get<std::string>()) << label;
  }
}

TEST(Utf8, ValidTextIsNotCopied) {
  const std::string page = "plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80";
  std::string buffer;
  const Utf8Text text = ToUtf8(page, Charset::kUtf8, buffer);
  EXPECT_EQ(text.text.data(), page.data());
  EXPECT_EQ(text.text, page);
  EXPECT_FALSE(text.malformed);
  EXPECT_TRUE(buffer.empty());
}

TEST(Utf8, ByteOrderMarkIsRemovedOnce) {
  EXPECT_EQ(Decode("\xEF\xBB\xBF\xEF\xBB\xBFx", Charset::kUtf8), "\xEF\xBB\xBFx");
  EXPECT_EQ(Decode("\xEF\xBB", Charset::kUtf8), "\uFFFD");
}

// Unicode 15, table 3-8 and its neighbours: one U+FFFD for each maximal subpart.
TEST(Utf8, MaximalSubpartsAreReplaced) {
  EXPECT_EQ(Decode("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", Charset::kUtf8),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(Decode("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", Charset::kUtf8),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(Decode("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", Charset::kUtf8),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41\uFFFD\uFFFD\x42");
  EXPECT_EQ(Decode("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", Charset::kUtf8),
            "\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(Decode("a\xF0\x9F\x98", Charset::kUtf8), "a\uFFFD");
}

TEST(Utf8, MalformedIsTold) {
  std::string buffer;
  EXPECT_TRUE(ToUtf8("a\xFF", Charset::kUtf8, buffer).malformed);
  EXPECT_FALSE(ToUtf8("\xEF\xBF\xBD", Charset::kUtf8, buffer).malformed) << "U+FFFD itself";
}

std::string RandomBytes(std::mt19937& random, size_t size) {
  // Mostly bytes that make UTF-8 interesting: leads, continuations, the edges of their ranges.
  constexpr std::string_view kEdges =
      "a<"
      "\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5"
      "\xFF";
  const std::string_view kWhole[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "text "};
  std::string bytes;
  while (bytes.size() < size) {
    if (random() % 8 != 0) {
      bytes += kWhole[random() % std::size(kWhole)];
    } else {
      bytes.push_back(kEdges[random() % kEdges.size()]);
    }
  }
  return bytes;
}

TEST(Utf8, VectorAndPortableValidationAgree) {
  std::mt19937 random(20260701);
  for (int round = 0; round < 4000; ++round) {
    const std::string bytes = RandomBytes(random, random() % 200);
    // From every offset within a vector, so that each character meets each boundary.
    const std::string_view text = std::string_view(bytes).substr(bytes.size() % 33 / 2);
    ASSERT_EQ(ValidUtf8Prefix(text), ValidUtf8PrefixPortable(text)) << testing::PrintToString(text);
  }
}

TEST(Utf8, ValidationFindsOneBadByteAnywhere) {
  for (size_t size = 0; size < 140; ++size) {
    std::string text(size, 'x');
    EXPECT_EQ(ValidUtf8Prefix(text), size);
    for (size_t at = 0; at < size; ++at) {
      text[at] = '\x80';
      EXPECT_EQ(ValidUtf8Prefix(text), at);
      text[at] = '\xF0';
      EXPECT_EQ(ValidUtf8Prefix(text), at);
      text[at] = 'x';
    }
  }
}

TEST(Utf8, EveryScalarValueIsValidAndNothingElse) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    char bytes[4];
    const std::string_view text(bytes, WriteUtf8(code_point, bytes));
    const bool is_surrogate = code_point >= 0xD800 && code_point < 0xE000;
    ASSERT_EQ(ValidUtf8PrefixPortable(text), is_surrogate ? 0 : text.size());
    if (is_surrogate) continue;
    const Utf8Char decoded = DecodeUtf8(text, 0);
    ASSERT_EQ(decoded.code_point, code_point);
  }
}

// ICU as an outside judge of the replacement of ill-formed UTF-8.
TEST(Utf8, AgreesWithIcu) {
  UErrorCode error = U_ZERO_ERROR;
  UConverter* icu = ucnv_open("UTF-8", &error);
  ASSERT_TRUE(U_SUCCESS(error));
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = "x" + RandomBytes(random, random() % 100);
    std::u16string wide(bytes.size() + 1, u'\0');
    const int32_t length = ucnv_toUChars(icu, wide.data(), static_cast<int32_t>(wide.size()),
                                         bytes.data(), static_cast<int32_t>(bytes.size()), &error);
    ASSERT_TRUE(U_SUCCESS(error));
    wide.resize(static_cast<size_t>(length));
    std::string little_endian;
    for (const char16_t unit : wide) {
      little_endian.push_back(static_cast<char>(unit & 0xFF));
      little_endian.push_back(static_cast<char>(unit >> 8));
    }
    ASSERT_EQ(Decode(bytes, Charset::kUtf8), Decode(little_endian, Charset::kUtf16Le));
  }
  ucnv_close(icu);
}

TEST(ToUtf8, OutputIsBoundedAtACharacter) {
  std::string buffer;
  for (const auto& [bytes, charset] : {std::pair{std::string("ab\xC3\xA9"), Charset::kUtf8},
                                       std::pair{std::string("ab\xE9"), Charset::kWindows1252},
                                       std::pair{std::string("ab\xC3\xA9\xFF"), Charset::kUtf8}}) {
    const Utf8Text three = ToUtf8(bytes, charset, buffer, 3);
    EXPECT_EQ(three.text, "ab") << CharsetName(charset);
    EXPECT_TRUE(three.truncated);
    const Utf8Text four = ToUtf8(bytes, charset, buffer, 4);
    EXPECT_EQ(four.text, "ab\u00E9");
    EXPECT_TRUE(ToUtf8(bytes, charset, buffer, 0).text.empty());
  }
  EXPECT_FALSE(ToUtf8("ab", Charset::kWindows1252, buffer, 2).truncated);
}

TEST(ToUtf8, LongTextsPassTheBlocksOfTheSinkUnbroken) {
  for (const size_t ascii : {4090u, 4093u, 4094u, 4095u, 4096u, 4097u, 9000u}) {
    const std::string prefix(ascii, 'x');
    EXPECT_EQ(Decode(prefix + "\x80z", Charset::kWindows1252), prefix + "\u20ACz");
    EXPECT_EQ(Decode(prefix + "\xC3\xA9\xFFz", Charset::kUtf8), prefix + "\u00E9\uFFFDz");
  }
}

TEST(ToUtf8, BigOutputStopsNearTheLimit) {
  const std::string bytes(1 << 20, '\x80');  // Three bytes of UTF-8 each.
  std::string buffer;
  const Utf8Text text = ToUtf8(bytes, Charset::kWindows1252, buffer, 100000);
  EXPECT_TRUE(text.truncated);
  EXPECT_EQ(text.text.size(), 99999u);
}

TEST(SingleByte, TablesAreTheStandards) {
  const std::pair<Charset, uint64_t> kExpected[] = {
      {Charset::kIbm866, 0x96319dcf1d929585},       {Charset::kIso8859_2, 0x15dd93976fe998ca},
      {Charset::kIso8859_3, 0x70af575411232b5b},    {Charset::kIso8859_4, 0xf0b5d36aab27b23c},
      {Charset::kIso8859_5, 0xac92a43eb69c8f9a},    {Charset::kIso8859_6, 0x4c63dbaa37209f88},
      {Charset::kIso8859_7, 0xfc9e6c45312dbca0},    {Charset::kIso8859_8, 0xd8f178d62489403d},
      {Charset::kIso8859_10, 0x233bdb423408493b},   {Charset::kIso8859_13, 0x3a4f3b5b04c42a4a},
      {Charset::kIso8859_14, 0x75b35cf60953a41f},   {Charset::kIso8859_15, 0xec2df6e172f1bed8},
      {Charset::kIso8859_16, 0x5faeacff2300a1ec},   {Charset::kKoi8R, 0x79b9c995ac090b16},
      {Charset::kKoi8U, 0x3ac9f3805ae4efb6},        {Charset::kMacintosh, 0x7ebecf5c3a3c57ad},
      {Charset::kWindows874, 0xe4dd3c5bcfa817d5},   {Charset::kWindows1250, 0xdaf793815160ee8},
      {Charset::kWindows1251, 0x729b349ac32a31b7},  {Charset::kWindows1252, 0x3c481ca49eeffb78},
      {Charset::kWindows1253, 0x8ba9e7cef4db781d},  {Charset::kWindows1254, 0x8cf2cbaacfa5b91e},
      {Charset::kWindows1255, 0x68a3f6f4fd14baab},  {Charset::kWindows1256, 0xea1ce6fbd2270c30},
      {Charset::kWindows1257, 0xc987e830da111689},  {Charset::kWindows1258, 0x868c3efe3fdd4d6a},
      {Charset::kXMacCyrillic, 0xe4a36c3ec0bab6cb},
  };
  for (const auto& [charset, checksum] : kExpected) {
    EXPECT_EQ(Checksum(SingleByteTable(charset)), checksum) << CharsetName(charset);
  }
  EXPECT_EQ(SingleByteTable(Charset::kIso8859_8I), SingleByteTable(Charset::kIso8859_8));
}

TEST(SingleByte, C1BytesAreTheWindowsOnes) {
  EXPECT_EQ(Decode("\x80\x93\x94\x81\x9F", Charset::kWindows1252), "€“”\u0081Ÿ");
  EXPECT_EQ(Decode("\x85\x81", Charset::kWindows874), "…\u0081");
}

TEST(SingleByte, HolesAreErrorsAndAsciiIsItself) {
  EXPECT_EQ(Decode("\xAA<", Charset::kWindows1253), "\uFFFD<");
  EXPECT_EQ(Decode("\xFF<", Charset::kWindows874), "\uFFFD<");
  std::string ascii;
  for (char c = 0; c != '\x7F'; ++c) ascii.push_back(c);
  EXPECT_EQ(Decode(ascii, Charset::kKoi8U), ascii);
}

TEST(SingleByte, XUserDefined) {
  EXPECT_EQ(Decode("a\x80\xFF", Charset::kXUserDefined), "a\uF780\uF7FF");
}

TEST(Multibyte, IndexesAreTheStandards) {
  EXPECT_EQ(Checksum(Jis0208Index()), 0xde920a8aba38e688u);
  EXPECT_EQ(Checksum(Jis0212Index()), 0x43305353e1189736u);
  EXPECT_EQ(Checksum(EucKrIndex()), 0xb4fc3f13c6abf5fau);
  EXPECT_EQ(Checksum(Big5Index()), 0x770b6fa0631178dfu);
  EXPECT_EQ(Checksum(Gb18030Ranges()), 0x26a859189538f8dcu);
  std::vector<char32_t> gb18030 = Gb18030Index();
  for (char32_t& code_point : gb18030) {
    if (code_point >= 0xE000 && code_point < 0xF900 && code_point < 0xF8FF) code_point = 0;
  }
  EXPECT_EQ(Checksum(gb18030), 0x5fd1047fcb1c9a6du) << "without the private use area";
}

TEST(Multibyte, Gb18030) {
  const auto decode = [](std::string_view bytes) { return Decode(bytes, Charset::kGb18030); };
  EXPECT_EQ(decode("\x80\xD6\xD0\xCE\xC4"), "€中文");
  EXPECT_EQ(decode("\x81\x30\x81\x30\x84\x31\xA4\x37\x90\x30\x81\x30\xE3\x32\x9A\x35"),
            "\u0080\uFFFD\U00010000\U0010FFFF");
  EXPECT_EQ(decode("\xA3\xA0\xA8\xBC\x81\x35\xF4\x37"), "\u3000\u1E3F\uE7C7");
  EXPECT_EQ(decode("\xA6\xD9\xFE\xFE"), "\uFE10\uE4C5") << "GB 18030-2022";
  EXPECT_EQ(decode("\xE3\x32\x9A\x36"), "\uFFFD") << "beyond U+10FFFF";
  EXPECT_EQ(decode("\x84\x31\xA5\x30"), "\uFFFD") << "between the planes";
  EXPECT_EQ(decode("\x81<a>"), "\uFFFD<a>") << "ASCII is given back";
  EXPECT_EQ(decode("\x81\x30<a>"), "\uFFFD0<a>");
  EXPECT_EQ(decode("\x81\x30\x81<a>"), "\uFFFD0\uFFFD<a>");
  EXPECT_EQ(decode("\xFF\x81"), "\uFFFD\uFFFD");
  EXPECT_EQ(decode("\x81\x30\x81"), "\uFFFD") << "one error at the end";
  EXPECT_EQ(decode("\x81\x7F"), "\uFFFD\x7F");
  EXPECT_EQ(Decode("\xD6\xD0", Charset::kGbk), "中");
}

TEST(Multibyte, Big5) {
  const auto decode = [](std::string_view bytes) { return Decode(bytes, Charset::kBig5); };
  EXPECT_EQ(decode("\xA4\xA4\xA4\xE5"), "中文");
  EXPECT_EQ(decode("\x88\x62\x88\x64\x88\xA3\x88\xA5"),
            "\u00CA\u0304\u00CA\u030C\u00EA\u0304\u00EA\u030C");
  EXPECT_EQ(decode("\x87\x45\x87\xA4"), "\U00027267\u9F97") << "Hong Kong";
  EXPECT_EQ(decode("\x81\x40\xC6\xFF"), "\uFFFD@\uFFFD");
  EXPECT_EQ(decode("\xA4<b>\x80\xFF\xA4"), "\uFFFD<b>\uFFFD\uFFFD\uFFFD");
}

TEST(Multibyte, EucJp) {
  const auto decode = [](std::string_view bytes) { return Decode(bytes, Charset::kEucJp); };
  EXPECT_EQ(decode("\xC6\xFC\xCB\xDC\x8E\xB1\x8F\xB0\xA1"), "日本ｱ丂");
  EXPECT_EQ(decode("\xA1\xC1\xAD\xB5\xF9\xA1"), "～Ⅰ纊") << "Windows' mappings and extensions";
  EXPECT_EQ(decode("\x8E\xE0\x8E<"), "\uFFFD\uFFFD<");
  EXPECT_EQ(decode("\x8F<\x8F\xA1<\x8F\xA1\xA1"), "\uFFFD<\uFFFD<\uFFFD");
  EXPECT_EQ(decode("\x8F\xA1"), "\uFFFD");
  EXPECT_EQ(decode("\x80\xA0\xFF\xA4"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(Multibyte, ShiftJis) {
  const auto decode = [](std::string_view bytes) { return Decode(bytes, Charset::kShiftJis); };
  EXPECT_EQ(decode("\x93\xFA\x96\x7B\xB1\x5C~"), "日本ｱ\\~");
  EXPECT_EQ(decode("\x81\x60\x87\x54\xFA\x5C\xED\x40"), "～Ⅰ纊纊");
  EXPECT_EQ(decode("\xF0\x40\xF9\xFC\x80"), "\uE000\uE757\u0080");
  EXPECT_EQ(decode("\x93<i>\xA0\xFD\x93"), "\uFFFD<i>\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(decode("\x81\x7F\x81\xFD"), "\uFFFD\x7F\uFFFD");
}

TEST(Multibyte, EucKr) {
  const auto decode = [](std::string_view bytes) { return Decode(bytes, Charset::kEucKr); };
  EXPECT_EQ(decode("\xC7\xD1\xB1\xDB\x81\x41"), "한글갂") << "with Windows' extension";
  EXPECT_EQ(decode("\xC9\xA1<"), "\uFFFD<") << "no private use area";
  EXPECT_EQ(decode("\xB0<u>\x80\xFF\xB0"), "\uFFFD<u>\uFFFD\uFFFD\uFFFD");
}

TEST(Multibyte, Iso2022Jp) {
  const auto decode = [](std::string_view bytes) { return Decode(bytes, Charset::kIso2022Jp); };
  EXPECT_EQ(decode("a\x1B$B\x46\x7C\x4B\x5C\x1B(Bz"), "a日本z");
  EXPECT_EQ(decode("\x1B$@\x46\x7C"), "日");
  EXPECT_EQ(decode("\x1B(J\\~a"), "\u00A5\u203Ea");
  EXPECT_EQ(decode("\x1B(I\x31\x60"), "ｱ\uFFFD");
  EXPECT_EQ(decode("\x1B(B\x1B(Ba"), "\uFFFDa") << "two escapes with nothing between";
  EXPECT_EQ(decode("\x1B(Xa"), "\uFFFD(Xa");
  EXPECT_EQ(decode("\x1B$"), "\uFFFD$");
  EXPECT_EQ(decode("\x0E\x0F\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(decode("\x1B$B\x46\x1B(Ba"), "\uFFFDa");
  EXPECT_EQ(decode("\x1B$B\x46"), "\uFFFD");
  EXPECT_EQ(decode("\x1B$B\x46\x0A\x0A\x1B(Ba"), "\uFFFD\uFFFDa");
}

TEST(Replacement, IsOneErrorWhateverTheBytes) {
  EXPECT_EQ(Decode("<script>", Charset::kReplacement), "\uFFFD");
  EXPECT_EQ(Decode("", Charset::kReplacement), "");
}

TEST(Utf16, BothByteOrders) {
  EXPECT_EQ(Decode(std::string_view("a\0\x3D\xD8\x00\xDE", 6), Charset::kUtf16Le), "a😀");
  EXPECT_EQ(Decode(std::string_view("\0a\xD8\x3D\xDE\x00", 6), Charset::kUtf16Be), "a😀");
  EXPECT_EQ(Decode(std::string_view("\xFF\xFE"
                                    "a\0",
                                    4),
                   Charset::kUtf16Le),
            "a");
  EXPECT_EQ(Decode(std::string_view("\xFE\xFF\0a", 4), Charset::kUtf16Be), "a");
}

TEST(Utf16, LoneSurrogatesAndHalfUnits) {
  const auto decode = [](std::string_view bytes) { return Decode(bytes, Charset::kUtf16Be); };
  EXPECT_EQ(decode(std::string_view("\xD8\x00\0a", 4)), "\uFFFDa");
  EXPECT_EQ(decode(std::string_view("\xDC\x00\0a", 4)), "\uFFFDa");
  EXPECT_EQ(decode(std::string_view("\xD8\x00\xD8\x00\xDC\x00", 6)), "\uFFFD\U00010000");
  EXPECT_EQ(decode(std::string_view("\0a\xD8\x00", 4)), "a\uFFFD");
  EXPECT_EQ(decode(std::string_view("\xD8\x00\xD8", 3)), "\uFFFD") << "one error at the end";
  EXPECT_EQ(decode(std::string_view("\0a\0", 3)), "a\uFFFD");
}

TEST(ToUtf8, AnyBytesInAnyEncodingGiveValidUtf8) {
  std::mt19937 random(99);
  std::string buffer;
  for (size_t i = 0; i < kCharsetCount; ++i) {
    for (int round = 0; round < 50; ++round) {
      std::string bytes(random() % 300, '\0');
      for (char& c : bytes) c = static_cast<char>(random());
      const size_t limit = round % 2 == 0 ? 100 : 100000;
      const Utf8Text text = ToUtf8(bytes, static_cast<Charset>(i), buffer, limit);
      ASSERT_EQ(ValidUtf8Prefix(text.text), text.text.size());
      ASSERT_LE(text.text.size(), limit);
    }
  }
}

}  // namespace
}  // namespace crawler
