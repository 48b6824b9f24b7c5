#include "engine/restore.hpp"

#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace crawler {
namespace {

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

std::optional<Sha256Digest> FromHex(std::string_view hex) {
  Sha256Digest digest{};
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const char* const begin = hex.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, digest[i], 16).ptr != begin + 2) return std::nullopt;
  }
  return digest;
}

class Restorer {
 public:
  Restorer(Database& db, CrawlContext& crawl) : db_(db), crawl_(crawl) {}

  Status Run() {
    for (const auto step : {&Restorer::Hosts, &Restorer::Urls, &Restorer::Promotions,
                            &Restorer::Links, &Restorer::Visits, &Restorer::Pages}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    crawl_.frontier->EndRestore();
    return Status::Ok();
  }

 private:
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
        "SELECT id, url, host_id, turned_away IS NOT NULL, via FROM urls ORDER BY id";
    return ForEachRow(db_, sql, [this](auto& row) {
      if (row.Int(0) != ++urls_) return Contradiction(db_, "urls", row.Int(0), "is out of order");
      if (row.Int(2) < 1 || row.Int(2) > hosts_) {
        return Contradiction(db_, "urls", row.Int(0), "has a host that is not there");
      }
      crawl_.frontier->RestoreUrl(row.Text(1), static_cast<HostId>(row.Int(2)), row.Int(3) != 0,
                                  row.Int(4) == static_cast<int>(Via::kSitemapFile));
      return Status::Ok();
    });
  }

  Status Promotions() {
    return ForEachRow(db_, "SELECT id, url_id FROM promotions ORDER BY id", [this](auto& row) {
      if (!KnownUrl(row.Int(1))) {
        return Contradiction(db_, "promotions", row.Int(0), "has a URL that is not there");
      }
      crawl_.frontier->RestoreWaiting(static_cast<UrlId>(row.Int(1)));
      return Status::Ok();
    });
  }

  Status Links() {
    return ForEachRow(db_, "SELECT rowid, links FROM page_links ORDER BY rowid", [this](auto& row) {
      bool known = true;
      const bool readable = VisitLinkTargets(row.Text(1), [&](UrlId target) {
        known &= KnownUrl(target);
        if (known) crawl_.frontier->RestoreLink(target);
      });
      if (readable && known) return Status::Ok();
      return Contradiction(db_, "page_links", row.Int(0), "has links that cannot be read");
    });
  }

  Status Visits() {
    const std::string_view sql =
        "SELECT id, url_id, final, outcome, failures, at, detail, status_code, bytes FROM visits "
        "ORDER BY id";
    return ForEachRow(db_, sql, [this](auto& row) {
      if (row.IsNull(1)) return Status::Ok();  // A robots.txt.
      if (!KnownUrl(row.Int(1))) {
        return Contradiction(db_, "visits", row.Int(0), "has a URL that is not there");
      }
      const auto url = static_cast<UrlId>(row.Int(1));
      if (row.Int(2) != 0) {
        const bool is_page = row.Text(3) == VisitOutcomeName(VisitOutcome::kPage);
        crawl_.frontier->RestoreOver(url, is_page);
        crawl_.retries.Forget(url);
        if (is_page) crawl_.page_bytes.fetch_add(static_cast<std::uint64_t>(row.Int(8)));
      } else if (row.Int(4) > 0) {
        crawl_.frontier->RestoreFailures(url, static_cast<int>(row.Int(4)));
        const std::string what = row.IsNull(6) ? "status " + std::to_string(row.Int(7))
                                               : std::string(row.Text(6));
        crawl_.retries.Add(url, row.Int(5), what);
      }
      return Status::Ok();
    });
  }

  Status Pages() {
    const std::string_view sql =
        "SELECT id, url_id, content_hash, crawled_at, size FROM pages ORDER BY id";
    return ForEachRow(db_, sql, [this](auto& row) {
      const std::optional<Sha256Digest> digest = FromHex(row.Text(2));
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

  Database& db_;
  CrawlContext& crawl_;
  std::int64_t hosts_ = 0;
  std::int64_t urls_ = 0;
};

}  // namespace

bool VisitLinkTargets(std::string_view json, const std::function<void(UrlId)>& visit) {
  std::size_t i = 0;
  int depth = 0;
  bool first = false;  // The next number is a target.
  while (i < json.size()) {
    const char c = json[i];
    if (c == '[') {
      ++depth;
      first = true;
    } else if (c == ']') {
      --depth;
      first = false;
    } else if (c == ',') {
      first = depth == 1;
    } else if (c == '"') {
      for (++i; i < json.size() && json[i] != '"'; ++i) i += json[i] == '\\';
    } else if (c >= '0' && c <= '9' && first) {
      UrlId target = 0;
      const auto [end, error] = std::from_chars(json.data() + i, json.data() + json.size(), target);
      if (error != std::errc()) return false;
      visit(target);
      first = false;
      i = static_cast<std::size_t>(end - json.data());
      continue;
    }
    ++i;
  }
  return depth == 0;
}

Status RestoreCrawl(Database& db, CrawlContext& crawl) { return Restorer(db, crawl).Run(); }

}  // namespace crawler
