// VerifyCrawl(): the catalogue against itself, the index, the WARC files and the frontier.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/crawl_context.hpp"
#include "engine/crawl_folder.hpp"
#include "engine/options_json.hpp"
#include "engine/restore.hpp"
#include "index/check.hpp"
#include "inspect/inspect.hpp"
#include "inspect/problem_list.hpp"
#include "inspect/read_folder.hpp"
#include "inspect/read_snapshot.hpp"
#include "inspect/verify_archive.hpp"
#include "inspect/verify_catalogue.hpp"
#include "store/catalogue.hpp"

namespace crawler {
namespace {

constexpr std::int64_t kIndexSchemaVersion = 2;

Status VerifyFile(Database& db, ProblemList& problems) {
  return ForEachRow(db, "PRAGMA quick_check", [&problems](Statement& row) {
    if (row.Text(0) != "ok") problems.Add("crawl.db: " + std::string(row.Text(0)));
  });
}

// The first transaction of a crawl writes the hash key; before it there is nothing to compare.
Status RequireCrawl(Database& db) {
  const Result<std::int64_t> tables =
      db.QueryInt("SELECT count(*) FROM sqlite_schema WHERE name = 'crawl_state'");
  if (!tables.ok()) return tables.status();
  Result<std::string> hash_key = std::string();
  if (*tables > 0) hash_key = ReadState(db, "hash_key");
  if (!hash_key.ok()) return hash_key.status();
  if (!hash_key->empty()) return Status::Ok();
  return Status(
      StatusCode::kNotFound,
      db.path() + " holds no crawl: nothing was ever committed to it, or it has been emptied");
}

Status VerifyIndex(Database& db, ProblemList& problems) {
  const Result<std::int64_t> version = db.QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version < kIndexSchemaVersion) return Status::Ok();
  const std::string_view sql =
      "SELECT t.page_id, p.url_id FROM page_text t LEFT JOIN pages p ON p.id = t.page_id "
      "WHERE p.id IS NULL OR p.noindex";
  Status status = ForEachRow(db, sql, [&problems](Statement& row) {
    if (row.IsNull(1)) {
      problems.AddRow("page_text", row.Int(0), " is of no page");
    } else {
      problems.AddUrl(row.Int(1), " is indexed, but asks not to be");
    }
  });
  if (!status.ok()) return status;
  return CheckIndex(db, [&problems](std::string text) { problems.Add(std::move(text)); });
}

Result<CrawlOptions> ReadOptionsOrDefaults(Database& db) {
  const Result<std::string> stored = ReadState(db, "options");
  if (!stored.ok()) return stored.status();
  if (stored->empty()) return CrawlOptions();
  return OptionsFromJson(*stored);
}

void CompareCounts(const Frontier::Counts& frontier, std::size_t requeued,
                   const std::vector<VerifiedUrl>& urls, ProblemList& problems) {
  std::uint64_t waiting = requeued, pages = 0;
  for (const VerifiedUrl& url : urls) {
    waiting += url.wanted && !url.over;
    pages += url.read;
  }
  const struct {
    const char* what;
    std::uint64_t frontier, catalogue;
  } counts[] = {{"URLs", frontier.known, urls.size()},
                {"pages of this round", frontier.pages, pages},
                {"URLs waiting", frontier.waiting, waiting}};
  for (const auto& count : counts) {
    if (count.frontier == count.catalogue) continue;
    problems.Add("the frontier has " + std::to_string(count.frontier) + " " + count.what +
                 ", the catalogue " + std::to_string(count.catalogue));
  }
}

// Restores the frontier as a resume would, and compares its counts with the tables.
Status VerifyFrontier(Database& db, const std::vector<VerifiedUrl>& urls, ProblemList& problems) {
  Result<CrawlOptions> options = ReadOptionsOrDefaults(db);
  if (!options.ok()) return options.status();
  MemoryFrontier frontier{FrontierOptions()};
  ContentIndex contents;
  RetryHistory retries;
  SeedWatch seeds;
  VisitTally tally;
  SitemapBudget sitemaps{SitemapOptions()};
  RestoredCrawl restored(contents, retries, seeds, tally, sitemaps);
  const Status status = RestoreCrawl(db, *options, Clock::System(), &frontier, &restored);
  if (status.ok()) {
    CompareCounts(frontier.counts(), restored.requeued.size(), urls, problems);
  } else {
    problems.Add(status.message());
  }
  return Status::Ok();
}

Status Verify(const std::string& folder, Database& db, CrawlVerification* out) {
  ProblemList problems(db, out);
  Status status = VerifyFile(db, problems);
  if (status.ok()) status = RequireCrawl(db);
  if (!status.ok()) return status;
  const Result<Round> round = ReadRound(db);
  if (!round.ok()) return round.status();
  CatalogueVerifier catalogue(db, *round, problems, out);
  status = catalogue.Run();
  if (status.ok()) status = VerifyIndex(db, problems);
  if (status.ok()) {
    status =
        VerifyArchive(db, CrawlFolder::WarcPath(folder), catalogue.TakeResponses(), problems, out);
  }
  if (status.ok()) status = VerifyFrontier(db, catalogue.urls(), problems);
  return status;
}

}  // namespace

CrawlVerification InspectAll(const std::string& folder) {
  CrawlVerification out;
  if (const long holder = CrawlFolder::Holder(folder); holder != 0) {
    out.error = "process " + std::to_string(holder) + " is crawling in " + folder +
                "; verify it when that has ended";
    out.outcome = ReadOutcome::Kind::kBusy;
    return out;
  }
  Result<Database> db = OpenForReading(folder);
  if (!db.ok()) {
    out.error = db.status().message();
    out.outcome = KindOfFailure(db.status());
    return out;
  }
  const Status status = Verify(folder, *db, &out);
  if (status.code() == StatusCode::kCorruption) {
    ++out.problem_count;
    out.problems.push_back(status.message());
  } else if (!status.ok()) {
    out.error = status.message();
    out.outcome = KindOfFailure(status);
  }
  return out;
}

}  // namespace crawler
