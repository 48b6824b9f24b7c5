// The first byte chooses the encoding, the second the limit of the output, the rest is the page.
#include <unicode/ucnv.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "parse/charset.hpp"
#include "parse/utf8.hpp"

namespace {

using crawler::Charset;

#define CHECK(condition) \
  if (!(condition)) std::abort()

bool IsAsciiSuperset(Charset charset) {
  return charset != Charset::kUtf16Be && charset != Charset::kUtf16Le &&
         charset != Charset::kIso2022Jp && charset != Charset::kReplacement;
}

// `bytes` by one of ICU's converters, as UTF-8.
std::string DecodeWithIcu(std::string_view bytes, const char* converter) {
  UErrorCode error = U_ZERO_ERROR;
  std::string out(bytes.size() * 4 + 16, '\0');
  const int32_t size =
      ucnv_convert("UTF-8", converter, out.data(), static_cast<int32_t>(out.size()), bytes.data(),
                   static_cast<int32_t>(bytes.size()), &error);
  CHECK(U_SUCCESS(error));
  out.resize(static_cast<size_t>(size));
  return out;
}

bool HasPrivateUse(std::string_view text) {
  for (size_t at = 0; at + 2 < text.size(); ++at) {
    const auto lead = static_cast<uint8_t>(text[at]);
    if (lead == 0xEE || (lead == 0xEF && static_cast<uint8_t>(text[at + 1]) < 0xA4)) return true;
  }
  return false;
}

void CheckDecoding(std::string_view bytes, Charset charset, size_t limit) {
  std::string buffer;
  const crawler::Utf8Text text = crawler::ToUtf8(bytes, charset, buffer);
  CHECK(!text.truncated);
  CHECK(crawler::ValidUtf8PrefixPortable(text.text) == text.text.size());
  // No encoding may hide mark-up, or make any: '<' is '<'.
  if (IsAsciiSuperset(charset)) {
    CHECK(std::count(bytes.begin(), bytes.end(), '<') ==
          std::count(text.text.begin(), text.text.end(), '<'));
  }

  std::string short_buffer;
  const crawler::Utf8Text cut = crawler::ToUtf8(bytes, charset, short_buffer, limit);
  CHECK(cut.text.size() <= limit && text.text.starts_with(cut.text));
  CHECK(cut.truncated == (cut.text.size() < text.text.size()));
  CHECK(crawler::ValidUtf8PrefixPortable(cut.text) == cut.text.size());

  // A byte order mark at the start means something else to ICU.
  if (bytes.starts_with("\xEF\xBB\xBF")) return;
  if (charset == Charset::kUtf8) CHECK(text.text == DecodeWithIcu(bytes, "UTF-8"));
  if (charset == Charset::kWindows1251)
    CHECK(text.text == DecodeWithIcu(bytes, "ibm-5347_P100-1998"));
  if (charset == Charset::kEucKr && !text.malformed) {
    const std::string icu = DecodeWithIcu(bytes, "windows-949-2000");
    CHECK(text.text == icu || HasPrivateUse(icu));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const auto charset = static_cast<Charset>(data[0] % crawler::kCharsetCount);
  const size_t limit = data[1];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);

  CHECK(crawler::ValidUtf8Prefix(bytes) == crawler::ValidUtf8PrefixPortable(bytes));
  CheckDecoding(bytes, charset, limit);
  CheckDecoding(bytes, crawler::SniffHtmlCharset(bytes, "").charset, limit);
  CheckDecoding(bytes, crawler::SniffXmlCharset(bytes, "").charset, limit);
  const auto named = crawler::CharsetFromLabel(bytes);
  if (named) CHECK(crawler::CharsetFromLabel(crawler::CharsetName(*named)) == named);
  crawler::ContentTypeCharset(bytes);
  return 0;
}
