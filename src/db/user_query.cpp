// Queries of users: what they may do, and when they stop.
#include <sqlite3.h>

#include <string>
#include <utility>

#include "db/database.hpp"

namespace crawler {
namespace {

/// Steps of SQLite's machine between two questions whether to stop: about a millisecond.
constexpr int kStepsPerQuestion = 10'000;

constexpr std::string_view kReadingPragmas[] = {"table_info", "table_xinfo", "table_list",
                                                "index_list", "index_info",  "user_version"};

int MayRead(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:  // The name is the second argument.
      return second != nullptr && std::string_view(second) == "load_extension" ? SQLITE_DENY
                                                                               : SQLITE_OK;
    case SQLITE_PRAGMA:
      for (const std::string_view name : kReadingPragmas) {
        // With user_version a value would set it.
        if (name == first && (name != "user_version" || second == nullptr)) return SQLITE_OK;
      }
      return SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

void CallTextFunction(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  const auto* const data = static_cast<const char*>(sqlite3_value_blob(values[0]));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
  auto* const call = reinterpret_cast<Database::TextFunction>(sqlite3_user_data(context));
  std::string text;
  const Status status =
      call(data == nullptr ? std::string_view() : std::string_view(data, size), &text);
  if (!status.ok()) {
    sqlite3_result_error(context, status.message().c_str(), -1);
    return;
  }
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace

Statement::Type Statement::TypeOf(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return Type::kInteger;
    case SQLITE_FLOAT:
      return Type::kReal;
    case SQLITE_TEXT:
      return Type::kText;
    case SQLITE_BLOB:
      return Type::kBlob;
    default:
      return Type::kNull;
  }
}

int Statement::ColumnCount() const { return sqlite3_column_count(statement_.get()); }

std::string_view Statement::ColumnName(int column) const {
  const char* const name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? "" : name;
}

Result<Statement> Database::PrepareQuery(const std::string& sql) {
  const auto bad = [](std::string why) {
    return Status(StatusCode::kInvalidArgument, std::move(why));
  };
  if (sql.find('\0') != std::string::npos) return bad("the SQL has a zero byte");
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.c_str(), static_cast<int>(sql.size()), 0,
                                      &prepared, &rest);
  Statement statement;
  statement.statement_.reset(prepared);
  if (code == SQLITE_AUTH) return bad("only queries are allowed: nothing is changed or attached");
  if (code == SQLITE_ERROR) return bad(sqlite3_errmsg(handle_.get()));
  if (code != SQLITE_OK) return Error(code, sql);
  if (prepared == nullptr) return bad("there is no SQL statement");
  for (sqlite3_stmt* next = nullptr; rest != nullptr && *rest != '\0';) {
    const int next_code = sqlite3_prepare_v3(handle_.get(), rest, -1, 0, &next, &rest);
    const bool is_statement = next_code != SQLITE_OK || next != nullptr;
    sqlite3_finalize(next);
    if (is_statement) return bad("there is more than one SQL statement");
  }
  if (sqlite3_column_count(prepared) == 0 || sqlite3_stmt_readonly(prepared) == 0) {
    return bad("it is not a query");
  }
  if (sqlite3_bind_parameter_count(prepared) > 0) return bad("parameters (?) have no values here");
  return statement;
}

void Database::AllowOnlyReading(int max_value) {
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_LENGTH, max_value);
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_set_authorizer(handle_.get(), MayRead, nullptr);
}

void Database::StopWhen(std::function<bool()> stop) {
  stop_ = std::make_unique<std::function<bool()>>(std::move(stop));
  sqlite3_progress_handler(
      handle_.get(), kStepsPerQuestion,
      [](void* given) { return (*static_cast<std::function<bool()>*>(given))() ? 1 : 0; },
      stop_.get());
}

Status Database::DefineFunction(const std::string& name, TextFunction function) {
  const int code = sqlite3_create_function_v2(
      handle_.get(), name.c_str(), 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      reinterpret_cast<void*>(function), CallTextFunction, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status::Ok() : Error(code, name);
}

}  // namespace crawler
