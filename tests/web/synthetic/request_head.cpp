#include "web/synthetic/request_head.hpp"

#include <strings.h>

namespace synthetic {
namespace {

constexpr std::size_t kLongest = 65'536;

bool Same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "gzip" among the codings, unless it is forbidden by q=0.
bool TakesGzip(std::string_view codings) {
  while (!codings.empty()) {
    const std::size_t comma = codings.find(',');
    const std::string_view item = codings.substr(0, comma);
    codings = comma == std::string_view::npos ? "" : codings.substr(comma + 1);
    const std::size_t semicolon = item.find(';');
    if (!Same(Trim(item.substr(0, semicolon)), "gzip")) continue;
    if (semicolon == std::string_view::npos) return true;
    const std::string_view weight = Trim(item.substr(semicolon + 1));
    return weight.find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

bool ParseRequestLine(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  head.method = line.substr(0, first);
  head.path = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  head.close = version == "HTTP/1.0";
  return (version == "HTTP/1.1" || head.close) && head.path.starts_with('/') &&
         head.path.find(' ') == std::string_view::npos;
}

bool ParseField(std::string_view line, RequestHead& head) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, colon), value = Trim(line.substr(colon + 1));
  if (Same(name, "connection")) {
    if (Same(value, "close")) head.close = true;
    if (Same(value, "keep-alive")) head.close = false;
  } else if (Same(name, "accept-encoding")) {
    head.gzip = TakesGzip(value);
  } else if (Same(name, "transfer-encoding")) {
    return false;
  } else if (Same(name, "content-length")) {
    return value == "0";
  }
  return true;
}

}  // namespace

RequestHead ParseRequestHead(std::string_view bytes) {
  RequestHead head;
  const std::size_t end = bytes.substr(0, kLongest).find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() >= kLongest) head.state = RequestHead::State::kBad;
    return head;
  }
  head.size = end + 4;
  head.state = RequestHead::State::kBad;
  std::string_view rest = bytes.substr(0, end + 2);
  bool first = true;
  while (!rest.empty()) {
    const std::size_t stop = rest.find("\r\n");
    const std::string_view line = rest.substr(0, stop);
    rest.remove_prefix(stop + 2);
    if (!(first ? ParseRequestLine(line, head) : ParseField(line, head))) return head;
    first = false;
  }
  head.state = RequestHead::State::kComplete;
  return head;
}

}  // namespace synthetic
