#include "html_text.hpp"

#include <fmt/format.h>

#include "numbers.hpp"
#include "report_text.hpp"

std::string Html(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string HtmlLink(std::string_view url) {
  std::string text = Html(url);
  if (!url.starts_with("http://") && !url.starts_with("https://")) return text;
  return fmt::format("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">{}</a>", text, text);
}

void HtmlTable::Open(std::string_view attributes) {
  const Column& column = columns_[at_++];
  const char* const kind = column.number ? "num" : column.url ? "url" : "";
  rows_ +=
      fmt::format("<td class=\"{}\" data-label=\"{}\"{}>", kind, Html(column.name), attributes);
}

void HtmlTable::Cell(std::string_view markup) {
  Open("");
  rows_ += fmt::format("{}</td>", markup);
}

void HtmlTable::Number(double value, std::string_view text) {
  Open(fmt::format(" data-v=\"{}\"", value));
  rows_ += fmt::format("{}</td>", Html(text));
}

void HtmlTable::Number(std::uint64_t value) {
  Number(static_cast<double>(value), Thousands(value));
}

std::string HtmlTable::Take() const {
  std::string head;
  for (const Column& column : columns_) {
    head += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"num\"" : "",
                        Html(column.name));
  }
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\"><table "
      "class=\"list\"><thead><tr>{}</tr></thead>\n<tbody>{}</tbody>"
      "</table></div>\n",
      head, rows_);
}
