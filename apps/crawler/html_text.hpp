#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Pieces of HTML. Every text is escaped, whatever it contains; markup comes from these functions
// only.

/// `text` as character data or attribute value: printable, and without markup.
std::string Html(std::string_view text);
/// A link that opens `url` if it is http or https; else its text. Long ones are wrapped, not cut.
std::string HtmlLink(std::string_view url);

/// A table that the script of the report sorts and filters.
class HtmlTable {
 public:
  struct Column {
    std::string name;
    bool number = false;
    bool url = false;
  };
  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void BeginRow() { rows_ += "<tr>"; }
  void EndRow() {
    rows_ += "</tr>\n";
    at_ = 0;
  }
  /// A cell of the next column: markup that the functions above have made.
  void Cell(std::string_view markup);
  /// A number, shown as `text`.
  void Number(double value, std::string_view text);
  void Number(std::uint64_t value);
  std::string Take() const;

 private:
  void Open(std::string_view attributes);

  std::vector<Column> columns_;
  std::size_t at_ = 0;
  std::string rows_;
};
