#include "inspect/page_pairs.hpp"

#include <utility>

namespace crawler {
namespace {

/// The pages of a catalogue in the order of their URLs.
class PageCursor {
 public:
  /// Moves to the first page.
  Status Begin(Database& db, std::string_view url) {
    Result<Statement> pages = db.Prepare(
        "SELECT url, content_hash, coalesce(title, ''), status_code, size, truncated IS NOT NULL,"
        " id FROM pages" +
        std::string(url.empty() ? "" : " WHERE url = ?") + " ORDER BY url");
    if (!pages.ok()) return pages.status();
    pages_ = std::move(pages).value();
    if (!url.empty()) pages_.Bind(1, url);
    return Next();
  }

  Status Next() {
    const Result<bool> row = pages_.Step();
    if (!row.ok()) return row.status();
    there_ = *row;
    if (!there_) return Status::Ok();
    page_.url = pages_.Text(0);
    page_.hash = pages_.Text(1);
    page_.title = pages_.Text(2);
    page_.status = pages_.Int(3);
    page_.size = pages_.Int(4);
    page_.truncated = pages_.Int(5) != 0;
    page_.id = pages_.Int(6);
    return Status::Ok();
  }

  /// The page; null behind the last one. Valid until Next().
  const PageVersion* page() const { return there_ ? &page_ : nullptr; }

 private:
  Statement pages_;
  PageVersion page_;
  bool there_ = false;
};

}  // namespace

Status ForEachPagePair(
    Database& before, Database& after, std::string_view url,
    const std::function<Status(const PageVersion* before, const PageVersion* after)>& visit) {
  PageCursor old_pages, new_pages;
  Status status = old_pages.Begin(before, url);
  if (status.ok()) status = new_pages.Begin(after, url);
  while (status.ok() && (old_pages.page() != nullptr || new_pages.page() != nullptr)) {
    const PageVersion* a = old_pages.page();
    const PageVersion* b = new_pages.page();
    const int order = a == nullptr ? 1 : b == nullptr ? -1 : a->url.compare(b->url);
    if (order < 0) b = nullptr;
    if (order > 0) a = nullptr;
    status = visit(a, b);
    if (status.ok() && a != nullptr) status = old_pages.Next();
    if (status.ok() && b != nullptr) status = new_pages.Next();
  }
  return status;
}

}  // namespace crawler
