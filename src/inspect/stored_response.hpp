#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/options.hpp"
#include "inspect/page_archive.hpp"
#include "inspect/read_snapshot.hpp"
#include "parse/document_reader.hpp"

namespace crawler {

/// The archived responses of a crawl, read as the crawl read them.
/// Ownership: borrows the snapshot. Threads: one at a time.
class StoredResponses {
 public:
  /// Errors: those of ReadOptions() and of the options.
  static Result<std::unique_ptr<StoredResponses>> Open(CatalogueSnapshot& snapshot,
                                                       const std::string& folder);

  const CrawlOptions& options() const { return options_; }

  /// The stored page of `url`, else the last archived response of it. kNotFound, saying why, if
  /// there is none.
  Result<ArchivedPage> Find(std::string_view url);
  /// As PageArchive::Read().
  Result<bool> Read(const ArchivedPage& page, FetchResult* response, std::string* problem) {
    return archive_.Read(page, response, problem);
  }
  void ReadDocument(const FetchResult& response, Document* document) {
    reader_.Read(response, document);
  }

 private:
  StoredResponses(Database& db, CrawlOptions options, const struct FetchOptions& fetch,
                  const std::string& folder);

  Database& db_;
  const CrawlOptions options_;
  PageArchive archive_;
  DocumentReader reader_;
};

}  // namespace crawler
