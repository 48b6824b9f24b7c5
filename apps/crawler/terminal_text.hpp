#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Text for a terminal: its width in columns, and styles.

/// Columns that `text` takes: wide characters take two, combining ones none. `text` has no control
/// characters; see Printable().
std::size_t ColumnsOf(std::string_view text);

/// `text` in at most `columns` columns: what is too much is cut out of its middle, with "…".
std::string FitMiddle(std::string_view text, std::size_t columns);
/// Likewise at its end.
std::string FitEnd(std::string_view text, std::size_t columns);

/// Never the only carrier of a meaning: there are terminals, and people, without colours.
enum class Style { kPlain, kBold, kDim, kRed };

struct StyledText {
  std::string text;
  Style style = Style::kPlain;
};
using StyledLine = std::vector<StyledText>;

/// The line as it is written; without colours, only its text.
std::string Render(const StyledLine& line, bool colours);
/// `text` in one style.
std::string Styled(std::string_view text, Style style, bool colours);
std::size_t ColumnsOf(const StyledLine& line);

/// Whether to use colours on `descriptor`: it is a terminal that can, and NO_COLOR is not set.
bool WantsColours(int descriptor);
/// Whether `descriptor` is a terminal on which the cursor can be moved.
bool IsScreen(int descriptor);
