#include "store/url_reader.hpp"

namespace crawler {

Status UrlReader::Open() {
  if (db_) return Status::Ok();
  Result<Database> db = Database::Open(path_, Database::Mode::kReadOnly);
  if (!db.ok()) return db.status();
  // Other people's commits empty the cache, so a large one would not help.
  Status status = db->Execute("PRAGMA cache_size = -500; PRAGMA mmap_size = 1073741824");
  if (!status.ok()) return status;
  Result<Statement> url = db->Prepare(
      "SELECT u.url, u.host_id, coalesce(p.depth, u.depth), u.redirects, u.via,"
      " iif(p.id IS NULL, u.from_id, p.from_id) FROM urls u LEFT JOIN requeued p"
      " ON p.url_id = u.id WHERE u.id = ? ORDER BY p.id DESC LIMIT 1");
  if (!url.ok()) return url.status();
  Result<Statement> robots = db->Prepare(
      "SELECT rules, status_code, policy, crawl_delay, fetched_at, expires_at FROM robots_cache "
      "WHERE domain = ?");
  if (!robots.ok()) return robots.status();
  Result<Statement> page = db->Prepare(
      "SELECT id, status_code, content_hash, etag, last_modified, charset, crawled_at, depth,"
      " noindex, nofollow, truncated IS NOT NULL, warc_length IS NOT NULL, payload_hash,"
      " EXISTS (SELECT 1 FROM page_text t WHERE t.page_id = p.id) FROM pages p WHERE url_id = ?");
  if (!page.ok()) return page.status();
  Result<Statement> links = db->Prepare("SELECT links FROM page_links WHERE from_id = ?");
  if (!links.ok()) return links.status();
  page_ = std::move(page).value();
  links_ = std::move(links).value();
  url_ = std::move(url).value();
  robots_ = std::move(robots).value();
  db_.emplace(std::move(db).value());
  return Status::Ok();
}

Result<UrlRow> UrlReader::Read(UrlId id) {
  if (Status status = Open(); !status.ok()) return status;
  const Result<bool> found = url_.Bind(1, std::int64_t{id}).Step();
  if (!found.ok()) return found.status();
  if (!*found) {
    return Status(StatusCode::kNotFound, path_ + ": there is no URL " + std::to_string(id));
  }
  UrlRow row;
  row.id = id;
  row.url = url_.Text(0);
  row.host = static_cast<HostId>(url_.Int(1));
  row.depth = static_cast<std::uint32_t>(url_.Int(2));
  row.redirects = static_cast<std::uint32_t>(url_.Int(3));
  row.via = static_cast<Via>(url_.Int(4));
  row.from = static_cast<UrlId>(url_.Int(5));
  url_.Reset();
  return row;
}

Result<std::optional<StoredPage>> UrlReader::ReadPage(UrlId url) {
  if (Status status = Open(); !status.ok()) return status;
  const Result<bool> found = page_.Bind(1, std::int64_t{url}).Step();
  if (!found.ok()) return found.status();
  if (!*found) return std::optional<StoredPage>();
  StoredPage page;
  page.id = page_.Int(0);
  page.url_id = url;
  page.status = static_cast<int>(page_.Int(1));
  page.content_hash = page_.Text(2);
  page.etag = page_.Text(3);
  page.last_modified = page_.Text(4);
  page.charset = page_.Text(5);
  page.crawled_at = page_.Int(6);
  page.depth = static_cast<std::uint32_t>(page_.Int(7));
  page.noindex = page_.Int(8) != 0;
  page.nofollow = page_.Int(9) != 0;
  page.truncated = page_.Int(10) != 0;
  page.archived = page_.Int(11) != 0;
  if (!page_.IsNull(12)) page.payload_hash = page_.Blob(12);
  page.indexed = page_.Int(13) != 0;
  page_.Reset();
  return std::optional<StoredPage>(std::move(page));
}

Result<std::string> UrlReader::ReadLinks(UrlId url) {
  if (Status status = Open(); !status.ok()) return status;
  const Result<bool> found = links_.Bind(1, std::int64_t{url}).Step();
  if (!found.ok()) return found.status();
  std::string links(*found ? links_.Text(0) : std::string_view());
  links_.Reset();
  return links;
}

Result<std::optional<RobotsRow>> UrlReader::ReadRobots(const std::string& origin) {
  if (Status status = Open(); !status.ok()) return status;
  const Result<bool> found = robots_.Bind(1, origin).Step();
  if (!found.ok()) return found.status();
  if (!*found) return std::optional<RobotsRow>();
  RobotsRow row;
  row.origin = origin;
  row.rules = robots_.Text(0);
  row.status = static_cast<int>(robots_.Int(1));
  row.policy = robots_.Text(2);
  row.crawl_delay = robots_.Real(3);
  row.fetched_at = robots_.Int(4);
  row.expires_at = robots_.Int(5);
  robots_.Reset();
  return std::optional<RobotsRow>(std::move(row));
}

}  // namespace crawler
