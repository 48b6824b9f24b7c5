// DiffFolders(): the pages of two crawls side by side, in the order of their URLs.
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "inspect/inspect.hpp"
#include "inspect/page_pairs.hpp"
#include "inspect/read_snapshot.hpp"
#include "store/catalogue.hpp"

namespace crawler {
namespace {

/// Pages that are looked at for moves, new and gone ones each: a bound of memory.
constexpr std::size_t kMostMoves = 100'000;

/// Pages that have the same content at another URL now, each with one.
class Moves {
 public:
  void Add(const PageVersion* before, const PageVersion* after) {
    if ((before == nullptr) == (after == nullptr)) return;
    const PageVersion& page = before != nullptr ? *before : *after;
    auto& pages = before != nullptr ? gone_ : new_;
    if (page.size == 0 || page.truncated || pages.size() >= kMostMoves) return;
    pages.emplace(page.hash, page.url);
  }

  /// The URL that a new page was at before; empty if it has not moved.
  std::string_view From(const PageVersion& page) const { return Other(page, new_, gone_); }
  bool HasMoved(const PageVersion& gone) const { return !Other(gone, gone_, new_).empty(); }

 private:
  using Urls = std::unordered_map<std::string, std::string>;  // By content.
  static std::string_view Other(const PageVersion& page, const Urls& own, const Urls& others) {
    const auto mine = own.find(page.hash);
    if (mine == own.end() || mine->second != page.url) return {};
    const auto other = others.find(page.hash);
    return other == others.end() ? std::string_view() : other->second;
  }
  Urls gone_, new_;
};

/// Whether the later crawl has found out that a page is gone. It has not if it did not come to the
/// URL, or got no answer that lasts. URLs are asked for in their order.
class Absences {
 public:
  Status Begin(Database& db) {
    const Result<std::string> state = ReadState(db, "status");
    if (!state.ok()) return state.status();
    // A crawl that has finished did not come to a URL because nothing leads there any more.
    finished_ = *state == "finished";
    const Result<Round> round = ReadRound(db);
    if (!round.ok()) return round.status();
    Result<Statement> visits = db.Prepare(
        "SELECT u.url, v.outcome IN ('failed', 'throttled', 'given up', 'lost', 'cancelled')"
        " OR v.status_code = 429 OR v.status_code >= 500"
        " FROM visits v CROSS JOIN urls u ON u.id = v.url_id"
        " WHERE v.final AND v.id > ? ORDER BY u.url");
    if (!visits.ok()) return visits.status();
    visits_ = std::move(visits).value();
    visits_.Bind(1, round->last_visit);
    return Next();
  }

  Result<bool> IsGone(std::string_view url) {
    while (there_ && url_ < url) {
      if (Status status = Next(); !status.ok()) return status;
    }
    const bool visited = there_ && url_ == url;
    return visited ? !failed_ : finished_;
  }

 private:
  Status Next() {
    const Result<bool> row = visits_.Step();
    if (!row.ok()) return row.status();
    there_ = *row;
    if (!there_) return Status::Ok();
    url_ = visits_.Text(0);
    failed_ = visits_.Int(1) != 0;
    return Status::Ok();
  }

  Statement visits_;
  bool finished_ = false, there_ = false, failed_ = false;
  std::string url_;
};

Result<std::string_view> ChangeOf(const PageVersion* before, const PageVersion* after,
                                  const Moves& moves, Absences* absences) {
  if (before == nullptr) return std::string_view(moves.From(*after).empty() ? "new" : "moved");
  if (after != nullptr) return std::string_view(HasChanged(*before, *after) ? "changed" : "");
  if (moves.HasMoved(*before)) return std::string_view();
  const Result<bool> gone = absences->IsGone(before->url);
  if (!gone.ok()) return gone.status();
  return std::string_view(*gone ? "gone" : "not reached");
}

Cell TextCell(std::string_view text) {
  Cell cell;
  if (text.empty()) return cell;
  cell.kind = Cell::Kind::kText;
  cell.text = text;
  return cell;
}

Cell NumberCell(const PageVersion* page, std::int64_t PageVersion::*number) {
  Cell cell;
  if (page == nullptr) return cell;
  cell.kind = Cell::Kind::kInteger;
  cell.integer = page->*number;
  return cell;
}

Status WriteDiff(Database& before, Database& after, const RowSink& sink, std::uint64_t* rows) {
  const auto stopped = [] { return Status(StatusCode::kCancelled, "stopped"); };
  Moves moves;
  Status status = ForEachPagePair(before, after, "", [&](const auto* a, const auto* b) {
    moves.Add(a, b);
    return Status::Ok();
  });
  if (!status.ok()) return status;
  const std::array<std::string, 8> columns = {"change",        "url",          "moved_from",
                                              "status_before", "status_after", "size_before",
                                              "size_after",    "title"};
  Absences absences;
  if (status = absences.Begin(after); !status.ok()) return status;
  if (!sink.columns(columns)) return stopped();
  return ForEachPagePair(before, after, "", [&](const PageVersion* a, const PageVersion* b) {
    const Result<std::string_view> found = ChangeOf(a, b, moves, &absences);
    if (!found.ok()) return found.status();
    const std::string_view change = *found;
    if (change.empty()) return Status::Ok();
    const PageVersion& page = b != nullptr ? *b : *a;
    const std::array<Cell, 8> row = {TextCell(change),
                                     TextCell(page.url),
                                     TextCell(a == nullptr ? moves.From(*b) : std::string_view()),
                                     NumberCell(a, &PageVersion::status),
                                     NumberCell(b, &PageVersion::status),
                                     NumberCell(a, &PageVersion::size),
                                     NumberCell(b, &PageVersion::size),
                                     TextCell(page.title)};
    if (!sink.row(row)) return stopped();
    ++*rows;
    return Status::Ok();
  });
}

}  // namespace

ReadOutcome DiffFolders(const std::string& before, const std::string& after, const RowSink& sink,
                        const ReadLimits& limits) {
  Result<CatalogueSnapshot> old_pages = CatalogueSnapshot::Open(before, limits);
  if (!old_pages.ok()) return FailedToRead(old_pages.status());
  Result<CatalogueSnapshot> new_pages = CatalogueSnapshot::Open(after, limits);
  if (!new_pages.ok()) return FailedToRead(new_pages.status());
  std::uint64_t rows = 0;
  Status status = WriteDiff(old_pages->db(), new_pages->db(), sink, &rows);
  const ReadOutcome outcome = old_pages->Outcome(status, rows);
  return outcome.kind == ReadOutcome::Kind::kTimeout ? outcome : new_pages->Outcome(status, rows);
}

}  // namespace crawler
