#include <algorithm>
#include <cmath>
#include <map>

#include "base/ascii.hpp"
#include "index/postings.hpp"
#include "index/segments.hpp"
#include "index/term_words.hpp"
#include "index/visit_rows.hpp"
#include "index/weights.hpp"

namespace crawler {
namespace {

/// The words of pages that index_terms.shown does not have: of each term only one stands there.
/// For spelling and completion; folders of older versions are without it.
constexpr const char* kMakeWordTable =
    "CREATE TABLE IF NOT EXISTS index_words("
    "word TEXT PRIMARY KEY, document_freq INTEGER NOT NULL) WITHOUT ROWID";
/// A word of one page alone is as likely a mistake.
constexpr std::uint32_t kLeastWordPages = 2;

/// The terms of all text segments, ascending, each with its postings in all of them.
class TermScan {
 public:
  static Result<TermScan> Open(Database& db) {
    Result<std::vector<Segment>> segments = ListSegments(db, SegmentKind::kText);
    if (!segments.ok()) return segments.status();
    TermScan scan(db);
    for (const Segment& segment : *segments) {
      if (segment.state != SegmentState::kReady) continue;
      Cursor& cursor = scan.cursors_.emplace_back();
      Status status =
          PrepareAll(db, {{&cursor.select,
                           "SELECT term, document_freq, shown, docs, words FROM postings"
                           " WHERE segment = ? ORDER BY term"}});
      if (!status.ok()) return status;
      cursor.select.Bind(1, segment.id);
      if (status = Step(cursor); !status.ok()) return status;
      scan.last_page_ = std::max(scan.last_page_, segment.last_page);
    }
    return scan;
  }

  std::uint32_t last_page() const { return last_page_; }

  // False at the end.
  Result<bool> Next() {
    for (Cursor* const cursor : same_) {
      if (Status status = Step(*cursor); !status.ok()) return status;
    }
    same_.clear();
    for (Cursor& cursor : cursors_) {
      if (cursor.at_end) continue;
      const int order =
          same_.empty() ? 0 : cursor.select.Text(0).compare(same_.front()->select.Text(0));
      if (order < 0) same_.clear();
      if (order <= 0) same_.push_back(&cursor);
    }
    if (same_.empty()) return false;
    shown_ = {};
    for (Cursor* const cursor : same_) {
      const Statement& row = cursor->select;
      const std::string_view shown = row.IsNull(2) ? row.Text(0) : row.Text(2);
      if (ShownBefore(shown, shown_)) shown_ = shown;
    }
    if (shown_.empty()) shown_ = term();
    return true;
  }

  std::string_view term() const { return same_.front()->select.Text(0); }
  std::string_view shown() const { return shown_; }

  // Calls `take` with every word that stands for the term in a page but shown(), and in how many
  // pages it does.
  template <typename Take>
  void VisitWords(Take take) const {
    std::map<std::string_view, std::uint32_t> pages;
    for (const Cursor* const cursor : same_) {
      const Statement& row = cursor->select;
      const std::string_view shown = row.IsNull(2) ? row.Text(0) : row.Text(2);
      const auto postings = static_cast<std::uint32_t>(row.Int(1));
      if (row.IsNull(4)) {
        pages[shown] += postings;
        continue;
      }
      TermWordsReader words(row.Blob(4), shown);
      for (std::uint32_t i = 0; i < postings; ++i) ++pages[words.Next()];
    }
    for (const auto& [word, count] : pages) {
      if (!word.empty() && word != shown_) take(word, count);
    }
  }

  // Calls `take` with each page of the term. They are decoded anew each time, rather than held:
  // some terms are in all pages.
  template <typename Take>
  Status Visit(Take take) const {
    for (const Cursor* const cursor : same_) {
      const Statement& row = cursor->select;
      PostingsReader reader(row.Blob(3), static_cast<std::uint32_t>(row.Int(1)));
      for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
        if (block.back().page > last_page_) return Damaged();
        for (const Posting& posting : block) take(posting);
      }
      if (!reader.ok()) return Damaged();
    }
    return Status::Ok();
  }

 private:
  struct Cursor {
    Statement select;
    bool at_end = false;
  };

  explicit TermScan(Database& db) : db_(&db) {}

  Status Damaged() const {
    return Status(StatusCode::kCorruption, db_->path() + ": postings of the index cannot be read");
  }

  static Status Step(Cursor& cursor) {
    const Result<bool> row = cursor.select.Step();
    if (!row.ok()) return row.status();
    cursor.at_end = !*row;
    return Status::Ok();
  }

  Database* db_;
  std::vector<Cursor> cursors_;
  std::vector<Cursor*> same_;
  std::string_view shown_;
  std::uint32_t last_page_ = 0;
};

/// The values of a page once its terms are weighed.
struct PageSums {
  double square = 0;  ///< Of the norm.
  double title = 0;   ///< Squares of the idf of its title's words.
};

Status WriteScan(Database& db, std::uint64_t pages, const std::function<bool()>& stop,
                 std::vector<PageSums>* sums, std::uint64_t* terms) {
  Result<TermScan> scan = TermScan::Open(db);
  if (!scan.ok()) return scan.status();
  sums->assign(scan->last_page() + std::size_t{1}, {});
  Statement insert;
  Statement insert_word;
  Status status =
      PrepareAll(db, {{&insert, "INSERT INTO index_terms VALUES(?,?,?,?,?)"},
                      {&insert_word, "INSERT OR REPLACE INTO index_words VALUES(?,?)"}});
  if (!status.ok()) return status;
  *terms = 0;
  for (std::uint64_t count = 0;; ++count) {
    const Result<bool> next = scan->Next();
    if (!next.ok()) return next.status();
    if (!*next) return Status::Ok();
    if (count % 16384 == 0) {
      if (status = Stopped(stop); !status.ok()) return status;
    }
    // A word that stands only in URLs and navigation is no term of a page.
    std::uint64_t document_freq = 0;
    // Neither the number of a chapter nor a stop word says what a page is about. No body is indexed
    // by stop words, so how rare they are is not known.
    bool says_nothing = IsDigit(scan->term().front());
    bool in_bodies = false;
    status = scan->Visit([&](const Posting& posting) {
      document_freq += TermFrequency(posting.counts) > 0 ? 1u : 0u;
      in_bodies = in_bodies || posting.counts[Ordinal(Field::kBody)] > 0;
    });
    if (!status.ok()) return status;
    if (document_freq == 0) continue;
    says_nothing = says_nothing || !in_bodies;
    const double idf = InverseDocumentFrequency(pages, document_freq);
    status = scan->Visit([&](const Posting& posting) {
      const double weight = TermFrequency(posting.counts) * idf;
      PageSums& page = (*sums)[posting.page];
      page.square += weight * weight;
      if (posting.counts[Ordinal(Field::kTitle)] > 0 && !says_nothing) page.title += idf * idf;
    });
    if (!status.ok()) return status;
    status = insert.Bind(1, static_cast<std::int64_t>(++*terms))
                 .Bind(2, scan->term())
                 .Bind(3, static_cast<std::int64_t>(document_freq))
                 .Bind(4, idf)
                 .Bind(5, scan->shown())
                 .Run();
    if (!status.ok()) return status;
    scan->VisitWords([&](std::string_view word, std::uint32_t pages_with) {
      if (pages_with < kLeastWordPages || !status.ok()) return;
      status = insert_word.Bind(1, word).Bind(2, std::int64_t{pages_with}).Run();
    });
    if (!status.ok()) return status;
  }
}

Status WriteSums(Database& db, const std::vector<PageSums>& sums) {
  Statement put;
  Status status =
      PrepareAll(db, {{&put,
                       "INSERT INTO page_weights(page_id, norm, title_weight) VALUES(?1, ?2, ?3)"
                       " ON CONFLICT(page_id) DO UPDATE SET norm = ?2, title_weight = ?3"}});
  // Where the terms of a page are in all pages they weigh nothing any more.
  if (status.ok()) status = db.Execute("UPDATE page_weights SET norm = NULL, title_weight = NULL");
  for (std::size_t page = 0; page < sums.size() && status.ok(); ++page) {
    if (sums[page].square == 0) continue;
    status = put.Bind(1, static_cast<std::int64_t>(page))
                 .Bind(2, std::sqrt(sums[page].square))
                 .Bind(3, sums[page].title)
                 .Run();
  }
  return status;
}

}  // namespace

double InverseDocumentFrequency(std::uint64_t pages, std::uint64_t document_freq) {
  return std::log(static_cast<double>(pages) / static_cast<double>(document_freq));
}

Result<std::uint64_t> IndexedPages(Database& db) {
  const Result<std::int64_t> pages =
      db.QueryInt("SELECT sum(pages) FROM index_segments WHERE kind = 0 AND state = 0");
  if (!pages.ok()) return pages.status();
  return static_cast<std::uint64_t>(*pages);
}

Result<std::vector<IndexLanguage>> IndexLanguages(Database& db) {
  Result<std::vector<Segment>> segments = ListSegments(db, SegmentKind::kText);
  if (!segments.ok()) return segments.status();
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const Segment& segment : *segments) {
    if (segment.state != SegmentState::kReady) continue;
    Status status = VisitPageRecords(db, segment.id,
                                     [&](const PageRecord& record) { ++counts[record.language]; });
    if (!status.ok()) return status;
  }
  std::vector<IndexLanguage> languages;
  languages.reserve(counts.size());
  for (const auto& [packed, pages] : counts) languages.push_back({UnpackLanguage(packed), pages});
  std::stable_sort(
      languages.begin(), languages.end(),
      [](const IndexLanguage& a, const IndexLanguage& b) { return a.pages > b.pages; });
  return languages;
}

Status WriteTerms(Database& db, const std::function<bool()>& stop, std::uint64_t* terms) {
  const Result<std::uint64_t> pages = IndexedPages(db);
  if (!pages.ok()) return pages.status();
  Status status = db.Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  status = db.Execute(kMakeWordTable);
  if (status.ok()) status = db.Execute("DELETE FROM index_terms; DELETE FROM index_words");
  std::vector<PageSums> sums;
  if (status.ok()) status = WriteScan(db, *pages, stop, &sums, terms);
  if (status.ok()) status = WriteSums(db, sums);
  if (status.ok()) status = BumpGeneration(db);
  return CommitOrRollBack(db, status);
}

}  // namespace crawler
