#include "inspect/stored_response.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/crawl_folder.hpp"
#include "engine/stage_options.hpp"
#include "inspect/read_folder.hpp"
#include "parse/sitemap.hpp"
#include "robots/robots_txt.hpp"

namespace crawler {

StoredResponses::StoredResponses(Database& db, CrawlOptions options, const FetchOptions& fetch,
                                 const std::string& folder)
    : db_(db),
      options_(std::move(options)),
      archive_(db, CrawlFolder::WarcPath(folder),
               std::max(fetch.limits.max_body, SitemapLimits().max_bytes)),
      reader_(ToExtractOptions(ProductToken(fetch.user_agent), ToNormalizeOptions(options_)),
              fetch.limits.max_decoded) {}

Result<std::unique_ptr<StoredResponses>> StoredResponses::Open(CatalogueSnapshot& snapshot,
                                                               const std::string& folder) {
  Result<CrawlOptions> options = ReadOptions(snapshot.db());
  if (!options.ok()) return options.status();
  // No URLs: nothing is sent, so no secrets are needed.
  const Result<FetchOptions> fetch = ToFetchOptions(options->network, {});
  if (!fetch.ok()) return fetch.status();
  return std::unique_ptr<StoredResponses>(
      new StoredResponses(snapshot.db(), std::move(options).value(), *fetch, folder));
}

Result<ArchivedPage> StoredResponses::Find(std::string_view url) {
  std::optional<ArchivedPage> found;
  bool is_page = false;
  const auto read = [&](Statement& row) {
    is_page |= !row.Text(4).empty();
    if (!row.IsNull(6)) found = ToArchivedPage(row);
  };
  Status status = ForEachRow(
      db_, "SELECT " + std::string(kArchivedPageColumns) + " FROM pages p WHERE p.url = ?", read,
      url);
  if (status.ok() && !is_page) {
    status = ForEachRow(db_,
                        "SELECT 0, u.url, v.status_code, v.at, '', 0, v.warc_file, v.warc_offset,"
                        " v.warc_length, v.id FROM urls u CROSS JOIN visits v ON v.url_id = u.id"
                        " WHERE u.url = ? AND v.warc_file IS NOT NULL ORDER BY v.id DESC LIMIT 1",
                        read, url);
  }
  if (!status.ok()) return status;
  if (found) return *std::move(found);
  return Status(
      StatusCode::kNotFound,
      std::string(url) + (is_page ? ": the crawl stored no WARC of it"
                                  : ": no response is stored; `crawler explain` says why"));
}

}  // namespace crawler
