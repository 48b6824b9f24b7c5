#include "url/percent.hpp"

#include <algorithm>

#include "url/utf8.hpp"

namespace crawler {

void AppendPercent(unsigned char byte, std::string* out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  const char triplet[3] = {'%', kHex[byte >> 4], kHex[byte & 15]};
  out->append(triplet, 3);
}

void AppendPercentEncoded(std::string_view utf8, PercentSet set, std::string* out) {
  std::size_t plain = 0;  // Start of the run not yet appended.
  std::size_t i = 0;
  while (i < utf8.size()) {
    if (!InPercentSet(utf8[i], set)) {
      ++i;
      continue;
    }
    out->append(utf8, plain, i - plain);
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < 0x80) {
      AppendPercent(byte, out);
      ++i;
    } else {
      const Utf8Char character = DecodeUtf8(utf8, i);
      if (character.valid) {
        for (std::size_t k = 0; k < character.length; ++k) {
          AppendPercent(static_cast<unsigned char>(utf8[i + k]), out);
        }
      } else {
        out->append("%EF%BF%BD");
      }
      i += character.length;
    }
    plain = i;
  }
  out->append(utf8, plain, i - plain);
}

void AppendPercentDecoded(std::string_view text, std::string* out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int byte = PercentTriplet(text, i);
    if (byte < 0) {
      out->push_back(text[i]);
    } else {
      out->push_back(static_cast<char>(byte));
      i += 2;
    }
  }
}

std::string QueryParameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
    std::string value(pair.substr(equals + 1));
    std::replace(value.begin(), value.end(), '+', ' ');
    std::string decoded;
    AppendPercentDecoded(value, &decoded);
    return decoded;
  }
  return {};
}

}  // namespace crawler
