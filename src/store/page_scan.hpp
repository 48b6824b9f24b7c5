#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "db/database.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

/// Reads the stored pages of a catalogue in the order of their ids, through a connection of its
/// own, so that the pages may be changed meanwhile: it sees the catalogue as it was at the first
/// Next().
/// Threads: one at a time.
class PageScan {
 public:
  struct Page {
    std::int64_t id = 0;
    UrlId url_id = 0;
    std::string_view url;  ///< Valid until the next Next().
    std::uint32_t depth = 0;
  };

  /// Begins behind the page with the id `after`; 0 begins with the first page.
  static Result<PageScan> Open(const std::string& path, std::int64_t after);

  /// Reads the next page into `*page`; false if there is none left.
  Result<bool> Next(Page* page);

 private:
  PageScan(Database db, Statement select);

  Database db_;
  Statement select_;
};

}  // namespace crawler
