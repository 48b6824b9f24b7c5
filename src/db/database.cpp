#include "db/database.hpp"

#include <sqlite3.h>

#include <cassert>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

namespace crawler {
namespace {

StatusCode CodeOf(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_FULL:
      return StatusCode::kResourceExhausted;
    case SQLITE_NOMEM:
      return StatusCode::kOutOfMemory;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return StatusCode::kCorruption;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return StatusCode::kBusy;
    case SQLITE_INTERRUPT:
      return StatusCode::kCancelled;
    case SQLITE_AUTH:
      return StatusCode::kInvalidArgument;
    case SQLITE_ERROR:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return StatusCode::kInternal;
    default:
      return StatusCode::kIoError;
  }
}

Status StatementError(sqlite3_stmt* statement, int code) {
  sqlite3* const handle = sqlite3_db_handle(statement);
  const char* const file = sqlite3_db_filename(handle, "main");
  return Status(CodeOf(code),
                std::string(file == nullptr ? "database" : file) + ": " + sqlite3_errmsg(handle));
}

// A column is null in SQL, or there was no memory to read it: that must not look the same.
void ThrowIfOutOfMemory(sqlite3_stmt* statement) {
  if (sqlite3_errcode(sqlite3_db_handle(statement)) == SQLITE_NOMEM) throw std::bad_alloc();
}

}  // namespace

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

// A failure to bind (an index out of range, a value of 2 GiB) leaves a null behind, which NOT NULL
// columns refuse when the statement is run.
Statement& Statement::Bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::Bind(int parameter, double value) {
  sqlite3_bind_double(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::Bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL, and an empty view may hold one.
  sqlite3_bind_text64(statement_.get(), parameter, text.data() == nullptr ? "" : text.data(),
                      text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::BindBlob(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(statement_.get(), parameter, bytes.data() == nullptr ? "" : bytes.data(),
                      bytes.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::BindNull(int parameter) {
  sqlite3_bind_null(statement_.get(), parameter);
  return *this;
}

Statement& Statement::BindTextOrNull(int parameter, std::string_view text) {
  return text.empty() ? BindNull(parameter) : Bind(parameter, text);
}

Statement& Statement::BindIdOrNull(int parameter, std::int64_t id) {
  return id == 0 ? BindNull(parameter) : Bind(parameter, id);
}

Status Statement::Run() {
  int code = sqlite3_step(statement_.get());
  Status status;
  if (code != SQLITE_DONE && code != SQLITE_ROW) status = StatementError(statement_.get(), code);
  sqlite3_reset(statement_.get());
  return status;
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  Status status;
  if (code != SQLITE_DONE) status = StatementError(statement_.get(), code);
  sqlite3_reset(statement_.get());
  if (!status.ok()) return status;
  return false;
}

void Statement::Reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::Int(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::Real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Statement::Text(int column) const {
  const auto* const text =
      reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) ThrowIfOutOfMemory(statement_.get());
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::string_view Statement::Blob(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  if (bytes == nullptr) ThrowIfOutOfMemory(statement_.get());
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

namespace {

/// `path` in the form of a URI.
std::string EscapedPath(const std::string& path) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string escaped;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f || c == '%' || c == '?' || c == '#') {
      escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// Whether no connection writes to the database (there is no -shm file) and its log is empty.
bool IsAtRest(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path + "-shm", error) || error) return false;
  const std::uintmax_t logged = std::filesystem::file_size(path + "-wal", error);
  return error || logged == 0;
}

}  // namespace

// Readers of a database with a write-ahead log write to its -shm file. In a read-only folder they
// cannot, but the file alone is complete if the database is at rest: it is opened as immutable.
Status Database::ReopenIfFolderIsReadOnly(int flags) {
  constexpr const char* kTouch = "PRAGMA schema_version";
  const int code = sqlite3_exec(handle_.get(), kTouch, nullptr, nullptr, nullptr);
  const int kind = code & 0xff;
  const bool may_not_write = kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN;
  if (!may_not_write || !IsAtRest(path_)) return Status::Ok();
  sqlite3* handle = nullptr;
  const std::string name = "file:" + EscapedPath(path_) + "?immutable=1";
  const int opened = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_URI, nullptr);
  handle_.reset(handle);
  return opened == SQLITE_OK ? Status::Ok() : Error(opened, "cannot be opened");
}

Result<Database> Database::Open(const std::string& path, Mode mode) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::directory) {
    return Status(StatusCode::kIoError, path + ": is a folder, not a database");
  }
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == Mode::kCreate) flags |= SQLITE_OPEN_CREATE;
  Database db;
  db.path_ = path;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  db.handle_.reset(handle);
  if (code != SQLITE_OK) {
    const Status status = db.Error(code, "cannot be opened");
    // SQLite has the same code for a missing file and for one that may not be opened or created.
    const bool is_missing = type == std::filesystem::file_type::not_found &&
                            mode != Mode::kCreate && (code & 0xff) == SQLITE_CANTOPEN;
    return is_missing ? Status(StatusCode::kNotFound, status.message()) : status;
  }
  if (mode == Mode::kReadOnly) {
    if (Status status = db.ReopenIfFolderIsReadOnly(flags); !status.ok()) return status;
  }
  // Readers and checkpoints lock a file for a moment only.
  sqlite3_busy_timeout(db.handle_.get(), 10'000);
  return db;
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  Statement statement;
  statement.statement_.reset(prepared);
  if (code != SQLITE_OK) return Error(code, sql);
  return statement;
}

Status Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status::Ok() : Error(code, sql);
}

Result<std::int64_t> Database::QueryInt(std::string_view sql, std::int64_t otherwise) {
  Result<Statement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  Result<bool> row = statement->Step();
  if (!row.ok()) return row.status();
  return *row && !statement->IsNull(0) ? statement->Int(0) : otherwise;
}

Result<std::string> Database::QueryText(std::string_view sql, std::string_view parameter) {
  Result<Statement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  const Result<bool> row = statement->Bind(1, parameter).Step();
  if (!row.ok()) return row.status();
  return std::string(*row ? statement->Text(0) : std::string_view());
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(handle_.get()); }
bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

Status Database::Error(int code, std::string_view what) const {
  std::string message =
      path_ + ": " + (handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_.get()));
  // The SQL is shown only if it is the cause.
  if (CodeOf(code) == StatusCode::kInternal) message.append(" in: ").append(what.substr(0, 200));
  return Status(CodeOf(code), std::move(message));
}

Status CommitOrRollBack(Database& db, Status status) {
  if (status.ok()) status = db.Execute("COMMIT");
  if (status.ok()) return status;
  const Status rolled_back = db.Execute("ROLLBACK");
  (void)rolled_back;  // The first error is reported.
  return status;
}

Status Migrate(Database& db, std::span<const char* const> steps) {
  const Result<std::int64_t> version = db.QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  const auto newest = static_cast<std::int64_t>(steps.size());
  if (*version < 0 || *version > newest) {
    return Status(StatusCode::kUnsupported,
                  db.path() + " was written by a newer version of this program (schema " +
                      std::to_string(*version) + ", known up to " + std::to_string(newest) +
                      "); use that one");
  }
  if (*version == newest) return Status::Ok();
  Status status = db.Execute("BEGIN IMMEDIATE");
  for (auto step = static_cast<std::size_t>(*version); status.ok() && step < steps.size(); ++step) {
    status = db.Execute(steps[step]);
  }
  if (status.ok()) status = db.Execute("PRAGMA user_version = " + std::to_string(newest));
  return CommitOrRollBack(db, std::move(status));
}

}  // namespace crawler
