#include "serve/crawl_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/ascii.hpp"

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::size_t kMostCrawls = 10'000;

std::string NameOf(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(folder, error);
  if (error) path = folder;
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  return name.empty() ? "crawl" : name;
}

bool HoldsCrawl(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return false;
  return fs::is_regular_file(fs::symlink_status(folder / "crawl.db", error));
}

}  // namespace

bool IsCrawlName(std::string_view name) {
  if (name.empty() || name.size() > 100 || name.front() == '.' || name.front() == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.';
  });
}

CrawlDirectory::CrawlDirectory(const std::vector<std::string>& folders, std::string root)
    : root_(std::move(root)) {
  MutexLock lock(mutex_);
  for (const std::string& folder : folders) AddLocked(folder);
}

std::shared_ptr<ServedCrawl> CrawlDirectory::AddLocked(const std::string& folder) {
  for (const auto& crawl : crawls_) {
    if (crawl->folder() == folder) return crawl;
  }
  const std::string wanted = NameOf(folder);
  std::string name = wanted;
  const auto taken = [this](const std::string& candidate) CRAWLER_REQUIRES(mutex_) {
    return std::any_of(crawls_.begin(), crawls_.end(),
                       [&](const auto& crawl) { return crawl->name() == candidate; });
  };
  for (int i = 2; taken(name); ++i) name = wanted + "-" + std::to_string(i);
  return crawls_.emplace_back(std::make_shared<ServedCrawl>(name, folder));
}

std::shared_ptr<ServedCrawl> CrawlDirectory::Add(const std::string& folder) {
  MutexLock lock(mutex_);
  return AddLocked(folder);
}

void CrawlDirectory::LookBelowRoot() {
  const TimePoint now = std::chrono::steady_clock::now();
  if (root_.empty() || now - looked_at_ < kBetweenLooks) return;
  looked_at_ = now;
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(root_, error), end; !error && it != end; it.increment(error)) {
    if (HoldsCrawl(it->path())) found.push_back(it->path().string());
    if (found.size() >= kMostCrawls) break;
  }
  std::sort(found.begin(), found.end());
  std::erase_if(crawls_, [](const auto& crawl) {
    // One that is about to begin has no catalogue yet, but somebody holds it.
    return crawl.use_count() == 1 && !HoldsCrawl(crawl->folder());
  });
  for (const std::string& folder : found) AddLocked(folder);
}

std::vector<std::shared_ptr<ServedCrawl>> CrawlDirectory::All() {
  MutexLock lock(mutex_);
  LookBelowRoot();
  return crawls_;
}

std::shared_ptr<ServedCrawl> CrawlDirectory::Find(std::string_view name) {
  MutexLock lock(mutex_);
  LookBelowRoot();
  for (const auto& crawl : crawls_) {
    if (crawl->name() == name) return crawl;
  }
  return nullptr;
}

}  // namespace crawler
