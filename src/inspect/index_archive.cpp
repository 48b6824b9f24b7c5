#include "inspect/index_archive.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "engine/page_reader.hpp"
#include "engine/stage_options.hpp"
#include "index/index_writer.hpp"
#include "index/segments.hpp"
#include "inspect/page_archive.hpp"
#include "robots/robots_txt.hpp"

namespace crawler {
namespace {

/// Pages per commit; a kill loses at most so many.
constexpr std::int64_t kPagesPerBatch = 256;
constexpr std::uint64_t kWarnings = 100;

constexpr std::string_view kMissing =
    " FROM pages p WHERE NOT p.noindex"
    " AND NOT EXISTS (SELECT 1 FROM page_text t WHERE t.page_id = p.id)";

class ArchiveIndexer {
 public:
  ArchiveIndexer(Catalogue& catalogue, const FetchOptions& fetch, const CrawlOptions& crawl,
                 const std::string& warc_folder, const ArchiveIndexOptions& options,
                 ArchiveIndexReport* report)
      : catalogue_(catalogue),
        db_(catalogue.database()),
        options_(options),
        report_(*report),
        archive_(catalogue, warc_folder, fetch.limits.max_body),
        reader_(ToExtractOptions(ProductToken(fetch.user_agent), ToNormalizeOptions(crawl)),
                fetch.limits.max_decoded) {}

  Status Run() {
    Status status = Count();
    while (status.ok() && done_ < all_) {
      std::vector<ArchivedPage> batch;
      status = NextBatch(&batch);
      if (batch.empty()) break;
      if (status.ok()) status = catalogue_.Begin();
      for (const ArchivedPage& page : batch) {
        if (status.ok()) status = Index(page);
      }
      if (status.ok()) status = catalogue_.Commit();
      done_ += batch.size();
      if (status.ok() && options_.progress) options_.progress(done_, all_);
    }
    if (status.ok() && writer_ != nullptr) status = Flush();
    return status;
  }

 private:
  Status Count() {
    const Result<std::int64_t> archived =
        db_.QueryInt("SELECT count(*)" + std::string(kMissing) + " AND p.warc_file IS NOT NULL");
    if (!archived.ok()) return archived.status();
    all_ = static_cast<std::uint64_t>(*archived);
    const Result<std::int64_t> others =
        db_.QueryInt("SELECT count(*)" + std::string(kMissing) + " AND p.warc_file IS NULL");
    if (!others.ok()) return others.status();
    report_.unarchived = static_cast<std::uint64_t>(*others);
    return Status::Ok();
  }

  Status NextBatch(std::vector<ArchivedPage>* batch) {
    const std::string sql = "SELECT " + std::string(kArchivedPageColumns) + std::string(kMissing) +
                            " AND p.warc_file IS NOT NULL AND p.id > ? ORDER BY p.id LIMIT ?";
    const auto read = [&](Statement& row) { batch->push_back(ToArchivedPage(row)); };
    Status status = ForEachRow(db_, sql, read, last_, kPagesPerBatch);
    if (!batch->empty()) last_ = batch->back().id;
    return status;
  }

  Status Index(const ArchivedPage& page) {
    std::string problem;
    const Result<bool> read = archive_.Read(page, &response_, &problem);
    if (!read.ok()) return read.status();
    if (!*read) {
      if (report_.unreadable++ < kWarnings && options_.warn) {
        options_.warn(page.url + " is not indexed: " + problem);
      }
      return Status::Ok();
    }
    reader_.Read(response_, &document_);
    if (document_.page.robots.noindex) return Status::Ok();
    documents_.Build(ToDocumentSource(document_.page, page.url, response_.headers, page.crawled_at),
                     &indexed_);
    if (Status status = ReachPage(page.id); !status.ok()) return status;
    ++report_.read;
    return writer_->Add(page.id, indexed_);
  }

  // Pages are indexed in the order of their ids; those before `page` that are stored come first.
  Status ReachPage(std::int64_t page) {
    if (writer_ == nullptr) {
      if (Status status = OpenWriter(page); !status.ok()) return status;
    } else if (page <= next_stored_) {
      return Status::Ok();
    }
    // It commits what it makes.
    Status status = catalogue_.Commit();
    if (status.ok()) status = writer_->Recover({}, page - 1);
    if (status.ok()) status = catalogue_.Begin();
    if (!status.ok()) return status;
    const Result<std::int64_t> next =
        db_.QueryInt("SELECT min(page_id) FROM page_text WHERE page_id > " + std::to_string(page),
                     std::numeric_limits<std::int64_t>::max());
    if (!next.ok()) return next.status();
    next_stored_ = *next;
    return Status::Ok();
  }

  Status OpenWriter(std::int64_t first) {
    const Result<std::int64_t> indexed =
        db_.QueryInt("SELECT max(last_page) FROM index_segments WHERE kind = 0");
    if (!indexed.ok()) return indexed.status();
    if (*indexed >= first) {
      if (Status status = RemoveSegments(first); !status.ok()) return status;
    }
    // Links to pages that are not indexed have no postings; these will be.
    for (const std::string_view key :
         {"index.anchors", "index.anchors.next", "index.terms", "index.ranks"}) {
      if (Status status = PutIndexState(db_, key, ""); !status.ok()) return status;
    }
    Result<std::unique_ptr<IndexWriter>> writer = IndexWriter::Open(db_, options_.max_ram / 4);
    if (!writer.ok()) return writer.status();
    writer_ = std::move(writer).value();
    return Status::Ok();
  }

  // Removes the segments with pages behind `first`, and all unfinished merges.
  Status RemoveSegments(std::int64_t first) {
    Result<SegmentWriter> segments = SegmentWriter::Open(db_);
    if (!segments.ok()) return segments.status();
    std::vector<std::int64_t> ids;
    Status status = ForEachRow(
        db_, "SELECT id FROM index_segments WHERE kind = 0 AND (last_page >= ? OR state <> 0)",
        [&ids](Statement& row) { ids.push_back(row.Int(0)); }, first);
    if (!status.ok()) return status;
    for (const std::int64_t id : ids) {
      status = segments->Remove(id);
      if (!status.ok()) return status;
    }
    return BumpGeneration(db_);
  }

  Status Flush() {
    Status status = catalogue_.Begin();
    if (status.ok()) status = writer_->Flush();
    if (status.ok()) status = catalogue_.Commit();
    return status;
  }

  Catalogue& catalogue_;
  Database& db_;
  const ArchiveIndexOptions& options_;
  ArchiveIndexReport& report_;
  PageArchive archive_;
  DocumentReader reader_;
  DocumentBuilder documents_;
  std::unique_ptr<IndexWriter> writer_;  // Opened for the first page that can be read.
  FetchResult response_;
  Document document_;
  IndexedDocument indexed_;
  std::int64_t last_ = 0;         // Page of the last batch.
  std::int64_t next_stored_ = 0;  // The next page whose text was stored before.
  std::uint64_t done_ = 0, all_ = 0;
};

}  // namespace

Status IndexFromArchive(Catalogue& catalogue, const CrawlOptions& crawl,
                        const std::string& warc_folder, const ArchiveIndexOptions& options,
                        ArchiveIndexReport* report) {
  *report = {};
  // No URLs: nothing is sent, so no secrets are needed.
  const Result<FetchOptions> fetch = ToFetchOptions(crawl.network, {});
  if (!fetch.ok()) return fetch.status();
  return ArchiveIndexer(catalogue, *fetch, crawl, warc_folder, options, report).Run();
}

}  // namespace crawler
