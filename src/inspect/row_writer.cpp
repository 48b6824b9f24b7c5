#include "inspect/row_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "store/warc_digest.hpp"
#include "url/utf8.hpp"

namespace crawler {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEndOfLine = "\r\n";  // RFC 4180.

bool IsText(char32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return (code < 0x7f || code > 0x9f) && (code & 0xfffe) != 0xfffe;
}

// A spreadsheet computes a field that begins so: =HYPERLINK("http://…") sends data away.
bool LooksLikeFormula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != text.npos;
}

// Quoted if a reader of CSV would otherwise not see where it ends.
void AppendField(std::string_view text, std::string* out) {
  if (text.find_first_of(",\"\r\n") == text.npos && !text.starts_with(' ') &&
      !text.ends_with(' ')) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

void AppendBytes(std::string_view bytes, std::string* out) {
  AppendHex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, out);
}

// Lines stay lines.
std::string PrintableLines(std::string_view text) {
  std::string out;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    AppendPrintable(text.substr(0, end), &out);
    out.push_back('\n');
    text.remove_prefix(end + 1);
  }
  AppendPrintable(text, &out);
  return out;
}

void AppendCsvText(std::string_view text, bool for_terminal, std::string* out) {
  std::string clean;
  if (LooksLikeFormula(text)) clean.push_back('\'');
  if (for_terminal) {
    clean += PrintableLines(text);
  } else {
    AppendClean(text, &clean);
  }
  AppendField(clean, out);
}

void AppendCsvCell(const Cell& cell, bool for_terminal, std::string* out) {
  switch (cell.kind) {
    case Cell::Kind::kNull:
      return;
    case Cell::Kind::kInteger:
      fmt::format_to(std::back_inserter(*out), "{}", cell.integer);
      return;
    case Cell::Kind::kReal:
      fmt::format_to(std::back_inserter(*out), "{}", cell.real);
      return;
    case Cell::Kind::kText:
      return AppendCsvText(cell.text, for_terminal, out);
    case Cell::Kind::kBytes:
      return AppendBytes(cell.text, out);
  }
}

void AppendJsonText(std::string_view text, std::string* out) {
  std::string clean;
  AppendClean(text, &clean);
  std::string json;
  AppendJson(clean, &json);
  out->append(PrintableJson(json));
}

void AppendJsonCell(const Cell& cell, std::string* out) {
  switch (cell.kind) {
    case Cell::Kind::kNull:
      out->append("null");
      return;
    case Cell::Kind::kInteger:
      fmt::format_to(std::back_inserter(*out), "{}", cell.integer);
      return;
    case Cell::Kind::kReal:
      if (std::isfinite(cell.real)) {
        fmt::format_to(std::back_inserter(*out), "{}", cell.real);
      } else {
        out->append("null");  // JSON has no such numbers.
      }
      return;
    case Cell::Kind::kText:
      return AppendJsonText(cell.text, out);
    case Cell::Kind::kBytes:
      out->push_back('"');
      AppendBytes(cell.text, out);
      out->push_back('"');
      return;
  }
}

void AppendCsvHead(std::span<const std::string> columns, std::string* out) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendCsvText(columns[i], true, out);
  }
  out->append(kEndOfLine);
}

void AppendCsvRow(std::span<const Cell> row, bool for_terminal, std::string* out) {
  const std::size_t begin = out->size();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendCsvCell(row[i], for_terminal, out);
  }
  if (out->size() == begin) out->append("\"\"");  // An empty line is no row.
  out->append(kEndOfLine);
}

void AppendJsonRow(std::span<const std::string> columns, std::span<const Cell> row,
                   std::string* out) {
  out->push_back('{');
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonText(columns[i], out);
    out->push_back(':');
    AppendJsonCell(row[i], out);
  }
  out->append("}\n");
}

std::vector<std::string> UniqueNames(std::span<const std::string> columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    std::string name = column;
    for (int n = 2; std::find(names.begin(), names.end(), name) != names.end(); ++n) {
      name = column + "_" + std::to_string(n);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

void AppendClean(std::string_view text, std::string* out) {
  out->reserve(out->size() + text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = DecodeUtf8(text, at);
    out->append(c.valid && IsText(c.code_point) ? text.substr(at, c.length) : kReplacement);
    at += c.length;
  }
}

void AppendXml(std::string_view text, std::string* out) {
  std::string clean;
  AppendClean(text, &clean);
  for (const char c : clean) {
    switch (c) {
      case '&':
        out->append("&amp;");
        break;
      case '<':
        out->append("&lt;");
        break;
      case '>':
        out->append("&gt;");
        break;
      case '"':
        out->append("&quot;");
        break;
      default:
        out->push_back(c);
    }
  }
}

RowSink WriteRows(DataFormat format, TextSink write, bool for_terminal) {
  struct Lines {
    TextSink write;
    bool for_terminal;
    std::vector<std::string> names;  // Of JSON: each is there once.
    std::string line;
  };
  auto lines = std::make_shared<Lines>(Lines{std::move(write), for_terminal, {}, {}});
  if (format == DataFormat::kJsonl) {
    return {[lines](std::span<const std::string> columns) {
              lines->names = UniqueNames(columns);
              return true;
            },
            [lines](std::span<const Cell> row) {
              lines->line.clear();
              AppendJsonRow(lines->names, row, &lines->line);
              return lines->write(lines->line);
            }};
  }
  return {[lines](std::span<const std::string> columns) {
            lines->line.clear();
            AppendCsvHead(columns, &lines->line);
            return lines->write(lines->line);
          },
          [lines](std::span<const Cell> row) {
            lines->line.clear();
            AppendCsvRow(row, lines->for_terminal, &lines->line);
            return lines->write(lines->line);
          }};
}

}  // namespace crawler
