#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/status.hpp"
#include "db/database.hpp"
#include "store/rows.hpp"

namespace crawler {

/// Reads single URLs, their pages, and what robots.txt said, from a catalogue that somebody else is
/// writing. Sees what has been committed. Opens the database when it is first needed. Threads: one
/// at a time; have one for each thread.
class UrlReader {
 public:
  explicit UrlReader(std::string path) : path_(std::move(path)) {}

  /// `depth` and `from` are those of the last promotion, if there was one. kNotFound if there is no
  /// such URL.
  Result<UrlRow> Read(UrlId id);
  /// Nothing if it was never fetched.
  Result<std::optional<RobotsRow>> ReadRobots(const std::string& origin);
  /// What is stored of the page of a URL; nothing if it has none. Of a repeated crawl only, like
  /// the next: they need its indexes.
  Result<std::optional<StoredPage>> ReadPage(UrlId url);
  /// PageRow::links of it.
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
