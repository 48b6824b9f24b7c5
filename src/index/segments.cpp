#include "index/segments.hpp"

#include <algorithm>
#include <charconv>

namespace crawler {
namespace {

std::string JoinIds(const std::vector<std::int64_t>& ids) {
  std::string text;
  for (const std::int64_t id : ids) text.append(text.empty() ? "" : " ").append(std::to_string(id));
  return text;
}

std::vector<std::int64_t> SplitIds(std::string_view text) {
  std::vector<std::int64_t> ids;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::int64_t id = 0;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc()) break;
    ids.push_back(id);
    at = next == end ? end : next + 1;
  }
  return ids;
}

}  // namespace

void AppendPageRecord(const PageRecord& record, std::uint32_t last_page, std::string* out) {
  AppendVarint(record.page - last_page, out);
  AppendVarint(record.language, out);
  AppendVarint(record.date, out);
  for (const std::uint32_t length : record.lengths) AppendVarint(length, out);
}

void ReadPageRecord(VarintReader& reader, PageRecord* record) {
  record->page += reader.Next32();
  record->language = reader.Next();
  record->date = reader.Next32();
  for (std::uint32_t& length : record->lengths) length = reader.Next32();
}

std::uint64_t PackLanguage(std::string_view code) {
  std::uint64_t packed = 0;
  for (const char c : code.substr(0, 12)) {
    const unsigned value = c >= 'a' && c <= 'z'   ? static_cast<unsigned>(c - 'a' + 1)
                           : c >= 'A' && c <= 'Z' ? static_cast<unsigned>(c - 'A' + 1)
                                                  : 27u;
    packed = packed << 5 | value;
  }
  return packed;
}

std::string UnpackLanguage(std::uint64_t packed) {
  std::string code;
  for (; packed != 0; packed >>= 5) {
    const auto value = static_cast<char>(packed & 31);
    code.push_back(value <= 26 ? static_cast<char>('a' + value - 1) : '-');
  }
  std::reverse(code.begin(), code.end());
  return code;
}

Status PrepareAll(Database& db,
                  std::initializer_list<std::pair<Statement*, std::string_view>> statements) {
  for (const auto& [statement, sql] : statements) {
    Result<Statement> prepared = db.Prepare(sql);
    if (!prepared.ok()) return prepared.status();
    *statement = std::move(prepared).value();
  }
  return Status::Ok();
}

Result<std::vector<Segment>> ListSegments(Database& db, SegmentKind kind) {
  Result<Statement> select = db.Prepare(
      "SELECT id, kind, state, first_page, last_page, pages, bytes, merged_from"
      " FROM index_segments WHERE kind = ? ORDER BY first_page, id");
  if (!select.ok()) return select.status();
  select->Bind(1, static_cast<std::int64_t>(kind));
  // Arrays with an entry per page get the size that segments state, so that number is checked.
  const Result<std::int64_t> last = db.QueryInt(
      "SELECT max(coalesce((SELECT max(id) FROM pages), 0),"
      " coalesce((SELECT max(page_id) FROM page_text), 0),"
      " coalesce((SELECT CAST(value AS INTEGER) FROM crawl_state WHERE key = 'last_page'), 0))");
  if (!last.ok()) return last.status();
  const Result<std::vector<std::uint32_t>> removed = RemovedPages(db);
  if (!removed.ok()) return removed.status();
  const std::int64_t last_page =
      std::max<std::int64_t>(*last, removed->empty() ? 0 : removed->back());
  std::vector<Segment> segments;
  for (;;) {
    const Result<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (!*row) return segments;
    Segment& segment = segments.emplace_back();
    segment.id = select->Int(0);
    segment.kind = static_cast<SegmentKind>(select->Int(1));
    segment.state = static_cast<SegmentState>(select->Int(2));
    segment.first_page = static_cast<std::uint32_t>(select->Int(3));
    segment.last_page = static_cast<std::uint32_t>(select->Int(4));
    segment.pages = static_cast<std::uint32_t>(select->Int(5));
    segment.bytes = static_cast<std::uint64_t>(select->Int(6));
    segment.merged_from = SplitIds(select->Text(7));
    if (select->Int(3) < 0 || select->Int(4) < 0 || select->Int(4) > last_page) {
      return Status(StatusCode::kCorruption,
                    db.path() +
                        ": the index has pages that the crawl does not have; `crawler index "
                        "--rebuild` makes it again");
    }
  }
}

Result<std::vector<std::uint32_t>> RemovedPages(Database& db) {
  std::vector<std::uint32_t> pages;
  const Result<std::int64_t> known =
      db.QueryInt("SELECT count(*) FROM sqlite_master WHERE name = 'removed_pages'");
  if (!known.ok()) return known.status();
  if (*known == 0) return pages;
  Status status = ForEachRow(
      db, "SELECT page_id FROM removed_pages ORDER BY page_id",
      [&pages](Statement& row) { pages.push_back(static_cast<std::uint32_t>(row.Int(0))); });
  if (!status.ok()) return status;
  return pages;
}

Status VisitPageRecords(Database& db, std::int64_t segment,
                        const std::function<void(const PageRecord&)>& take) {
  Result<Statement> select = db.Prepare("SELECT page_data FROM index_segments WHERE id = ?");
  if (!select.ok()) return select.status();
  const Result<bool> row = select->Bind(1, segment).Step();
  if (!row.ok()) return row.status();
  if (!*row) return Status::Ok();
  VarintReader reader(select->Blob(0));
  PageRecord record;
  while (!reader.AtEnd()) {
    const std::uint32_t last = record.page;
    ReadPageRecord(reader, &record);
    if (!reader.ok() || record.page <= last) {
      return Status(StatusCode::kCorruption,
                    db.path() + ": the pages of an index segment cannot be read");
    }
    take(record);
  }
  return Status::Ok();
}

Result<std::string> IndexState(Database& db, std::string_view key) {
  return db.QueryText("SELECT value FROM crawl_state WHERE key = ?", key);
}

Status PutIndexState(Database& db, std::string_view key, std::string_view value) {
  Result<Statement> put = db.Prepare("INSERT OR REPLACE INTO crawl_state VALUES(?,?)");
  if (!put.ok()) return put.status();
  return put->Bind(1, key).Bind(2, value).Run();
}

Status BumpGeneration(Database& db) { return db.Execute(std::string(kBumpGeneration)); }

Status DropPostings(Database& db) {
  Status status = db.Execute(
      "DELETE FROM index_segments; DELETE FROM postings; DELETE FROM removed_pages;"
      "DELETE FROM crawl_state WHERE key LIKE 'index.%' AND key <> 'index.generation'");
  return status.ok() ? BumpGeneration(db) : status;
}

Result<SegmentWriter> SegmentWriter::Open(Database& db) {
  SegmentWriter writer(db);
  Status status = PrepareAll(
      db, {{&writer.create_, "INSERT INTO index_segments VALUES(NULL,?,?,?,?,?,?,?,?,0)"},
           {&writer.finish_,
            "UPDATE index_segments SET state = ?2, bytes = ?3, largest = ?4 WHERE id = ?1"},
           {&writer.measure_,
            "SELECT sum(bytes), max(bytes) FROM (SELECT length(CAST(term AS BLOB)) + length(docs) +"
            " coalesce(length(positions), 0) + coalesce(length(words), 0) AS bytes FROM postings"
            " WHERE segment = ?)"},
           {&writer.add_term_, "INSERT INTO postings VALUES(?,?,?,?,?,?,?)"},
           {&writer.set_state_, "UPDATE index_segments SET state = ? WHERE id = ?"},
           {&writer.remove_postings_, "DELETE FROM postings WHERE segment = ?"},
           {&writer.remove_, "DELETE FROM index_segments WHERE id = ?"}});
  if (!status.ok()) return status;
  return writer;
}

Result<std::int64_t> SegmentWriter::Create(const Segment& segment, std::string_view page_data) {
  const std::string merged_from = JoinIds(segment.merged_from);
  Status status = create_.Bind(1, static_cast<std::int64_t>(segment.kind))
                      .Bind(2, static_cast<std::int64_t>(segment.state))
                      .Bind(3, std::int64_t{segment.first_page})
                      .Bind(4, std::int64_t{segment.last_page})
                      .Bind(5, std::int64_t{segment.pages})
                      .Bind(6, static_cast<std::int64_t>(segment.bytes))
                      .BindTextOrNull(7, merged_from)
                      .BindBlob(8, page_data)
                      .Run();
  if (!status.ok()) return status;
  return db_->last_insert_id();
}

Status SegmentWriter::Finish(const Segment& segment) {
  return finish_.Bind(1, segment.id)
      .Bind(2, static_cast<std::int64_t>(segment.state))
      .Bind(3, static_cast<std::int64_t>(segment.bytes))
      .Bind(4, static_cast<std::int64_t>(segment.largest))
      .Run();
}

Status SegmentWriter::Measure(Segment* segment) {
  const Result<bool> row = measure_.Bind(1, segment->id).Step();
  if (!row.ok()) return row.status();
  segment->bytes = *row ? static_cast<std::uint64_t>(measure_.Int(0)) : 0;
  segment->largest = *row ? static_cast<std::uint64_t>(measure_.Int(1)) : 0;
  measure_.Reset();
  return Status::Ok();
}

Status SegmentWriter::AddTerm(Segment* segment, std::string_view term, std::uint32_t document_freq,
                              std::string_view shown, std::string_view docs,
                              std::string_view positions, std::string_view words) {
  const std::uint64_t bytes = term.size() + docs.size() + positions.size() + words.size();
  segment->bytes += bytes;
  segment->largest = std::max(segment->largest, bytes);
  add_term_.Bind(1, segment->id).Bind(2, term).Bind(3, std::int64_t{document_freq});
  // Null saves room where it is the term. No word at all is something else: the stem would be
  // shorter than the words that other segments have for it.
  if (shown == term) {
    add_term_.BindNull(4);
  } else {
    add_term_.Bind(4, shown);
  }
  if (words.empty()) {
    add_term_.BindNull(7);
  } else {
    add_term_.BindBlob(7, words);
  }
  return add_term_.BindBlob(5, docs).BindBlob(6, positions).Run();
}

Status SegmentWriter::SetState(std::int64_t segment, SegmentState state) {
  return set_state_.Bind(1, static_cast<std::int64_t>(state)).Bind(2, segment).Run();
}

Status SegmentWriter::Remove(std::int64_t segment) {
  Status status = remove_postings_.Bind(1, segment).Run();
  if (status.ok()) status = remove_.Bind(1, segment).Run();
  return status;
}

}  // namespace crawler
