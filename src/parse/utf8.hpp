#pragma once

#include <cstddef>
#include <string_view>

namespace crawler {

/// How many bytes at the start of `text` are valid UTF-8; `text.size()` when all are. An incomplete
/// character at the end is not valid. Uses AVX2 where the processor has it.
size_t ValidUtf8Prefix(std::string_view text);

/// ValidUtf8Prefix() without vector instructions; for processors that lack them, and for tests.
size_t ValidUtf8PrefixPortable(std::string_view text);

/// Writes `code_point` (a scalar value) to `out`, which has room for 4 bytes. Returns its length.
inline size_t WriteUtf8(char32_t code_point, char* out) {
  const auto continuation = [&](int shift) {
    return static_cast<char>(0x80 | (code_point >> shift & 0x3F));
  };
  if (code_point < 0x80) {
    out[0] = static_cast<char>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = static_cast<char>(0xC0 | code_point >> 6);
    out[1] = continuation(0);
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = static_cast<char>(0xE0 | code_point >> 12);
    out[1] = continuation(6);
    out[2] = continuation(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | code_point >> 18);
  out[1] = continuation(12);
  out[2] = continuation(6);
  out[3] = continuation(0);
  return 4;
}

}  // namespace crawler
