#pragma once

#include <memory>
#include <string>

#include "base/status.hpp"

namespace crawler {

/// The folder of a crawl, held by one process at a time:
///
///     crawl.db      the catalogue (with crawl.db-wal and -shm while it is open)
///     warc/         responses as received, and their indexes
///     lock          locked by the process that crawls; contains its id
///
/// The operating system releases the lock when the process ends, however it ends.
///
/// Nothing is written before the folder is known to be a crawl's, or empty: a file of another
/// program, and a symbolic link in place of a file or folder listed above, are refused.
class CrawlFolder {
 public:
  /// Takes the folder for a new crawl; it is made if need be. kInvalidArgument if it cannot be
  /// made or holds something else, kCancelled if another process holds it. Does not look whether
  /// the folder has a crawl already.
  static Result<std::unique_ptr<CrawlFolder>> Create(const std::string& path);
  /// Takes the folder of an existing crawl. kNotFound if there is none.
  static Result<std::unique_ptr<CrawlFolder>> Open(const std::string& path);
  ~CrawlFolder();

  /// Lets only the owner into the folder: for crawls with credentials or cookies.
  Status MakePrivate() const;

  static std::string CataloguePath(const std::string& folder) { return folder + "/crawl.db"; }
  static std::string WarcPath(const std::string& folder) { return folder + "/warc"; }
  /// The errors of Create(), as far as they can be told without changing anything.
  static Status CheckNew(const std::string& path);
  /// Says that another process holds the folder.
  static Status Busy(const std::string& folder, long holder);
  /// Says why there is no crawl in a folder that has no crawl.db.
  static Status NoCrawlIn(const std::string& folder);
  /// The process that holds the folder; 0 if none does.
  static long Holder(const std::string& folder);

  const std::string& path() const { return path_; }

 private:
  CrawlFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  static Result<std::unique_ptr<CrawlFolder>> Lock(const std::string& path);

  const std::string path_;
  const int lock_;
};

}  // namespace crawler
