#include "fetch/http_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "base/ascii.hpp"

namespace crawler {
namespace {

// Calls visit(element) for each element of a comma-separated list, blanks trimmed.
template <typename Visitor>
void VisitList(std::string_view list, Visitor visit) {
  while (true) {
    const std::size_t comma = list.find(',');
    visit(TrimBlanks(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

// Parses digits; numbers that do not fit become the largest one.
std::optional<std::uint64_t> ParseDigits(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsDigit)) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return std::numeric_limits<std::uint64_t>::max();
  return value;
}

// Exactly `text.size()` digits as a number; -1 otherwise.
int SmallNumber(std::string_view text) {
  const std::optional<std::uint64_t> value = ParseDigits(text);
  return value && text.size() <= 4 ? static_cast<int>(*value) : -1;
}

struct LengthField {
  std::optional<std::uint64_t> value;
  bool bad = false;
};

// All Content-Length fields and their list elements must agree (RFC 9112, 6.3).
LengthField ReadContentLength(const HeaderBlock& headers) {
  LengthField result;
  for (const std::string_view field : headers.FindAll("content-length")) {
    VisitList(field, [&](std::string_view element) {
      const std::optional<std::uint64_t> length = ParseDigits(element);
      if (!length || (result.value && *result.value != *length)) result.bad = true;
      result.value = length;
    });
  }
  return result;
}

enum class TransferCoding { kNone, kChunked, kBad };

// No TE is sent, so a server may only use "chunked". "identity" is an old name for no coding.
TransferCoding ReadTransferEncoding(const HeaderBlock& headers) {
  TransferCoding coding = TransferCoding::kNone;
  for (const std::string_view field : headers.FindAll("transfer-encoding")) {
    VisitList(field, [&](std::string_view element) {
      if (EqualsIgnoringCase(element, "chunked") && coding != TransferCoding::kBad) {
        coding = TransferCoding::kChunked;
      } else if (!element.empty() &&
                 (!EqualsIgnoringCase(element, "identity") || coding != TransferCoding::kNone)) {
        coding = TransferCoding::kBad;  // Unknown, or not the last one.
      }
    });
  }
  return coding;
}

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

int MonthNumber(std::string_view name) {
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (EqualsIgnoringCase(name, kMonths[i])) return static_cast<int>(i) + 1;
  }
  return -1;
}

std::optional<WallTime> MakeTime(int year, int month, int day, std::string_view clock) {
  if (clock.size() != 8 || clock[2] != ':' || clock[5] != ':') return std::nullopt;
  const int hour = SmallNumber(clock.substr(0, 2));
  const int minute = SmallNumber(clock.substr(3, 2));
  const int second = SmallNumber(clock.substr(6, 2));
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
      second > 60) {  // 60: a leap second.
    return std::nullopt;
  }
  // Years beyond what a 64-bit nanosecond clock holds (1677 to 2262) are as good as its ends.
  if (year < 1900) return WallTime(std::chrono::sys_days(std::chrono::year(1900) / 1 / 1));
  if (year > 2200) return WallTime(std::chrono::sys_days(std::chrono::year(2200) / 12 / 31));
  return WallTime(std::chrono::sys_days(date) + std::chrono::hours(hour) +
                  std::chrono::minutes(minute) + std::chrono::seconds(second));
}

}  // namespace

BodyFraming ReadFraming(const HeaderBlock& headers, int status, FetchRequest::Method method) {
  BodyFraming framing;
  const LengthField length = ReadContentLength(headers);
  const TransferCoding coding = ReadTransferEncoding(headers);
  if (length.bad) {
    framing.kind = BodyFraming::Kind::kBad;
    framing.flaw = "the Content-Length is no number, or there are two that differ";
  } else if (coding == TransferCoding::kBad) {
    framing.kind = BodyFraming::Kind::kBad;
    framing.flaw = "a Transfer-Encoding other than chunked, which was not asked for";
  } else if (method == FetchRequest::Method::kHead || status / 100 == 1 || status == 204 ||
             status == 304) {
    framing.kind = BodyFraming::Kind::kNone;
  } else if (coding == TransferCoding::kChunked) {
    framing.kind = BodyFraming::Kind::kChunked;
    framing.ambiguous = length.value.has_value();
  } else if (length.value) {
    framing.kind = BodyFraming::Kind::kLength;
    framing.length = *length.value;
  } else {
    framing.kind = BodyFraming::Kind::kUntilClose;
  }
  return framing;
}

int ParseStatusLine(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  bool known = false;
  for (const std::string_view version : {"HTTP/1.1 ", "HTTP/1.0 ", "HTTP/2 ", "HTTP/3 "}) {
    if (line.starts_with(version)) {
      line.remove_prefix(version.size());
      known = true;
      break;
    }
  }
  if (!known || line.size() < 3 || (line.size() > 3 && line[3] != ' ')) return 0;
  const int code = SmallNumber(line.substr(0, 3));
  return code < 100 ? 0 : code;
}

bool LooksBinary(std::string_view body) {
  if (body.starts_with("\xfe\xff") || body.starts_with("\xff\xfe")) return false;
  constexpr std::size_t kSniffed = 1445;  // The standard's size of a resource header.
  const std::string_view head = body.substr(0, kSniffed);
  return std::any_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x08 || byte == 0x0b || (byte >= 0x0e && byte <= 0x1a) ||
           (byte >= 0x1c && byte <= 0x1f);
  });
}

std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, WallTime now,
                                                    std::chrono::seconds cap) {
  value = TrimBlanks(value);
  if (const std::optional<std::uint64_t> seconds = ParseDigits(value)) {
    return *seconds >= static_cast<std::uint64_t>(cap.count())
               ? cap
               : std::chrono::seconds(static_cast<std::int64_t>(*seconds));
  }
  const std::optional<WallTime> date = ParseHttpDate(value);
  if (!date) return std::nullopt;
  return std::clamp(std::chrono::ceil<std::chrono::seconds>(*date - now), std::chrono::seconds(0),
                    cap);
}

std::optional<WallTime> ParseHttpDate(std::string_view text) {
  std::vector<std::string_view> words;  // Split at blanks, the comma left out.
  text = TrimBlanks(text);
  if (text.size() > 64) return std::nullopt;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" ,", at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (words.size() == 6 && words[5] == "GMT") {  // Sun, 06 Nov 1994 08:49:37 GMT
    return MakeTime(SmallNumber(words[3]), MonthNumber(words[2]), SmallNumber(words[1]), words[4]);
  }
  if (words.size() == 4 && words[3] == "GMT") {  // Sunday, 06-Nov-94 08:49:37 GMT
    const std::string_view date = words[1];
    if (date.size() != 9 || date[2] != '-' || date[6] != '-') return std::nullopt;
    const int year = SmallNumber(date.substr(7));
    if (year < 0) return std::nullopt;
    return MakeTime(year < 70 ? 2000 + year : 1900 + year, MonthNumber(date.substr(3, 3)),
                    SmallNumber(date.substr(0, 2)), words[2]);
  }
  if (words.size() == 5) {  // Sun Nov  6 08:49:37 1994
    return MakeTime(SmallNumber(words[4]), MonthNumber(words[1]), SmallNumber(words[2]), words[3]);
  }
  return std::nullopt;
}

RedirectTarget ReadRedirect(const HeaderBlock& headers, int status, const Url& base) {
  RedirectTarget target;
  if (status != 301 && status != 302 && status != 303 && status != 307 && status != 308) {
    return target;
  }
  std::optional<std::string_view> location;
  for (const std::string_view value : headers.FindAll("location")) {
    if (location && *location != value) {
      target.flaw = "two Location fields that differ";
      return target;
    }
    location = value;
  }
  if (!location || location->empty()) return target;

  // Bytes that are not ASCII go back to the server as they came, whatever encoding they are in.
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string ascii;
  ascii.reserve(location->size());
  for (const char c : *location) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      ascii += c;
    } else {
      ascii += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  Url url;
  if (ParseUrl(ascii, &base, &url) != UrlKind::kInvalid) target.url = std::move(url);
  return target;
}

}  // namespace crawler
