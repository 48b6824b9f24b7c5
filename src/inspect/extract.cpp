// ExtractFiles(): the contents of stored pages as files.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "inspect/file_names.hpp"
#include "inspect/inspect.hpp"
#include "inspect/row_writer.hpp"
#include "inspect/stored_response.hpp"

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "files.csv";
constexpr int kMaxTries = 10'000;  // Of names for one file.

Status SystemError(const std::string& what, int code) {
  const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  return Status(full ? StatusCode::kResourceExhausted : StatusCode::kIoError,
                what + ": " + std::generic_category().message(code));
}

// A new file; never one that is there, nor one behind a symbolic link.
class NewFile {
 public:
  ~NewFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  /// False if there is something of this name.
  Result<bool> Create(const fs::path& path) {
    path_ = path;
    descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return true;
    if (errno == EEXIST) return false;
    return SystemError("cannot write " + path.string(), errno);
  }
  Status Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        Status status = SystemError("cannot write " + path_.string(), errno);
        unlink(path_.c_str());  // A part of a file is of no use.
        return status;
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return Status::Ok();
  }

 private:
  fs::path path_;
  int descriptor_ = -1;
};

class FileExtractor {
 public:
  FileExtractor(StoredResponses& responses, fs::path into, const ExtractSettings& options)
      : responses_(responses), into_(std::move(into)), options_(options) {}

  /// Makes the folder, which must be new or empty, and the list of its files.
  Status Begin() {
    std::error_code error;
    fs::create_directories(into_, error);
    if (error) return SystemError("cannot make " + into_.string(), error.value());
    const bool empty = fs::is_empty(into_, error);
    if (error) return SystemError("cannot read " + into_.string(), error.value());
    if (!empty) {
      return Status(StatusCode::kInvalidArgument,
                    into_.string() + " is not empty; nothing is overwritten");
    }
    const Result<bool> made = list_.Create(into_ / kList);
    if (!made.ok()) return made.status();
    rows_ = WriteRows(
        DataFormat::kCsv,
        [this](std::string_view text) {
          if (list_status_.ok()) list_status_ = list_.Write(text);
          return list_status_.ok();
        },
        false);
    const std::vector<std::string> columns = {"url", "file", "content_type", "size"};
    rows_.columns(columns);
    return list_status_;
  }

  Status Add(const ArchivedPage& page, std::string_view content_type, bool* written) {
    std::string problem;
    const Result<bool> read = responses_.Read(page, &response_, &problem);
    if (!read.ok()) return read.status();
    *written = *read;
    if (!*read) {
      if (options_.warn) options_.warn(page.url + " is left out: " + problem);
      return Status::Ok();
    }
    const std::string_view media = content_type.substr(0, content_type.find_first_of("; "));
    std::string name;
    if (Status status = WriteFile(FileNameOf(response_.url, media), &name); !status.ok()) {
      return status;
    }
    Cell cells[4];
    const std::string size = std::to_string(response_.body().size());
    const std::string_view texts[] = {page.url, name, content_type, size};
    for (std::size_t i = 0; i < 4; ++i) cells[i] = {Cell::Kind::kText, 0, 0, texts[i]};
    rows_.row(cells);
    return list_status_;
  }

 private:
  // A folder may have the name of a file of another page, and the other way round.
  Result<fs::path> MakeFolders(const std::vector<std::string>& parts) {
    fs::path folder;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      std::string part = parts[i];
      while (true) {
        std::error_code error;
        fs::create_directory(into_ / folder / part, error);
        if (fs::is_directory(fs::symlink_status(into_ / folder / part))) break;
        if (error && error.value() != EEXIST && error.value() != ENOTDIR) {
          return SystemError("cannot make " + (into_ / folder / part).string(), error.value());
        }
        part += '_';
      }
      folder /= part;
    }
    return folder;
  }

  Status WriteFile(const std::vector<std::string>& parts, std::string* name) {
    const Result<fs::path> folder = MakeFolders(parts);
    if (!folder.ok()) return folder.status();
    const fs::path wanted = parts.back();
    for (int n = 1; n < kMaxTries; ++n) {
      const std::string number = n == 1 ? "" : "-" + std::to_string(n);
      const fs::path path =
          *folder / (wanted.stem().string() + number + wanted.extension().string());
      NewFile file;
      const Result<bool> made = file.Create(into_ / path);
      if (!made.ok()) return made.status();
      if (!*made) continue;
      *name = path.string();
      return file.Write(response_.body());
    }
    return Status(StatusCode::kIoError, "there are too many files named " + wanted.string());
  }

  StoredResponses& responses_;
  const fs::path into_;
  const ExtractSettings& options_;
  NewFile list_;
  Status list_status_;
  RowSink rows_;
  FetchResult response_;
};

Status ExtractAll(CatalogueSnapshot& snapshot, const std::string& folder, const std::string& into,
                  const ExtractSettings& options, FileExtraction* out) {
  const Result<std::unique_ptr<StoredResponses>> responses =
      StoredResponses::Open(snapshot, folder);
  if (!responses.ok()) return responses.status();
  FileExtractor extractor(**responses, into, options);
  if (Status status = extractor.Begin(); !status.ok()) return status;
  const std::string sql =
      "SELECT " + std::string(kArchivedPageColumns) +
      ", p.content_type FROM pages p WHERE p.warc_file IS NOT NULL AND"
      " lower(trim(substr(coalesce(p.content_type, ''), 1, instr(coalesce(p.content_type, '')"
      " || ';', ';') - 1))) GLOB lower(?)";
  return ForEachRow(
      snapshot.db(), sql,
      [&](Statement& row) {
        if (options.limits.stopped && options.limits.stopped()) {
          return Status(StatusCode::kCancelled, "stopped");
        }
        bool written = false;
        Status status = extractor.Add(ToArchivedPage(row), std::string(row.Text(10)), &written);
        ++(written ? out->outcome.rows : out->unreadable);
        return status;
      },
      options.type);
}

}  // namespace

FileExtraction ExtractFolder(const std::string& folder, const std::string& into,
                             const ExtractSettings& options) {
  FileExtraction out;
  Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, options.limits);
  if (!snapshot.ok()) {
    out.outcome = FailedToRead(snapshot.status());
    return out;
  }
  const Status status = ExtractAll(*snapshot, folder, into, options, &out);
  out.outcome = snapshot->Outcome(status, out.outcome.rows);
  return out;
}

}  // namespace crawler
