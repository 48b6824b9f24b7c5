#include "engine/restore.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/focus.hpp"
#include "index/link_graph.hpp"
#include "store/catalogue.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

Status ForEachRow(Database& db, std::string_view sql,
                  const std::function<Status(Statement&)>& visit) {
  Result<Statement> statement = db.Prepare(sql);
  if (!statement.ok()) return statement.status();
  while (true) {
    const Result<bool> row = statement->Step();
    if (!row.ok()) return row.status();
    if (!*row) return Status::Ok();
    if (Status status = visit(*statement); !status.ok()) return status;
  }
}

Status Contradiction(const Database& db, std::string_view table, std::int64_t row,
                     std::string_view what) {
  return Status(StatusCode::kCorruption, db.path() + ": row " + std::to_string(row) + " of " +
                                             std::string(table) + " " + std::string(what));
}

class Restorer {
 public:
  Restorer(Database& db, CrawlContext& crawl, std::vector<RequeueRow>* requeued)
      : db_(db), crawl_(crawl), requeued_(*requeued) {
    if (crawl.options.max_depth >= 0) {
      depths_ = std::make_unique<Depths>(static_cast<std::uint32_t>(crawl.options.max_depth));
    }
    if (crawl.options.order == CrawlOrder::kRelevance) {
      focus_ = std::make_unique<Focus>(crawl.options.topic);
    }
  }

  Status Run() {
    const Result<Round> round = ReadRound(db_);
    if (!round.ok()) return round.status();
    round_ = *round;
    crawl_.recrawl = round_.number != 0;
    for (const auto step : {&Restorer::Hosts, &Restorer::Urls, &Restorer::Promotions,
                            &Restorer::Visits, &Restorer::Links, &Restorer::Pages}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    Readmit();
    // Whoever ends says how it ended; nobody has if it was killed.
    const Result<std::int64_t> killed =
        db_.QueryInt("SELECT count(*) FROM crawl_state WHERE key = 'status' AND value = 'running'");
    if (!killed.ok()) return killed.status();
    crawl_.frontier->EndRestore(now_, *killed != 0);
    if (crawl_.registry != nullptr) crawl_.registry->KeepDepths(std::move(depths_));
    return Status::Ok();
  }

 private:
  // Where a URL was found, and how far from the seeds.
  struct Sighting {
    std::uint32_t depth = 0;
    UrlId from = 0;
  };

  bool KnownUrl(std::int64_t id) const { return id >= 1 && id <= urls_; }

  Status Hosts() {
    return ForEachRow(db_, "SELECT id, origin, domain FROM hosts ORDER BY id", [this](auto& row) {
      if (row.Int(0) != ++hosts_) return Contradiction(db_, "hosts", row.Int(0), "is out of order");
      crawl_.frontier->RestoreHost(row.Text(1), row.Text(2));
      return Status::Ok();
    });
  }

  Status Urls() {
    const std::string_view sql =
        "SELECT id, url, host_id, turned_away, via, depth, from_id FROM urls ORDER BY id";
    return ForEachRow(db_, sql, [this](auto& row) {
      if (row.Int(0) != ++urls_) return Contradiction(db_, "urls", row.Int(0), "is out of order");
      if (row.Int(2) < 1 || row.Int(2) > hosts_) {
        return Contradiction(db_, "urls", row.Int(0), "has a host that is not there");
      }
      const bool earlier = row.Int(0) <= round_.last_url;
      crawl_.frontier->RestoreUrl(row.Text(1), static_cast<HostId>(row.Int(2)),
                                  earlier || !row.IsNull(3),
                                  row.Int(4) == static_cast<int>(Via::kSitemapFile));
      const auto url = static_cast<UrlId>(row.Int(0));
      if (focus_ != nullptr) RestoreWorth(url, row.Text(1), row.Int(4));
      if (earlier) {
        if (depths_ != nullptr) depths_->Add(url, Depths::kUnreached);
        return Status::Ok();
      }
      const auto depth = static_cast<std::uint32_t>(row.Int(5));
      const bool followed = row.IsNull(3) || row.Text(3) == SkipReasonText(SkipReason::kTooDeep) ||
                            row.Text(3) == SkipReasonText(SkipReason::kFrontierFull);
      if (depths_ != nullptr) depths_->Add(url, followed ? depth : Depths::kUnreached);
      const bool may_return =
          row.Text(3) == SkipReasonText(SkipReason::kFrontierFull) ||
          (row.Text(3) == SkipReasonText(SkipReason::kTooDeep) && WithinDepth(depth));
      if (may_return) returning_.emplace(url, Sighting{depth, static_cast<UrlId>(row.Int(6))});
      return Status::Ok();
    });
  }

  // What links promise is stored with them; this is for URLs that are no link's.
  void RestoreWorth(UrlId url, std::string_view text, std::int64_t via) {
    if (via == static_cast<int>(Via::kSeed)) {
      crawl_.frontier->RestoreWorth(url, Frontier::kMostWorth);
    } else if (via != static_cast<int>(Via::kLink)) {
      crawl_.frontier->RestoreWorth(url, focus_->OfUrl(text));
    }
  }

  Status Promotions() {
    const std::string_view sql =
        "SELECT id, url_id, depth, waits, from_id FROM promotions ORDER BY id";
    return ForEachRow(db_, sql, [this](auto& row) {
      if (!KnownUrl(row.Int(1))) {
        return Contradiction(db_, "promotions", row.Int(0), "has a URL that is not there");
      }
      const auto url = static_cast<UrlId>(row.Int(1));
      const auto depth = static_cast<std::uint32_t>(row.Int(2));
      if (depths_ != nullptr) depths_->Add(url, std::min(depth, depths_->Of(url)));
      if (row.Int(3) != 0) {
        crawl_.frontier->RestoreWaiting(url);
        returning_.erase(url);
      } else if (WithinDepth(depth)) {
        // Nearer, but the kill came before it was admitted; or the frontier was full.
        returning_.emplace(url, Sighting{depth, static_cast<UrlId>(row.Int(4))});
      }
      return Status::Ok();
    });
  }

  Status Links() {
    const std::string_view sql = "SELECT rowid, from_id, links FROM page_links ORDER BY rowid";
    return ForEachRow(db_, sql, [this](auto& row) {
      bool known = KnownUrl(row.Int(1));
      if (known && !read_[static_cast<std::size_t>(row.Int(1))]) return Status::Ok();
      LinkListReader links(row.Text(2));
      LinkListReader::Link& link = link_;
      while (known && links.Next(&link)) {
        known = KnownUrl(link.to);
        if (!known) break;
        crawl_.frontier->RestoreLink(link.to);
        crawl_.frontier->RestoreWorth(link.to, link.worth);
        if (!link.nofollow) RestoreWay(static_cast<UrlId>(row.Int(1)), link.to, false);
      }
      if (known && !links.damaged()) return Status::Ok();
      return Contradiction(db_, "page_links", row.Int(0), "has links that cannot be read");
    });
  }

  // Where a way leads that was followed there is a depth by now; the others lead out of scope.
  void RestoreWay(UrlId from, UrlId to, bool redirect) {
    if (depths_ == nullptr || depths_->Of(to) == Depths::kUnreached) return;
    depths_->AddLink(from, to, redirect);
  }

  Status Visits() {
    // Who only reads, as verify does, may come upon a catalogue of an older schema.
    std::string retry_after = "NULL", change = "NULL";
    Status status = ForEachRow(
        db_,
        "SELECT name FROM pragma_table_info('visits') WHERE name IN ('retry_after_ms', 'change')",
        [&](auto& row) {
          (row.Text(0) == "change" ? change : retry_after) = row.Text(0);
          return Status::Ok();
        });
    if (!status.ok()) return status;
    const std::string sql =
        "SELECT id, url_id, final, outcome, failures, at, detail, status_code, bytes, redirect_to, "
        "total_us, " +
        retry_after + ", " + change + " FROM visits ORDER BY id";
    read_.resize(static_cast<std::size_t>(urls_) + 1);
    return ForEachRow(db_, sql, [this](auto& row) {
      Request(row);
      if (row.IsNull(1)) return Status::Ok();  // A robots.txt.
      if (row.Int(0) <= round_.last_visit) return Status::Ok();
      if (!KnownUrl(row.Int(1))) {
        return Contradiction(db_, "visits", row.Int(0), "has a URL that is not there");
      }
      const auto url = static_cast<UrlId>(row.Int(1));
      if (KnownUrl(row.Int(9))) RestoreWay(url, static_cast<UrlId>(row.Int(9)), true);
      if (row.Int(2) != 0) {
        const bool is_page = row.Text(3) == VisitOutcomeName(VisitOutcome::kPage) ||
                             row.Text(3) == VisitOutcomeName(VisitOutcome::kUnchanged);
        read_[url] = is_page;
        CountChange(row.Text(12));
        crawl_.frontier->RestoreOver(url, is_page);
        returning_.erase(url);
        crawl_.retries.Forget(url);
        if (is_page) crawl_.page_bytes.fetch_add(static_cast<std::uint64_t>(row.Int(8)));
      } else if (row.Int(4) > 0) {
        crawl_.frontier->RestoreFailures(url, static_cast<int>(row.Int(4)));
        const std::string what =
            row.IsNull(6) ? "status " + std::to_string(row.Int(7)) : std::string(row.Text(6));
        crawl_.retries.Add(url, row.Int(5), what);
      }
      return Status::Ok();
    });
  }

  void CountChange(std::string_view name) {
    CrawlCounters& counters = crawl_.counters;
    const std::pair<PageChange, std::atomic<std::uint64_t>&> counted[] = {
        {PageChange::kNew, counters.pages_new},
        {PageChange::kChanged, counters.pages_changed},
        {PageChange::kUnchanged, counters.pages_unchanged},
        {PageChange::kGone, counters.pages_gone}};
    for (const auto& [change, counter] : counted) counter += name == PageChangeName(change);
  }

  // What the hosts' clocks have to know. The catalogue's is another one, which may have been set
  // meanwhile: nothing is taken to lie in the future, and no rest lasts longer than was asked for.
  void Request(Statement& row) {
    constexpr milliseconds kDay = std::chrono::hours(24), kYear = 365 * kDay;
    const std::chrono::microseconds took(std::clamp<std::int64_t>(row.Int(10), 0, 1'000'000'000));
    if (took.count() == 0) return;  // In no time nothing is sent.
    const milliseconds age(wall_now_ - std::clamp<std::int64_t>(row.Int(5), 0, wall_now_));
    const CrawlOptions& options = crawl_.options;
    const milliseconds cap = options.max_crawl_delay.count() > 0 ? options.max_crawl_delay : kDay;

    Frontier::PastRequest request;
    request.health = HealthOf(row);
    request.recent = age <= std::max(options.delay, cap);
    request.started = now_ - std::min(age, kYear);
    request.ended = std::min<TimePoint>(request.started + took, now_);
    if (!row.IsNull(11)) {
      request.retry_after = milliseconds(std::clamp<std::int64_t>(row.Int(11), 0, kDay.count()));
    }
    if (row.IsNull(1)) {
      const std::string_view robots = row.Text(6);
      crawl_.frontier->RestoreRequest(robots.substr(0, robots.find("/robots.txt")), request);
    } else if (KnownUrl(row.Int(1))) {
      crawl_.frontier->RestoreRequest(static_cast<UrlId>(row.Int(1)), request);
    }
  }

  // What the answer said of its host when it came; see ClassifyResponse() and PolicyOf().
  static Frontier::PastRequest::Health HealthOf(Statement& row) {
    using Health = Frontier::PastRequest::Health;
    const std::string_view outcome = row.Text(3);
    const std::int64_t status = row.Int(7);
    if (outcome == VisitOutcomeName(VisitOutcome::kCancelled)) return Health::kUnknown;
    if (outcome == VisitOutcomeName(VisitOutcome::kThrottled)) return Health::kThrottled;
    if (row.IsNull(1)) {
      return status < 200 || status == 429 || status >= 500 ? Health::kFailed : Health::kWell;
    }
    const bool failed =
        (outcome == VisitOutcomeName(VisitOutcome::kFailed) && row.Int(4) > 0) ||
        (outcome == VisitOutcomeName(VisitOutcome::kHttpError) && (status == 408 || status >= 500));
    return failed ? Health::kFailed : Health::kWell;
  }

  Status Pages() {
    const std::string_view sql =
        "SELECT id, url_id, content_hash, crawled_at, size FROM pages ORDER BY id";
    return ForEachRow(db_, sql, [this](auto& row) {
      const std::optional<Sha256Digest> digest = Sha256FromHex(row.Text(2));
      if (!digest || !KnownUrl(row.Int(1))) {
        return Contradiction(db_, "pages", row.Int(0), "cannot be read");
      }
      if (row.Int(4) > 0) {
        crawl_.contents.Add(*digest, {static_cast<UrlId>(row.Int(1)),
                                      static_cast<std::uint32_t>(row.Int(3) / 1000)});
      }
      return Status::Ok();
    });
  }

  bool WithinDepth(std::uint32_t depth) const {
    const int most = crawl_.options.max_depth;
    return most < 0 || depth <= static_cast<std::uint32_t>(most);
  }

  // What was turned away for a budget that is larger now.
  void Readmit() {
    for (const auto& [url, sighting] : returning_) {
      if (!crawl_.frontier->TurnedAway(url)) continue;
      crawl_.frontier->RestoreWaiting(url);
      requeued_.push_back({url, sighting.depth, sighting.from, true});
    }
  }

  Database& db_;
  CrawlContext& crawl_;
  std::vector<RequeueRow>& requeued_;
  Round round_;
  std::vector<bool> read_;  // By URL: its page was read in this round, and its links with it.
  std::unique_ptr<Depths> depths_;
  std::unique_ptr<Focus> focus_;  // Only of a crawl that goes by relevance.
  std::map<UrlId, Sighting> returning_;
  LinkListReader::Link link_;
  const TimePoint now_ = Clock::System().Now();
  const std::int64_t wall_now_ = NowMilliseconds();
  std::int64_t hosts_ = 0;
  std::int64_t urls_ = 0;
};

}  // namespace

Status RestoreCrawl(Database& db, CrawlContext& crawl, std::vector<RequeueRow>* requeued) {
  return Restorer(db, crawl, requeued).Run();
}

}  // namespace crawler
