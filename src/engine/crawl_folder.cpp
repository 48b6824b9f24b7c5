#include "engine/crawl_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include "store/read_catalogue.hpp"

namespace crawler {
namespace {

constexpr int kTries = 10;
constexpr std::chrono::milliseconds kBetweenTries{10};

std::string LockPath(const std::string& folder) { return folder + "/lock"; }

// The number in the file; -1 if the file is not a lock: anything but the number of a process.
long ReadHolder(int lock) {
  char text[32] = {};
  const ssize_t size = pread(lock, text, sizeof text, 0);
  if (size == 0) return 0;  // Killed before it was written.
  long holder = 0;
  const char* const end = text + std::max<ssize_t>(size, 0);
  const auto [stopped, error] = std::from_chars(text, end, holder);
  const bool is_number = error == std::errc() && stopped + 1 == end && *stopped == '\n';
  return is_number && holder > 0 ? holder : -1;
}

Status SystemError(const std::string& path, int error) {
  return Status(error == ENOSPC ? StatusCode::kResourceExhausted : StatusCode::kIoError,
                path + ": " + std::generic_category().message(error));
}

Status NotOurs(const std::string& path, std::string_view why) {
  return Status(StatusCode::kInvalidArgument,
                path + std::string(why) + ", so nothing was changed; name another folder");
}

// Opens the lock in `folder`, without following a link or waiting for a FIFO. -1 with errno set if
// that fails.
int OpenLock(const std::string& folder, int flags) {
  return open(LockPath(folder).c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
              0644);
}

bool IsRegularFile(int descriptor) {
  struct stat info {};
  return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

// Whether the parts of a crawl that are in `folder` are files and folders, and no links.
Status CheckKinds(const std::string& folder) {
  const std::string catalogue = CrawlFolder::CataloguePath(folder);
  for (const std::string& file : {LockPath(folder), catalogue, catalogue + "-wal",
                                  catalogue + "-shm", catalogue + "-journal"}) {
    struct stat info {};
    if (lstat(file.c_str(), &info) != 0) continue;  // Other faults show when it is used.
    if (S_ISLNK(info.st_mode)) return NotOurs(file, " is a symbolic link");
    const bool is_said_later = S_ISDIR(info.st_mode) && file == catalogue;
    if (!S_ISREG(info.st_mode) && !is_said_later) return NotOurs(file, " is not a file");
  }
  const std::string warc = CrawlFolder::WarcPath(folder);
  struct stat info {};
  if (lstat(warc.c_str(), &info) != 0) return Status::Ok();
  if (S_ISLNK(info.st_mode)) return NotOurs(warc, " is a symbolic link");
  return S_ISDIR(info.st_mode) ? Status::Ok() : NotOurs(warc, " is not a folder");
}

Status CheckLock(const std::string& folder) {
  const int lock = OpenLock(folder, O_RDONLY);
  if (lock < 0) return Status::Ok();
  const bool is_ours = IsRegularFile(lock) && ReadHolder(lock) >= 0;
  close(lock);
  return is_ours ? Status::Ok() : NotOurs(LockPath(folder), " is not the lock of a crawl");
}

// kInvalidArgument if crawl.db is the database of another program, kCorruption if it is none.
Status CheckCatalogue(const std::string& folder) {
  const std::string path = CrawlFolder::CataloguePath(folder);
  const Result<bool> foreign = IsForeignDatabase(path);
  if (!foreign.ok()) return foreign.status();
  return *foreign ? NotOurs(path, " is a database of another program") : Status::Ok();
}

// Whether a folder without crawl.db is empty but for the traces of a crawl that was killed at once.
Status CheckEmpty(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name == "lock" || name.starts_with("crawl.db-")) continue;
    if (name != "warc") {
      return NotOurs(folder, " is not empty and holds no crawl (\"" + name + "\" is in it)");
    }
    if (!std::filesystem::is_empty(entry->path(), error) && !error) {
      return Status(StatusCode::kInvalidArgument,
                    "there are WARC files in " + folder + ", but no crawl.db; put back the one " +
                        "that belongs to them, or begin with another --out");
    }
  }
  return error ? SystemError(folder, error.value()) : Status::Ok();
}

bool HasCatalogue(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(CrawlFolder::CataloguePath(folder), error);
}

Status CheckOurs(const std::string& folder) {
  Status status = CheckKinds(folder);
  if (status.ok()) status = CheckLock(folder);
  if (!status.ok()) return status;
  return HasCatalogue(folder) ? CheckCatalogue(folder) : CheckEmpty(folder);
}

Status MakeFolders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(CrawlFolder::WarcPath(path), error);
  if (!error) return Status::Ok();
  return Status(error == std::errc::no_space_on_device ? StatusCode::kResourceExhausted
                                                       : StatusCode::kInvalidArgument,
                "the folder " + path + " cannot be made: " + error.message());
}

}  // namespace

Result<std::unique_ptr<CrawlFolder>> CrawlFolder::Lock(const std::string& path) {
  const std::string lock_path = LockPath(path);
  const int lock = OpenLock(path, O_RDWR | O_CREAT);
  if (lock < 0) return SystemError(lock_path, errno);
  // Holder(), which `crawler status` calls, takes the lock for a moment as well.
  bool held = false;
  for (int i = 0; i < kTries && !held; ++i) {
    if (i > 0) std::this_thread::sleep_for(kBetweenTries);
    held = flock(lock, LOCK_EX | LOCK_NB) == 0;
  }
  const long holder = ReadHolder(lock);
  if (!held || !IsRegularFile(lock) || holder < 0) {
    close(lock);
    if (held) return NotOurs(lock_path, " is not the lock of a crawl");
    return Busy(path, holder);
  }
  std::unique_ptr<CrawlFolder> folder(new CrawlFolder(path, lock));
  const std::string process = std::to_string(getpid()) + "\n";
  if (ftruncate(lock, 0) != 0 ||
      pwrite(lock, process.data(), process.size(), 0) != static_cast<ssize_t>(process.size())) {
    return SystemError(lock_path, errno);
  }
  return folder;
}

Status CrawlFolder::CheckNew(const std::string& path) {
  if (path.empty()) {
    return Status(StatusCode::kInvalidArgument, "no folder for the crawl was named");
  }
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(there)) return CheckOurs(path);
  if (!std::filesystem::exists(there)) return Status::Ok();
  return Status(StatusCode::kInvalidArgument,
                "the folder " + path + " cannot be made: there is something else of that name");
}

Result<std::unique_ptr<CrawlFolder>> CrawlFolder::Create(const std::string& path) {
  if (Status status = CheckNew(path); !status.ok()) return status;
  if (Status status = MakeFolders(path); !status.ok()) return status;
  return Lock(path);
}

Result<std::unique_ptr<CrawlFolder>> CrawlFolder::Open(const std::string& path) {
  if (!HasCatalogue(path)) return NoCrawlIn(path);
  if (Status status = CheckOurs(path); !status.ok()) {
    const bool not_ours = status.code() == StatusCode::kInvalidArgument;
    return not_ours ? Status(StatusCode::kNotFound, status.message()) : status;
  }
  if (Status status = MakeFolders(path); !status.ok()) return status;
  return Lock(path);
}

Status CrawlFolder::Busy(const std::string& path, long holder) {
  return Status(StatusCode::kBusy, path + " is in use by process " + std::to_string(holder) +
                                       "; `crawler status` shows what it does");
}

Status CrawlFolder::NoCrawlIn(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status folder = std::filesystem::status(path, error);
  const char* const why = !std::filesystem::exists(folder)         ? ": there is no such folder"
                          : !std::filesystem::is_directory(folder) ? ": that is no folder"
                                                                   : " (no crawl.db)";
  return Status(StatusCode::kNotFound, "there is no crawl in " + path + why);
}

long CrawlFolder::Holder(const std::string& folder) {
  const int lock = OpenLock(folder, O_RDONLY);
  if (lock < 0) return 0;
  const bool is_free = flock(lock, LOCK_SH | LOCK_NB) == 0;
  const long holder = is_free ? 0 : ReadHolder(lock);
  close(lock);
  return std::max(holder, 0L);
}

Status CrawlFolder::MakePrivate() const {
  return chmod(path_.c_str(), S_IRWXU) == 0 ? Status::Ok() : SystemError(path_, errno);
}

CrawlFolder::~CrawlFolder() { close(lock_); }

}  // namespace crawler
