#pragma once

#include <memory>
#include <string>

#include "base/status.hpp"

namespace crawler {

/// The folder of a crawl, held by one process at a time:
///
///     crawl.db      the catalogue (with crawl.db-wal and -shm while it is open)
///     warc/         responses as received, and their indexes
///     lock          held while somebody crawls; its content is the process id
///
/// The lock is the system's: it goes with the process, however that ends.
class CrawlFolder {
 public:
  /// Takes the folder for a new crawl; it is made if need be. kInvalidArgument if it cannot be
  /// made, kCancelled if another process holds it. Whether there is a crawl in it already is for
  /// the catalogue to say.
  static Result<std::unique_ptr<CrawlFolder>> Create(const std::string& path);
  /// Takes the folder of a crawl to go on with it. kNotFound if there is none.
  static Result<std::unique_ptr<CrawlFolder>> Open(const std::string& path);
  ~CrawlFolder();

  static std::string CataloguePath(const std::string& folder) { return folder + "/crawl.db"; }
  static std::string WarcPath(const std::string& folder) { return folder + "/warc"; }
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
