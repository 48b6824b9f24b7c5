#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace crawler {

/// The fields of one capture in an index. Views; empty fields are left out.
struct CdxjEntry {
  std::string_view url;
  std::string_view date;    ///< As WARC-Date: "2026-01-31T23:59:59Z".
  std::string_view mime;    ///< The Content-Type without parameters; "warc/revisit" for revisits.
  int status = 0;           ///< 0: none.
  std::string_view digest;  ///< Payload digest; a label ("sha256:") is cut off.
  std::uint64_t length = 0;
  std::uint64_t offset = 0;
  std::string_view filename;
};

/// The key of a capture, in Sort-friendly URI Reordering Transform: the host back to front, then
/// the rest, all in lower case, parameters sorted:
///
///     https://www.Example.com:8080/A?b&a  ->  com,example:8080)/a?a&b
///
/// A leading "www.", "www2." … is left out. Other schemes than http and https stay as they are.
std::string SurtKey(std::string_view url);

/// A line of an index, without its line feed: key, time, and JSON on one line. Any entry gives
/// a line of three parts; bytes that are not ASCII are taken for Latin-1.
std::string CdxjLine(const CdxjEntry& entry);

/// Writes an index: lines added in any order, sorted bytewise in the file. The file appears, whole,
/// with Finish(). Memory is bounded: a large index is sorted in parts, which are kept in temporary
/// files beside it.
/// Threads: one at a time.
class CdxjWriter {
 public:
  /// `max_memory`: about how many bytes of lines are sorted at a time.
  explicit CdxjWriter(std::filesystem::path file, std::size_t max_memory = std::size_t{64} << 20);
  /// Removes all files unless Finish() was called.
  ~CdxjWriter();
  CdxjWriter(const CdxjWriter&) = delete;
  CdxjWriter& operator=(const CdxjWriter&) = delete;

  /// kResourceExhausted if the disk is full, kIoError for other failures.
  Status Add(const CdxjEntry& entry);
  /// Replaces an existing index. Called once.
  Status Finish();

 private:
  class Run;

  Status Spill();
  Status Merge(std::FILE* out);
  Status Failure(std::string_view action, int error) const;

  const std::filesystem::path file_;
  const std::filesystem::path temporary_;
  const std::size_t max_memory_;
  std::vector<std::string> lines_;
  std::size_t memory_ = 0;
  std::vector<std::unique_ptr<Run>> runs_;
};

/// Where the index of `warc` ("x.warc.gz" or "x.warc") belongs: "x.cdxj" beside it.
std::filesystem::path CdxjPath(const std::filesystem::path& warc);

/// Reads the file `warc` and writes its index beside it. The index leaves out requests, warcinfo
/// records, the metadata of this crawler, and a cut last record. kCorruption if the file is
/// damaged; no index is written then.
Status IndexWarc(const std::filesystem::path& warc);

/// Writes the indexes of the WARC files in `folder` that have none, or one that is older than the
/// file. An index is older if its file was begun by an earlier run.
Status IndexWarcFolder(const std::filesystem::path& folder);

}  // namespace crawler
