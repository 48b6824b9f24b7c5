#include "fetch/chunked.hpp"

#include <algorithm>
#include <cstdint>

namespace crawler {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class ChunkReader {
 public:
  explicit ChunkReader(std::string_view raw) : raw_(raw) { body_.end = raw.size(); }

  ChunkedBody Read() {
    while (ReadChunk()) {
    }
    return std::move(body_);
  }

 private:
  bool Malformed(std::string_view what) {
    body_.malformed = what;
    return false;
  }

  // One chunk, or the last one with the trailers; false when there is nothing more to read.
  bool ReadChunk() {
    std::uint64_t size = 0;
    if (!ReadSize(&size)) return false;
    if (size == 0) return ReadTrailers();
    const std::size_t here =
        static_cast<std::size_t>(std::min<std::uint64_t>(size, raw_.size() - at_));
    if (here > 0) {
      body_.parts.push_back({static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(here)});
      body_.payload_size += here;
    }
    at_ += here;
    if (here < size) return false;  // Cut off inside the chunk.
    if (at_ < raw_.size() && raw_[at_] == '\r') ++at_;
    if (at_ == raw_.size()) return false;
    if (raw_[at_] != '\n') return Malformed("no line end behind a chunk");
    ++at_;
    return true;
  }

  bool ReadSize(std::uint64_t* size) {
    const std::size_t start = at_;
    for (int digit; at_ < raw_.size() && (digit = HexDigit(raw_[at_])) >= 0; ++at_) {
      if (*size >> 59) return Malformed("a chunk size that overflows");
      *size = *size * 16 + static_cast<std::uint64_t>(digit);
    }
    if (at_ == raw_.size()) return false;
    if (at_ == start) return Malformed("a chunk size that is no hexadecimal number");
    const std::size_t line_end = raw_.find('\n', at_);
    if (line_end == std::string_view::npos) return false;
    // Behind the size: nothing, blanks, or an extension that begins with a semicolon.
    const std::string_view rest = TrimBlanks(raw_.substr(at_, line_end - at_));
    if (!rest.empty() && rest.front() != ';' && rest.front() != '\r') {
      return Malformed("a chunk size that is no hexadecimal number");
    }
    at_ = line_end + 1;
    return true;
  }

  bool ReadTrailers() {
    while (true) {
      const std::size_t line_end = raw_.find('\n', at_);
      if (line_end == std::string_view::npos) return false;
      std::string_view line = raw_.substr(at_, line_end - at_);
      at_ = line_end + 1;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) break;
      if (line.find('\0') != std::string_view::npos) return Malformed("a NUL byte in a trailer");
    }
    body_.end = at_;
    body_.complete = true;
    return false;
  }

  const std::string_view raw_;
  std::size_t at_ = 0;
  ChunkedBody body_;
};

}  // namespace

ChunkedBody ReadChunks(std::string_view raw) { return ChunkReader(raw).Read(); }

}  // namespace crawler
