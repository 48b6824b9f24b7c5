#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/status.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace crawler {

/// A prepared SQL statement. Parameters are numbered from 1, columns from 0.
/// Ownership: owned by the caller of Prepare(); must not outlive its Database.
/// Lifetime: bound values are not copied and must live until the statement is run or reset; views
/// of columns are valid until the next Step(), Run() or Reset().
/// Threads: as its Database.
class Statement {
 public:
  Statement() = default;
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) noexcept = default;

  Statement& Bind(int parameter, std::int64_t value);
  Statement& Bind(int parameter, double value);
  Statement& Bind(int parameter, std::string_view text);
  Statement& BindBlob(int parameter, std::string_view bytes);
  Statement& BindNull(int parameter);
  /// Binds null for an empty text: missing values are stored as null.
  Statement& BindTextOrNull(int parameter, std::string_view text);
  /// Binds null for 0.
  Statement& BindIdOrNull(int parameter, std::int64_t id);

  /// Runs a statement that gives no rows, and makes it ready for the next run.
  Status Run();
  /// Moves to the next row. False after the last row; the statement is then ready for the next run.
  Result<bool> Step();
  void Reset();

  std::int64_t Int(int column) const;
  double Real(int column) const;
  std::string_view Text(int column) const;  ///< Empty for null.
  std::string_view Blob(int column) const;
  bool IsNull(int column) const;

  enum class Type : std::uint8_t { kNull, kInteger, kReal, kText, kBlob };
  Type TypeOf(int column) const;
  int ColumnCount() const;
  std::string_view ColumnName(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

/// An SQLite database file. Every failure is a Status whose message names the file:
/// kResourceExhausted when the disk is full, kOutOfMemory, kCorruption when the file is damaged or
/// not a database, kNotFound, kIoError, and kInternal for SQL that SQLite does not understand.
/// Threads: one at a time. Several threads may use one file, each through a connection of its own
/// (WAL).
class Database {
 public:
  enum class Mode : std::uint8_t {
    kCreate,    ///< Created if it is missing.
    kReadOnly,  ///< Must exist. The folder may be read-only.
  };
  static Result<Database> Open(const std::string& path, Mode mode);

  Result<Statement> Prepare(std::string_view sql);
  /// Prepares SQL of a user: one statement that gives rows. kInvalidArgument, saying why,
  /// otherwise.
  Result<Statement> PrepareQuery(const std::string& sql);
  /// Runs statements that give no rows, separated by semicolons.
  Status Execute(const std::string& sql);
  /// The first column of the first row; `otherwise` if there is no row or the value is null.
  Result<std::int64_t> QueryInt(std::string_view sql, std::int64_t otherwise = 0);

  /// The first column of the first row as text, for a query with one parameter; empty if no row.
  Result<std::string> QueryText(std::string_view sql, std::string_view parameter);

  /// From now on statements can only read: no ATTACH, no settings, no temporary tables. Statements
  /// that are refused give kInvalidArgument. Values longer than `max_value` bytes are an error.
  void AllowOnlyReading(int max_value);
  /// Asks `stop` every few thousand steps of a statement; once it is true the statement ends with
  /// kCancelled.
  void StopWhen(std::function<bool()> stop);
  /// Defines the SQL function `name` from bytes to text. Its failure is an error of the statement.
  using TextFunction = Status (*)(std::string_view bytes, std::string* text);
  Status DefineFunction(const std::string& name, TextFunction function);

  std::int64_t last_insert_id() const;
  /// Whether a transaction is open.
  bool in_transaction() const;
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  Database() = default;
  Status ReopenIfFolderIsReadOnly(int flags);
  Status Error(int code, std::string_view what) const;

  std::string path_;
  std::unique_ptr<std::function<bool()>> stop_;  // Its address is known to the handle.
  std::unique_ptr<sqlite3, Closer> handle_;
};

/// Calls `visit` with each remaining row of `statement`. `visit` takes a Statement& and returns
/// nothing, or a Status: one that is not ok ends the loop and is returned. Afterwards the statement
/// is ready for the next run.
template <typename Visit>
Status ForEachRow(Statement& statement, Visit visit) {
  while (true) {
    const Result<bool> row = statement.Step();
    if (!row.ok()) return row.status();
    if (!*row) return Status::Ok();
    if constexpr (std::is_void_v<std::invoke_result_t<Visit&, Statement&>>) {
      visit(statement);
    } else if (Status status = visit(statement); !status.ok()) {
      statement.Reset();
      return status;
    }
  }
}

/// ForEachRow() for a query whose parameters are `values`, in order.
template <typename Visit, typename... Values>
Status ForEachRow(Database& db, std::string_view sql, Visit visit, const Values&... values) {
  Result<Statement> statement = db.Prepare(sql);
  if (!statement.ok()) return statement.status();
  int parameter = 0;
  (statement->Bind(++parameter, values), ...);
  return ForEachRow(*statement, std::move(visit));
}

/// Ends a transaction: commits it if `status` is ok, else rolls it back. Returns the first error.
Status CommitOrRollBack(Database& db, Status status);

/// Brings `db` to the newest version of its schema: runs those of `steps` (SQL scripts, the oldest
/// first) that have not been run on it, all in one transaction. kInvalidArgument if a newer program
/// has written the database, which is then not changed.
Status Migrate(Database& db, std::span<const char* const> steps);

}  // namespace crawler
