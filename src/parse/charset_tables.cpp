#include "parse/charset_tables.hpp"

#include <unicode/ucnv.h>

#include <bitset>
#include <initializer_list>
#include <memory>
#include <span>

namespace crawler {
namespace {

bool IsPrivateUse(char32_t code_point) {
  return (code_point >= 0xE000 && code_point < 0xF900) || code_point >= 0xF0000;
}

// Decodes single characters with one of ICU's converters.
class IcuConverter {
 public:
  explicit IcuConverter(const char* name) {
    UErrorCode error = U_ZERO_ERROR;
    converter_.reset(ucnv_open(name, &error));
    if (error == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    if (U_FAILURE(error)) converter_.reset();
    if (converter_ == nullptr) return;
    ucnv_setToUCallBack(converter_.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                        &error);
  }

  // The one character that `bytes` stand for, or 0. Always 0 without the data of the converter.
  char32_t Decode(std::initializer_list<unsigned> bytes) {
    if (converter_ == nullptr) return 0;
    std::array<char, 4> in{};
    size_t size = 0;
    for (const unsigned byte : bytes) in[size++] = static_cast<char>(byte);
    UErrorCode error = U_ZERO_ERROR;
    const char* from = in.data();
    ucnv_reset(converter_.get());
    const UChar32 code_point = ucnv_getNextUChar(converter_.get(), &from, in.data() + size, &error);
    if (U_FAILURE(error) || from != in.data() + size || code_point == 0xFFFD) return 0;
    return static_cast<char32_t>(code_point);
  }

 private:
  struct Close {
    void operator()(UConverter* converter) const { ucnv_close(converter); }
  };
  std::unique_ptr<UConverter, Close> converter_;
};

// A difference between ICU's table and the standard: one or two bytes, and the character or 0.
struct Correction {
  unsigned bytes;
  char32_t code_point;
};

struct SingleByteSource {
  Charset charset;
  const char* icu_name;
  std::span<const Correction> corrections;
};

// ICU has no converter for ISO-8859-16. Other bytes are as in ISO-8859-1.
constexpr Correction kIso8859_16Differences[] = {
    {0xA1, 0x0104}, {0xA2, 0x0105}, {0xA3, 0x0141}, {0xA4, 0x20AC}, {0xA5, 0x201E}, {0xA6, 0x0160},
    {0xA8, 0x0161}, {0xAA, 0x0218}, {0xAC, 0x0179}, {0xAE, 0x017A}, {0xAF, 0x017B}, {0xB2, 0x010C},
    {0xB3, 0x0142}, {0xB4, 0x017D}, {0xB5, 0x201D}, {0xB8, 0x017E}, {0xB9, 0x010D}, {0xBA, 0x0219},
    {0xBC, 0x0152}, {0xBD, 0x0153}, {0xBE, 0x0178}, {0xBF, 0x017C}, {0xC3, 0x0102}, {0xC5, 0x0106},
    {0xD0, 0x0110}, {0xD1, 0x0143}, {0xD5, 0x0150}, {0xD7, 0x015A}, {0xD8, 0x0170}, {0xDD, 0x0118},
    {0xDE, 0x021A}, {0xE3, 0x0103}, {0xE5, 0x0107}, {0xF0, 0x0111}, {0xF1, 0x0144}, {0xF5, 0x0151},
    {0xF7, 0x015B}, {0xF8, 0x0171}, {0xFD, 0x0119}, {0xFE, 0x021B},
};

constexpr Correction kKoi8UDifferences[] = {{0xAE, 0x045E}, {0xBE, 0x040E}};
constexpr Correction kWindows874Differences[] = {{0xDB, 0}, {0xDC, 0}, {0xDD, 0}, {0xDE, 0},
                                                 {0xFC, 0}, {0xFD, 0}, {0xFE, 0}, {0xFF, 0}};
constexpr Correction kWindows1253Differences[] = {{0xAA, 0}};
constexpr Correction kWindows1255Differences[] = {{0xCA, 0x05BA}};

constexpr SingleByteSource kSingleByteSources[] = {
    {Charset::kIbm866, "ibm-866_P100-1995", {}},
    {Charset::kIso8859_2, "ibm-912_P100-1995", {}},
    {Charset::kIso8859_3, "ibm-913_P100-2000", {}},
    {Charset::kIso8859_4, "ibm-914_P100-1995", {}},
    {Charset::kIso8859_5, "ibm-915_P100-1995", {}},
    {Charset::kIso8859_6, "ibm-1089_P100-1995", {}},
    {Charset::kIso8859_7, "ibm-9005_X110-2007", {}},
    {Charset::kIso8859_8, "ibm-5012_P100-1999", {}},
    {Charset::kIso8859_8I, "ibm-5012_P100-1999", {}},
    {Charset::kIso8859_10, "iso-8859_10-1998", {}},
    {Charset::kIso8859_13, "ibm-921_P100-1995", {}},
    {Charset::kIso8859_14, "iso-8859_14-1998", {}},
    {Charset::kIso8859_15, "ibm-923_P100-1998", {}},
    {Charset::kIso8859_16, "ISO-8859-1", kIso8859_16Differences},
    {Charset::kKoi8R, "ibm-878_P100-1996", {}},
    {Charset::kKoi8U, "ibm-1168_P100-2002", kKoi8UDifferences},
    {Charset::kMacintosh, "macos-0_2-10.2", {}},
    {Charset::kWindows874, "windows-874-2000", kWindows874Differences},
    {Charset::kWindows1250, "ibm-5346_P100-1998", {}},
    {Charset::kWindows1251, "ibm-5347_P100-1998", {}},
    {Charset::kWindows1252, "ibm-5348_P100-1997", {}},
    {Charset::kWindows1253, "ibm-5349_P100-1998", kWindows1253Differences},
    {Charset::kWindows1254, "ibm-5350_P100-1998", {}},
    {Charset::kWindows1255, "ibm-9447_P100-2002", kWindows1255Differences},
    {Charset::kWindows1256, "ibm-9448_X100-2005", {}},
    {Charset::kWindows1257, "ibm-9449_P100-2002", {}},
    {Charset::kWindows1258, "ibm-5354_P100-1998", {}},
    {Charset::kXMacCyrillic, "macos-7_3-10.2", {}},
};

constexpr bool InOrderOfCharset() {
  for (size_t i = 0; i < std::size(kSingleByteSources); ++i) {
    const size_t charset = static_cast<size_t>(kSingleByteSources[i].charset);
    if (charset != static_cast<size_t>(Charset::kIbm866) + i) return false;
  }
  return true;
}
static_assert(InOrderOfCharset());

using SingleByteTables = std::array<std::array<char16_t, 128>, std::size(kSingleByteSources)>;

SingleByteTables BuildSingleByteTables() {
  SingleByteTables tables;
  for (size_t i = 0; i < tables.size(); ++i) {
    const SingleByteSource& source = kSingleByteSources[i];
    IcuConverter converter(source.icu_name);
    for (unsigned byte = 0x80; byte <= 0xFF; ++byte) {
      tables[i][byte - 0x80] = static_cast<char16_t>(converter.Decode({byte}));
    }
    for (const Correction& correction : source.corrections) {
      tables[i][correction.bytes - 0x80] = static_cast<char16_t>(correction.code_point);
    }
  }
  return tables;
}

// Hong Kong characters of index Big5 that ICU's Big5-HKSCS lacks or keeps in the private use area.
constexpr Correction kBig5Differences[] = {
    {0x87A4, 0x9F97}, {0x87AC, 0x9F96}, {0x8840, 0x31C0}, {0x8841, 0x31C1}, {0x8842, 0x31C2},
    {0x8843, 0x31C3}, {0x8844, 0x31C4}, {0x8846, 0x31C5}, {0x8849, 0x31C6}, {0x884A, 0x31C7},
    {0x884D, 0x31C8}, {0x884F, 0x31C9}, {0x8850, 0x31CA}, {0x8851, 0x31CB}, {0x8852, 0x31CC},
    {0x8854, 0x31CD}, {0x8855, 0x31CE}, {0x88A9, 0x23DA}, {0x88AA, 0x23DB}, {0x8C43, 0x9FA6},
    {0x8C6D, 0x9FA7}, {0x8C74, 0x9FA8}, {0x8CB7, 0x9FA9}, {0x8CB9, 0x9FAA}, {0x8CBB, 0x9FAB},
    {0x8CC0, 0x9FAC}, {0x8CD7, 0x9FAD}, {0x8CD8, 0x9FAE}, {0x8CDA, 0x9FAF}, {0x8CED, 0x9FB2},
    {0x8D48, 0x9FB3}, {0x8E69, 0x7BB8}, {0x8E6F, 0x7C06}, {0x8E7E, 0x7CCE}, {0x8EAB, 0x7DD2},
    {0x8EB4, 0x7E1D}, {0x8ECD, 0x8005}, {0x8ED0, 0x8028}, {0x8F57, 0x83C1}, {0x8F69, 0x84A8},
    {0x8F6E, 0x840F}, {0x8FCB, 0x89A6}, {0x8FCC, 0x89A9}, {0x8FFE, 0x8D77}, {0x906D, 0x90FD},
    {0x907A, 0x92B9}, {0x90DC, 0x975C}, {0x90F1, 0x97FF}, {0x91BF, 0x9F16}, {0x9244, 0x8503},
    {0x92AF, 0x5159}, {0x92B0, 0x515B}, {0x92B1, 0x515D}, {0x92B2, 0x515E}, {0x92C8, 0x936E},
    {0x92D1, 0x7479}, {0x9447, 0x6D67}, {0x94CA, 0x799B}, {0x95D9, 0x9097}, {0x9644, 0x975D},
    {0x96ED, 0x701E}, {0x96FC, 0x5B28}, {0x9B76, 0x7201}, {0x9B78, 0x77D7}, {0x9B7B, 0x7E87},
    {0x9BC6, 0x99D6}, {0x9BDE, 0x91D4}, {0x9BEC, 0x60DE}, {0x9BF6, 0x6FB6}, {0x9C42, 0x8F36},
    {0x9C53, 0x4FBB}, {0x9C62, 0x71DF}, {0x9C68, 0x9104}, {0x9C6B, 0x9DF0}, {0x9C77, 0x83CF},
    {0x9CBC, 0x5C10}, {0x9CBD, 0x79E3}, {0x9CD0, 0x5A67}, {0x9D57, 0x8F0B}, {0x9D5A, 0x7B51},
    {0x9DC4, 0x62D0}, {0x9EA9, 0x6062}, {0x9EEF, 0x75F9}, {0x9EFD, 0x6C4A}, {0x9F60, 0x9B2E},
    {0x9F66, 0x9F17}, {0x9FCB, 0x50ED}, {0x9FD8, 0x5F0C}, {0xA063, 0x880F}, {0xA077, 0x62CE},
    {0xA0D5, 0x7468}, {0xA0DF, 0x7162}, {0xA0E4, 0x7250}, {0xA3C0, 0x2400}, {0xA3C1, 0x2401},
    {0xA3C2, 0x2402}, {0xA3C3, 0x2403}, {0xA3C4, 0x2404}, {0xA3C5, 0x2405}, {0xA3C6, 0x2406},
    {0xA3C7, 0x2407}, {0xA3C8, 0x2408}, {0xA3C9, 0x2409}, {0xA3CA, 0x240A}, {0xA3CB, 0x240B},
    {0xA3CC, 0x240C}, {0xA3CD, 0x240D}, {0xA3CE, 0x240E}, {0xA3CF, 0x240F}, {0xA3D0, 0x2410},
    {0xA3D1, 0x2411}, {0xA3D2, 0x2412}, {0xA3D3, 0x2413}, {0xA3D4, 0x2414}, {0xA3D5, 0x2415},
    {0xA3D6, 0x2416}, {0xA3D7, 0x2417}, {0xA3D8, 0x2418}, {0xA3D9, 0x2419}, {0xA3DA, 0x241A},
    {0xA3DB, 0x241B}, {0xA3DC, 0x241C}, {0xA3DD, 0x241D}, {0xA3DE, 0x241E}, {0xA3DF, 0x241F},
    {0xA3E0, 0x2421}, {0xC6CF, 0x5EF4}, {0xC6D3, 0x65E0}, {0xC6D5, 0x7676}, {0xC6D7, 0x96B6},
    {0xC6DE, 0x3003}, {0xC6DF, 0x4EDD}, {0xC879, 0x31CF}, {0xC8A1, 0x9FB0}, {0xC8A3, 0x9FB1},
    {0xFA5F, 0x5029}, {0xFA66, 0x507D}, {0xFABD, 0x5305}, {0xFAC5, 0x5344}, {0xFAD5, 0x537F},
    {0xFB48, 0x5605}, {0xFBB8, 0x5A77}, {0xFBF3, 0x5E75}, {0xFBF9, 0x5ED0}, {0xFC4F, 0x5F58},
    {0xFC6C, 0x60A4}, {0xFCB9, 0x6490}, {0xFCE2, 0x6674}, {0xFCF1, 0x675E}, {0xFDB7, 0x6C9C},
    {0xFDB8, 0x6E1D}, {0xFDBB, 0x6E2F}, {0xFDF1, 0x716E}, {0xFE52, 0x732A}, {0xFE6F, 0x745C},
    {0xFEAA, 0x74E9}, {0xFEDD, 0x7809},
};

// Two-byte sequences that GB 18030-2022 moved out of the private use area, and what they were.
struct Gb18030Change {
  unsigned bytes;
  char32_t now;
  char32_t before;
};
constexpr Gb18030Change kGb18030Changes[] = {
    {0xA6D9, 0xFE10, 0xE78D}, {0xA6DA, 0xFE12, 0xE78E}, {0xA6DB, 0xFE11, 0xE78F},
    {0xA6DC, 0xFE13, 0xE790}, {0xA6DD, 0xFE14, 0xE791}, {0xA6DE, 0xFE15, 0xE792},
    {0xA6DF, 0xFE16, 0xE793}, {0xA6EC, 0xFE17, 0xE794}, {0xA6ED, 0xFE18, 0xE795},
    {0xA6F3, 0xFE19, 0xE796}, {0xFE59, 0x9FB4, 0xE81E}, {0xFE61, 0x9FB5, 0xE826},
    {0xFE66, 0x9FB6, 0xE82B}, {0xFE67, 0x9FB7, 0xE82C}, {0xFE6D, 0x9FB8, 0xE832},
    {0xFE7E, 0x9FB9, 0xE843}, {0xFE90, 0x9FBA, 0xE854}, {0xFEA0, 0x9FBB, 0xE864},
};
constexpr unsigned kGb18030IdeographicSpace = 0xA3A0;  // U+3000 in pages, whatever GB 18030 says.

size_t Big5Pointer(unsigned lead, unsigned trail) {
  return (lead - 0x81) * 157 + trail - (trail < 0x7F ? 0x40 : 0x62);
}

size_t Gb18030Pointer(unsigned lead, unsigned trail) {
  return (lead - 0x81) * 190 + trail - (trail < 0x7F ? 0x40 : 0x41);
}

std::vector<char32_t> BuildJis0208() {
  std::vector<char32_t> index;
  IcuConverter converter("ibm-943_P15A-2003");  // Windows' Shift_JIS, with all its extensions.
  for (unsigned lead = 0x81; lead <= 0xFC; ++lead) {
    if (lead >= 0xA0 && lead < 0xE0) continue;
    for (unsigned trail = 0x40; trail <= 0xFC; ++trail) {
      if (trail == 0x7F) continue;
      const char32_t code_point = converter.Decode({lead, trail});
      index.push_back(IsPrivateUse(code_point) ? 0 : code_point);
    }
  }
  return index;
}

std::vector<char32_t> BuildJis0212() {
  std::vector<char32_t> index;
  IcuConverter converter("euc-jp-2007");
  for (unsigned lead = 0xA1; lead < 0xF3; ++lead) {  // Beyond are IBM's own additions.
    for (unsigned trail = 0xA1; trail <= 0xFE; ++trail) {
      index.push_back(converter.Decode({0x8F, lead, trail}));
    }
  }
  return index;
}

std::vector<char32_t> BuildEucKr() {
  std::vector<char32_t> index;
  IcuConverter converter("windows-949-2000");
  for (unsigned lead = 0x81; lead <= 0xFE; ++lead) {
    for (unsigned trail = 0x41; trail <= 0xFE; ++trail) {
      const char32_t code_point = converter.Decode({lead, trail});
      index.push_back(IsPrivateUse(code_point) ? 0 : code_point);
    }
  }
  return index;
}

std::vector<char32_t> BuildBig5() {
  std::vector<char32_t> index;
  IcuConverter converter("ibm-1375_P100-2008");  // Big5-HKSCS
  for (unsigned lead = 0x81; lead <= 0xFE; ++lead) {
    for (unsigned trail = 0x40; trail <= 0xFE; ++trail) {
      if (trail > 0x7E && trail < 0xA1) continue;
      const char32_t code_point = converter.Decode({lead, trail});
      index.push_back(IsPrivateUse(code_point) ? 0 : code_point);
    }
  }
  for (const Correction& correction : kBig5Differences) {
    index[Big5Pointer(correction.bytes >> 8, correction.bytes & 0xFF)] = correction.code_point;
  }
  return index;
}

std::vector<char32_t> BuildGb18030() {
  std::vector<char32_t> index;
  IcuConverter converter("gb18030");
  for (unsigned lead = 0x81; lead <= 0xFE; ++lead) {
    for (unsigned trail = 0x40; trail <= 0xFE; ++trail) {
      if (trail != 0x7F) index.push_back(converter.Decode({lead, trail}));
    }
  }
  for (const Gb18030Change& change : kGb18030Changes) {
    index[Gb18030Pointer(change.bytes >> 8, change.bytes & 0xFF)] = change.now;
  }
  index[Gb18030Pointer(kGb18030IdeographicSpace >> 8, kGb18030IdeographicSpace & 0xFF)] = 0x3000;
  return index;
}

// The four-byte sequences count through the code points that the two-byte ones of the first
// edition left over; so they need no table but that of the latter.
std::vector<char32_t> BuildGb18030Ranges() {
  constexpr size_t kPointers = 39420;
  std::bitset<0x10000> taken;
  for (const char32_t code_point : Gb18030Index()) {
    if (code_point < taken.size()) taken.set(code_point);
  }
  for (const Gb18030Change& change : kGb18030Changes) {
    taken.reset(change.now);
    taken.set(change.before);
  }
  taken.set(0xE5E5);    // 0xA3A0 before.
  taken.set(0xE7C7);    // 0xA8BC, until the second edition exchanged it
  taken.reset(0x1E3F);  // with the four-byte sequence for this.
  std::vector<char32_t> ranges;
  for (char32_t code_point = 0x80; ranges.size() < kPointers && code_point < 0x10000;
       ++code_point) {
    if (code_point >= 0xD800 && code_point < 0xE000) continue;
    if (!taken[code_point]) ranges.push_back(code_point == 0x1E3F ? 0xE7C7 : code_point);
  }
  ranges.resize(kPointers);
  return ranges;
}

}  // namespace

const std::array<char16_t, 128>& SingleByteTable(Charset charset) {
  static const SingleByteTables tables = BuildSingleByteTables();
  return tables[static_cast<size_t>(charset) - static_cast<size_t>(Charset::kIbm866)];
}

const std::vector<char32_t>& Jis0208Index() {
  static const std::vector<char32_t> index = BuildJis0208();
  return index;
}

const std::vector<char32_t>& Jis0212Index() {
  static const std::vector<char32_t> index = BuildJis0212();
  return index;
}

const std::vector<char32_t>& EucKrIndex() {
  static const std::vector<char32_t> index = BuildEucKr();
  return index;
}

const std::vector<char32_t>& Big5Index() {
  static const std::vector<char32_t> index = BuildBig5();
  return index;
}

const std::vector<char32_t>& Gb18030Index() {
  static const std::vector<char32_t> index = BuildGb18030();
  return index;
}

const std::vector<char32_t>& Gb18030Ranges() {
  static const std::vector<char32_t> ranges = BuildGb18030Ranges();
  return ranges;
}

}  // namespace crawler
