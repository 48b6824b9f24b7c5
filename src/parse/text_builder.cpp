#include "parse/text_builder.hpp"

#include <algorithm>
#include <cstring>

namespace crawler {
namespace {

bool IsBlank(char c) { return static_cast<unsigned char>(c) <= 0x20; }
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

void TextBuilder::Clear() {
  size_ = 0;
  pending_ = 0;
  truncated_ = false;
}

void TextBuilder::Append(std::string_view text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  while (begin != end && IsBlank(*begin)) ++begin;
  if (begin != text.data()) Space();
  if (begin == end) return;
  if (truncated_) return;

  Reserve(static_cast<std::size_t>(end - begin) + 1);
  if (pending_ != 0 && size_ != 0) buffer_[size_++] = pending_;
  pending_ = 0;
  char* out = scanner_.CopyCollapsed(begin, end, buffer_.get() + size_);
  if (out[-1] == ' ') {
    --out;
    pending_ = ' ';
  }
  size_ = static_cast<std::size_t>(out - buffer_.get());
  if (size_ > max_bytes_) {
    truncated_ = true;
    size_ = max_bytes_;
    while (size_ > 0 && IsContinuation(buffer_[size_])) --size_;
    while (size_ > 0 && IsBlank(buffer_[size_ - 1])) --size_;
  }
}

void TextBuilder::Reserve(std::size_t more) {
  const std::size_t needed = size_ + more + Scanner::kCopySlack;
  if (needed <= capacity_) return;
  const std::size_t capacity = std::max<std::size_t>(needed, capacity_ * 2);
  auto buffer = std::make_unique_for_overwrite<char[]>(std::max<std::size_t>(capacity, 4096));
  capacity_ = std::max<std::size_t>(capacity, 4096);
  if (size_ != 0) std::memcpy(buffer.get(), buffer_.get(), size_);
  buffer_ = std::move(buffer);
}

}  // namespace crawler
