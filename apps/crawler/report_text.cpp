#include "report_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace {

using crawler::PageReport;
using crawler::RobotsReport;

// The length of the valid UTF-8 sequence `text` begins with, or 0. C1 controls do not count.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool bad = (lead == 0xc2 && second < 0xa0) || (lead == 0xe0 && second < 0xa0) ||
                   (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) ||
                   (lead == 0xf4 && second >= 0x90);
  return bad ? 0 : length;
}

/// Characters of three bytes in UTF-8 that are made visible, first and last.
struct Range {
  char16_t first, last;
};
constexpr Range kDeceptive[] = {
    {0x200E, 0x200F},  // Marks of direction.
    {0x2028, 0x202E},  // Line and paragraph separators; embeddings and overrides.
    {0x2066, 0x206F},  // Isolates, and what is deprecated.
    {0xFEFF, 0xFEFF},  // The byte order mark.
    {0xFFF9, 0xFFFB},  // Annotations.
};
constexpr std::string_view kArabicLetterMark = "\u061C";

/// Appends the character `character`, or what stands for it if it must not reach a terminal.
void AppendVisible(std::string_view character, std::string* out) {
  const auto bits = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(character[i]) & 0x3F);
  };
  unsigned code = character == kArabicLetterMark ? 0x61C : 0;
  if (character.size() == 3) {
    const unsigned read = (bits(0) & 0x0F) << 12 | bits(1) << 6 | bits(2);
    for (const Range& range : kDeceptive) {
      if (read >= range.first && read <= range.last) code = read;
    }
  }
  if (code == 0) {
    out->append(character);
  } else {
    fmt::format_to(std::back_inserter(*out), "\\u{:04x}", code);
  }
}

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

// What a person can do about a failure; empty if there is nothing particular.
std::string_view Advice(const PageReport& report) {
  const std::string_view failure = report.failure;
  // A blocked port stays blocked, whatever the network.
  if (failure == "blocked address" && report.message.find("port ") == std::string::npos) {
    return "if it is a server of yours, --allow-net CIDR allows its network";
  }
  if (failure == "unwanted type") return "--any-type takes it all the same";
  if (failure == "too large") return "--max-bytes raises the limit";
  if (failure.ends_with("timeout")) return "--timeout and --connect-timeout allow more time";
  if (failure == "tls") return "--ca-file trusts another authority, --insecure anyone";
  if (failure == "dns") return "check the spelling of the host";
  return "";
}

void WriteOutcome(const PageReport& report, Writer* out) {
  if (report.outcome == PageReport::Outcome::kRefused) {
    out->Field("outcome", "not fetched: robots.txt refuses it (--no-robots on one's own servers)");
    return;
  }
  if (!report.failure.empty()) {
    std::string line = "failed: " + report.failure;
    if (!report.message.empty()) line += ": " + Printable(report.message);
    if (const std::string_view advice = Advice(report); !advice.empty()) {
      line += fmt::format(" ({})", advice);
    }
    out->Field("outcome", line);
  } else if (!report.message.empty()) {
    out->Field("outcome", Printable(report.message));
  }
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

std::string Printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else {
      AppendVisible(text.substr(0, length), &result);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string Shortened(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size() && characters > 0; --characters) {
    end += std::max<std::size_t>(SequenceLength(text.substr(end)), 1);
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
  WriteLinks(report, &out);
  WriteText(report.text, &out);
  return out.Take();
}

int Fail(std::string_view message, int exit_code) {
  std::fprintf(stderr, "crawler: %s\n", Printable(message).c_str());
  return exit_code;
}
