#include "store/page_scan.hpp"

#include <utility>

namespace crawler {

PageScan::PageScan(Database db, Statement select)
    : db_(std::move(db)), select_(std::move(select)) {}

Result<PageScan> PageScan::Open(const std::string& path, std::int64_t after) {
  Result<Database> db = Database::Open(path, Database::Mode::kReadOnly);
  if (!db.ok()) return db.status();
  Result<Statement> select =
      db->Prepare("SELECT id, url_id, url, depth FROM pages WHERE id > ? ORDER BY id");
  if (!select.ok()) return select.status();
  select->Bind(1, after);
  return PageScan(std::move(db).value(), std::move(select).value());
}

Result<bool> PageScan::Next(Page* page) {
  Result<bool> row = select_.Step();
  if (!row.ok() || !*row) return row;
  page->id = select_.Int(0);
  page->url_id = static_cast<UrlId>(select_.Int(1));
  page->url = select_.Text(2);
  page->depth = static_cast<std::uint32_t>(select_.Int(3));
  return row;
}

}  // namespace crawler
