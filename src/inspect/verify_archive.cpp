#include "inspect/verify_archive.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "store/lost_captures.hpp"
#include "store/warc_reader.hpp"
#include "store/warc_record.hpp"
#include "store/warc_writer.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

constexpr std::uint64_t kWholeFile = UINT64_MAX;

/// Walks through the responses of the catalogue in the order of the archive, while the records of
/// the archive are read.
class ResponseCursor {
 public:
  ResponseCursor(std::vector<ArchivedResponse> responses, ProblemList& problems)
      : responses_(std::move(responses)), problems_(problems) {
    std::sort(
        responses_.begin(), responses_.end(),
        [](const ArchivedResponse& a, const ArchivedResponse& b) { return a.place() < b.place(); });
  }

  /// The response at this place; null if there is none. Responses before it are missing from the
  /// archive.
  const ArchivedResponse* Take(std::uint32_t file, std::uint64_t offset) {
    const std::pair place(file, offset);
    while (next_ < responses_.size() && responses_[next_].place() < place) ReportMissing();
    const bool found = next_ < responses_.size() && responses_[next_].place() == place;
    return found ? &responses_[next_++] : nullptr;
  }

  void ReportRest() {
    while (next_ < responses_.size()) ReportMissing();
  }

 private:
  void ReportMissing() {
    const ArchivedResponse& response = responses_[next_++];
    const std::string where = " has a response that is not in " +
                              WarcFileName("crawl", response.file) + " at " +
                              std::to_string(response.offset);
    if (response.url == 0) {
      problems_.Add("a robots.txt" + where);
    } else {
      problems_.AddUrl(response.url, where);
    }
  }

  std::vector<ArchivedResponse> responses_;
  ProblemList& problems_;
  std::size_t next_ = 0;
};

class ArchiveVerifier {
 public:
  ArchiveVerifier(Database& db, std::filesystem::path folder,
                  std::vector<ArchivedResponse> responses, ProblemList& problems,
                  CrawlVerification* out)
      : db_(db),
        folder_(std::move(folder)),
        responses_(std::move(responses), problems),
        problems_(problems),
        out_(*out) {}

  Status Run(const WarcEnd& end) {
    for (std::uint32_t file = 1; file <= end.file; ++file) {
      Status status = ReadFile(file, file == end.file ? end.offset : kWholeFile);
      if (!status.ok()) return status;
    }
    responses_.ReportRest();
    return Status::Ok();
  }

 private:
  Status ReadFile(std::uint32_t file, std::uint64_t limit) {
    const std::filesystem::path path = folder_ / WarcFileName("crawl", file);
    Result<std::unique_ptr<WarcReader>> reader = WarcReader::Open(path);
    if (!reader.ok()) {
      problems_.Add(reader.status().message());
      return Status::Ok();
    }
    const std::string name = path.filename().string();
    WarcRecord record;
    std::uint64_t end = 0;
    while (end < limit) {
      const WarcRead read = (*reader)->Next(&record);
      if (read == WarcRead::kEnd) break;
      if (read != WarcRead::kRecord) {
        problems_.Add(name + ": " + (*reader)->problem());
        return Status::Ok();
      }
      end = record.offset + record.length;
      if (Status status = CheckRecord(file, name, record); !status.ok()) return status;
    }
    if (limit != kWholeFile && end != limit) {
      problems_.Add(name + " ends at " + std::to_string(end) +
                    ", but the catalogue was committed with " + std::to_string(limit));
    }
    return Status::Ok();
  }

  Status CheckRecord(std::uint32_t file, const std::string& name, const WarcRecord& record) {
    ++out_.records;
    const std::string where = name + " at " + std::to_string(record.offset);
    if (record.block_digest == DigestCheck::kFail || record.payload_digest == DigestCheck::kFail) {
      problems_.Add(where + ": the digest does not fit the content");
    }
    if (record.type != "response" && record.type != "revisit") return Status::Ok();
    const ArchivedResponse* const response = responses_.Take(file, record.offset);
    if (response == nullptr) {
      problems_.Add(where + ": the catalogue does not know this response of " + record.uri);
      return Status::Ok();
    }
    if (response->length != record.length) {
      problems_.Add(where + ": its length is not the catalogue's");
    }
    return response->url == 0 ? Status::Ok() : CheckUrl(response->url, where, record);
  }

  Status CheckUrl(std::int64_t id, const std::string& where, const WarcRecord& record) {
    std::string text;
    Status status = ForEachRow(
        db_, "SELECT url FROM urls WHERE id = ?", [&text](Statement& row) { text = row.Text(0); },
        id);
    if (!status.ok()) return status;
    Url url;
    ParseUrl(text, nullptr, &url);
    if (ArchivedUrl(url) != record.uri) {
      problems_.Add(where + " is " + record.uri + ", the catalogue says " + text);
    }
    return Status::Ok();
  }

  Database& db_;
  const std::filesystem::path folder_;
  ResponseCursor responses_;
  ProblemList& problems_;
  CrawlVerification& out_;
};

}  // namespace

Status VerifyArchive(Database& db, const std::string& warc_folder,
                     std::vector<ArchivedResponse> responses, ProblemList& problems,
                     CrawlVerification* out) {
  const Result<WarcEnd> end = CommittedWarcEnd(db);
  if (!end.ok()) return end.status();
  if (end->file == 0) {
    if (!responses.empty()) problems.Add("the catalogue names WARC records, but no WARC file");
    return Status::Ok();
  }
  return ArchiveVerifier(db, warc_folder, std::move(responses), problems, out).Run(*end);
}

}  // namespace crawler
