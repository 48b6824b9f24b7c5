#include "parse/link_format.hpp"

namespace crawler {
namespace {

constexpr std::string_view kMarker = "link:";

bool IsWhiteSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

}  // namespace

bool LinkFormatReader::Next(std::string_view* address) {
  while (true) {
    const std::size_t marker = page_.find(kMarker, position_);
    if (marker == std::string_view::npos) {
      position_ = page_.size();
      return false;
    }
    const std::size_t begin = marker + kMarker.size();
    if (marker > 0 && !IsWhiteSpace(page_[marker - 1])) {
      position_ = begin;
      continue;
    }
    std::size_t end = begin;
    while (end < page_.size() && page_[end] != ' ' && page_[end] != '\n') ++end;
    position_ = end;
    if (end == begin) continue;
    *address = page_.substr(begin, end - begin);
    return true;
  }
}

}  // namespace crawler
