#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/status.hpp"
#include "store/cdxj.hpp"
#include "store/warc_record.hpp"

namespace crawler {

/// The end of an archive: the first `offset` bytes of file number `file`. The default is an empty
/// archive.
struct WarcEnd {
  std::uint32_t file = 0;  ///< From 1.
  std::uint64_t offset = 0;

  friend bool operator==(const WarcEnd&, const WarcEnd&) = default;
};

/// The place of the first record of a capture: the response or revisit.
struct WarcPosition {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< Size of the compressed record.
};

/// The name of file number `file`: "<prefix>-00001.warc.gz".
std::string WarcFileName(std::string_view prefix, std::uint32_t file);

/// The WARC files in `folder`, of any prefix, sorted by name.
Result<std::vector<std::filesystem::path>> ListWarcFiles(const std::filesystem::path& folder);

/// Appends captures to the files of an archive: a folder of <prefix>-<number>.warc.gz.
///
/// The catalogue makes captures durable: write, Flush(), commit position() in the same transaction
/// as the pages, and pass the committed position to the next Open(), which removes everything
/// behind it. A file is closed when the next capture would make it too large; every file begins
/// with a warcinfo record.
/// After a failure (disk full) every later call fails, too. The archive is complete up to the last
/// successful Flush(), and can be opened at the last committed position.
/// Ownership: borrows `clock`. The folder must not have two writers.
/// Threads: one at a time.
class WarcWriter {
 public:
  struct Options {
    std::string prefix = "crawl";  ///< Prefix of file names: letters, digits, '.', '_', '-'.
    /// A file of this size gets no more captures. A capture is never split.
    std::uint64_t max_file_bytes = 1'000'000'000;
    /// Fields of the warcinfo records; empty fields are left out.
    std::string software;
    std::string user_agent;
    std::string robots;  ///< "obey" or "ignore".
    /// Files that are begun by this writer get their index (see CdxjWriter) while they are written.
    /// It is there when the file is full, or with FinishIndex().
    bool index = false;
  };

  /// Opens the archive in `folder`, which must exist, at `committed`: cuts the file there and
  /// removes later files of this prefix, all of them if nothing was committed. Indexes of files
  /// that were cut go as well.
  /// kCorruption if the archive is shorter than `committed`; kIoError if the folder cannot be used.
  static Result<std::unique_ptr<WarcWriter>> Open(const std::filesystem::path& folder,
                                                  Options options, const WarcEnd& committed = {},
                                                  const Clock& clock = Clock::System());
  /// Does not flush: captures that are not committed may be lost.
  ~WarcWriter();
  WarcWriter(const WarcWriter&) = delete;
  WarcWriter& operator=(const WarcWriter&) = delete;

  /// Adds the records of `capture`, which must have some. They are in the file after Flush().
  /// kResourceExhausted if the disk is full, kIoError for other failures.
  Result<WarcPosition> Append(const EncodedCapture& capture);

  /// Writes all appended captures to the files; with `sync` also to the disk.
  Status Flush(bool sync);

  /// Completes the index of the last file. Nothing may be appended any more.
  Status FinishIndex();

  /// The end of the appended captures; to be committed after a Flush().
  WarcEnd position() const { return {file_, offset_}; }
  std::string FileName(std::uint32_t file) const { return WarcFileName(options_.prefix, file); }

 private:
  class Descriptor;

  WarcWriter(Options options, const Clock& clock);
  Status Resume(const std::filesystem::path& folder, const WarcEnd& committed);
  Status RemoveAfter(const WarcEnd& committed);
  Status BeginFile();
  Status AddToIndex(const EncodedCapture& capture, const WarcPosition& position);
  Status WriteBuffer();
  Status Sync();
  Status Fail(std::string_view action, std::uint32_t file, int error);

  const Options options_;
  const Clock& clock_;
  std::filesystem::path folder_;
  std::unique_ptr<Descriptor> folder_fd_;
  std::unique_ptr<Descriptor> fd_;
  // Full files that may not be on the disk yet.
  std::vector<std::unique_ptr<Descriptor>> unsynced_;
  bool folder_unsynced_ = false;
  std::uint32_t file_ = 0;
  std::uint64_t offset_ = 0;
  std::string buffer_;
  std::unique_ptr<CdxjWriter> index_;  // Of the current file.
  WarcEncoder encoder_;                // For warcinfo records.
  EncodedCapture warcinfo_;
  Status failure_;
};

}  // namespace crawler
