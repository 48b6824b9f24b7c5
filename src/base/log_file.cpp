#include "base/log_file.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace crawler {
namespace {

Result<int> OpenForAppend(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY,
                              S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (descriptor >= 0) return descriptor;
  const int error = errno;
  return Status(StatusCode::kIoError,
                "cannot open the log file " + path + ": " + std::generic_category().message(error));
}

}  // namespace

Result<std::unique_ptr<LogFile>> LogFile::Open(std::string path) {
  const Result<int> descriptor = OpenForAppend(path);
  if (!descriptor.ok()) return descriptor.status();
  return std::unique_ptr<LogFile>(new LogFile(std::move(path), *descriptor));
}

LogFile::~LogFile() { close(descriptor_); }

void LogFile::Write(std::string_view line) {
  char newline = '\n';
  // writev() takes no const, though it only reads.
  const iovec parts[] = {{const_cast<char*>(line.data()), line.size()}, {&newline, 1}};
  ssize_t written;
  do {
    written = writev(descriptor_, parts, 2);
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(line.size() + 1)) {
    lost_lines_.fetch_add(1, std::memory_order_relaxed);
  }
}

Status LogFile::Reopen() {
  const Result<int> fresh = OpenForAppend(path_);
  if (!fresh.ok()) return fresh.status();
  // Atomic: each write of another thread goes to the old file or to the new one.
  const int replaced = dup3(*fresh, descriptor_, O_CLOEXEC);
  const int error = errno;
  close(*fresh);
  if (replaced >= 0) return Status::Ok();
  return Status(StatusCode::kIoError, "cannot reopen the log file " + path_ + ": " +
                                          std::generic_category().message(error));
}

}  // namespace crawler
