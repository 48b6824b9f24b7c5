#include "model/headers.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/ascii.hpp"

namespace crawler {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// The characters of a field name (RFC 9110, 5.6.2).
constexpr std::array<bool, 256> kTokenChars = [] {
  std::array<bool, 256> is_token{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    is_token[static_cast<unsigned char>(c)] = true;
  }
  return is_token;
}();

bool IsToken(std::string_view text) {
  for (const char c : text) {
    if (!kTokenChars[static_cast<unsigned char>(c)]) return false;
  }
  return !text.empty();
}

bool DecidesFraming(std::string_view name) {
  return EqualsIgnoringCase(name, "content-length") ||
         EqualsIgnoringCase(name, "transfer-encoding");
}

}  // namespace

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

HeaderBlock::HeaderBlock(std::string raw) : raw_(std::move(raw)) {
  const std::size_t size =
      std::min<std::size_t>(raw_.size(), std::numeric_limits<std::uint32_t>::max());
  fields_.reserve(16);
  bool status_line = true;
  for (std::size_t start = 0; start < size;) {
    std::size_t end = raw_.find('\n', start);
    if (end == std::string::npos || end > size) end = size;
    std::size_t line_end = end;
    if (line_end > start && raw_[line_end - 1] == '\r') --line_end;
    if (line_end == start) break;  // The empty line: the end of the head.

    const std::string_view line(raw_.data() + start, line_end - start);
    if (line.find('\0') != std::string_view::npos) flaw_ = "a NUL byte in the response head";
    if (line.find('\r') != std::string_view::npos) flaw_ = "a stray CR in the response head";
    if (!status_line) IndexLine(start, line_end);
    status_line = false;
    start = end + 1;
  }
}

void HeaderBlock::IndexLine(std::size_t start, std::size_t end) {
  if (IsBlank(raw_[start])) {
    Fold(start, end);
    return;
  }
  const std::string_view line(raw_.data() + start, end - start);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    flaw_ = "a header line without a colon";
    return;
  }
  const std::string_view name = line.substr(0, colon);
  const bool is_token = IsToken(name);
  if (!is_token && DecidesFraming(TrimBlanks(name))) {
    flaw_ = "a blank before the colon of a field that frames the body";
  }
  const std::string_view value = TrimBlanks(line.substr(colon + 1));
  // A field that is no token keeps its place, with no name, so that a folded line behind it does
  // not end up in the field before it.
  const std::uint32_t name_size = is_token ? static_cast<std::uint32_t>(colon) : 0;
  fields_.push_back({static_cast<std::uint32_t>(start), name_size,
                     static_cast<std::uint32_t>(value.data() - raw_.data()),
                     static_cast<std::uint32_t>(value.size()), false});
}

void HeaderBlock::Fold(std::size_t start, std::size_t end) {
  if (fields_.empty()) return;  // Nothing to continue: the line is ignored.
  const std::string_view more = TrimBlanks({raw_.data() + start, end - start});
  Field& field = fields_.back();
  if (!field.unfolded) {
    const std::size_t at = unfolded_.size();
    unfolded_.append(raw_, field.value_start, field.value_size);
    field.value_start = static_cast<std::uint32_t>(at);
    field.unfolded = true;
  }
  // The field being folded is the last one, so its value is the end of unfolded_.
  if (!more.empty()) {
    if (field.value_size > 0) unfolded_ += ' ';
    unfolded_ += more;
  }
  field.value_size = static_cast<std::uint32_t>(unfolded_.size() - field.value_start);
}

std::string_view HeaderBlock::name(std::size_t index) const {
  const Field& field = fields_[index];
  return std::string_view(raw_).substr(field.name_start, field.name_size);
}

std::string_view HeaderBlock::value(std::size_t index) const {
  const Field& field = fields_[index];
  const std::string_view source = field.unfolded ? unfolded_ : raw_;
  return source.substr(field.value_start, field.value_size);
}

std::optional<std::string_view> HeaderBlock::Find(std::string_view wanted) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (EqualsIgnoringCase(name(i), wanted)) return value(i);
  }
  return std::nullopt;
}

std::vector<std::string_view> HeaderBlock::FindAll(std::string_view wanted) const {
  std::vector<std::string_view> values;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (EqualsIgnoringCase(name(i), wanted)) values.push_back(value(i));
  }
  return values;
}

std::string HeaderBlock::Joined(std::string_view wanted) const {
  std::string joined;
  bool first = true;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!EqualsIgnoringCase(name(i), wanted)) continue;
    if (!first) joined += ", ";
    joined += value(i);
    first = false;
  }
  return joined;
}

std::string MediaTypeEssence(std::string_view content_type) {
  std::string essence(TrimBlanks(content_type.substr(0, content_type.find(';'))));
  for (char& c : essence) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  const std::size_t slash = essence.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == essence.size()) return {};
  return essence;
}

}  // namespace crawler
