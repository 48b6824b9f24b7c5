#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace synthetic {

/// One request, as the server saw it.
struct Request {
  std::int64_t begin = 0, end = 0;  ///< Microseconds of the monotonic clock: head read, body sent.
  std::uint64_t connection = 0;
  std::string_view host;
  std::string method, path;
  int status = 0;  ///< 0: no answer was sent.
  std::uint64_t bytes = 0;
  std::int64_t retry_after = -1;  ///< Milliseconds that the answer asked for; -1 for none.
};

/// A file with a line per request, fields separated by tabs, in the order in which they ended.
/// Buffered: lines are in the file for certain after Flush(). Not safe for several threads.
class AccessLog {
 public:
  /// Without a path nothing is written. Check ok() before use.
  explicit AccessLog(const std::string& path);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  bool ok() const { return fd_ >= 0 || path_.empty(); }
  void Write(const Request& request);
  /// False, once and for all, if the file could not be written.
  bool Flush();
  /// Flushes, and says so in the log: who asked for it by a signal reads on until "#flushed".
  void FlushOnRequest();

 private:
  const std::string path_;
  int fd_ = -1;
  std::string buffer_;
};

}  // namespace synthetic
