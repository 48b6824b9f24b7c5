#include "report_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <crawler/printable.hpp>
#include <cstdio>
#include <iterator>

namespace {

std::string command_name;

using crawler::PageReport;
using crawler::RobotsReport;

class Writer {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_.push_back('\n');
  }
  void Field(std::string_view name, std::string_view value) {
    if (!value.empty()) Line("  {:<10} {}", name, value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string RobotsLine(const RobotsReport& robots) {
  if (!robots.asked) return "not asked";
  std::string line = robots.allowed ? "allowed" : "refused";
  if (robots.line > 0) {
    line += fmt::format(" by line {} of {}: {}", robots.line, robots.url, Printable(robots.rule));
  } else {
    line += fmt::format(" ({}: {})", robots.url,
                        robots.rule.empty() ? "no rule for it" : Printable(robots.rule));
  }
  if (!robots.message.empty()) line += "; " + Printable(robots.message);
  if (robots.crawl_delay) {
    line += fmt::format("; asks for {} s between requests",
                        static_cast<double>(robots.crawl_delay->count()) / 1000);
  }
  return line;
}

std::string TimingsLine(const PageReport::Timings& timings) {
  std::string line;
  const auto add = [&line](std::string_view name, std::chrono::microseconds time) {
    if (time.count() == 0) return;
    line += fmt::format("{}{} {:.1f} ms", line.empty() ? "" : ", ", name,
                        static_cast<double>(time.count()) / 1000);
  };
  add("name found", timings.resolved);
  add("connected", timings.connected);
  add("secured", timings.secured);
  add("first byte", timings.first_byte);
  add("done", timings.total);
  return line;
}

std::string BodyLine(const PageReport& report) {
  if (report.bytes_received == 0) return "";
  std::string line = fmt::format("{} bytes", report.bytes_decoded);
  if (report.bytes_received != report.bytes_decoded) {
    line += fmt::format(" ({} received)", report.bytes_received);
  }
  if (!report.document.empty()) line += ", " + report.document;
  if (!report.charset.empty()) line += " in " + report.charset;
  if (!report.truncated.empty()) line += ", cut (" + report.truncated + ")";
  return line;
}

void WriteOutcome(const PageReport& report, Writer* out) {
  if (report.outcome == PageReport::Outcome::kRefused) {
    out->Field("outcome", "not fetched: robots.txt refuses it");
    out->Field("hint", report.hint);
    return;
  }
  if (!report.failure.empty()) {
    std::string line = "failed: " + report.failure;
    if (!report.message.empty()) line += ": " + Printable(report.message);
    out->Field("outcome", line);
  } else if (!report.message.empty()) {
    out->Field("outcome", Printable(report.message));
  }
  out->Field("hint", report.hint);
  if (report.status != 0) {
    out->Field("status", fmt::format("{} ({})", report.status, report.protocol));
  }
  if (!report.redirect.empty()) {
    out->Field("redirect", report.redirect + " (--follow goes there)");
  }
  out->Field("address", report.address + (report.tls.empty() ? "" : ", " + report.tls));
  out->Field("timings", TimingsLine(report.timings));
  out->Field("body", BodyLine(report));
}

void WriteMeta(const PageReport& report, Writer* out) {
  constexpr std::size_t kMostCharacters = 200;
  if (report.meta.empty()) return;
  out->Line("\nmeta: {}", report.meta.size());
  for (const auto& [name, content] : report.meta) {
    out->Line("  {}: {}", Shortened(name, kMostCharacters), Shortened(content, kMostCharacters));
  }
}

void WriteLinks(const PageReport& report, Writer* out) {
  if (report.links.empty()) return;
  out->Line("\nlinks: {}", report.links.size());
  for (const crawler::LinkReport& link : report.links) {
    std::string line = fmt::format("  {}@{} {}", link.tag, link.attribute, Printable(link.url));
    if (link.nofollow) line += " nofollow";
    if (!link.text.empty()) line += " \"" + Printable(link.text) + "\"";
    out->Line("{}", line);
  }
}

void WriteText(std::string_view text, Writer* out) {
  if (text.empty()) return;
  out->Line("\ntext:");
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out->Line("  {}", Printable(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string Printable(std::string_view text) { return crawler::ToPrintableText(text); }

std::string Shortened(std::string_view text, std::size_t characters) {
  const auto begins_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  };
  std::size_t end = 0;
  while (end < text.size()) {
    if (begins_character(text[end]) && characters-- == 0) break;
    ++end;
  }
  return Printable(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+=:@%,-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return Printable(word + "'");
}

std::string ToText(const PageReport& report) {
  Writer out;
  for (const std::string& url : report.redirected_from) out.Line("{} redirected to", url);
  out.Line("{}", report.url);
  WriteOutcome(report, &out);
  out.Field("robots", RobotsLine(report.robots));
  out.Field("title", Printable(report.title));
  out.Field("about", Printable(report.description));
  out.Field("language", Printable(report.language));
  out.Field("canonical", Printable(report.canonical));
  if (report.noindex || report.nofollow) {
    out.Field("directives", fmt::format("{}{}", report.noindex ? "noindex " : "",
                                        report.nofollow ? "nofollow" : ""));
  }
  if (!report.headers.empty()) out.Line("\nheaders:");
  for (const auto& [name, value] : report.headers) {
    out.Line("  {}: {}", Printable(name), Printable(value));
  }
  WriteMeta(report, &out);
  WriteLinks(report, &out);
  WriteText(report.text, &out);
  return out.Take();
}

void NameCommand(const std::string& name) { command_name = name; }

std::string Complaint(std::string_view message) {
  return (command_name.empty() ? "crawler: " : "crawler " + command_name + ": ") +
         Printable(message);
}

int Fail(std::string_view message, int exit_code) {
  std::fprintf(stderr, "%s\n", Complaint(message).c_str());
  return exit_code;
}
