#include "base/json.hpp"

namespace crawler {
namespace {

void AppendEscape(unsigned char byte, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::string_view kShort = "\b\f\n\r\t\"\\";
  constexpr std::string_view kShortNames = "bfnrt\"\\";
  const std::size_t found = kShort.find(static_cast<char>(byte));
  if (found != std::string_view::npos) {
    out->append({'\\', kShortNames[found]});
  } else {
    out->append("\\u00").append({kHex[byte >> 4], kHex[byte & 15]});
  }
}

// Escapes the bytes from `limit` on as well.
void AppendString(std::string_view text, unsigned limit, std::string* out) {
  out->push_back('"');
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < limit && byte != '"' && byte != '\\') continue;
    out->append(text, done, i - done);
    AppendEscape(byte, out);
    done = i + 1;
  }
  out->append(text, done);
  out->push_back('"');
}

}  // namespace

void AppendJson(std::string_view text, std::string* out) { AppendString(text, 0x100, out); }

void AppendJsonBytes(std::string_view bytes, std::string* out) { AppendString(bytes, 0x7F, out); }

}  // namespace crawler
