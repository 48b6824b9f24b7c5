#include "store/warc_reader.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "store/warc_payload.hpp"

namespace crawler {
namespace {

constexpr std::size_t kInputBytes = 64 << 10;
constexpr std::size_t kPlainBytes = 64 << 10;
constexpr std::string_view kGzipMagic = "\x1f\x8b";

std::optional<std::uint64_t> ParseLength(const HeaderBlock& head) {
  std::optional<std::uint64_t> length;
  for (const std::string_view text : head.FindAll("content-length")) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
    if (length && *length != number) return std::nullopt;
    length = number;
  }
  return length;
}

}  // namespace

std::string_view WarcRecord::Field(std::string_view name) const {
  return head.Find(name).value_or(std::string_view());
}

/// Three layers of buffers: the bytes of the file (input_), the unpacked bytes (plain_), and the
/// record that is assembled from them.
class WarcReader::Impl {
 public:
  Impl(int fd, std::string_view bytes, std::uint64_t offset, const Limits& limits);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  WarcRead Next(WarcRecord* record);
  const std::string& problem() const { return problem_; }

 private:
  // More plain bytes, or why there are none.
  enum class Fill : std::uint8_t { kMore, kMemberEnd, kInputEnd, kBad };

  bool ReadInput();
  Fill FillPlain();
  Fill Inflate();
  bool BeginRecord();
  bool ReadHead(WarcRecord* record);
  bool ReadFields(WarcRecord* record);
  bool ReadBlock(WarcRecord* record);
  bool ReadEnd();
  bool EndMember();
  bool Stop(WarcRead outcome, std::string_view problem);
  bool StopAt(Fill fill, std::string_view where);

  const int fd_;  // -1: bytes from memory.
  const Limits limits_;
  std::vector<char> input_buffer_;
  std::string_view input_;      // Read, but not used.
  std::uint64_t input_offset_;  // Where input_ begins in the file.
  int read_error_ = 0;
  bool first_ = true;
  bool gzip_ = false;
  z_stream inflater_{};
  bool member_ended_ = false;
  std::vector<char> plain_buffer_;
  std::string_view plain_;  // Unpacked, but not used.
  std::uint64_t record_offset_ = 0;
  std::string head_;
  WarcRead outcome_ = WarcRead::kRecord;
  std::string problem_;
};

WarcReader::Impl::Impl(int fd, std::string_view bytes, std::uint64_t offset, const Limits& limits)
    : fd_(fd), limits_(limits), input_(bytes), input_offset_(offset) {
  if (fd_ >= 0) input_buffer_.resize(kInputBytes);
  plain_buffer_.resize(kPlainBytes);
  if (inflateInit2(&inflater_, MAX_WBITS + 16) != Z_OK) throw std::bad_alloc();
}

WarcReader::Impl::~Impl() {
  inflateEnd(&inflater_);
  if (fd_ >= 0) close(fd_);
}

bool WarcReader::Impl::Stop(WarcRead outcome, std::string_view problem) {
  outcome_ = outcome;
  problem_ = "the record at offset " + std::to_string(record_offset_);
  problem_.append(" ").append(problem);
  return false;
}

// Notes that the bytes end before the record does.
bool WarcReader::Impl::StopAt(Fill fill, std::string_view where) {
  if (read_error_ != 0) {
    return Stop(WarcRead::kDamaged,
                "cannot be read: " + std::generic_category().message(read_error_));
  }
  if (fill == Fill::kBad) return Stop(WarcRead::kDamaged, "is no valid gzip data");
  const std::string problem = "ends within " + std::string(where);
  return Stop(fill == Fill::kInputEnd ? WarcRead::kCut : WarcRead::kDamaged, problem);
}

WarcRead WarcReader::Impl::Next(WarcRecord* record) {
  if (outcome_ != WarcRead::kRecord) return outcome_;
  if (BeginRecord() && ReadHead(record) && ReadFields(record) && ReadBlock(record) && ReadEnd()) {
    record->offset = record_offset_;
    record->length = input_offset_ - (gzip_ ? 0 : plain_.size()) - record_offset_;
  }
  return outcome_;
}

bool WarcReader::Impl::ReadInput() {
  if (!input_.empty()) return true;
  if (fd_ < 0) return false;
  ssize_t got = 0;
  do {
    got = read(fd_, input_buffer_.data(), input_buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) read_error_ = errno;
  if (got <= 0) return false;
  input_ = std::string_view(input_buffer_.data(), static_cast<std::size_t>(got));
  return true;
}

// Requires: plain_ is empty.
WarcReader::Impl::Fill WarcReader::Impl::FillPlain() {
  if (gzip_) return Inflate();
  if (!ReadInput()) return Fill::kInputEnd;
  plain_ = std::exchange(input_, {});
  input_offset_ += plain_.size();
  return Fill::kMore;
}

WarcReader::Impl::Fill WarcReader::Impl::Inflate() {
  while (!member_ended_) {
    if (!ReadInput()) return Fill::kInputEnd;
    const auto offered = static_cast<uInt>(std::min<std::size_t>(input_.size(), 1 << 30));
    // zlib does not write to its input; it only forgot to say so.
    inflater_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    inflater_.avail_in = offered;
    inflater_.next_out = reinterpret_cast<Bytef*>(plain_buffer_.data());
    inflater_.avail_out = kPlainBytes;
    const int outcome = inflate(&inflater_, Z_NO_FLUSH);
    if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
    const std::size_t used = offered - inflater_.avail_in;
    input_.remove_prefix(used);
    input_offset_ += used;
    plain_ = std::string_view(plain_buffer_.data(), kPlainBytes - inflater_.avail_out);
    member_ended_ = outcome == Z_STREAM_END;
    if (outcome != Z_OK && outcome != Z_STREAM_END) return Fill::kBad;
    if (!plain_.empty()) return Fill::kMore;
  }
  return Fill::kMemberEnd;
}

bool WarcReader::Impl::BeginRecord() {
  record_offset_ = input_offset_ - plain_.size();
  if (plain_.empty() && !ReadInput()) {
    if (read_error_ != 0) return StopAt(Fill::kInputEnd, "");
    outcome_ = WarcRead::kEnd;
    return false;
  }
  // One byte is enough to tell: no WARC record begins with it.
  if (first_) gzip_ = input_.front() == kGzipMagic.front();
  first_ = false;
  if (gzip_) {
    inflateReset(&inflater_);
    member_ended_ = false;
  }
  return true;
}

bool WarcReader::Impl::ReadHead(WarcRecord* record) {
  head_.clear();
  for (bool empty_line = false; !empty_line;) {
    if (plain_.empty()) {
      const Fill fill = FillPlain();
      if (fill != Fill::kMore) return StopAt(fill, "its head");
    }
    const std::size_t line_start = head_.rfind('\n') + 1;  // npos + 1 is 0.
    const std::size_t size = std::min(plain_.find('\n'), plain_.size() - 1) + 1;
    if (head_.size() + size > limits_.max_head) {
      return Stop(WarcRead::kDamaged, "has a head that is over the limit");
    }
    head_ += plain_.substr(0, size);
    plain_.remove_prefix(size);
    constexpr std::string_view kBegin = "WARC/";
    if (std::string_view(head_).substr(0, kBegin.size()) != kBegin.substr(0, head_.size())) {
      return Stop(WarcRead::kDamaged, "does not begin with WARC/");
    }
    const std::string_view line = std::string_view(head_).substr(line_start);
    empty_line = line == "\n" || line == "\r\n";
  }
  record->head = HeaderBlock(head_);
  return true;
}

bool WarcReader::Impl::ReadFields(WarcRecord* record) {
  if (const auto flaw = record->head.Check()) {
    return Stop(WarcRead::kDamaged, "has a bad head: " + std::string(*flaw));
  }
  record->type = record->Field("WARC-Type");
  record->date = record->Field("WARC-Date");
  std::string_view uri = record->Field("WARC-Target-URI");
  if (uri.starts_with('<') && uri.ends_with('>')) uri = uri.substr(1, uri.size() - 2);
  record->uri = uri;
  if (record->type.empty()) return Stop(WarcRead::kDamaged, "has no WARC-Type");
  const std::optional<std::uint64_t> length = ParseLength(record->head);
  if (!length) return Stop(WarcRead::kDamaged, "has no usable Content-Length");
  if (*length > limits_.max_block) {
    return Stop(WarcRead::kDamaged, "has a Content-Length over the limit");
  }
  record->block_size = *length;
  return true;
}

bool WarcReader::Impl::ReadBlock(WarcRecord* record) {
  record->block.clear();
  record->http = HeaderBlock();
  record->status = 0;
  record->payload_size = 0;
  record->block_digest = record->payload_digest = DigestCheck::kAbsent;
  BlockInspector inspector(limits_, record);
  for (std::uint64_t left = record->block_size; left > 0;) {
    if (plain_.empty()) {
      const Fill fill = FillPlain();
      if (fill != Fill::kMore) return StopAt(fill, "its block");
    }
    const std::string_view piece = plain_.substr(0, std::min<std::uint64_t>(left, plain_.size()));
    inspector.Feed(piece);
    plain_.remove_prefix(piece.size());
    left -= piece.size();
  }
  inspector.Finish();
  return true;
}

bool WarcReader::Impl::ReadEnd() {
  for (const char expected : std::string_view("\r\n\r\n")) {
    if (plain_.empty()) {
      const Fill fill = FillPlain();
      if (fill != Fill::kMore) return StopAt(fill, "the empty lines behind its block");
    }
    if (plain_.front() != expected) {
      return Stop(WarcRead::kDamaged, "is not followed by two empty lines: its length is wrong");
    }
    plain_.remove_prefix(1);
  }
  return !gzip_ || EndMember();
}

bool WarcReader::Impl::EndMember() {
  const Fill fill = plain_.empty() ? FillPlain() : Fill::kMore;
  if (fill == Fill::kMore) {
    return Stop(WarcRead::kDamaged, "shares its gzip member with others");
  }
  return fill == Fill::kMemberEnd || StopAt(fill, "the checksum of its gzip member");
}

WarcReader::WarcReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WarcReader::~WarcReader() = default;

Result<std::unique_ptr<WarcReader>> WarcReader::Open(const std::filesystem::path& file,
                                                     const Limits& limits, std::uint64_t offset) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const auto position = static_cast<off_t>(offset);
  if (fd < 0 || lseek(fd, position, SEEK_SET) != position) {
    const int error = errno;
    if (fd >= 0) close(fd);
    return Status(error == ENOENT ? StatusCode::kNotFound : StatusCode::kIoError,
                  "cannot open " + file.string() + ": " + std::generic_category().message(error));
  }
  return std::unique_ptr<WarcReader>(
      new WarcReader(std::make_unique<Impl>(fd, std::string_view(), offset, limits)));
}

std::unique_ptr<WarcReader> WarcReader::FromBytes(std::string_view bytes, const Limits& limits) {
  return std::unique_ptr<WarcReader>(new WarcReader(std::make_unique<Impl>(-1, bytes, 0, limits)));
}

WarcRead WarcReader::Next(WarcRecord* record) { return impl_->Next(record); }

const std::string& WarcReader::problem() const { return impl_->problem(); }

}  // namespace crawler
