#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "exit_codes.hpp"

namespace {

constexpr std::size_t kPiece = 64 << 10;

volatile std::sig_atomic_t stop_requested = 0;

}  // namespace

void CatchStopSignals() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_requested = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

bool StopRequested() { return stop_requested != 0; }

Output::Output(const std::string& path) {
  if (path.empty() || path == "-") {
    descriptor_ = STDOUT_FILENO;
    terminal_ = isatty(STDOUT_FILENO) != 0;
  } else {
    Open(path);
  }
}

Output::~Output() {
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void Output::Open(const std::string& path) {
  name_ = path;
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(there)) {
    errno = EISDIR;
    Fail("cannot write " + name_);
    return;
  }
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    terminal_ = descriptor_ >= 0 && isatty(descriptor_) != 0;
  } else {
    // A symbolic link stays one.
    const std::filesystem::path target = std::filesystem::canonical(path, error);
    path_ = error ? path : target.string();
    temporary_ = path_ + ".part-" + std::to_string(getpid());
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ >= 0) return;
  Fail("cannot write " + name_);
  temporary_.clear();
}

bool Output::Write(std::string_view text) {
  if (!error_.empty()) return false;
  buffer_.append(text);
  return buffer_.size() < kPiece || Flush();
}

bool Output::Flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR && !StopRequested()) continue;
    if (written < 0) return Fail("cannot write " + name_);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return true;
}

bool Output::Commit() {
  if (!error_.empty() || !Flush()) return false;
  if (temporary_.empty()) return true;
  if (fsync(descriptor_) != 0) return Fail("cannot write " + name_);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return Fail("cannot write " + name_);
  temporary_.clear();
  return true;
}

bool Output::Fail(const std::string& what) {
  const bool never_opened = descriptor_ < 0 && errno != ENOSPC;
  exit_code_ = never_opened ? kExitUsage : ExitCodeOfWriting(errno);
  error_ = what + ": " + std::generic_category().message(errno);
  return false;
}
