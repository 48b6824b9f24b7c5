/// The log of a crawl: its levels, and a file for its lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crawler/crawler.h"

namespace crawler {

/// How much a log line matters. kDebug is one line per URL and more.
enum class CrawlLogLevel { kDebug, kInfo, kWarn, kError };

/// The level named `name`: "debug", "info", "warn" or "error". Empty for any other text.
CRAWLER_EXPORT std::optional<CrawlLogLevel> ParseCrawlLogLevel(std::string_view name);

/// A file that log lines are appended to, for CrawlCallbacks::on_log:
///
///     crawler::CrawlLogFile log("crawl.log");
///     if (!log.error().empty()) …              // The file cannot be opened.
///     callbacks.on_log = [&log](std::string_view line) { log.Write(line); };
///
/// Each line is one write: lines of several threads or processes do not mix. A line that cannot be
/// written, because the disk is full, is counted and lost.
/// Threads: safe from any thread.
class CRAWLER_EXPORT CrawlLogFile {
 public:
  /// Opens `path` for appending; creates the file if it is missing.
  explicit CrawlLogFile(const std::string& path);
  ~CrawlLogFile();
  CrawlLogFile(const CrawlLogFile&) = delete;
  CrawlLogFile& operator=(const CrawlLogFile&) = delete;

  /// Why the file could not be opened; empty if it could.
  const std::string& error() const;

  /// Appends `line` and a newline. Does nothing if the file could not be opened.
  void Write(std::string_view line);

  /// Opens the path again, after a log rotation has renamed the file. Returns why that failed; then
  /// lines go to the old file as before. Empty on success.
  std::string Reopen();

  /// Lines that could not be written.
  std::uint64_t lost_lines() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace crawler
