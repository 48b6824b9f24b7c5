#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "db/database.hpp"

namespace crawler {

/// Collects the problems that a verification finds: counts all of them, keeps the first hundred.
/// Ownership: borrows the database, from which it reads URLs, and the verification that it writes
/// to.
class ProblemList {
 public:
  ProblemList(Database& db, CrawlVerification* out) : db_(db), out_(*out) {}

  void Add(std::string text) {
    if (out_.problem_count++ < kKept) out_.problems.push_back(std::move(text));
  }
  /// A problem of a URL: "http://a/ was visited but has no page".
  void AddUrl(std::int64_t id, std::string_view text) {
    if (out_.problem_count >= kKept) {
      ++out_.problem_count;
      return;
    }
    Add(UrlOf(id) + std::string(text));
  }
  /// A problem of one row that has no URL: "urls row 7 is not the next one".
  void AddRow(std::string_view table, std::int64_t id, std::string_view text) {
    Add(std::string(table) + " row " + std::to_string(id) + std::string(text));
  }

  /// The text of a URL; its number if there is none.
  std::string UrlOf(std::int64_t id) {
    std::string url = "URL number " + std::to_string(id);
    const Status status = ForEachRow(
        db_, "SELECT url FROM urls WHERE id = ?", [&url](Statement& row) { url = row.Text(0); },
        id);
    return status.ok() ? url : url + " (" + status.message() + ")";
  }

 private:
  static constexpr std::size_t kKept = 100;
  Database& db_;
  CrawlVerification& out_;
};

}  // namespace crawler
