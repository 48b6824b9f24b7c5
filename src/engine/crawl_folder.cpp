#include "engine/crawl_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

namespace crawler {
namespace {

constexpr int kTries = 10;
constexpr std::chrono::milliseconds kBetweenTries{10};

std::string LockPath(const std::string& folder) { return folder + "/lock"; }

long ReadHolder(int lock) {
  char text[32] = {};
  const ssize_t size = pread(lock, text, sizeof text - 1, 0);
  long holder = 0;
  if (size > 0) std::from_chars(text, text + size, holder);
  return holder;
}

}  // namespace

Result<std::unique_ptr<CrawlFolder>> CrawlFolder::Lock(const std::string& path) {
  const std::string lock_path = LockPath(path);
  const int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) {
    return Status(StatusCode::kIoError, lock_path + ": " + std::generic_category().message(errno));
  }
  // Holder() has it for a moment, too, when somebody asks for the status.
  bool held = false;
  for (int i = 0; i < kTries && !held; ++i) {
    if (i > 0) std::this_thread::sleep_for(kBetweenTries);
    held = flock(lock, LOCK_EX | LOCK_NB) == 0;
  }
  if (!held) {
    const long holder = ReadHolder(lock);
    close(lock);
    return Status(StatusCode::kCancelled, path + " is in use by process " + std::to_string(holder) +
                                              "; `crawler status` shows what it does");
  }
  const std::string holder = std::to_string(getpid()) + "\n";
  if (ftruncate(lock, 0) != 0 ||
      pwrite(lock, holder.data(), holder.size(), 0) != static_cast<ssize_t>(holder.size())) {
    const int error = errno;
    close(lock);
    return Status(error == ENOSPC ? StatusCode::kResourceExhausted : StatusCode::kIoError,
                  lock_path + ": " + std::generic_category().message(error));
  }
  return std::unique_ptr<CrawlFolder>(new CrawlFolder(path, lock));
}

Result<std::unique_ptr<CrawlFolder>> CrawlFolder::Create(const std::string& path) {
  if (path.empty()) {
    return Status(StatusCode::kInvalidArgument, "no folder for the crawl was named");
  }
  std::error_code error;
  std::filesystem::create_directories(WarcPath(path), error);
  if (error) {
    return Status(StatusCode::kInvalidArgument,
                  "the folder " + path + " cannot be made: " + error.message());
  }
  return Lock(path);
}

Result<std::unique_ptr<CrawlFolder>> CrawlFolder::Open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(CataloguePath(path), error)) {
    return Status(StatusCode::kNotFound, "there is no crawl in " + path + " (no crawl.db)");
  }
  std::filesystem::create_directories(WarcPath(path), error);
  return Lock(path);
}

long CrawlFolder::Holder(const std::string& folder) {
  const int lock = open(LockPath(folder).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return 0;
  const bool free = flock(lock, LOCK_SH | LOCK_NB) == 0;
  const long holder = free ? 0 : ReadHolder(lock);
  close(lock);
  return holder;
}

CrawlFolder::~CrawlFolder() { close(lock_); }

}  // namespace crawler
