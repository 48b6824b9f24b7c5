#include "engine/seed_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/ascii.hpp"

namespace crawler {
namespace {

Status Bad(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

std::string_view Trimmed(std::string_view line) {
  // A comment begins the line or follows a blank: elsewhere a '#' begins a fragment.
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || IsSpace(line[at - 1])) line = line.substr(0, at);
  }
  while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  return line;
}

// Cuts a stream of bytes into lines.
class LineTaker {
 public:
  LineTaker(std::string name, const std::function<Status(std::string_view)>& take)
      : name_(std::move(name)), take_(take) {}

  Status Add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      line_.append(bytes.substr(0, end));
      if (line_.size() > kMaxSeedLine) return Fail("the line is longer than 64 KiB; no URL is");
      if (end == std::string_view::npos) return Status::Ok();
      if (Status status = End(); !status.ok()) return status;
      bytes.remove_prefix(end + 1);
    }
    return Status::Ok();
  }

  /// The line is complete.
  Status End() {
    if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);
    if (number_ == 1 && (line_.starts_with("\xFF\xFE") || line_.starts_with("\xFE\xFF"))) {
      return Fail("the file is in UTF-16; save it as UTF-8");
    }
    if (line_.find('\0') != std::string::npos) {
      return Fail("there is a NUL byte; the file is no text with a URL per line");
    }
    const std::string_view text = Trimmed(line_);
    if (!text.empty()) {
      if (Status status = take_(text); !status.ok()) return Fail(status.message());
    }
    line_.clear();
    ++number_;
    return Status::Ok();
  }

 private:
  Status Fail(const std::string& why) const {
    return Bad(name_ + ":" + std::to_string(number_) + ": " + why);
  }

  const std::string name_;
  const std::function<Status(std::string_view)>& take_;
  std::string line_;
  std::uint64_t number_ = 1;
};

Status ReadLines(std::FILE* file, const std::string& name, LineTaker& lines) {
  const auto buffer = std::make_unique<char[]>(kMaxSeedLine);
  while (const std::size_t size = std::fread(buffer.get(), 1, kMaxSeedLine, file)) {
    if (Status status = lines.Add({buffer.get(), size}); !status.ok()) return status;
  }
  if (std::ferror(file) != 0) {
    return Bad("cannot read " + name + ": " + std::generic_category().message(errno));
  }
  return lines.End();
}

}  // namespace

Status ForEachSeedLine(const std::string& path,
                       const std::function<Status(std::string_view line)>& take) {
  if (path == "-") {
    LineTaker lines("standard input", take);
    return ReadLines(stdin, "the standard input", lines);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             &std::fclose);
  if (file == nullptr) {
    return Bad("cannot read " + path + ": " + std::generic_category().message(errno));
  }
  LineTaker lines(path, take);
  return ReadLines(file.get(), path, lines);
}

}  // namespace crawler
