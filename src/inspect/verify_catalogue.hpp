#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "db/database.hpp"
#include "inspect/problem_list.hpp"
#include "store/catalogue.hpp"

namespace crawler {

/// The state of one URL, as the tables tell it.
struct VerifiedUrl {
  bool wanted = false;    ///< Queued in the last round.
  bool over = false;      ///< Its last visit in the last round is final.
  bool read = false;      ///< That visit found a page.
  bool expected = false;  ///< By all its visits it has a page.
  bool page = false;      ///< It has a page.
};

/// A response that is in the archive, according to the catalogue.
struct ArchivedResponse {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::int64_t url = 0;  ///< 0 for a robots.txt.

  std::pair<std::uint32_t, std::uint64_t> place() const { return {file, offset}; }
};

/// Compares the tables of a catalogue with each other: URLs, visits, pages, links. Reads each table
/// once. Unlike StoredCrawl, it goes on behind a row that contradicts another one, to find all.
/// Ownership: borrows its arguments.
class CatalogueVerifier {
 public:
  CatalogueVerifier(Database& db, const Round& round, ProblemList& problems, CrawlVerification* out)
      : db_(db), round_(round), problems_(problems), out_(*out) {}

  /// Errors: those of the database.
  Status Run();

  const std::vector<VerifiedUrl>& urls() const { return urls_; }
  /// In the order of the visits. Only for the first call.
  std::vector<ArchivedResponse> TakeResponses() { return std::move(responses_); }

 private:
  Status ReadUrls();
  Status ReadRequeued();
  Status ReadVisits();
  Status ReadPages();
  Status ReadLinks();
  void CheckVisit(Statement& row);
  void NoteOutcome(Statement& row, VerifiedUrl* url);
  void CheckPage(Statement& row);
  void CheckPagesAreExpected();
  void CheckLinks(Statement& row);
  VerifiedUrl* Find(std::int64_t id);

  Database& db_;
  const Round round_;
  ProblemList& problems_;
  CrawlVerification& out_;
  std::vector<VerifiedUrl> urls_;
  std::vector<ArchivedResponse> responses_;
};

}  // namespace crawler
