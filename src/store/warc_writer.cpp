#include "store/warc_writer.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace crawler {
namespace {

constexpr std::string_view kSuffix = ".warc.gz";
constexpr std::string_view kIndexSuffix = ".cdxj";
constexpr std::string_view kPrefixLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::size_t kIndexMemory = std::size_t{8} << 20;
// Full files that are kept open for the next Flush(true); with more, the oldest is synced.
constexpr std::size_t kMaxUnsynced = 8;

bool IsFull(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

Status SystemError(std::string what, int error) {
  what.append(": ").append(std::generic_category().message(error));
  return Status(IsFull(error) ? StatusCode::kResourceExhausted : StatusCode::kIoError,
                std::move(what));
}

// The number of the file called `name`, if it is one that WarcFileName() makes with `suffix`.
std::optional<std::uint32_t> FileNumber(std::string_view name, std::string_view prefix,
                                        std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  if (name.size() < prefix.size() + 1 + suffix.size()) return std::nullopt;
  const std::string_view middle =
      name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  std::uint32_t number = 0;
  const char* const end = middle.data() + middle.size();
  if (middle[0] != '-' || std::from_chars(middle.data() + 1, end, number).ptr != end) {
    return std::nullopt;
  }
  std::string canonical = WarcFileName(prefix, number);
  canonical.replace(canonical.size() - kSuffix.size(), kSuffix.size(), suffix);
  if (number == 0 || name != canonical) return std::nullopt;
  return number;
}

}  // namespace

class WarcWriter::Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

 private:
  const int fd_;
};

std::string WarcFileName(std::string_view prefix, std::uint32_t file) {
  const std::string digits = std::to_string(file);
  std::string name(prefix);
  name.push_back('-');
  if (digits.size() < 5) name.append(5 - digits.size(), '0');
  return name.append(digits).append(kSuffix);
}

Result<std::vector<std::filesystem::path>> ListWarcFiles(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().ends_with(kSuffix)) files.push_back(entry->path());
  }
  if (error) return SystemError("cannot read the folder " + folder.string(), error.value());
  std::sort(files.begin(), files.end());
  return files;
}

WarcWriter::WarcWriter(Options options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

WarcWriter::~WarcWriter() = default;

Result<std::unique_ptr<WarcWriter>> WarcWriter::Open(const std::filesystem::path& folder,
                                                     Options options, const WarcEnd& committed,
                                                     const Clock& clock) {
  if (options.prefix.empty() ||
      options.prefix.find_first_not_of(kPrefixLetters) != std::string::npos) {
    return Status(StatusCode::kInvalidArgument,
                  "the prefix of an archive must be letters, digits, '.', '_' and '-'");
  }
  std::unique_ptr<WarcWriter> writer(new WarcWriter(std::move(options), clock));
  if (Status status = writer->Resume(folder, committed); !status.ok()) return status;
  return writer;
}

Status WarcWriter::Resume(const std::filesystem::path& folder, const WarcEnd& committed) {
  folder_ = folder;
  const int folder_fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder_fd < 0) return SystemError("cannot open the folder " + folder.string(), errno);
  folder_fd_ = std::make_unique<Descriptor>(folder_fd);
  if (committed.file > 0) {
    const std::string name = FileName(committed.file);
    const std::string path = (folder / name).string();
    const int fd = openat(folder_fd, name.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
      return Status(StatusCode::kCorruption, path + " is missing, but holds committed pages");
    }
    if (fd < 0) return SystemError("cannot open " + path, errno);
    fd_ = std::make_unique<Descriptor>(fd);
    struct stat info {};
    if (fstat(fd, &info) != 0) return SystemError("cannot look at " + path, errno);
    if (static_cast<std::uint64_t>(info.st_size) < committed.offset) {
      return Status(StatusCode::kCorruption, path + " has " + std::to_string(info.st_size) +
                                                 " bytes, but " + std::to_string(committed.offset) +
                                                 " were committed");
    }
    const auto offset = static_cast<off_t>(committed.offset);
    if (ftruncate(fd, offset) != 0 || lseek(fd, offset, SEEK_SET) != offset) {
      return SystemError("cannot cut " + path + " back to what was committed", errno);
    }
  }
  file_ = committed.file;
  offset_ = committed.file > 0 ? committed.offset : 0;
  buffer_.reserve(kBufferBytes);
  return RemoveAfter(committed);
}

Status WarcWriter::RemoveAfter(const WarcEnd& committed) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::optional<std::uint32_t> file = FileNumber(name, options_.prefix, kSuffix);
    const std::optional<std::uint32_t> index = FileNumber(name, options_.prefix, kIndexSuffix);
    if ((file && *file > committed.file) || (index && *index >= committed.file)) {
      names.push_back(name);
    }
  }
  if (error) return SystemError("cannot read the folder " + folder_.string(), error.value());
  for (const std::string& name : names) {
    if (unlinkat(folder_fd_->get(), name.c_str(), 0) != 0 && errno != ENOENT) {
      return SystemError("cannot remove " + (folder_ / name).string(), errno);
    }
    folder_unsynced_ = true;
  }
  return Status::Ok();
}

Result<WarcPosition> WarcWriter::Append(const EncodedCapture& capture) {
  assert(!capture.members.empty());
  if (!failure_.ok()) return failure_;
  const bool full = offset_ > 0 && offset_ + capture.bytes.size() > options_.max_file_bytes;
  if (file_ == 0 || full) {
    if (Status status = BeginFile(); !status.ok()) return status;
  }
  if (offset_ == 0) {
    std::vector<std::pair<std::string, std::string>> fields = {
        {"software", options_.software},
        {"format", "WARC File Format 1.1"},
        {"conformsTo",
         "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
        {"http-header-user-agent", options_.user_agent},
        {"robots", options_.robots}};
    std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
    encoder_.EncodeWarcinfo(FileName(file_), clock_.WallNow(), fields, &warcinfo_);
    buffer_ += warcinfo_.bytes;
    offset_ += warcinfo_.bytes.size();
  }
  const EncodedCapture::Member& first = capture.members.front();
  const WarcPosition position{file_, offset_ + first.begin, first.end - first.begin};
  buffer_ += capture.bytes;
  offset_ += capture.bytes.size();
  if (buffer_.size() >= kBufferBytes) {
    if (Status status = WriteBuffer(); !status.ok()) return status;
  }
  if (index_ != nullptr) {
    if (Status status = AddToIndex(capture, position); !status.ok()) return status;
  }
  return position;
}

Status WarcWriter::AddToIndex(const EncodedCapture& capture, const WarcPosition& position) {
  const std::string filename = FileName(position.file);
  std::string digest;
  // A 304 has no payload.
  if (capture.index.status != 304) AppendHex(capture.payload_digest, &digest);
  CdxjEntry entry;
  entry.url = capture.index.url;
  entry.date = capture.index.date;
  entry.mime = capture.index.mime;
  entry.status = capture.index.status;
  entry.digest = digest;
  entry.length = position.length;
  entry.offset = position.offset;
  entry.filename = filename;
  failure_ = index_->Add(entry);
  return failure_;
}

Status WarcWriter::FinishIndex() {
  if (index_ == nullptr) return failure_;
  if (failure_.ok()) failure_ = index_->Finish();
  index_ = nullptr;
  return failure_;
}

// Closes the current file, if there is one, and opens the next.
Status WarcWriter::BeginFile() {
  if (fd_ != nullptr) {
    if (Status status = WriteBuffer(); !status.ok()) return status;
    unsynced_.push_back(std::move(fd_));
    if (unsynced_.size() > kMaxUnsynced) {
      if (fdatasync(unsynced_.front()->get()) != 0) return Fail("sync a file before", file_, errno);
      unsynced_.erase(unsynced_.begin());
    }
  }
  if (Status status = FinishIndex(); !status.ok()) return status;
  const std::string name = FileName(file_ + 1);
  // Whatever might be there is not ours: Open() has removed what was.
  const int fd = openat(folder_fd_->get(), name.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0) return Fail("create", file_ + 1, errno);
  fd_ = std::make_unique<Descriptor>(fd);
  folder_unsynced_ = true;
  ++file_;
  offset_ = 0;
  if (options_.index) index_ = std::make_unique<CdxjWriter>(CdxjPath(folder_ / name), kIndexMemory);
  return Status::Ok();
}

Status WarcWriter::WriteBuffer() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = write(fd_->get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Fail("write to", file_, errno);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return Status::Ok();
}

Status WarcWriter::Flush(bool sync) {
  if (!failure_.ok()) return failure_;
  if (fd_ == nullptr) return Status::Ok();
  if (Status status = WriteBuffer(); !status.ok()) return status;
  return sync ? Sync() : Status::Ok();
}

Status WarcWriter::Sync() {
  for (; !unsynced_.empty(); unsynced_.pop_back()) {
    if (fdatasync(unsynced_.back()->get()) != 0) return Fail("sync a file before", file_, errno);
  }
  if (fdatasync(fd_->get()) != 0) return Fail("sync", file_, errno);
  if (folder_unsynced_ && fsync(folder_fd_->get()) != 0)
    return Fail("sync the folder of", file_, errno);
  folder_unsynced_ = false;
  return Status::Ok();
}

Status WarcWriter::Fail(std::string_view action, std::uint32_t file, int error) {
  std::string what = "cannot ";
  what.append(action).append(" ").append((folder_ / FileName(file)).string());
  failure_ = SystemError(std::move(what), error);
  return failure_;
}

}  // namespace crawler
