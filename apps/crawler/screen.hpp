#pragma once

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "terminal_text.hpp"

/// The terminal of a running crawl: live lines at the bottom, and other lines that scroll above
/// them. The live lines are on stderr, and are taken away while anything else is printed. Where
/// stderr is no terminal there are no live lines.
/// Threads: safe from any thread.
class Screen {
 public:
  Screen();

  bool is_live() const { return live_; }

  struct Size {
    std::size_t columns = 80, rows = 24;
  };
  Size size() const;

  /// Replaces the live lines; none takes them away.
  void Draw(const std::vector<StyledLine>& lines);
  /// Prints `line`, without a newline, to stdout or stderr.
  void Print(std::FILE* stream, std::string_view line);

 private:
  std::string Erasure() const;

  const bool live_;
  const bool colours_;
  const bool shares_stdout_;  // The live lines are on the terminal that stdout goes to.
  std::mutex mutex_;
  std::string text_;                  // Of the live lines.
  std::vector<std::size_t> columns_;  // Of each of them.
};
