#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace crawler {

/// A file that log lines are appended to. Each line is one write, so lines of several threads, and
/// of several processes that append to the same file, do not mix.
/// Errors: a line that cannot be written (a full disk) is counted and lost; the caller goes on.
/// Threads: safe from any thread.
class LogFile {
 public:
  /// Opens `path` for appending and creates the file if it is missing. kIoError if the system
  /// refuses.
  static Result<std::unique_ptr<LogFile>> Open(std::string path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// Appends `line` and a newline.
  void Write(std::string_view line);

  /// Opens the path again: after a log rotation has renamed the file, later lines go to a new file
  /// of the old name. On kIoError lines go to the old file as before.
  Status Reopen();

  /// Lines that could not be written.
  std::uint64_t lost_lines() const { return lost_lines_.load(std::memory_order_relaxed); }

 private:
  LogFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  const std::string path_;
  const int descriptor_;  // Reopen() puts another file behind the same number.
  std::atomic<std::uint64_t> lost_lines_{0};
};

}  // namespace crawler
