#pragma once

#include <cstdint>
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
/// Ownership: belongs to whoever prepared it; must not outlive its Database.
/// Lifetime: what is bound is not copied and must live until the statement is run or reset; views
/// of columns die with the next Step(), Run() or Reset().
/// Threads: those of its Database.
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
  /// Null for an empty text, which is how "there is none" is stored.
  Statement& BindTextOrNull(int parameter, std::string_view text);
  /// Null for 0.
  Statement& BindIdOrNull(int parameter, std::int64_t id);

  /// Runs a statement that gives no rows, and makes it ready for the next run.
  Status Run();
  /// The next row, if there is one. After the last one it is ready for the next run.
  Result<bool> Step();
  void Reset();

  std::int64_t Int(int column) const;
  double Real(int column) const;
  std::string_view Text(int column) const;  ///< Empty for null.
  std::string_view Blob(int column) const;
  bool IsNull(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

/// An SQLite database file. Everything that can go wrong is a Status whose message names the file:
/// kResourceExhausted when the disk is full, kCorruption when the file is damaged or is no
/// database, kNotFound, kIoError, and kInternal for SQL that SQLite does not understand.
/// Threads: one at a time. Several connections to one file, each with a thread of its own, are
/// what WAL is for.
class Database {
 public:
  enum class Mode : std::uint8_t {
    kCreate,    ///< Made if it is not there.
    kExisting,  ///< Must be there.
    kReadOnly,  ///< Must be there. The folder may be one that nobody may write to.
  };
  static Result<Database> Open(const std::string& path, Mode mode);

  Result<Statement> Prepare(std::string_view sql);
  /// Runs statements that give no rows, separated by semicolons.
  Status Execute(const std::string& sql);
  /// The first column of the first row; `otherwise` if there is none or it is null.
  Result<std::int64_t> QueryInt(std::string_view sql, std::int64_t otherwise = 0);

  /// The same as text, for a statement with one parameter; empty if there is none.
  Result<std::string> QueryText(std::string_view sql, std::string_view parameter);

  std::int64_t last_insert_id() const;
  /// Whether a BEGIN waits for its COMMIT.
  bool in_transaction() const;
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  Database() = default;
  Status OpenUnchanging(int flags);
  Status Error(int code, std::string_view what) const;

  std::string path_;
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

/// The same for a query whose parameters are `values`, in order.
template <typename Visit, typename... Values>
Status ForEachRow(Database& db, std::string_view sql, Visit visit, const Values&... values) {
  Result<Statement> statement = db.Prepare(sql);
  if (!statement.ok()) return statement.status();
  int parameter = 0;
  (statement->Bind(++parameter, values), ...);
  return ForEachRow(*statement, std::move(visit));
}

/// Ends a transaction: commits it if `status` is ok, else takes it back. What went wrong first.
Status CommitOrRollBack(Database& db, Status status);

/// Brings `db` to the newest version of its schema: runs those of `steps` (SQL scripts, the oldest
/// first) that it has not seen, all in one transaction. kInvalidArgument if it is newer than we
/// know, which an older program must not touch.
Status Migrate(Database& db, std::span<const char* const> steps);

}  // namespace crawler
