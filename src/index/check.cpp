#include "index/check.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "index/indexing.hpp"
#include "index/page_text.hpp"
#include "index/postings.hpp"
#include "index/segments.hpp"
#include "index/visit_rows.hpp"

namespace crawler {
namespace {

/// Bytes of an example: damage may be of any size.
constexpr std::size_t kMaxExample = 100;

/// A kind of damage, and how often it was met.
class Finding {
 public:
  explicit Finding(std::string_view what) : what_(what) {}

  bool empty() const { return count_ == 0; }
  void Add(std::int64_t example) { Add(std::to_string(example)); }
  void Add(std::string example) {
    if (count_++ > 0) return;
    if (example.size() > kMaxExample) example.resize(kMaxExample);
    example_ = std::move(example);
  }
  void Report(const std::function<void(std::string)>& problem) const {
    if (count_ == 0) return;
    problem("the index has " + std::string(what_) + ": " + std::to_string(count_) +
            ", the first is " + example_ + "; `crawler index --rebuild` makes it again");
  }

 private:
  std::string_view what_;
  std::uint64_t count_ = 0;
  std::string example_;
};

/// Pages by number.
class PageSet {
 public:
  void Resize(std::uint32_t last) {
    bits_.resize(std::max<std::size_t>(bits_.size(), last + std::size_t{1}));
  }
  bool Has(std::uint64_t page) const { return page < bits_.size() && bits_[page]; }
  void Set(std::uint32_t page, bool value) { bits_[page] = value; }
  std::size_t size() const { return bits_.size(); }

 private:
  std::vector<bool> bits_;
};

/// A row of postings as it was read.
struct PostingsRow {
  std::string_view docs, positions;
  std::int64_t document_freq;
};

class IndexCheck {
 public:
  explicit IndexCheck(Database& db) : db_(db) {}

  Status Run(const std::function<void(std::string)>& problem) {
    const Result<IndexDone> done = WhatIsDone(db_);
    if (!done.ok()) return done.status();
    done_ = *done;
    const Result<std::int64_t> words =
        db_.QueryInt("SELECT count(*) FROM pragma_table_info('postings') WHERE name = 'words'");
    if (!words.ok()) return words.status();
    has_words_ = *words > 0;
    for (const auto step : {&IndexCheck::Segments, &IndexCheck::Strays, &IndexCheck::Texts,
                            &IndexCheck::Untold, &IndexCheck::Terms, &IndexCheck::Weights}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    for (const Finding* finding : {&segments_, &postings_, &lost_, &strays_, &texts_, &left_out_,
                                   &untold_, &terms_, &frequencies_, &weights_}) {
      finding->Report(problem);
    }
    return Status::Ok();
  }

 private:
  Status Segments() {
    for (const SegmentKind kind : {SegmentKind::kText, SegmentKind::kAnchor}) {
      const Result<std::vector<Segment>> segments = ListSegments(db_, kind);
      // Ranges that no page has. Nothing made for them could be held.
      if (segments.status().code() == StatusCode::kCorruption) {
        segments_.Add("one of pages that the crawl does not have");
        readable_ = false;
        continue;
      }
      if (!segments.ok()) return segments.status();
      for (const Segment& segment : *segments) {
        if (kind == SegmentKind::kText) watermark_ = std::max(watermark_, segment.last_page);
        if (segment.state != SegmentState::kReady) continue;
        if (Status status = OneSegment(segment); !status.ok()) return status;
      }
    }
    return Status::Ok();
  }

  Status OneSegment(const Segment& segment) {
    PageSet pages;
    Result<bool> read = Pages(segment, &pages);
    if (!read.ok()) return read.status();
    if (!*read) {
      segments_.Add(segment.id);
      readable_ = false;
      return Status::Ok();
    }
    return Postings(segment, pages);
  }

  // Its page records; false if they are not what its row says.
  Result<bool> Pages(const Segment& segment, PageSet* pages) {
    pages->Resize(segment.last_page);
    const bool text = segment.kind == SegmentKind::kText;
    if (text) indexed_.Resize(segment.last_page);
    bool within = true;
    std::uint64_t count = 0;
    Status status = VisitPageRecords(db_, segment.id, [&](const PageRecord& record) {
      ++count;
      within &= record.page >= segment.first_page && record.page <= segment.last_page &&
                !(text && indexed_.Has(record.page));
      if (!within) return;
      pages->Set(record.page, true);
      if (text) indexed_.Set(record.page, true);
    });
    if (status.code() == StatusCode::kCorruption) return false;
    if (!status.ok()) return status;
    return within && count == segment.pages;
  }

  Status Postings(const Segment& segment, const PageSet& pages) {
    Result<Statement> select = db_.Prepare(
        "SELECT p.term, p.document_freq, p.docs, p.positions,"
        " EXISTS (SELECT 1 FROM index_terms t WHERE t.term = p.term), " +
        std::string(has_words_ ? "length(p.words)" : "0") +
        " FROM postings p WHERE p.segment = ? ORDER BY p.term");
    if (!select.ok()) return select.status();
    select->Bind(1, segment.id);
    const bool text = segment.kind == SegmentKind::kText;
    std::uint64_t bytes = 0;
    Status status = VisitRows(*select, {}, [&] {
      const std::string_view term = select->Text(0);
      const PostingsRow row{select->Blob(2), select->Blob(3), select->Int(1)};
      bytes += term.size() + row.docs.size() + row.positions.size() +
               static_cast<std::uint64_t>(select->Int(5));
      std::uint64_t with_term = 0;
      if (row.document_freq < 1 || row.document_freq > std::int64_t{segment.pages} ||
          !IsReadable(row, text, pages, &with_term)) {
        postings_.Add("in segment " + std::to_string(segment.id) + " that of " + std::string(term));
        readable_ = false;
      }
      if (!text || with_term == 0) return Status::Ok();
      frequency_ += with_term;
      if (done_.terms && select->Int(4) == 0) terms_.Add(std::string(term));
      return Status::Ok();
    });
    if (!status.ok()) return status;
    const Result<bool> counted = IsCounted(segment.id);
    if (!counted.ok()) return counted.status();
    if (*counted ? bytes < segment.bytes : bytes == 0 && segment.bytes > 0) {
      lost_.Add(segment.id);
      readable_ = false;
    }
    return Status::Ok();
  }

  // Whether all of it can be read and is of `pages`. `*with_term`: how many have the term in title,
  // headings or body.
  static bool IsReadable(const PostingsRow& row, bool text, const PageSet& pages,
                         std::uint64_t* with_term) {
    PostingsReader reader(row.docs, static_cast<std::uint32_t>(row.document_freq));
    reader.SetPositions(row.positions);
    std::int64_t count = 0;
    std::size_t position_bytes = 0;
    for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
      for (std::size_t i = 0; i < block.size(); ++i, ++count) {
        if (!pages.Has(block[i].page)) return false;
        const std::uint64_t total = block[i].Total();
        if (TermFrequency(block[i].counts) > 0) ++*with_term;
        if (!text) continue;  // The words of links have no places.
        const std::string_view bytes = reader.PositionBytes(i);
        VarintReader positions(bytes);
        positions.Skip(total);
        if (total == 0 || !positions.ok()) return false;
        position_bytes += bytes.size();
      }
    }
    return reader.ok() && count == row.document_freq && position_bytes == row.positions.size();
  }

  // Whether the bytes of a segment are known: older versions, which did not say what is largest,
  // did not always count them all.
  Result<bool> IsCounted(std::int64_t segment) {
    if (!has_words_) return false;
    const Result<std::int64_t> largest = db_.QueryInt(
        "SELECT largest FROM index_segments WHERE id = " + std::to_string(segment), -1);
    if (!largest.ok()) return largest.status();
    return *largest >= 0;
  }

  Status Strays() {
    return ForEach(
        "SELECT DISTINCT segment FROM postings"
        " WHERE segment NOT IN (SELECT id FROM index_segments) ORDER BY segment",
        [this](const Statement& row) { strays_.Add(row.Int(0)); });
  }

  // A text may be behind all segments while its postings are in memory, or were.
  Status Texts() {
    std::string text;
    return ForEach("SELECT page_id, text FROM page_text ORDER BY page_id",
                   [&](const Statement& row) {
                     const std::int64_t page = row.Int(0);
                     if (!DecompressText(row.Blob(1), &text).ok()) AddPage(page, &texts_);
                     if (indexed_.Has(static_cast<std::uint64_t>(page))) {
                       indexed_.Set(static_cast<std::uint32_t>(page), false);
                     } else if (done_.pages || page <= std::int64_t{watermark_}) {
                       AddPage(page, &left_out_);
                     }
                   });
  }

  // Pages of segments that have no text; those that were removed stay until segments are merged.
  Status Untold() {
    const Result<std::vector<std::uint32_t>> removed = RemovedPages(db_);
    if (!removed.ok()) return removed.status();
    for (std::uint32_t page = 0; page < indexed_.size(); ++page) {
      if (!indexed_.Has(page)) continue;
      if (!std::binary_search(removed->begin(), removed->end(), page)) AddPage(page, &untold_);
    }
    return Status::Ok();
  }

  // Whether the frequencies together are those of the postings, if these could be read.
  Status Terms() {
    if (!done_.terms || !readable_) return Status::Ok();
    const Result<std::int64_t> sum = db_.QueryInt("SELECT sum(document_freq) FROM index_terms");
    if (!sum.ok()) return sum.status();
    if (static_cast<std::uint64_t>(*sum) != frequency_) {
      frequencies_.Add(std::to_string(*sum) + " in place of " + std::to_string(frequency_));
    }
    return Status::Ok();
  }

  Status Weights() {
    if (!done_.ranks) return Status::Ok();
    return ForEach(
        "SELECT id FROM pages p WHERE NOT EXISTS (SELECT 1 FROM page_weights w"
        " WHERE w.page_id = p.id AND w.static_rank IS NOT NULL) ORDER BY id",
        [this](const Statement& row) { AddPage(row.Int(0), &weights_); });
  }

  template <typename Take>
  Status ForEach(std::string_view sql, Take take) {
    Result<Statement> select = db_.Prepare(sql);
    if (!select.ok()) return select.status();
    return VisitRows(*select, {}, [&] {
      take(*select);
      return Status::Ok();
    });
  }

  // Of the pages that are found only the first is named.
  void AddPage(std::int64_t page, Finding* finding) {
    std::string name = "page " + std::to_string(page);
    if (finding->empty()) {
      const Status status = ForEachRow(
          db_, "SELECT url FROM pages WHERE id = ?",
          [&name](Statement& row) { name = row.Text(0); }, page);
      if (!status.ok()) name += " (" + status.message() + ")";
    }
    finding->Add(std::move(name));
  }

  Database& db_;
  IndexDone done_;
  bool has_words_ = false;       // postings.words, and `largest` of segments: since version 5.
  PageSet indexed_;              // In ready text segments; in the end those without text.
  std::uint32_t watermark_ = 0;  // The last page that any text segment is for.
  std::uint64_t frequency_ = 0;  // Of all terms together.
  bool readable_ = true;         // All segments and postings were.

  Finding segments_{"segments that contradict their pages"};
  Finding postings_{"postings that cannot be read"};
  Finding lost_{"segments that have lost postings"};
  Finding strays_{"postings of segments that are not there"};
  Finding texts_{"texts of pages that cannot be read"};
  Finding left_out_{"pages with a text that are in no segment"};
  Finding untold_{"pages in segments that have no text"};
  Finding terms_{"terms that index_terms does not have"};
  Finding frequencies_{"frequencies in index_terms that are not those of the postings"};
  Finding weights_{"pages without a row in page_weights"};
};

}  // namespace

Status CheckIndex(Database& db, const std::function<void(std::string)>& problem) {
  return IndexCheck(db).Run(problem);
}

}  // namespace crawler
