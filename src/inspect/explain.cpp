// ExplainUrl(): everything the catalogue says about one URL, and the decisions of scope and
// robots.txt, made again from the stored options.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "inspect/explain_rules.hpp"
#include "inspect/explain_ways.hpp"
#include "inspect/inspect.hpp"
#include "inspect/read_folder.hpp"
#include "inspect/read_snapshot.hpp"
#include "store/catalogue.hpp"
#include "store/rows.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

constexpr std::int64_t kReferrersShown = 20;

WallTime ToTime(std::int64_t milliseconds) {
  return WallTime(
      std::chrono::duration_cast<WallTime::duration>(std::chrono::milliseconds(milliseconds)));
}

class Explainer {
 public:
  Explainer(Database db, UrlExplanation* out) : db_(std::move(db)), out_(*out) {}

  Status Explain(std::string_view text) {
    const Result<CrawlOptions> options = ReadOptions(db_);
    if (!options.ok()) return options.status();
    const Result<Url> url = ParseUrlFor(*options, text);
    if (!url.ok()) return url.status();
    out_.url = url->href();
    out_.fate = "unknown";
    if (Status status = ExplainRules(*options, *url); !status.ok()) return status;
    if (Status status = ReadUrl(*url); !status.ok() || id_ == 0) return status;
    out_.skipped = ExplainSkip(*options, skipped_, skip_detail_);
    out_.search = ExplainSearch(*options, *url);
    for (const auto step :
         {&Explainer::ReadRequeued, &Explainer::ReadWays, &Explainer::ReadLinks,
          &Explainer::ReadVisits, &Explainer::ReadPage, &Explainer::ReadDeadLetter}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    return Status::Ok();
  }

 private:
  Status ExplainRules(const CrawlOptions& options, const Url& url) {
    Result<std::string> scope = ExplainScope(options, url);
    if (!scope.ok()) return scope.status();
    out_.scope = std::move(scope).value();
    Result<std::string> robots = ExplainRobots(db_, options, url);
    if (!robots.ok()) return robots.status();
    out_.robots = std::move(robots).value();
    return Status::Ok();
  }

  // Reads the rows of a query whose one parameter is the URL's id.
  template <typename Read>
  Status Rows(std::string_view sql, Read read) {
    return ForEachRow(db_, sql, read, id_);
  }

  // Reads all URLs if the catalogue has no index of them, which it gets at the end of the crawl.
  Status ReadUrl(const Url& url) {
    return ForEachRow(
        db_, "SELECT id, depth, via, skipped, skip_detail FROM urls WHERE url = ? LIMIT 1",
        [this](Statement& row) {
          id_ = row.Int(0);
          out_.known = true;
          out_.depth = static_cast<int>(row.Int(1));
          out_.via = ViaName(static_cast<Via>(row.Int(2)));
          skipped_ = static_cast<SkipReason>(row.Int(3));
          skip_detail_ = row.Text(4);
        },
        url.href());
  }

  Status ReadRequeued() {
    const Result<Round> round = ReadRound(db_);
    if (!round.ok()) return round.status();
    round_ = *round;
    bool wanted = out_.skipped.empty() && id_ > round_.last_url;
    Status status =
        Rows("SELECT depth, waits FROM requeued WHERE url_id = ? ORDER BY id", [&](Statement& row) {
          out_.depth = static_cast<int>(row.Int(0));
          wanted |= row.Int(1) != 0;
        });
    out_.fate = wanted ? "waiting" : out_.skipped.empty() ? "unlinked" : "skipped";
    return status;
  }

  Status ReadWays() {
    if (Status status = ReadPathFromSeed(db_, id_, &out_); !status.ok()) return status;
    return ReadRedirects(db_, id_, &out_);
  }

  Status ReadLinks() {
    return Rows(
        "SELECT u.url, e.nofollow, e.anchor FROM edges e JOIN urls u ON u.id = e.from_id "
        "WHERE e.to_id = ?",
        [this](Statement& row) {
          ++out_.links;
          if (out_.links > kReferrersShown) return;
          out_.linked_by.push_back(
              {std::string(row.Text(0)), row.Int(1) != 0, std::string(row.Text(2))});
        });
  }

  Status ReadVisits() {
    const bool wanted = out_.fate == "waiting";
    return Rows(
        "SELECT at, outcome, status_code, detail, priority, address, total_us, final, id FROM "
        "visits WHERE url_id = ? ORDER BY id",
        [this, wanted](Statement& row) {
          UrlExplanation::Attempt attempt = ReadAttempt(row);
          // The end in an earlier round counts unless the URL is queued again in this round.
          const bool counts = row.Int(8) > round_.last_visit || !wanted;
          if (attempt.final && counts) out_.fate = FateOf(attempt.outcome);
          out_.attempts.push_back(std::move(attempt));
        });
  }

  static UrlExplanation::Attempt ReadAttempt(Statement& row) {
    UrlExplanation::Attempt attempt;
    attempt.at = ToTime(row.Int(0));
    attempt.outcome = row.Text(1);
    attempt.status = static_cast<int>(row.Int(2));
    attempt.detail = row.Text(3);
    attempt.score = row.Real(4);
    attempt.address = row.Text(5);
    attempt.total = std::chrono::microseconds(row.Int(6));
    attempt.final = row.Int(7) != 0;
    return attempt;
  }

  static std::string_view FateOf(std::string_view outcome) {
    const bool unchanged = outcome == VisitOutcomeName(VisitOutcome::kUnchanged);
    return unchanged ? VisitOutcomeName(VisitOutcome::kPage) : outcome;
  }

  Status ReadPage() {
    return Rows(
        "SELECT p.title, p.canonical, u.url, p.truncated, p.noindex FROM pages p LEFT JOIN urls u "
        "ON u.id = p.duplicate_of WHERE p.url_id = ?",
        [this](Statement& row) {
          out_.title = row.Text(0);
          out_.canonical = row.Text(1);
          out_.duplicate_of = row.Text(2);
          out_.truncated = ExplainTruncation(row.Text(3));
          out_.noindex = row.Int(4) != 0;
        });
  }

  Status ReadDeadLetter() {
    return Rows("SELECT reason FROM dead_letters WHERE url_id = ?",
                [this](Statement& row) { out_.dead_letter = row.Text(0); });
  }

  Database db_;
  UrlExplanation& out_;
  std::int64_t id_ = 0;
  SkipReason skipped_ = SkipReason::kNone;
  std::string skip_detail_;
  Round round_;
};

std::string DueOf(const CrawlStatus& status, const Url& url) {
  if (!status.running) return "when the crawl is resumed";
  for (const HostHoldup& holdup : status.holdups) {
    if (holdup.host != url.Origin()) continue;
    if (!holdup.due_in) return "its host: " + holdup.why;
    return "its host in " + std::to_string(holdup.due_in->count()) + " ms: " + holdup.why;
  }
  return "when its turn comes; its host may be asked now";
}

}  // namespace

UrlExplanation InspectUrl(const std::string& folder, std::string_view url) {
  UrlExplanation explanation;
  Result<Database> db = OpenForReading(folder);
  if (!db.ok()) {
    explanation.error = db.status().message();
    explanation.outcome = KindOfFailure(db.status());
    return explanation;
  }
  const Status status = Explainer(std::move(db).value(), &explanation).Explain(url);
  if (!status.ok()) {
    explanation.error = status.message();
    explanation.outcome = KindOfFailure(status);
  } else if (explanation.fate == "waiting") {
    Url parsed;
    ParseUrl(explanation.url, nullptr, &parsed);
    explanation.due = DueOf(InspectStatus(folder), parsed);
  }
  return explanation;
}

}  // namespace crawler
