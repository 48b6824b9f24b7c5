#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "engine/crawl_totals.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

/// Counts the visits of a crawl by status code and by host while they happen, so that the end needs
/// no pass over finished rows. 32 bytes per known host.
/// Threads: safe from any thread.
class VisitTally {
 public:
  /// Returns whether `host` was asked for the first time. `host` may be 0: not known.
  bool Add(HostId host, const CountedVisit& visit) CRAWLER_EXCLUDES(mutex_);

  /// Adds rows that are written. Returns how many hosts were asked for the first time.
  std::uint64_t AddRows(const std::vector<VisitRow>& rows) CRAWLER_EXCLUDES(mutex_);

  /// In the order of the codes.
  std::vector<CrawlBreakdown::Code> Codes() const CRAWLER_EXCLUDES(mutex_);

  /// Calls its argument with the registrable domain of every host of the crawl.
  using ForEachHost =
      std::function<Status(const std::function<void(HostId host, std::string_view domain)>&)>;
  /// At most `most_domains` domains, the rest as a sum. Takes 16 bytes per host for the time of the
  /// call.
  Result<CrawlBreakdown> Break(const ForEachHost& for_each_host, std::size_t most_domains) const
      CRAWLER_EXCLUDES(mutex_);

 private:
  struct Host {
    std::uint64_t requests = 0, pages = 0, errors = 0, bytes = 0;
  };
  struct Code {
    std::uint64_t responses = 0, urls = 0;
  };

  mutable Mutex mutex_;
  std::deque<Host> hosts_ CRAWLER_GUARDED_BY(mutex_);     // By id.
  std::map<int, Code> codes_ CRAWLER_GUARDED_BY(mutex_);  // At most 900: 100 to 999.
};

/// Totals by status code and domain as `crawl_state` stores them (key `breakdown`).
std::string ToJson(const CrawlBreakdown& breakdown);
/// Empty totals if `json` cannot be read: a crawl that has not ended has none.
CrawlBreakdown BreakdownFromJson(std::string_view json);

}  // namespace crawler
