#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "crawler/crawler.hpp"
#include "model/crawl_ids.hpp"
#include "model/fetch_result.hpp"
#include "store/rows.hpp"
#include "url/scope.hpp"

namespace crawler {

/// The seeds that have led to no page yet, redirects followed, and the last thing that happened to
/// each. The first page that a seed leads to ends its watch: of a crawl that goes well nothing is
/// left here after a few seconds.
/// Threads: safe from any thread.
class SeedWatch {
 public:
  /// More seeds than this are not watched.
  static constexpr std::size_t kMostSeeds = 1'000;
  static constexpr std::size_t kMostShown = 20;
  static constexpr std::size_t kMostTold = 3;

  /// Without effect if the seed is watched already, or was.
  void Add(UrlId id, std::string_view url) CRAWLER_EXCLUDES(mutex_);
  /// These seeds were found by a search: nobody has mistyped them, and their servers are somebody
  /// else's, so they get no advice. URLs in normal form.
  void SetSearched(std::set<std::string, std::less<>> urls) CRAWLER_EXCLUDES(mutex_);

  /// The result of one attempt.
  struct Attempt {
    VisitOutcome outcome = VisitOutcome::kFailed;
    int status = 0;
    FetchFailure failure = FetchFailure::kNone;
    GiveUpReason given_up = GiveUpReason::kNone;
    std::string_view detail;  ///< VisitRow::detail
    bool final = true;
    UrlId redirect_to = 0;
    bool target_skipped = false;  ///< The crawl does not follow the redirect.
  };
  /// Whether any seed is watched still; without one, Note() has no effect.
  bool watching() const { return watched_.load(std::memory_order_relaxed) != 0; }
  void Note(UrlId url, const Attempt& attempt) CRAWLER_EXCLUDES(mutex_);

  /// Describes a failure of a seed that is tried again, the first time that happens to it; of the
  /// first kMostTold seeds only. Nothing otherwise.
  std::optional<CrawlResult::SeedFailure> TellFirst(UrlId url, const Attempt& attempt,
                                                    const Scope& scope) CRAWLER_EXCLUDES(mutex_);

  struct Failures {
    std::vector<CrawlResult::SeedFailure> shown;  ///< At most kMostShown.
    std::uint64_t all = 0;
  };
  /// The seeds that have failed for good; with `unfinished`, also those that would be tried again.
  Failures Describe(const Scope& scope, bool unfinished) const CRAWLER_EXCLUDES(mutex_);

 private:
  enum class State : std::uint8_t { kWaiting, kFailed, kDone };
  struct Seed {
    std::string url;
    State state = State::kWaiting;
    std::vector<UrlId> chain;  // The seed, then the targets of its redirects.
    bool tried = false;
    bool told = false;
    bool loops = false;
    Attempt last;  // Its text is in `detail`.
    std::string detail;
  };
  void Note(const Attempt& attempt, std::size_t index) CRAWLER_REQUIRES(mutex_);
  CrawlResult::SeedFailure Describe(const Seed& seed, const Scope& scope) const
      CRAWLER_REQUIRES(mutex_);

  std::atomic<std::size_t> watched_{0};
  mutable Mutex mutex_;
  std::set<std::string, std::less<>> searched_ CRAWLER_GUARDED_BY(mutex_);
  std::size_t told_ CRAWLER_GUARDED_BY(mutex_) = 0;
  std::vector<Seed> seeds_ CRAWLER_GUARDED_BY(mutex_);
  std::unordered_map<UrlId, std::size_t> seed_of_ CRAWLER_GUARDED_BY(mutex_);  // By its own id.
  std::unordered_multimap<UrlId, std::size_t> by_url_ CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler
