#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/fields.hpp"
#include "index/varint.hpp"

namespace crawler {

/// The source of a segment's terms.
enum class SegmentKind : std::uint8_t {
  kText = 0,    ///< The pages themselves. Segments have disjoint ranges of pages.
  kAnchor = 1,  ///< Links to the pages. There is one that is ready, at most.
};

enum class SegmentState : std::uint8_t {
  kReady = 0,
  kMerging = 1,  ///< Being made of others, which are ready until it is.
  kDropped = 2,  ///< Replaced; its postings are on their way out.
  kPart = 3,     ///< Made to be merged; worth nothing if that is not under way.
};

/// Postings of a range of pages: a row of index_segments, and rows of postings.
struct Segment {
  std::int64_t id = 0;
  SegmentKind kind = SegmentKind::kText;
  SegmentState state = SegmentState::kReady;
  std::uint32_t first_page = 0;
  std::uint32_t last_page = 0;
  std::uint32_t pages = 0;
  std::uint64_t bytes = 0;    ///< Of its postings.
  std::uint64_t largest = 0;  ///< Bytes of the term with most. Not read by ListSegments().
  std::vector<std::int64_t> merged_from;
};

/// The values that a segment holds of each of its pages.
struct PageRecord {
  std::uint32_t page = 0;
  std::uint64_t language = 0;  ///< See PackLanguage().
  std::uint32_t date = 0;      ///< Seconds since 1970.
  FieldLengths lengths = {};   ///< In words; in anchor segments only the first counts.
};

/// Page records as varints, each page counted from the one before.
void AppendPageRecord(const PageRecord& record, std::uint32_t last_page, std::string* out);
/// `record` holds the one before.
void ReadPageRecord(VarintReader& reader, PageRecord* record);

/// The code of a language as a number: five bits a letter. Longer ones than twelve are cut.
std::uint64_t PackLanguage(std::string_view code);
std::string UnpackLanguage(std::uint64_t packed);

/// All segments of a kind in the order of their pages, in any state.
Result<std::vector<Segment>> ListSegments(Database& db, SegmentKind kind);
/// Pages that were removed and whose postings may still be in segments, ascending. None in a
/// catalogue of an older version.
Result<std::vector<std::uint32_t>> RemovedPages(Database& db);
/// Calls `take` with the page records of a segment, in the order of pages.
Status VisitPageRecords(Database& db, std::int64_t segment,
                        const std::function<void(const PageRecord&)>& take);

/// Prepares several statements.
Status PrepareAll(Database& db,
                  std::initializer_list<std::pair<Statement*, std::string_view>> statements);

/// Values of crawl_state that belong to the index. Empty if there is none.
Result<std::string> IndexState(Database& db, std::string_view key);
Status PutIndexState(Database& db, std::string_view key, std::string_view value);
/// Tells readers that what they hold of the index is out of date.
inline constexpr std::string_view kBumpGeneration =
    "INSERT OR REPLACE INTO crawl_state VALUES('index.generation', 1 + coalesce("
    "(SELECT CAST(value AS INTEGER) FROM crawl_state WHERE key = 'index.generation'), 0))";
Status BumpGeneration(Database& db);

/// Takes all postings out, and what says that something was made of them, so that the next indexing
/// phase makes all of it again of the texts that are stored. Within the caller's transaction.
Status DropPostings(Database& db);

/// Writes segments, within the caller's transaction.
class SegmentWriter {
 public:
  static Result<SegmentWriter> Open(Database& db);

  /// Makes a segment. What is not known yet may be 0.
  Result<std::int64_t> Create(const Segment& segment, std::string_view page_data);
  /// Writes state, bytes and the largest anew.
  Status Finish(const Segment& segment);
  /// Sets bytes and the largest to those of the postings that are written.
  Status Measure(Segment* segment);
  /// Terms should ascend, which is quickest. Adds to bytes and the largest. `shown` is empty if no
  /// page has a word for the term (it stands in URLs only), `words` (see TermWordsEncoder) if all
  /// pages have the same.
  Status AddTerm(Segment* segment, std::string_view term, std::uint32_t document_freq,
                 std::string_view shown, std::string_view docs, std::string_view positions,
                 std::string_view words);
  Status SetState(std::int64_t segment, SegmentState state);
  /// Removes a segment and its postings.
  Status Remove(std::int64_t segment);

 private:
  explicit SegmentWriter(Database& db) : db_(&db) {}

  Database* db_;
  Statement create_, finish_, measure_, add_term_, set_state_, remove_postings_, remove_;
};

}  // namespace crawler
