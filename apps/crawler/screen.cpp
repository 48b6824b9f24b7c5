#include "screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace {

void Write(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace

Screen::Screen()
    : live_(IsScreen(STDERR_FILENO)),
      colours_(WantsColours(STDERR_FILENO)),
      shares_stdout_(live_ && isatty(STDOUT_FILENO) != 0) {}

Screen::Size Screen::size() const {
  Size size;
  winsize window{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.columns = window.ws_col;
  if (window.ws_row > 0) size.rows = window.ws_row;
  return size;
}

// The cursor is at the end of the last live line. A terminal that became narrower has wrapped them.
std::string Screen::Erasure() const {
  if (columns_.empty()) return "";
  const std::size_t width = size().columns;
  std::size_t rows = 0;
  for (const std::size_t columns : columns_) {
    rows += std::max<std::size_t>(1, (columns + width - 1) / width);
  }
  std::string text = "\r";
  if (rows > 1) text += "\033[" + std::to_string(rows - 1) + "A";
  return text + "\033[J";
}

void Screen::Draw(const std::vector<StyledLine>& lines) {
  if (!live_) return;
  const std::lock_guard lock(mutex_);
  std::string text = Erasure();
  text_.clear();
  columns_.clear();
  for (const StyledLine& line : lines) {
    if (!text_.empty()) text_ += "\n";
    text_ += Render(line, colours_);
    columns_.push_back(ColumnsOf(line));
  }
  Write(stderr, text + text_);
}

void Screen::Print(std::FILE* stream, std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (stream == stderr) {
    Write(stderr, Erasure() + std::string(line) + "\n" + text_);
    return;
  }
  if (shares_stdout_ && !columns_.empty()) Write(stderr, Erasure());
  std::fwrite(line.data(), 1, line.size(), stream);
  std::fputc('\n', stream);
  if (!shares_stdout_) return;
  std::fflush(stream);
  Write(stderr, text_);
}
