// ExplainUrl(): everything the catalogue says of one URL, with the decisions made again from the
// stored options where that shows the rule.
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "engine/crawl_folder.hpp"
#include "engine/options_json.hpp"
#include "engine/scope_options.hpp"
#include "inspect/inspect.hpp"
#include "robots/robots_record.hpp"
#include "robots/robots_txt.hpp"
#include "store/catalogue.hpp"
#include "store/read_catalogue.hpp"
#include "store/rows.hpp"
#include "url/normalize.hpp"
#include "url/scope.hpp"

namespace crawler {
namespace {

constexpr std::int64_t kReferrersShown = 20;

WallTime ToTime(std::int64_t milliseconds) {
  return WallTime(
      std::chrono::duration_cast<WallTime::duration>(std::chrono::milliseconds(milliseconds)));
}

Result<CrawlOptions> ReadOptions(Database& db) {
  const Result<std::string> stored = ReadState(db, "options");
  if (!stored.ok()) return stored.status();
  if (stored->empty()) {
    return Status(StatusCode::kNotFound, "nothing has been written yet; try again");
  }
  return OptionsFromJson(*stored);
}

// The URL as a crawl with these options writes it.
Result<Url> ParseAs(const CrawlOptions& options, std::string_view text) {
  Url url;
  if (ParseUrl(text, nullptr, &url) != UrlKind::kFollowable) {
    return Status(StatusCode::kInvalidArgument,
                  "'" + std::string(text) + "' is not an http or https URL");
  }
  NormalizeUrl(&url, {options.drop_tracking, options.drop_session_ids, options.sort_query});
  return url;
}

class Explainer {
 public:
  Explainer(Database db, UrlExplanation* out) : db_(std::move(db)), out_(*out) {}

  Status Explain(std::string_view text) {
    Result<CrawlOptions> options = ReadOptions(db_);
    if (!options.ok()) return options.status();
    options_ = std::move(options).value();
    Result<Url> parsed = ParseAs(options_, text);
    if (!parsed.ok()) return parsed.status();
    const Url& url = *parsed;
    out_.url = url.href();
    out_.fate = "unknown";
    for (const auto step : {&Explainer::Scope, &Explainer::Robots, &Explainer::Row}) {
      if (Status status = (this->*step)(url); !status.ok()) return status;
    }
    if (id_ == 0) return Status::Ok();
    for (const auto step :
         {&Explainer::Referrers, &Explainer::Visits, &Explainer::Page, &Explainer::DeadLetter}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    return Status::Ok();
  }

 private:
  // Reads the rows of a query whose one parameter is the URL's id.
  template <typename Read>
  Status Rows(std::string_view sql, Read read) {
    return ForEachRow(db_, sql, read, id_);
  }

  Status Scope(const Url& url) {
    Result<std::unique_ptr<crawler::Scope>> scope = MakeScope(options_);
    if (!scope.ok()) return scope.status();
    const ScopeVerdict verdict = (*scope)->Check(url);
    out_.scope = std::string(verdict.allowed ? "in scope" : "out of scope") + " by " +
                 std::string(ScopeRuleName(verdict.rule));
    if (!verdict.detail.empty()) out_.scope += ": " + std::string(verdict.detail);
    return Status::Ok();
  }

  Status Robots(const Url& url) {
    if (!options_.network.obey_robots) {
      out_.robots = "not asked (--no-robots)";
      return Status::Ok();
    }
    Result<Statement> statement =
        db_.Prepare("SELECT rules, status_code, policy FROM robots_cache WHERE domain = ?");
    if (!statement.ok()) return statement.status();
    const std::string origin = url.Origin();
    const Result<bool> row = statement->Bind(1, origin).Step();
    if (!row.ok()) return row.status();
    if (!*row) {
      out_.robots = "not asked yet";
      return Status::Ok();
    }
    const std::string policy(statement->Text(2));
    if (policy != "rules") {
      out_.robots = policy + ", status " + std::to_string(statement->Int(1));
      return Status::Ok();
    }
    const std::string agent =
        options_.network.user_agent.empty() ? std::string("crawler") : options_.network.user_agent;
    const RobotsTxt robots = RobotsTxt::Parse(statement->Text(0), agent);
    const RobotsVerdict verdict = robots.Check(url);
    out_.robots = verdict.allowed ? "allowed" : "refused";
    if (verdict.line > 0) {
      out_.robots += " by line " + std::to_string(verdict.line) + ": " + std::string(verdict.rule);
    } else {
      out_.robots += ", no rule matches";
    }
    return Status::Ok();
  }

  // Without an index, which there is once the crawl is complete, this reads all URLs.
  Status Row(const Url& url) {
    Result<Statement> statement =
        db_.Prepare("SELECT id, depth, via, skipped, skip_detail FROM urls WHERE url = ?");
    if (!statement.ok()) return statement.status();
    const Result<bool> row = statement->Bind(1, url.href()).Step();
    if (!row.ok()) return row.status();
    if (!*row) return Status::Ok();
    id_ = statement->Int(0);
    out_.known = true;
    out_.depth = static_cast<int>(statement->Int(1));
    out_.via = ViaName(static_cast<Via>(statement->Int(2)));
    out_.turned_away = DescribeSkip(static_cast<SkipReason>(statement->Int(3)), statement->Text(4));
    statement->Reset();
    const Result<Round> round = ReadRound(db_);
    if (!round.ok()) return round.status();
    round_ = *round;
    bool wanted = out_.turned_away.empty() && id_ > round_.last_url;
    Status status =
        Rows("SELECT depth, waits FROM requeued WHERE url_id = ? ORDER BY id", [&](Statement& s) {
          out_.depth = static_cast<int>(s.Int(0));
          wanted |= s.Int(1) != 0;
        });
    out_.fate = wanted ? "waiting" : out_.turned_away.empty() ? "unlinked" : "turned away";
    return status;
  }

  Status Referrers() {
    Status status = Rows(
        "SELECT u.url FROM urls x JOIN urls u ON u.id = x.from_id WHERE x.id = ? AND x.via <> 1",
        [this](Statement& s) {
          out_.linked_by.push_back({std::string(s.Text(0)), false, {}});
        });
    if (!status.ok()) return status;
    return Rows(
        "SELECT u.url, e.nofollow, e.anchor FROM edges e JOIN urls u ON u.id = e.from_id "
        "WHERE e.to_id = ?",
        [this](Statement& s) {
          ++out_.links;
          if (out_.links > kReferrersShown) return;
          out_.linked_by.push_back({std::string(s.Text(0)), s.Int(1) != 0, std::string(s.Text(2))});
        });
  }

  Status Visits() {
    return Rows(
        "SELECT at, outcome, status_code, detail, priority, address, total_us, final, id FROM "
        "visits WHERE url_id = ? ORDER BY id",
        [this, wanted = out_.fate == "waiting"](Statement& s) {
          UrlExplanation::Attempt attempt;
          attempt.at = ToTime(s.Int(0));
          attempt.outcome = s.Text(1);
          attempt.status = static_cast<int>(s.Int(2));
          attempt.detail = s.Text(3);
          attempt.score = s.Real(4);
          attempt.address = s.Text(5);
          attempt.total = std::chrono::microseconds(s.Int(6));
          attempt.final = s.Int(7) != 0;
          // What an earlier round found holds as long as nothing has led there in this one.
          if (attempt.final && (s.Int(8) > round_.last_visit || !wanted)) {
            const bool unchanged = attempt.outcome == VisitOutcomeName(VisitOutcome::kUnchanged);
            out_.fate = unchanged ? VisitOutcomeName(VisitOutcome::kPage) : attempt.outcome;
          }
          out_.attempts.push_back(std::move(attempt));
        });
  }

  Status Page() {
    return Rows(
        "SELECT p.title, p.canonical, u.url FROM pages p LEFT JOIN urls u ON u.id = p.duplicate_of "
        "WHERE p.url_id = ?",
        [this](Statement& s) {
          out_.title = s.Text(0);
          out_.canonical = s.Text(1);
          out_.duplicate_of = s.Text(2);
        });
  }

  Status DeadLetter() {
    return Rows("SELECT reason FROM dead_letters WHERE url_id = ?",
                [this](Statement& s) { out_.dead_letter = s.Text(0); });
  }

  Database db_;
  UrlExplanation& out_;
  CrawlOptions options_;
  std::int64_t id_ = 0;
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

Result<Database> OpenForReading(const std::string& folder) {
  const std::string path = CrawlFolder::CataloguePath(folder);
  if (std::error_code error; !std::filesystem::exists(path, error) && !error) {
    return Status(StatusCode::kNotFound, "there is no crawl in " + folder + " (no crawl.db)");
  }
  return OpenCatalogueForReading(path);
}

Result<std::string> NormalFormIn(const std::string& folder, std::string_view url) {
  Result<Database> db = OpenForReading(folder);
  if (!db.ok()) return db.status();
  const Result<CrawlOptions> options = ReadOptions(*db);
  if (!options.ok()) return options.status();
  const Result<Url> parsed = ParseAs(*options, url);
  if (!parsed.ok()) return parsed.status();
  return std::string(parsed->href());
}

UrlExplanation InspectUrl(const std::string& folder, std::string_view url) {
  UrlExplanation explanation;
  Result<Database> db = OpenForReading(folder);
  if (!db.ok()) {
    explanation.error = db.status().message();
    return explanation;
  }
  const Status status = Explainer(std::move(db).value(), &explanation).Explain(url);
  if (!status.ok()) {
    explanation.error = status.message();
  } else if (explanation.fate == "waiting") {
    Url parsed;
    ParseUrl(explanation.url, nullptr, &parsed);
    explanation.due = DueOf(InspectStatus(folder), parsed);
  }
  return explanation;
}

}  // namespace crawler
