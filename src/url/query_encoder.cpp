#include "url/query_encoder.hpp"

#include <unicode/ucnv.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <cstdint>

#include "url/percent.hpp"
#include "url/utf8.hpp"

namespace crawler {
namespace {

struct Encoding {
  std::string_view name;  // WHATWG, lower case.
  const char* icu;
};

constexpr Encoding kEncodings[] = {
    {"big5", "Big5"},
    {"euc-jp", "EUC-JP"},
    {"euc-kr", "windows-949"},
    {"gb18030", "gb18030"},
    {"gbk", "GBK"},
    {"ibm866", "IBM866"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"iso-8859-2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-8-i", "ISO-8859-8"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"macintosh", "macintosh"},
    {"shift_jis", "windows-31j"},
    {"windows-1250", "windows-1250"},
    {"windows-1251", "windows-1251"},
    {"windows-1252", "windows-1252"},
    {"windows-1253", "windows-1253"},
    {"windows-1254", "windows-1254"},
    {"windows-1255", "windows-1255"},
    {"windows-1256", "windows-1256"},
    {"windows-1257", "windows-1257"},
    {"windows-1258", "windows-1258"},
    {"windows-874", "windows-874"},
    {"x-mac-cyrillic", "x-mac-cyrillic"},
};

enum class Family : std::uint8_t { kOther, kGb, kJapanese, kIso2022Jp };

Family FamilyOf(std::string_view name) {
  if (name == "gbk" || name == "gb18030") return Family::kGb;
  if (name == "shift_jis" || name == "euc-jp") return Family::kJapanese;
  return name == "iso-2022-jp" ? Family::kIso2022Jp : Family::kOther;
}

// Differences between the Encoding Standard and ICU's tables.
struct Adjusted {
  char32_t code_point;
  bool encodable;
};

Adjusted Adjust(char32_t c, Family family) {
  const bool private_use = c >= 0xe000 && c <= 0xf8ff;
  if (private_use && (family != Family::kGb || c == 0xe5e5)) return {c, false};
  if (family == Family::kIso2022Jp && (c == 0x0e || c == 0x0f || c == 0x1b)) {
    return {0xfffd, false};  // Would shift the decoder.
  }
  if (family == Family::kJapanese && c == 0xa5) return {'\\', true};
  if (family == Family::kJapanese && c == 0x203e) return {'~', true};
  const bool japanese = family == Family::kJapanese || family == Family::kIso2022Jp;
  if (japanese && c == 0x2212) return {0xff0d, true};  // The minus sign that JIS has.
  return {c, true};
}

class IcuQueryEncoder final : public QueryEncoder {
 public:
  IcuQueryEncoder(UConverter* converter, Family family) : converter_(converter), family_(family) {}
  ~IcuQueryEncoder() override { ucnv_close(converter_); }
  IcuQueryEncoder(const IcuQueryEncoder&) = delete;
  IcuQueryEncoder& operator=(const IcuQueryEncoder&) = delete;

  void Append(std::string_view query, std::string* out) const override {
    const bool plain = std::all_of(query.begin(), query.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x80 && c != 0x0e && c != 0x0f && c != 0x1b;
    });
    if (plain) return AppendPercentEncoded(query, PercentSet::kSpecialQuery, out);
    ucnv_resetFromUnicode(converter_);
    std::u16string run;
    for (std::size_t i = 0; i < query.size();) {
      const Utf8Char character = DecodeUtf8(query, i);
      const Adjusted adjusted = Adjust(character.code_point, family_);
      if (adjusted.encodable) {
        AppendUtf16(adjusted.code_point, &run);
      } else {
        Convert(run, false, out);
        run.clear();
        AppendReference(adjusted.code_point, out);
      }
      i += character.length;
    }
    Convert(run, true, out);
  }

 private:
  static void AppendUtf16(char32_t c, std::u16string* run) {
    if (c > 0xffff) {
      run->push_back(U16_LEAD(c));
      run->push_back(U16_TRAIL(c));
    } else {
      run->push_back(static_cast<char16_t>(c));
    }
  }

  static void AppendReference(char32_t c, std::string* out) {
    out->append("%26%23").append(std::to_string(static_cast<std::uint32_t>(c))).append("%3B");
  }

  // Shift states live on in the converter until `last`, which returns to ASCII.
  void Convert(const std::u16string& run, bool last, std::string* out) const {
    const char16_t* source = run.data();
    const char16_t* const end = source + run.size();
    for (;;) {
      char buffer[256];
      char* target = buffer;
      UErrorCode error = U_ZERO_ERROR;
      ucnv_fromUnicode(converter_, &target, buffer + sizeof buffer, &source, end, nullptr, last,
                       &error);
      for (const char* p = buffer; p < target; ++p) {
        if (InPercentSet(*p, PercentSet::kSpecialQuery)) {
          AppendPercent(static_cast<unsigned char>(*p), out);
        } else {
          out->push_back(*p);
        }
      }
      if (error == U_BUFFER_OVERFLOW_ERROR) continue;
      if (U_SUCCESS(error)) return;
      char16_t invalid[2];
      std::int8_t length = 2;
      UErrorCode ignored = U_ZERO_ERROR;
      ucnv_getInvalidUChars(converter_, invalid, &length, &ignored);
      if (U_FAILURE(ignored) || length == 0) return;
      AppendReference(length == 2 ? U16_GET_SUPPLEMENTARY(invalid[0], invalid[1]) : invalid[0],
                      out);
    }
  }

  UConverter* const converter_;
  const Family family_;
};

}  // namespace

std::unique_ptr<QueryEncoder> QueryEncoder::ForEncoding(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  for (const Encoding& encoding : kEncodings) {
    if (encoding.name != lower) continue;
    UErrorCode error = U_ZERO_ERROR;
    UConverter* const converter = ucnv_open(encoding.icu, &error);
    if (error == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    if (converter == nullptr) return nullptr;
    ucnv_setFromUCallBack(converter, UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &error);
    ucnv_setFallback(converter, false);
    return std::make_unique<IcuQueryEncoder>(converter, FamilyOf(lower));
  }
  return nullptr;
}

}  // namespace crawler
