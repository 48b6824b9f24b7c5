#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "frontier/retry_policy.hpp"
#include "model/crawl_ids.hpp"
#include "url/address.hpp"

namespace crawler {

/// Which URL comes first among those whose hosts may be asked now.
enum class FrontierOrder : std::uint8_t {
  kPriority,  ///< The highest score, the oldest of equals. See Frontier::Lease::score.
  kBfs,       ///< First in, first out.
  kWorth,     ///< The highest worth that an offer gave it, the oldest of equals.
};

/// How a crawl treats the web, and how far it goes. Plain values; 0 means no limit.
struct FrontierOptions {
  FrontierOrder order = FrontierOrder::kPriority;

  /// From the start of one request to a host to the start of the next. Default: 1 s.
  std::chrono::milliseconds delay{1'000};
  /// Requests to a host at a time. Default: 1.
  int per_host = 1;
  /// A registrable domain, and an IP address, may be asked as often, and as much at a time, as
  /// this many hosts. Defaults: 4 and 16.
  int hosts_per_domain = 4;
  int hosts_per_address = 16;
  /// The longest Crawl-delay that is honoured. Default: 30 s.
  std::chrono::milliseconds max_crawl_delay{30'000};
  RetryPolicy retry;
  /// Whether the robots.txt of a host has to be fetched before its first page.
  bool robots_checks = true;

  std::uint64_t max_pages = 0;       ///< Pages in all.
  std::uint64_t max_per_domain = 0;  ///< Pages of one registrable domain.
  std::uint64_t max_frontier = 0;    ///< URLs waiting at a time; more are turned away.

  /// Of the fingerprints. Unknown outside, so that nobody can craft URLs that collide.
  std::uint64_t hash_key = 0;
};

/// What the engine keeps with a host between requests, e.g. its robots.txt.
class HostNotes {
 public:
  virtual ~HostNotes() = default;
};

/// The URLs of a crawl: which are known, which wait, and whose turn it is.
///
///     Offer -> waiting -> Lease -> leased -> Finish -> done, or waiting again
///           -> turned away (waits after all if a later offer is better)
///
/// A host here is scheme, host and port, which is also what a robots.txt speaks for. Hosts are
/// grouped by registrable domain and, once known, by IP address. A host may be asked when it has
/// been checked for robots.txt, fewer than per_host of its URLs are leased, its two clocks allow it
/// (politeness from request to request, backoff after 429, 503 and failures) and so do its groups'.
///
/// In memory are about 28 bytes a known URL (24 if it does not wait), texts not included: those are
/// the caller's, under the ids given here; and about 400 a host and its domain. A host with nothing
/// waiting, leased or due shrinks to a few counters; its robots check is kept a while longer if it
/// is among the last few thousand such hosts.
/// Invariants: a URL is leased at most once at a time; leases that may become pages never exceed
/// what max_pages and max_per_domain leave.
/// Ownership: notes are shared; everything else is copied.
/// Threads: safe from any thread. Never calls back into its caller.
class Frontier {
 public:
  explicit Frontier(const FrontierOptions& options);
  ~Frontier();

  static constexpr std::uint16_t kMostWorth = 10'000;

  /// A link, seed or sitemap entry, in normal form. The views need live for the call only.
  struct Offer {
    std::string_view url;
    std::string_view origin;  ///< scheme://host[:port] of it.
    std::string_view site;    ///< What per-domain limits count under; see SiteOf().
    std::uint32_t depth = 0;
    bool turned_away = false;  ///< To be known, but not fetched: out of scope, nofollow, too deep.
    bool urgent = false;       ///< Before all pages of its host, and no page: a sitemap.
    bool is_link = true;       ///< Counts as a link to the URL and its host; seeds do not.
    std::uint16_t worth = 0;   ///< For kWorth; up to kMostWorth.
  };

  struct Offered {
    UrlId url = 0;
    HostId host = 0;
    bool is_new = false;       ///< It was not known; ids are given in order of discovery, from 1.
    bool host_is_new = false;  ///< Host ids are, too.
    /// This offer put it into the queue: now, or after all. If its host is given up at the moment,
    /// it comes out of TakeGivenUp() at once.
    bool waits = false;
    bool frontier_full = false;  ///< It was turned away because max_frontier URLs wait.
    bool again = false;          ///< And not for the first time.
  };

  /// Offers the links of one page, all at once. `results` has one entry for each offer. Returns the
  /// ticket of this change: tickets count from 1, and whoever writes changes down must do so in
  /// their order, so that no URL is referred to before it is written.
  std::uint64_t OfferAll(const std::vector<Offer>& offers, std::vector<Offered>* results)
      CRAWLER_EXCLUDES(mutex_);

  /// The right to make one request.
  struct Lease {
    enum class Kind : std::uint8_t {
      kUrl,          ///< Fetch `url`.
      kRobotsCheck,  ///< Find out what `host` allows, for `url`, which keeps waiting.
    };
    Kind kind = Kind::kUrl;
    UrlId url = 0;
    HostId host = 0;
    bool urgent = false;
    std::uint8_t failures = 0;  ///< Of this URL, so far.
    /// In hundredths, when it was leased: novelty max(0, 1000 - 10 · pages of the host) + 100 ·
    /// links to the URL + links to the host. In bfs order always 200, by worth its worth.
    std::int64_t score = 0;
    std::shared_ptr<const HostNotes> notes;  ///< As PassRobotsCheck() gave them.
  };

  /// Appends up to `most` leases to `*leases`, best first; returns how many. Each must be ended by
  /// Finish() or, for robots checks, PassRobotsCheck() or FailRobotsCheck().
  std::size_t LeaseSome(TimePoint now, std::size_t most, std::vector<Lease>* leases)
      CRAWLER_EXCLUDES(mutex_);

  /// When to try again if nothing could be leased: no later than the first moment at which
  /// something becomes due by itself; in the past if something is due already. TimePoint::max() if
  /// only Finish() or OfferAll() can change anything.
  TimePoint NextDue() const CRAWLER_EXCLUDES(mutex_);

  /// What became of a request.
  struct Outcome {
    enum class Kind : std::uint8_t {
      kPage,   ///< Done, and counts as a page.
      kDone,   ///< Done, but no page: a redirect, a 404, a sitemap, the wrong type.
      kRetry,  ///< Failed. The URL is tried again later, as often as RetryPolicy allows.
      /// The host could not be reached. The URL waits again; that is no failure of it.
      kUnreachable,
      kThrottled,  ///< The host asked to wait. The URL waits again; that is no failure of it.
      kReturned,   ///< Nothing was sent. The URL waits again as if it had not been leased.
      kDropped,    ///< Nothing was sent, and nothing will be: robots.txt refuses.
    };
    Kind kind = Kind::kDone;
    bool no_answer = false;     ///< Counts as a failure of the host, as kUnreachable does.
    bool server_error = false;  ///< Answered with 5xx: the host is asked less often.
    TimePoint started;          ///< Of the request.
    Duration took{0};
    TimePoint now;
    std::optional<Duration>
        retry_after;                   ///< With kThrottled and kRetry: the time the host asked for.
    std::optional<IpAddress> address;  ///< That answered.
    std::string_view what;             ///< Of a failure, for people. Need live for the call only.
  };

  /// How Finish() left the URL.
  enum class Verdict : std::uint8_t {
    kOver,   ///< It will not be leased again.
    kWaits,  ///< It will.
    /// It will not, and is a dead letter: its retries are used up, or it would wait but its host is
    /// down. It does not come out of TakeGivenUp() as well.
    kGivenUp,
  };
  /// Without effect if the lease has ended before. An urgent URL never counts as a page.
  Verdict Finish(const Lease& lease, const Outcome& outcome) CRAWLER_EXCLUDES(mutex_);

  /// Ends a robots check: the host may be asked until `until`, and for one URL at least; then its
  /// robots.txt is checked again. If nothing was sent (the rules were at hand), the outcome is
  /// kReturned.
  void PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                       std::chrono::milliseconds crawl_delay,
                       std::shared_ptr<const HostNotes> notes) CRAWLER_EXCLUDES(mutex_);
  /// Ends a robots check that failed, which is a failure of the host: it is repeated when the host
  /// has rested, until the host is given up. True if that happened: see TakeGivenUp(). kThrottled
  /// and kReturned are no failure; kDropped gives the host up until `until` at once.
  bool FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until)
      CRAWLER_EXCLUDES(mutex_);

  /// Why a host was given up.
  struct HostDown {
    enum class Reason : std::uint8_t { kFailures, kThrottled, kRobotsCheck };
    Reason reason = Reason::kFailures;
    int attempts = 0;  ///< In a row that came to nothing.
    TimePoint at;
    std::string origin;
    std::string last;  ///< Outcome::what of the last.
  };

  /// URLs whose host was given up, which are over now; the caller writes them down. A host stays
  /// given up for RetryPolicy::down_time, or until it answers a request that was under way. Appends
  /// at most `most`, returns how many.
  struct GivenUp {
    UrlId url = 0;
    HostId host = 0;
    std::uint8_t failures = 0;             ///< Of this URL.
    bool first = false;                    ///< Of its host, since that was given up.
    std::shared_ptr<const HostDown> down;  ///< Why; null if that is forgotten.
  };
  std::size_t TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls) CRAWLER_EXCLUDES(mutex_);

  /// The state of things in numbers. Waiting includes what waits for a retry, leased includes
  /// robots checks.
  struct Counts {
    std::uint64_t known = 0, waiting = 0, leased = 0, given_up_untaken = 0;
    std::uint64_t pages = 0;           ///< kPage so far.
    std::uint64_t hosts = 0;           ///< Known.
    std::uint64_t hosts_active = 0;    ///< With something waiting, leased or due.
    std::uint64_t hosts_ready = 0;     ///< That may be asked now, or nearly so.
    std::uint64_t held_by_budget = 0;  ///< Waiting URLs that no budget is left for.
    bool pages_spent = false;          ///< max_pages is reached.
  };
  Counts counts() const CRAWLER_EXCLUDES(mutex_);

  /// Whether it is over: nothing leased, no given up URL to take, and nothing waits but what no
  /// budget is left for. Nothing but OfferAll() changes that.
  bool Finished() const CRAWLER_EXCLUDES(mutex_);

  /// It is known, but no offer has been good enough yet.
  bool TurnedAway(UrlId url) const CRAWLER_EXCLUDES(mutex_);

  /// The hosts that hold the crawl up, those due last first: at most `most`.
  struct Holdup {
    HostId host = 0;
    std::string origin;
    std::uint64_t waiting = 0;
    std::uint32_t leased = 0;
    TimePoint due;         ///< May be asked again, as far as clocks tell; past if it may now.
    std::string_view why;  ///< "politeness", "backoff", "request under way", "domain limit", …
  };
  std::vector<Holdup> Holdups(TimePoint now, std::size_t most) const CRAWLER_EXCLUDES(mutex_);

  /// When `url` is due, and why not yet; empty if it does not wait. For explaining.
  std::optional<Holdup> WhyWaiting(UrlId url, TimePoint now) const CRAWLER_EXCLUDES(mutex_);

  // Bringing back a stored crawl: hosts and URLs in the order of their ids, then any number of
  // links and ends, then EndRestore(). Nothing else but TurnedAway() may be called before that.
  void RestoreHost(std::string_view origin, std::string_view site);
  void RestoreUrl(std::string_view url, HostId host, bool turned_away, bool urgent);
  void RestoreLink(UrlId to);                         ///< One link to it (and to its host).
  void RestoreWorth(UrlId url, std::uint16_t worth);  ///< What an offer gave it.
  void RestoreWaiting(UrlId url);                     ///< It was turned away, but waits after all.
  void RestoreFailures(UrlId url, int failures);      ///< It waits for a retry, due at once.
  void RestoreOver(UrlId url, bool is_page);          ///< It was finished.
  /// A request that was made, in the order they were, so that a crawl that is stopped and resumed
  /// at once is as polite as one that goes on: no host is asked before its delay has passed and it
  /// has rested from its failures. That it counted as down is forgotten.
  struct PastRequest {
    enum class Health : std::uint8_t { kWell, kFailed, kThrottled, kUnknown };
    Health health = Health::kWell;
    bool recent = false;  ///< The delay behind it may not have passed.
    TimePoint started, ended;
    std::optional<Duration> retry_after;
  };
  void RestoreRequest(UrlId url, const PastRequest& request);
  void RestoreRequest(std::string_view origin, const PastRequest& request);
  /// `interrupted`: requests may have been under way that nobody knows of, so every host with
  /// something waiting, now or before the first lease, counts as asked at `now`.
  void EndRestore(TimePoint now = TimePoint::min(), bool interrupted = false);

  /// Bytes held in memory.
  std::size_t memory() const CRAWLER_EXCLUDES(mutex_);

 private:
  class Impl;
  const std::uint64_t hash_key_;  // Hashing needs no lock.
  mutable Mutex mutex_;
  const std::unique_ptr<Impl> impl_ CRAWLER_PT_GUARDED_BY(mutex_);
};

}  // namespace crawler
