#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "parse/scan.hpp"

namespace crawler {

/// Gathers the visible text of a page: runs of blanks become one blank, block boundaries one line
/// feed, and neither stands at the beginning or the end. Keeps its memory from page to page.
/// Threads: one thread at a time.
class TextBuilder {
 public:
  TextBuilder(const Scanner& scanner, std::size_t max_bytes)
      : scanner_(scanner), max_bytes_(max_bytes) {}

  void Clear();

  /// Adds text as the source has it. What goes beyond the limit is cut, between characters.
  void Append(std::string_view text);
  /// What follows is a block of its own.
  void Break() { pending_ = '\n'; }
  /// What follows is a word of its own.
  void Space() {
    if (pending_ == 0) pending_ = ' ';
  }

  std::string_view view() const { return std::string_view(buffer_.get(), size_); }
  std::size_t size() const { return size_; }
  bool truncated() const { return truncated_; }

 private:
  void Reserve(std::size_t more);

  const Scanner& scanner_;
  const std::size_t max_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  char pending_ = 0;  // A separator that is owed before the next word.
  bool truncated_ = false;
};

}  // namespace crawler
