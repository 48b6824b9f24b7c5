#include "url/idna.hpp"

#include <unicode/uidna.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "url/utf8.hpp"

namespace crawler {
namespace {

// ICU's UTS 46 with the flags of the standard. Immutable once opened, so any thread may use it.
const UIDNA* Uts46() {
  static const UIDNA* const idna = [] {
    UErrorCode error = U_ZERO_ERROR;
    const UIDNA* opened = uidna_openUTS46(
        UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII, &error);
    return U_SUCCESS(error) ? opened : nullptr;
  }();
  return idna;
}

constexpr char32_t kDropped = 0;

// Mappings of UTS 46 that changed in Unicode 15.1 (capital sharp s) and 16 (letters and invisible
// characters that were disallowed for the sake of IDNA 2003). Older versions of ICU refuse these
// characters; newer ones map them in the same way.
char32_t MapAsUnicode16(char32_t c) {
  if (c >= 0x10a0 && c <= 0x10c5) return c - 0x10a0 + 0x2d00;  // Georgian capitals
  switch (c) {
    case 0x04c0:
      return 0x04cf;
    case 0x1e9e:
      return 0x00df;
    case 0x2132:
      return 0x214e;
    case 0x2183:
      return 0x2184;
    case 0x2f868:
      return 0x36fc;
    case 0x2f874:
      return 0x5f53;
    case 0x2f91f:
      return 0x243ab;
    case 0x2f95f:
      return 0x7aee;
    case 0x2f9bf:
      return 0x45d7;
    case 0x115f:  // Hangul and Khmer fillers, and a Mongolian separator
    case 0x1160:
    case 0x3164:
    case 0xffa0:
    case 0x17b4:
    case 0x17b5:
    case 0x180e:
      return kDropped;
    default:
      break;
  }
  const bool dropped = (c >= 0x2061 && c <= 0x2063) || (c >= 0x206a && c <= 0x206f) ||
                       (c >= 0x1d173 && c <= 0x1d17a);
  return dropped ? kDropped : c;
}

void AppendUtf8(char32_t c, std::string* out) {
  char bytes[4];
  std::size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, c);
  out->append(bytes, length);
}

// `bytes` as proper UTF-8 with the newer mappings done.
std::string Prepare(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    const Utf8Char character = DecodeUtf8(bytes, i);
    const char32_t mapped = MapAsUnicode16(character.code_point);
    // NUL maps to itself and has to stay, to be refused as part of a host.
    if (mapped != kDropped || character.code_point == 0) AppendUtf8(mapped, &text);
    i += character.length;
  }
  return text;
}

bool AppendUnicodeDomain(std::string_view domain, std::string* out) {
  // Errors that ICU reports although CheckHyphens and VerifyDnsLength are false in the standard.
  constexpr std::uint32_t kIgnored = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                                     UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                                     UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
  if (domain.size() > kMaxUnicodeDomain || Uts46() == nullptr) return false;
  const std::string text = Prepare(domain);
  std::string ascii(text.size() * 2 + 64, '\0');
  for (;;) {
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    UErrorCode error = U_ZERO_ERROR;
    const std::int32_t length = uidna_nameToASCII_UTF8(
        Uts46(), text.data(), static_cast<std::int32_t>(text.size()), ascii.data(),
        static_cast<std::int32_t>(ascii.size()), &info, &error);
    if (error == U_BUFFER_OVERFLOW_ERROR) {
      ascii.resize(static_cast<std::size_t>(length) + 1);
      continue;
    }
    if (U_FAILURE(error) || (info.errors & ~kIgnored) != 0) return false;
    out->append(ascii, 0, static_cast<std::size_t>(length));
    return true;
  }
}

}  // namespace

bool AppendDomainToAscii(std::string_view domain, std::string* out) {
  const bool ascii = std::all_of(domain.begin(), domain.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii) return AppendUnicodeDomain(domain, out);
  for (const char c : domain) {
    out->push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
  }
  return true;
}

}  // namespace crawler
