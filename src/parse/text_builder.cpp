#include "parse/text_builder.hpp"

#include <algorithm>
#include <cstring>

#include "base/ascii.hpp"

namespace crawler {
namespace {

constexpr std::size_t kShortRoom = 64;  // For a separator and 32 bytes, and more.

bool IsBlank(char c) { return static_cast<unsigned char>(c) <= 0x20; }

}  // namespace

void TextBuilder::Clear(std::string_view document) {
  document_ = reinterpret_cast<std::uintptr_t>(document.data());
  quick_begin_ = scanner_.wide() && document.size() >= 32 ? document.size() - 31 : 0;
  size_ = 0;
  pending_ = Separator::kNone;
  truncated_ = false;
}

void TextBuilder::AppendAny(std::string_view text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  while (begin != end && IsBlank(*begin)) ++begin;
  if (begin != text.data()) Separate(Separator::kSpace);
  if (begin == end || truncated_) return;

  const std::size_t before = size_;
  Reserve(static_cast<std::size_t>(end - begin) + 1);
  if (pending_ != Separator::kNone && size_ != 0) buffer_[size_++] = ByteOf(pending_);
  pending_ = Separator::kNone;
  char* out = scanner_.CopyCollapsed(begin, end, buffer_.get() + size_);
  if (out[-1] == ' ') {
    --out;
    pending_ = Separator::kSpace;
  }
  size_ = static_cast<std::size_t>(out - buffer_.get());
  if (size_ > max_bytes_) {
    truncated_ = true;
    // Earlier text stays: callers may have noted where it is.
    size_ = max_bytes_;
    while (size_ > before && IsContinuation(buffer_[size_])) --size_;
    while (size_ > before && IsBlank(buffer_[size_ - 1])) --size_;
  }
}

void TextBuilder::Reserve(std::size_t more) {
  const std::size_t needed = size_ + more + Scanner::kCopySlack;
  if (needed <= capacity_) return;
  capacity_ = std::max<std::size_t>({needed, capacity_ * 2, 4096});
  auto buffer = std::make_unique_for_overwrite<char[]>(capacity_);
  if (size_ != 0) std::memcpy(buffer.get(), buffer_.get(), size_);
  buffer_ = std::move(buffer);
  const std::size_t limit = std::min(capacity_, max_bytes_);
  quick_size_ = limit > kShortRoom ? limit - kShortRoom : 0;
}

}  // namespace crawler
