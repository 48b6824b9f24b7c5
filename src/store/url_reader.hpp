#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/status.hpp"
#include "db/database.hpp"
#include "store/rows.hpp"

namespace crawler {

/// Reads single URLs, and what robots.txt said, from a catalogue that somebody else is writing.
/// Sees what has been committed. Opens the database when it is first needed.
/// Threads: one at a time; have one for each thread.
class UrlReader {
 public:
  explicit UrlReader(std::string path) : path_(std::move(path)) {}

  /// The depth is that of the last promotion, if there was one. kNotFound if there is no such URL.
  Result<UrlRow> Read(UrlId id);
  /// Nothing if it was never fetched.
  Result<std::optional<RobotsRow>> ReadRobots(const std::string& origin);

 private:
  Status Open();

  const std::string path_;
  std::optional<Database> db_;
  Statement url_;
  Statement robots_;
};

}  // namespace crawler
