#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "report_text.hpp"
#include "terminal_text.hpp"

namespace {

constexpr std::size_t kHeldRows = 1000;
constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWidth = 8, kMostWidth = 200;

std::string TextOf(const crawler::Cell& cell) {
  using Kind = crawler::Cell::Kind;
  switch (cell.kind) {
    case Kind::kNull:
      return "";
    case Kind::kInteger:
      return std::to_string(cell.integer);
    case Kind::kReal:
      return fmt::format("{:.6g}", cell.real);
    case Kind::kText:
      return Shortened(cell.text, kMostWidth);
    case Kind::kBytes:
      break;
  }
  return fmt::format("({} bytes)", cell.text.size());
}

}  // namespace

bool Table::Begin(std::span<const std::string> names) {
  for (const std::string& name : names) names_.push_back({Shortened(name, kMostWidth), false});
  return true;
}

bool Table::Row(std::span<const crawler::Cell> cells) {
  Line line;
  for (const crawler::Cell& cell : cells) {
    const bool number =
        cell.kind == crawler::Cell::Kind::kInteger || cell.kind == crawler::Cell::Kind::kReal;
    line.push_back({TextOf(cell), number});
  }
  if (laid_) return WriteLine(line);
  held_.push_back(std::move(line));
  return held_.size() < kHeldRows || Lay();
}

bool Table::End() { return laid_ || Lay(); }

// The widest columns give way until the table fits.
bool Table::Lay() {
  laid_ = true;
  widths_.clear();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    std::size_t width = ColumnsOf(names_[i].text);
    for (const Line& line : held_) width = std::max(width, ColumnsOf(line[i].text));
    widths_.push_back(std::min(width, kMostWidth));
  }
  const auto total = [this] {
    return std::accumulate(widths_.begin(), widths_.end(), kGap * (widths_.size() - 1));
  };
  while (columns_ > 0 && total() > columns_) {
    const auto widest = std::max_element(widths_.begin(), widths_.end());
    if (*widest <= kLeastWidth) break;
    --*widest;
  }
  bool goes_on = WriteLine(names_) && WriteRule();
  for (const Line& line : held_) goes_on = goes_on && WriteLine(line);
  held_.clear();
  return goes_on;
}

bool Table::WriteLine(const Line& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string value = FitEnd(line[i].text, widths_[i]);
    const std::size_t used = ColumnsOf(value);
    const std::string space(widths_[i] > used ? widths_[i] - used : 0, ' ');
    if (i > 0) text.append(kGap, ' ');
    text += line[i].number ? space + value : value + space;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return write_(text + "\n");
}

bool Table::WriteRule() {
  std::string text;
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    if (i > 0) text.append(kGap, ' ');
    text.append(std::max<std::size_t>(widths_[i], 1), '-');
  }
  return write_(text + "\n");
}
