#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "serve/served_crawl.hpp"

namespace crawler {

/// The crawls that the service shows, by name: the last component of the folder, with -2, -3, …
/// where several have the same.
///
/// With a root folder: all folders directly below it that hold a crawl. Symbolic links are not
/// followed, neither to a folder nor to the catalogue in it.
/// Threads: safe from any thread.
class CrawlDirectory {
 public:
  /// `root` may be empty. Folders are shown whether they hold a crawl or not.
  CrawlDirectory(const std::vector<std::string>& folders, std::string root);

  std::vector<std::shared_ptr<ServedCrawl>> All() CRAWLER_EXCLUDES(mutex_);
  /// Null if there is none.
  std::shared_ptr<ServedCrawl> Find(std::string_view name) CRAWLER_EXCLUDES(mutex_);
  /// The crawl in `folder`; added if it is not there.
  std::shared_ptr<ServedCrawl> Add(const std::string& folder) CRAWLER_EXCLUDES(mutex_);
  const std::string& root() const { return root_; }

 private:
  std::shared_ptr<ServedCrawl> AddLocked(const std::string& folder) CRAWLER_REQUIRES(mutex_);
  void LookBelowRoot() CRAWLER_REQUIRES(mutex_);

  const std::string root_;
  Mutex mutex_;
  std::vector<std::shared_ptr<ServedCrawl>> crawls_ CRAWLER_GUARDED_BY(mutex_);
  TimePoint looked_at_ CRAWLER_GUARDED_BY(mutex_);
};

/// Whether `name` may be the name of a new folder below a root: letters, digits, '-', '_' and '.',
/// at most 100, and no dot at the beginning.
bool IsCrawlName(std::string_view name);

}  // namespace crawler
