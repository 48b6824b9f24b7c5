#pragma once

#include <cstddef>
#include <string_view>

namespace crawler {

/// How many bytes at the start of `text` are valid UTF-8; `text.size()` when all are. An incomplete
/// character at the end is not valid. Uses AVX2 where the processor has it.
size_t ValidUtf8Prefix(std::string_view text);

/// The same answer without vector instructions; for processors that lack them, and for tests.
size_t ValidUtf8PrefixPortable(std::string_view text);

/// Writes `code_point` (a scalar value) to `out`, which has room for 4 bytes. Returns its length.
size_t WriteUtf8(char32_t code_point, char* out);

}  // namespace crawler
