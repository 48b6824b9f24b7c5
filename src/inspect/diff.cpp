// DiffFolders(): the pages of two crawls side by side, in the order of their URLs.
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "inspect/inspect.hpp"
#include "inspect/page_pairs.hpp"
#include "inspect/read_snapshot.hpp"

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

std::string_view ChangeOf(const PageVersion* before, const PageVersion* after, const Moves& moves) {
  if (before == nullptr) return moves.From(*after).empty() ? "new" : "moved";
  if (after == nullptr) return moves.HasMoved(*before) ? "" : "gone";
  return HasChanged(*before, *after) ? "changed" : "";
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
  if (!sink.columns(columns)) return stopped();
  return ForEachPagePair(before, after, "", [&](const PageVersion* a, const PageVersion* b) {
    const std::string_view change = ChangeOf(a, b, moves);
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
