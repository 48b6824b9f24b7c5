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

/// What an index says of one capture. Views; empty ones are left out.
struct CdxjEntry {
  std::string_view url;
  std::string_view date;    ///< As WARC-Date: "2026-01-31T23:59:59Z".
  std::string_view mime;    ///< The Content-Type; parameters are cut off. "warc/revisit" for those.
  int status = 0;           ///< 0: none.
  std::string_view digest;  ///< Of the payload; a label ("sha256:") is cut off.
  std::uint64_t length = 0;
  std::uint64_t offset = 0;
  std::string_view filename;
};

/// The key captures are found under, in Sort-friendly URI Reordering Transform: the host back to
/// front, then the rest, all in lower case, parameters sorted:
///
///     https://www.Example.com:8080/A?b&a  ->  com,example:8080)/a?a&b
///
/// A leading "www.", "www2." … is left out. What is not http or https stays as it is.
std::string SurtKey(std::string_view url);

/// A line of an index, without its line feed: key, time, and JSON on one line. Any entry gives
/// a line of three parts; bytes that are not ASCII are taken for Latin-1.
std::string CdxjLine(const CdxjEntry& entry);

/// Writes an index: lines added in any order, sorted bytewise in the file. The file appears, whole,
/// with Finish(). Memory is bounded: what is too much for it is sorted in parts, which wait in
/// temporary files beside the index.
/// Threads: one at a time.
class CdxjWriter {
 public:
  /// `max_memory`: about how many bytes of lines are sorted at a time.
  explicit CdxjWriter(std::filesystem::path file, std::size_t max_memory = std::size_t{64} << 20);
  /// Without Finish() nothing is left.
  ~CdxjWriter();
  CdxjWriter(const CdxjWriter&) = delete;
  CdxjWriter& operator=(const CdxjWriter&) = delete;

  /// kResourceExhausted if the disk is full, kIoError for other failures.
  Status Add(const CdxjEntry& entry);
  /// Replaces the index that may be there. To be called once.
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

/// Reads the file `warc` and writes its index beside it. Requests, warcinfo records and metadata
/// of ours are not in it. A cut last record is left out; kCorruption if the file is damaged, and
/// then there is no index.
Status IndexWarc(const std::filesystem::path& warc);

}  // namespace crawler
