#pragma once

#include <crawler/data.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Rows as a table for people: columns side by side, numbers to the right, each row in one line,
/// all safe for a terminal. The first rows, at most 1,000, decide how wide columns are; longer
/// values are cut with "…". Threads: one at a time.
class Table {
 public:
  /// `columns`: the width of the terminal; 0 if there is none: then values are cut at 200 columns.
  Table(crawler::TextSink write, std::size_t columns)
      : write_(std::move(write)), columns_(columns) {}

  bool Begin(std::span<const std::string> names);
  bool Row(std::span<const crawler::Cell> cells);
  /// Writes the rows that are still held back.
  bool End();

 private:
  struct Value {
    std::string text;
    bool number = false;
  };
  using Line = std::vector<Value>;

  bool Lay();
  bool WriteLine(const Line& line);
  bool WriteRule();

  crawler::TextSink write_;
  const std::size_t columns_;
  Line names_;
  std::vector<Line> held_;
  std::vector<std::size_t> widths_;
  bool laid_ = false;
};
