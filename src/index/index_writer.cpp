#include "index/index_writer.hpp"

#include <algorithm>
#include <limits>

#include "index/page_text.hpp"
#include "index/visit_rows.hpp"

namespace crawler {
namespace {

constexpr std::size_t kLeastMemory = std::size_t{1} << 20;
constexpr std::size_t kMostMemory = std::size_t{2} << 30;  // The most that Accumulator can address.

std::uint32_t ToSeconds(std::int64_t milliseconds) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(milliseconds / 1000, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

Result<std::unique_ptr<IndexWriter>> IndexWriter::Open(Database& db, std::size_t max_memory) {
  Result<SegmentWriter> segments = SegmentWriter::Open(db);
  if (!segments.ok()) return segments.status();
  auto writer = std::unique_ptr<IndexWriter>(new IndexWriter(
      db, std::move(segments).value(), std::clamp(max_memory, kLeastMemory, kMostMemory)));
  Status status = PrepareAll(
      db, {{&writer->insert_, "INSERT INTO page_text VALUES(?,?,?,?,?,?,?,?)"},
           {&writer->forget_text_, "DELETE FROM page_text WHERE page_id = ?"},
           {&writer->forget_weights_, "DELETE FROM page_weights WHERE page_id = ?"},
           {&writer->remove_, "INSERT OR IGNORE INTO removed_pages VALUES(?)"},
           {&writer->count_removal_,
            "INSERT OR REPLACE INTO crawl_state VALUES('index.removals', 1 + coalesce("
            "(SELECT CAST(value AS INTEGER) FROM crawl_state WHERE key = 'index.removals'), 0))"},
           {&writer->bump_generation_, kBumpGeneration}});
  if (!status.ok()) return status;
  return writer;
}

Status IndexWriter::Recover(const std::function<bool()>& stop, std::int64_t last) {
  if (last_page_ == 0) {
    const Result<std::int64_t> watermark =
        db_.QueryInt("SELECT max(last_page) FROM index_segments WHERE kind = 0");
    if (!watermark.ok()) return watermark.status();
    watermark_ = *watermark;
    last_page_ = static_cast<std::uint32_t>(watermark_);
  }
  for (;;) {
    Status status = GatherStored(stop, last);
    if (!status.ok() || !full()) return status;
    status = db_.Execute("BEGIN IMMEDIATE");
    if (status.ok()) status = CommitOrRollBack(db_, Flush());
    if (!status.ok()) return status;
  }
}

// Until there is enough for a segment. Nothing is being read when that is committed, because a
// checkpoint would wait for it.
Status IndexWriter::GatherStored(const std::function<bool()>& stop, std::int64_t last) {
  Result<Statement> select = db_.Prepare(
      "SELECT t.page_id, p.url, p.title, t.language, t.date, t.headings, t.text"
      " FROM page_text t JOIN pages p ON p.id = t.page_id WHERE t.page_id > ? AND t.page_id <= ?"
      " ORDER BY t.page_id");
  if (!select.ok()) return select.status();
  select->Bind(1, std::int64_t{last_page_}).Bind(2, last);
  DocumentBuilder builder;
  IndexedDocument document;
  std::string text;
  PageMarks marks;
  while (!full()) {
    const Result<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (!*row) return Status::Ok();
    if (Status status = Stopped(stop); !status.ok()) return status;
    if (Status status = DecompressText(select->Blob(6), &text); !status.ok()) return status;
    DecodeMarks(select->Blob(5), text.size(), &marks);
    DocumentSource source;
    source.url = select->Text(1);
    source.title = select->Text(2);
    source.text = text;
    source.headings = marks.headings;
    source.link_blocks = marks.link_blocks;
    source.date = select->Int(4);
    builder.BuildTerms(source, select->Text(3), &document);
    if (Status status = Gather(select->Int(0), document); !status.ok()) return status;
  }
  return Status::Ok();
}

// A page that would exceed the memory begins the next segment, so that what gathers is never larger
// than the limit, or than one page.
Status IndexWriter::Add(std::int64_t page, const IndexedDocument& document) {
  constexpr std::size_t kBytesPerTerm = 160;
  if (memory() + document.terms.size() * kBytesPerTerm > max_memory_) {
    if (Status status = Flush(); !status.ok()) return status;
  }
  Status status = insert_.Bind(1, page)
                      .BindTextOrNull(2, document.language)
                      .Bind(3, document.date)
                      .Bind(4, std::int64_t{document.words})
                      .BindBlob(5, document.sketch)
                      .BindBlob(6, document.headings)
                      .Bind(7, document.vector)
                      .BindBlob(8, document.text)
                      .Run();
  if (status.ok()) status = Gather(page, document);
  return status.ok() && full() ? Flush() : status;
}

Status IndexWriter::Remove(std::int64_t page) {
  // Postings stay where they are, in memory or in a segment, until segments are merged.
  Status status = forget_text_.Bind(1, page).Run();
  if (status.ok()) status = forget_weights_.Bind(1, page).Run();
  if (status.ok()) status = remove_.Bind(1, page).Run();
  if (status.ok()) status = count_removal_.Run();
  return status;
}

Status IndexWriter::Gather(std::int64_t page, const IndexedDocument& document) {
  if (page <= last_page_ || page >= std::numeric_limits<std::uint32_t>::max()) {
    return Status(StatusCode::kInvalidArgument, "pages must be indexed in the order of their ids");
  }
  Posting posting;
  posting.page = static_cast<std::uint32_t>(page);
  constexpr std::size_t kFar = 16, kNear = 6;
  const std::vector<DocumentTerm>& terms = document.terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i + kFar < terms.size()) accumulator_.Prefetch(terms[i + kFar].hash);
    if (i + kNear < terms.size()) accumulator_.PrefetchEntry(terms[i + kNear].hash);
    const DocumentTerm& term = terms[i];
    posting.counts = term.counts;
    accumulator_.Add(document.Term(term), term.hash, posting, document.Positions(term),
                     document.Shown(term));
  }
  PageRecord record;
  record.page = posting.page;
  record.language = PackLanguage(document.language);
  record.date = ToSeconds(document.date);
  record.lengths = document.lengths;
  AppendPageRecord(record, pages_ == 0 ? 0 : last_page_, &page_data_);
  if (pages_ == 0) first_page_ = posting.page;
  last_page_ = posting.page;
  ++pages_;
  return Status::Ok();
}

Status IndexWriter::Flush() {
  if (pages_ == 0) return Status::Ok();
  Segment segment;
  segment.first_page = first_page_;
  segment.last_page = last_page_;
  segment.pages = pages_;
  const Result<std::int64_t> id = segments_.Create(segment, page_data_);
  if (!id.ok()) return id.status();
  segment.id = *id;
  Status status = accumulator_.Drain([&](const Accumulator::Row& row) {
    return segments_.AddTerm(&segment, row.term, row.document_freq, row.shown, row.docs,
                             row.positions, row.words);
  });
  if (status.ok()) status = segments_.Finish(segment);
  if (status.ok()) status = bump_generation_.Run();
  page_data_.clear();
  pages_ = 0;
  return status;
}

}  // namespace crawler
