#pragma once

#include <array>
#include <vector>

#include "parse/charset.hpp"

namespace crawler {

/// The tables of the Encoding Standard, taken from ICU's converters at first use and corrected
/// where ICU differs. 0 means that the standard has no character there. Static data.
/// Threads: safe.

/// The characters of the bytes 0x80 to 0xFF. Requires: `charset` is one of the single-byte
/// encodings that have a table, kIbm866 to kXMacCyrillic.
const std::array<char16_t, 128>& SingleByteTable(Charset charset);

/// The standard's "indexes", by pointer.
const std::vector<char32_t>& Jis0208Index();
const std::vector<char32_t>& Jis0212Index();
const std::vector<char32_t>& EucKrIndex();
const std::vector<char32_t>& Big5Index();
const std::vector<char32_t>& Gb18030Index();
/// The four-byte sequences of gb18030 for the basic plane.
const std::vector<char32_t>& Gb18030Ranges();

}  // namespace crawler
