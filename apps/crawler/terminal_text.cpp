#include "terminal_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>

namespace {

struct CodeRange {
  char32_t first, last;
};

// Combining marks and other characters without a column of their own.
constexpr CodeRange kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A},  {0x064B, 0x065F},
    {0x0900, 0x0902}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x200B, 0x200F},  {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};
// East Asian wide characters, and emoji.
constexpr CodeRange kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26CE, 0x26CE},   {0x2705, 0x2705},   {0x274C, 0x274E},
    {0x2753, 0x2757},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F3FA}, {0x1F400, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t kSize>
bool IsIn(const CodeRange (&ranges)[kSize], char32_t code) {
  const auto* const after =
      std::upper_bound(std::begin(ranges), std::end(ranges), code,
                       [](char32_t value, const CodeRange& range) { return value < range.first; });
  return after != std::begin(ranges) && code <= std::prev(after)->last;
}

std::size_t ColumnsOfCode(char32_t code) {
  if (IsIn(kZeroWidth, code)) return 0;
  return IsIn(kWide, code) ? 2 : 1;
}

/// One character of UTF-8. A byte that begins none counts as one.
struct Character {
  std::size_t size = 1;
  std::size_t columns = 1;
};

Character FirstOf(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (size == 1 || text.size() < size) return {};
  char32_t code = lead & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  return {size, ColumnsOfCode(code)};
}

// The length of the longest beginning of `text` that fits into `columns`, with the combining
// characters behind its last one.
std::size_t Head(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Character next = FirstOf(text.substr(end));
    if (next.columns > columns) break;
    columns -= next.columns;
    end += next.size;
  }
  return end;
}

// Where the longest end of `text` begins that fits into `columns`.
std::size_t Tail(std::string_view text, std::size_t columns) {
  std::size_t total = ColumnsOf(text);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const Character next = FirstOf(text.substr(begin));
    if (total <= columns && next.columns > 0) break;
    total -= next.columns;
    begin += next.size;
  }
  return begin;
}

std::string_view Code(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "\033[1m";
    case Style::kDim:
      return "\033[2m";
    case Style::kRed:
      return "\033[31m";
  }
  return "";
}

// The variables are read before there is a second thread, and never set.
const char* Variable(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

std::size_t ColumnsOf(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character next = FirstOf(text);
    columns += next.columns;
    text.remove_prefix(next.size);
  }
  return columns;
}

std::string FitMiddle(std::string_view text, std::size_t columns) {
  if (ColumnsOf(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  const std::size_t left = (columns - 1) / 2;
  std::string fitted(text.substr(0, Head(text, left)));
  fitted += "…";
  fitted += text.substr(Tail(text, columns - 1 - left));
  return fitted;
}

std::string FitEnd(std::string_view text, std::size_t columns) {
  if (ColumnsOf(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  return std::string(text.substr(0, Head(text, columns - 1))) + "…";
}

std::string Styled(std::string_view text, Style style, bool colours) {
  if (!colours || style == Style::kPlain || text.empty()) return std::string(text);
  std::string styled(Code(style));
  styled += text;
  return styled + "\033[0m";
}

std::string Render(const StyledLine& line, bool colours) {
  std::string text;
  for (const StyledText& part : line) text += Styled(part.text, part.style, colours);
  return text;
}

std::size_t ColumnsOf(const StyledLine& line) {
  std::size_t columns = 0;
  for (const StyledText& part : line) columns += ColumnsOf(part.text);
  return columns;
}

bool IsScreen(int descriptor) {
  const char* const terminal = Variable("TERM");
  return isatty(descriptor) != 0 && terminal != nullptr && *terminal != '\0' &&
         std::string_view(terminal) != "dumb";
}

bool WantsColours(int descriptor) {
  const char* const no_colour = Variable("NO_COLOR");
  return IsScreen(descriptor) && (no_colour == nullptr || *no_colour == '\0');
}
