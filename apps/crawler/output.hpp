#pragma once

#include <string>
#include <string_view>

/// Where a command writes its data: standard output, or a file. A file appears under its name only
/// when it is whole: until Commit() the data is in a temporary file beside it, which goes if the
/// command fails. Devices and pipes are written directly.
/// Threads: one at a time.
class Output {
 public:
  /// Standard output if `path` is empty or "-".
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// False if it cannot be written; error() says why.
  bool Write(std::string_view text);
  /// Writes the rest and gives the file its name.
  bool Commit();

  bool is_terminal() const { return terminal_; }
  const std::string& error() const { return error_; }
  /// The exit code for error().
  int exit_code() const { return exit_code_; }

 private:
  void Open(const std::string& path);
  bool Flush();
  bool Fail(const std::string& what);

  std::string name_ = "the output";
  std::string path_, temporary_;  // Empty unless there is a temporary file.
  int descriptor_ = -1;
  bool terminal_ = false;
  std::string buffer_;
  std::string error_;
  int exit_code_ = 0;
};

/// Makes SIGINT, SIGTERM, SIGPIPE and SIGXFSZ reasons to stop instead of an end of the process.
void CatchStopSignals();
/// Whether SIGINT or SIGTERM came.
bool StopRequested();
