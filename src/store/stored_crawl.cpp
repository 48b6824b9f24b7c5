#include "store/stored_crawl.hpp"

#include <charconv>
#include <optional>
#include <string>

namespace crawler {
Result<StoredCrawl> StoredCrawl::Open(Database& db) {
  StoredCrawl crawl(db);
  if (Status status = crawl.ReadHead(); !status.ok()) return status;
  return crawl;
}

Status StoredCrawl::ReadHead() {
  const Result<Round> round = ReadRound(*db_);
  if (!round.ok()) return round.status();
  round_ = *round;
  const Result<std::string> state = ReadState(*db_, "status");
  if (!state.ok()) return state.status();
  was_interrupted_ = *state == "running";
  const Result<std::string> interrupted = ReadState(*db_, kInterruptedAt);
  if (!interrupted.ok()) return interrupted.status();
  std::from_chars(interrupted->data(), interrupted->data() + interrupted->size(), interrupted_at_);
  const Result<std::int64_t> hosts = db_->QueryInt("SELECT max(id) FROM hosts");
  if (!hosts.ok()) return hosts.status();
  hosts_ = *hosts;
  const Result<std::int64_t> urls = db_->QueryInt("SELECT max(id) FROM urls");
  if (!urls.ok()) return urls.status();
  urls_ = *urls;
  const Result<std::int64_t> letters = db_->QueryInt("SELECT count(*) FROM dead_letters");
  if (!letters.ok()) return letters.status();
  dead_letters_ = *letters;
  return Status::Ok();
}

Status StoredCrawl::Corrupt(std::string_view table, std::int64_t row, std::string_view what) const {
  return Status(StatusCode::kCorruption, db_->path() + ": row " + std::to_string(row) + " of " +
                                             std::string(table) + " " + std::string(what));
}

Status StoredCrawl::ForEachHost(const Callback<StoredHost>& visit) {
  std::int64_t last = 0;
  return ForEachRow(*db_, "SELECT id, origin, domain FROM hosts ORDER BY id", [&](Statement& row) {
    if (row.Int(0) != ++last) return Corrupt("hosts", row.Int(0), "is out of order");
    return visit({static_cast<HostId>(row.Int(0)), row.Text(1), row.Text(2)});
  });
}

Status StoredCrawl::ForEachUrl(const Callback<StoredUrl>& visit) {
  const std::string_view sql =
      "SELECT id, url, host_id, depth, redirects, via, from_id, skipped FROM urls ORDER BY id";
  std::int64_t last = 0;
  return ForEachRow(*db_, sql, [&](Statement& row) {
    if (row.Int(0) != ++last) return Corrupt("urls", row.Int(0), "is out of order");
    if (row.Int(2) < 1 || row.Int(2) > hosts_) {
      return Corrupt("urls", row.Int(0), "has a host that is not there");
    }
    StoredUrl url;
    url.id = static_cast<UrlId>(row.Int(0));
    url.url = row.Text(1);
    url.host = static_cast<HostId>(row.Int(2));
    url.depth = static_cast<std::uint32_t>(row.Int(3));
    url.redirects = static_cast<std::uint32_t>(row.Int(4));
    url.via = static_cast<Via>(row.Int(5));
    url.from = static_cast<UrlId>(row.Int(6));
    url.skipped = static_cast<SkipReason>(row.Int(7));
    return visit(url);
  });
}

Status StoredCrawl::ForEachRequeue(const Callback<RequeueRow>& visit) {
  const std::string_view sql = "SELECT id, url_id, depth, from_id, waits FROM requeued ORDER BY id";
  return ForEachRow(*db_, sql, [&](Statement& row) {
    if (!HasUrl(row.Int(1))) {
      return Corrupt("requeued", row.Int(0), "has a URL that is not there");
    }
    return visit({static_cast<UrlId>(row.Int(1)), static_cast<std::uint32_t>(row.Int(2)),
                  static_cast<UrlId>(row.Int(3)), row.Int(4) != 0});
  });
}

Status StoredCrawl::ForEachVisit(const Callback<StoredVisit>& visit) {
  const std::string_view sql =
      "SELECT v.id, url_id, at, final, outcome, status_code, detail, redirect_to, failures, bytes,"
      " total_us, retry_after_ms, change, failure, given_up, host_id, h.origin,"
      " address"
      " FROM visits v LEFT JOIN hosts h ON h.id = v.host_id ORDER BY v.id";
  return ForEachRow(*db_, sql, [&](Statement& row) {
    if (!row.IsNull(1) && !HasUrl(row.Int(1))) {
      return Corrupt("visits", row.Int(0), "has a URL that is not there");
    }
    const std::optional<VisitOutcome> outcome = ParseVisitOutcome(row.Text(4));
    if (!outcome) return Corrupt("visits", row.Int(0), "has an unknown outcome");
    StoredVisit stored;
    stored.id = row.Int(0);
    stored.url = static_cast<UrlId>(row.Int(1));
    stored.at = row.Int(2);
    stored.final = row.Int(3) != 0;
    stored.outcome = *outcome;
    stored.status = static_cast<int>(row.Int(5));
    stored.detail = row.Text(6);
    stored.redirect_to = HasUrl(row.Int(7)) ? static_cast<UrlId>(row.Int(7)) : 0;
    stored.failures = static_cast<std::uint32_t>(row.Int(8));
    stored.bytes = static_cast<std::uint64_t>(row.Int(9));
    stored.total = row.Int(10);
    stored.retry_after = row.Int(11);
    stored.change = ParsePageChange(row.Text(12));
    stored.failure = ParseFetchFailure(row.Text(13)).value_or(FetchFailure::kNone);
    stored.given_up = ParseGiveUpReason(row.Text(14));
    stored.host = static_cast<HostId>(row.Int(15));
    stored.origin = row.Text(16);
    stored.address = row.Text(17);
    return visit(stored);
  });
}

Status StoredCrawl::ForEachLinkList(const Callback<StoredLinks>& visit) {
  const std::string_view sql = "SELECT rowid, from_id, links FROM page_links ORDER BY rowid";
  return ForEachRow(*db_, sql, [&](Statement& row) {
    if (!HasUrl(row.Int(1))) {
      return Corrupt("page_links", row.Int(0), "has a URL that is not there");
    }
    return visit({row.Int(0), static_cast<UrlId>(row.Int(1)), row.Text(2)});
  });
}

Status StoredCrawl::ForEachPage(const Callback<StoredContent>& visit) {
  const std::string_view sql =
      "SELECT id, url_id, content_hash, crawled_at, size, duplicate_of IS NOT NULL FROM pages"
      " ORDER BY id";
  return ForEachRow(*db_, sql, [&](Statement& row) {
    const std::optional<Sha256Digest> digest = Sha256FromHex(row.Text(2));
    if (!digest || !HasUrl(row.Int(1))) return Corrupt("pages", row.Int(0), "cannot be read");
    return visit({row.Int(0), static_cast<UrlId>(row.Int(1)), *digest, row.Int(3),
                  static_cast<std::uint64_t>(row.Int(4)), row.Int(5) != 0});
  });
}

}  // namespace crawler
