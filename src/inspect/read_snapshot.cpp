#include "inspect/read_snapshot.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "index/page_text.hpp"
#include "inspect/read_folder.hpp"
#include "store/read_catalogue.hpp"

namespace crawler {
namespace {

Cell ToCell(const Statement& row, int column) {
  Cell cell;
  switch (row.TypeOf(column)) {
    case Statement::Type::kNull:
      break;
    case Statement::Type::kInteger:
      cell.kind = Cell::Kind::kInteger;
      cell.integer = row.Int(column);
      break;
    case Statement::Type::kReal:
      cell.kind = Cell::Kind::kReal;
      cell.real = row.Real(column);
      break;
    case Statement::Type::kText:
      cell.kind = Cell::Kind::kText;
      cell.text = row.Text(column);
      break;
    case Statement::Type::kBlob:
      cell.kind = Cell::Kind::kBytes;
      cell.text = row.Blob(column);
      break;
  }
  return cell;
}

}  // namespace

ReadOutcome::Kind KindOfFailure(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return ReadOutcome::Kind::kDone;
    case StatusCode::kInvalidArgument:
      return ReadOutcome::Kind::kBadRequest;
    case StatusCode::kNotFound:
      return ReadOutcome::Kind::kNotFound;
    case StatusCode::kNotReady:
      return ReadOutcome::Kind::kNotReady;
    case StatusCode::kBusy:
      return ReadOutcome::Kind::kBusy;
    case StatusCode::kOutOfMemory:
      return ReadOutcome::Kind::kNoMemory;
    case StatusCode::kCancelled:
      return ReadOutcome::Kind::kStopped;
    default:
      return ReadOutcome::Kind::kStorage;
  }
}

bool CatalogueSnapshot::Stop::Now() {
  if (limits.stopped && limits.stopped()) return true;
  if (limits.max_time.count() == 0) return false;
  timed_out = std::chrono::steady_clock::now() >= end;
  return timed_out;
}

Result<CatalogueSnapshot> CatalogueSnapshot::Open(const std::string& folder,
                                                  const ReadLimits& limits) {
  Result<Database> db = OpenForReading(folder);
  if (!db.ok()) return db.status();
  auto stop = std::make_unique<Stop>();
  stop->limits = limits;
  stop->end = std::chrono::steady_clock::now() + limits.max_time;
  db->StopWhen([asked = stop.get()] { return asked->Now(); });
  // URLs are looked up in no order: 32 MB instead of 2.
  Status status = db->Execute("PRAGMA cache_size = -32768");
  if (status.ok()) status = db->DefineFunction("unzip_text", &DecompressText);
  if (status.ok()) status = BeginReading(*db);
  if (!status.ok()) return status;
  return CatalogueSnapshot(std::move(db).value(), std::move(stop));
}

Status CatalogueSnapshot::ReadRows(Statement& statement, const RowSink& sink, std::uint64_t* rows) {
  const auto stopped = [] { return Status(StatusCode::kCancelled, "stopped"); };
  std::vector<std::string> columns;
  columns.reserve(static_cast<std::size_t>(statement.ColumnCount()));
  for (int i = 0; i < statement.ColumnCount(); ++i) columns.emplace_back(statement.ColumnName(i));
  if (!sink.columns(columns)) return stopped();
  std::vector<Cell> cells(columns.size());
  return ForEachRow(statement, [&](Statement& row) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = ToCell(row, static_cast<int>(i));
    if (stop_->Now() || !sink.row(cells)) return stopped();
    ++*rows;
    return Status::Ok();
  });
}

ReadOutcome CatalogueSnapshot::Outcome(const Status& status, std::uint64_t rows) const {
  ReadOutcome outcome;
  if (!status.ok()) outcome = FailedToRead(status);
  if (outcome.kind == ReadOutcome::Kind::kStopped && stop_->timed_out) {
    outcome.kind = ReadOutcome::Kind::kTimeout;
    outcome.error = "the time limit is over; more rows may follow";
  }
  outcome.rows = rows;
  return outcome;
}

ReadOutcome FailedToRead(const Status& status) {
  ReadOutcome outcome;
  // SQL of the user that fails while it runs.
  const bool bad_sql = status.code() == StatusCode::kInternal;
  outcome.kind = bad_sql ? ReadOutcome::Kind::kBadRequest : KindOfFailure(status);
  outcome.error = status.message();
  return outcome;
}

}  // namespace crawler
