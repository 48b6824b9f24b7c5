#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/status.hpp"
#include "engine/depths.hpp"
#include "frontier/frontier.hpp"
#include "store/rows.hpp"
#include "store/url_reader.hpp"

namespace crawler {

/// A URL to be offered to the frontier. Views need live for the call only.
struct UrlCandidate {
  std::string_view url;  ///< In normal form.
  std::string_view origin;
  std::string_view site;
  std::uint32_t depth = 0;
  std::uint32_t redirects = 0;
  Via via = Via::kLink;
  SkipReason skipped = SkipReason::kNone;
  std::string_view skip_detail;  ///< See UrlRow::skip_detail.
  std::uint16_t worth = 0;       ///< See Frontier::Offer::worth.
};

/// What offering the URLs of a page came to: their ids, and the rows to write down.
struct Registration {
  std::uint64_t ticket = 0;
  std::vector<UrlId> ids;   ///< One for each candidate.
  std::size_t waiting = 0;  ///< How many of them were put into the queue.
  std::vector<HostRow> hosts;
  std::vector<UrlRow> urls;
  std::vector<RequeueRow> requeued;
  /// URLs that had been too deep and are not any more; to be registered again.
  std::vector<UrlId> admitted;
};

/// The texts behind the ids of a Frontier, and how they were found last. They are held in memory
/// until that is committed, and after that as long as there is room; otherwise they are read back
/// from the catalogue.
/// Invariant: a URL that can be leased can be found.
/// Threads: safe from any thread.
class UrlRegistry {
 public:
  /// Holds about `room` bytes of texts besides those that are not committed.
  UrlRegistry(Frontier& frontier, std::size_t room) : frontier_(frontier), room_(room) {}

  /// From now on keeps depths exact; before the first URL is registered. For restoring, what
  /// `depths` knows already stays.
  void KeepDepths(std::unique_ptr<Depths> depths) CRAWLER_EXCLUDES(mutex_);

  /// Offers `candidates`, found on `from`, all at once.
  Registration Register(const std::vector<UrlCandidate>& candidates, UrlId from)
      CRAWLER_EXCLUDES(mutex_);

  /// The depth of `url` as it is known now, which may be less than when it was leased.
  std::uint32_t DepthOf(const UrlRow& url) const CRAWLER_EXCLUDES(mutex_);

  /// What is known of `url`; reads the catalogue through `reader` if need be.
  Result<UrlRow> Find(UrlId url, UrlReader& reader) const CRAWLER_EXCLUDES(mutex_);

  /// All that was registered up to `ticket` is in the catalogue now.
  void Committed(std::uint64_t ticket) CRAWLER_EXCLUDES(mutex_);

 private:
  // The rows of kBlock URLs with consecutive ids.
  static constexpr std::size_t kBlock = 1024;
  struct Block {
    // Where in `bytes` each begins, plus 1; 0: it is not here.
    std::vector<std::uint32_t> starts = std::vector<std::uint32_t>(kBlock);
    std::string bytes;
    std::uint64_t ticket = 0;  // Of the last that was added.
  };

  void Keep(const UrlRow& row, std::uint64_t ticket) CRAWLER_REQUIRES(mutex_);
  void UpdateDepths(const std::vector<UrlCandidate>& candidates,
                    const std::vector<Frontier::Offered>& results, UrlId from,
                    Registration* registration) CRAWLER_REQUIRES(mutex_);

  Frontier& frontier_;
  const std::size_t room_;
  mutable Mutex mutex_;
  std::map<UrlId, Block> blocks_ CRAWLER_GUARDED_BY(mutex_);
  std::size_t held_ CRAWLER_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<Depths> depths_ CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler
