#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/status.hpp"
#include "db/database.hpp"
#include "store/rows.hpp"

namespace crawler {

/// Reads single URLs, their pages and robots.txt files from a catalogue that another connection
/// writes. Sees committed rows only. Opens the database at the first use.
/// Threads: one at a time; each thread needs its own.
class UrlReader {
 public:
  explicit UrlReader(std::string path) : path_(std::move(path)) {}

  /// `depth` and `from` are those of the last row in `requeued`, if there is one. kNotFound if
  /// there is no such URL.
  Result<UrlRow> Read(UrlId id);
  /// The robots.txt of `origin`; nothing if it was never fetched.
  Result<std::optional<RobotsRow>> ReadRobots(const std::string& origin);
  /// The stored page of a URL; nothing if it has none. ReadPage() and ReadLinks() need the indexes
  /// of a repeated crawl.
  Result<std::optional<StoredPage>> ReadPage(UrlId url);
  /// PageRow::links of the page of `url`.
  Result<std::string> ReadLinks(UrlId url);

 private:
  Status Open();

  const std::string path_;
  std::optional<Database> db_;
  Statement url_;
  Statement robots_;
  Statement page_;
  Statement links_;
};

}  // namespace crawler
