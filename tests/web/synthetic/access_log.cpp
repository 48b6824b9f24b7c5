#include "web/synthetic/access_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "web/synthetic/append_number.hpp"

namespace synthetic {
namespace {

constexpr std::size_t kBuffer = 1 << 20;

// Whatever a client sends, a line stays a line and a field a field.
void AppendEscaped(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '\\') {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  if (text.empty()) out += '-';
}

}  // namespace

AccessLog::AccessLog(const std::string& path) : path_(path) {
  if (path.empty()) return;
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  buffer_.reserve(kBuffer + 65'536);
  buffer_ = "#begin_us\tend_us\tconnection\thost\tmethod\tpath\tstatus\tbytes\tretry_after_ms\n";
}

AccessLog::~AccessLog() {
  Flush();
  if (fd_ >= 0) close(fd_);
}

void AccessLog::Write(const Request& request) {
  if (fd_ < 0) return;
  for (const std::int64_t number :
       {request.begin, request.end, static_cast<std::int64_t>(request.connection)}) {
    AppendNumber(buffer_, number);
    buffer_ += '\t';
  }
  for (const std::string_view text :
       {request.host, std::string_view(request.method), std::string_view(request.path)}) {
    AppendEscaped(buffer_, text);
    buffer_ += '\t';
  }
  AppendNumber(buffer_, request.status);
  buffer_ += '\t';
  AppendNumber(buffer_, static_cast<std::int64_t>(request.bytes));
  buffer_ += '\t';
  AppendNumber(buffer_, request.retry_after);
  buffer_ += '\n';
  if (buffer_.size() >= kBuffer) Flush();
}

void AccessLog::FlushOnRequest() {
  if (fd_ >= 0) buffer_ += "#flushed\n";
  Flush();
}

bool AccessLog::Flush() {
  if (fd_ < 0) return path_.empty();
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      std::perror("synthetic_web: access log");
      close(fd_);
      fd_ = -1;
      return false;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return true;
}

}  // namespace synthetic
