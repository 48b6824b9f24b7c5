#include "index/spill_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace crawler {
namespace {

constexpr std::size_t kBufferNumbers = std::size_t{1} << 16;

Status SystemError(const std::string& what) {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT || error == ENOMEM;
  return Status(full ? StatusCode::kResourceExhausted : StatusCode::kIoError,
                what + ": " + std::generic_category().message(error));
}

}  // namespace

Result<SpillFile> SpillFile::Create(const std::string& folder) {
  std::string name = folder + "/index-XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return SystemError("a temporary file in " + folder);
  ::unlink(name.c_str());
  return SpillFile(file);
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      size_(std::exchange(other.size_, 0)),
      buffer_(std::move(other.buffer_)),
      numbers_(std::exchange(other.numbers_, nullptr)) {}

SpillFile::~SpillFile() {
  if (numbers_ != nullptr) ::munmap(numbers_, size_ * sizeof(std::uint32_t));
  if (file_ >= 0) ::close(file_);
}

Status SpillFile::Append(std::span<const std::uint32_t> numbers) {
  buffer_.insert(buffer_.end(), numbers.begin(), numbers.end());
  size_ += numbers.size();
  return buffer_.size() >= kBufferNumbers ? WriteBuffer() : Status::Ok();
}

Status SpillFile::WriteBuffer() {
  const char* at = reinterpret_cast<const char*>(buffer_.data());
  std::size_t left = buffer_.size() * sizeof(std::uint32_t);
  while (left > 0) {
    const ssize_t written = ::write(file_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError("a temporary file of the index");
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
  return Status::Ok();
}

Result<std::span<const std::uint32_t>> SpillFile::Read(std::size_t from) {
  if (!buffer_.empty() && !reading_) {
    if (Status status = WriteBuffer(); !status.ok()) return status;
  }
  reading_ = true;
  buffer_.resize(std::min(kBufferNumbers, size_ - std::min(size_, from)));
  char* at = reinterpret_cast<char*>(buffer_.data());
  std::size_t left = buffer_.size() * sizeof(std::uint32_t);
  auto offset = static_cast<off_t>(from * sizeof(std::uint32_t));
  while (left > 0) {
    const ssize_t read = ::pread(file_, at, left, offset);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return SystemError("a temporary file of the index");
    if (read == 0) return Status(StatusCode::kIoError, "a temporary file of the index is cut off");
    at += read;
    offset += read;
    left -= static_cast<std::size_t>(read);
  }
  return std::span<const std::uint32_t>(buffer_);
}

Status SpillFile::Map(std::size_t count) {
  if (Status status = WriteBuffer(); !status.ok()) return status;
  size_ = count;
  if (count == 0) return Status::Ok();
  const std::size_t bytes = count * sizeof(std::uint32_t);
  // Reserved, so that a full disk is an error here and not a signal later.
  if (const int error = ::posix_fallocate(file_, 0, static_cast<off_t>(bytes)); error != 0) {
    errno = error;
    return SystemError("a temporary file of the index");
  }
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (mapped == MAP_FAILED) return SystemError("a temporary file of the index");
  numbers_ = static_cast<std::uint32_t*>(mapped);
  return Status::Ok();
}

}  // namespace crawler
