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
#include "base/status.hpp"
#include "model/crawl_ids.hpp"
#include "model/fetch_result.hpp"
#include "model/url_record.hpp"
#include "url/address.hpp"

namespace crawler {

/// The name of a lease: no two leases of a process have the same token. 0: none.
using LeaseToken = std::uint64_t;

/// The URLs of a running crawl: which are known, which wait, and whose turn it is.
///
///     Offer -> waiting -> Lease -> leased -> Finish -> decided -> Settle -> settled
///           -> skipped                              -> waiting again
///
/// A skipped URL waits after all if a later offer wants it. A URL is *decided* when the outcome of
/// its request is known: clocks and budgets move then. It is *settled* when the catalogue has
/// committed that outcome. The frontier forgets no waiting or decided URL that is not settled.
///
/// A host here is scheme, host and port: the unit that a robots.txt is for. Hosts are grouped by
/// registrable domain and, once known, by IP address. URLs of a host may be leased when its
/// robots.txt has been checked, fewer than per_host of its URLs are leased, its two clocks allow it
/// (politeness between requests, backoff after 429, 503 and failures), and its groups allow it.
///
/// Invariants: a URL is leased at most once at a time; leases that may become pages never exceed
/// the pages that the budgets leave.
/// Implementations: MemoryFrontier. tests/unit/frontier/frontier_conformance.hpp tests any of them.
/// Threads: safe from any thread. Never calls back into its caller.
class Frontier {
 public:
  virtual ~Frontier() = default;

  static constexpr std::uint16_t kMostWorth = 10'000;

  /// A link, seed or sitemap entry, in normal form. The views need live for the call only.
  struct Offer {
    std::string_view url;
    std::string_view origin;  ///< scheme://host[:port] of it.
    std::string_view site;    ///< The name that limits per domain count under; see SiteOf().
    std::uint32_t depth = 0;
    std::uint32_t redirects = 0;  ///< In a row that led to it.
    /// A kLink counts as a link to the URL and its host. A kSitemapFile is no page; sitemaps and
    /// pages of a host are leased by turns, a sitemap first.
    Via via = Via::kLink;
    /// If not kNone, the URL is to be known but not fetched.
    SkipReason skipped = SkipReason::kNone;
    std::string_view skip_detail;  ///< See UrlRow::skip_detail.
    std::uint16_t worth = 0;       ///< For crawls in order of worth; up to kMostWorth.
  };

  /// The result of one offer.
  struct Offered {
    UrlId url = 0;  ///< 0 if there is no room for another URL at all.
    HostId host = 0;
    bool is_new = false;       ///< It was not known; ids are given in order of discovery, from 1.
    bool host_is_new = false;  ///< Its host was not known; host ids are given in the same way.
    /// This offer put the URL into the queue, for the first time or after earlier offers skipped
    /// it. If its host is given up at the moment, it comes out of TakeGivenUp() at once.
    bool waits = false;
    bool frontier_full = false;  ///< It was skipped because max_frontier URLs wait.
    bool again = false;          ///< It was skipped for that reason before.
  };

  /// The results of the offers of one page, and the rows that the catalogue has to store for them.
  struct OfferResult {
    std::uint64_t number = 0;  ///< Of this call: 1, 2, 3, … See Settle().
    std::vector<Offered> offered;
    std::size_t waiting = 0;  ///< URLs that were put into the queue.
    /// The depth of the page as it is known now; nearer ways to it may have been found since it
    /// was leased.
    std::optional<std::uint32_t> from_depth;
    std::vector<HostRow> hosts;
    std::vector<UrlRow> urls;
    std::vector<RequeueRow> requeued;
  };

  /// Offers the links of the page `from` (0: of none), all at once. The catalogue has to store the
  /// results of several calls in the order of their numbers, so that no row refers to a URL before
  /// the URL has its own.
  virtual OfferResult OfferAll(const std::vector<Offer>& offers, UrlId from) = 0;

  /// The right to make one request, with all that is needed to make it.
  struct Lease {
    enum class Kind : std::uint8_t {
      kUrl,          ///< Fetch `url`.
      kRobotsCheck,  ///< Find out what robots.txt of `host` allows, for `url`, which keeps waiting.
    };
    LeaseToken token = 0;
    Kind kind = Kind::kUrl;
    Via via = Via::kLink;       ///< How it was found.
    std::uint8_t failures = 0;  ///< Of this URL, so far.
    /// The host has asked to wait for this URL before, has answered others well since, and asks
    /// for no other now: if it asks to wait again, that is a failure of the URL (kRetry with
    /// server_error), not of the host.
    bool throttled_alone = false;
    /// More hosts wait than there are slots: the first byte should not be waited for as long as
    /// usual. Never set after a failure of the host.
    bool hurried = false;
    UrlId id = 0;
    HostId host = 0;
    UrlId from = 0;               ///< The page that it was found on; 0: none.
    std::uint32_t depth = 0;      ///< As it is known now.
    std::uint32_t redirects = 0;  ///< In a row that led to it.
    /// In hundredths, now: novelty max(0, 1000 - 10 · pages of the host) + 100 · links to the URL +
    /// links to the host. In bfs order always 200, by worth its worth.
    std::int64_t score = 0;
    std::string url;

    bool is_sitemap() const { return via == Via::kSitemapFile; }
  };

  /// Appends up to `most` leases to `*leases`, best first; returns how many. Each must be ended by
  /// Finish() or, for robots checks, PassRobotsCheck() or FailRobotsCheck(). An error means that
  /// texts of URLs cannot be read; leases that were appended are good all the same.
  virtual Result<std::size_t> LeaseSome(TimePoint now, std::size_t most,
                                        std::vector<Lease>* leases) = 0;

  /// LeaseSome() for one of several threads that lease, numbered from 0. A thread has connections
  /// of its own, so it is given hosts that it was given before, and others leave these to it until
  /// it has not come, or not come for all of them, for kPatience. An implementation may ignore
  /// this.
  virtual Result<std::size_t> LeaseFor(std::uint16_t /*worker*/, TimePoint now, std::size_t most,
                                       std::vector<Lease>* leases) {
    return LeaseSome(now, most, leases);
  }
  static constexpr std::chrono::milliseconds kPatience{20};

  /// When to try again if nothing could be leased: no later than the first moment at which
  /// something becomes due by itself; in the past if something is due already. TimePoint::max() if
  /// only Finish() or OfferAll() can change anything.
  virtual TimePoint NextDue() const = 0;

  /// The outcome of a request.
  struct Outcome {
    enum class Kind : std::uint8_t {
      kPage,   ///< Done, and counts as a page.
      kDone,   ///< Done, but no page: a redirect, a 404, a sitemap, the wrong type.
      kRetry,  ///< Failed. The URL is tried again later, as often as RetryPolicy allows.
      /// The host could not be reached. The URL waits again, with the same number of failures.
      kUnreachable,
      kThrottled,  ///< The host asked to wait. The URL waits again, with the same failures.
      /// Nothing was sent, or the crawl ended before the response. The URL waits again as if it had
      /// not been leased.
      kReturned,
      kDropped,  ///< Over without a response: robots.txt refuses, or its check cannot succeed.
    };
    Kind kind = Kind::kDone;
    bool no_answer = false;     ///< Counts as a failure of the host, as kUnreachable does.
    bool patient = false;       ///< With kRetry: the URL waits 16 times as long as usual.
    bool server_error = false;  ///< Answered with 5xx or the like: the host is asked less often.
    TimePoint started;          ///< Of the request.
    Duration took{0};           ///< With kDropped: 0 if nothing was sent.
    TimePoint now;
    std::optional<Duration>
        retry_after;                   ///< With kThrottled and kRetry: the time the host asked for.
    std::optional<IpAddress> address;  ///< That answered.
    FetchFailure failure = FetchFailure::kNone;
    std::string_view what;  ///< Of a failure, for people. Need live for the call only.

    /// Whether a request counts for the delays of its host, domain and address.
    bool sent() const {
      return kind != Kind::kReturned && (kind != Kind::kDropped || took > Duration::zero());
    }
  };

  /// How Finish() left the URL.
  enum class Verdict : std::uint8_t {
    kOver,   ///< The URL will not be leased again.
    kWaits,  ///< The URL waits, and will be leased again.
    /// The URL is a dead letter: its retries are used up, or it would wait but its host is down.
    /// TakeGivenUp() does not return it as well. A returned lease never gets this verdict: if its
    /// host is down, TakeGivenUp() returns the URL.
    kGivenUp,
  };

  /// Decides a lease. Without effect, and kOver, if the lease has ended before. A sitemap file
  /// never counts as a page.
  virtual Verdict Finish(const Lease& lease, const Outcome& outcome) = 0;

  /// Ends a robots check: the host may be asked until `until`, and for one URL at least; then its
  /// robots.txt is checked again. If nothing was sent (the rules were at hand), the outcome is
  /// kReturned.
  virtual void PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                               std::chrono::milliseconds crawl_delay) = 0;
  /// Ends a robots check that failed, which is a failure of the host: it is repeated when the host
  /// has rested, until the host is given up. True if that happened: see TakeGivenUp(). kThrottled
  /// and kReturned are no failure; kDropped gives the host up until `until` at once.
  virtual bool FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until) = 0;
  /// The rules of the host have been lost: its robots.txt is checked before its next URL.
  virtual void RepeatRobotsCheck(HostId host) = 0;

  /// The catalogue has committed the outcomes of these leases, and the rows of all offers up to
  /// number `last_offer`. Leases whose outcome was kReturned need not be settled.
  virtual void Settle(const std::vector<LeaseToken>& leases, std::uint64_t last_offer) = 0;

  /// Why a host was given up.
  struct HostDown {
    enum class Reason : std::uint8_t { kFailures, kThrottled, kRobotsCheck };
    Reason reason = Reason::kFailures;
    int attempts = 0;  ///< In a row that came to nothing.
    TimePoint at;
    std::string origin;
    FetchFailure failure = FetchFailure::kNone;  ///< Of the last attempt.
    std::string last;                            ///< Outcome::what of the last attempt.
  };

  /// URLs that are over because their host was given up; the caller stores them. A host stays
  /// given up for RetryPolicy::down_time, or until it answers a request that was under way. Appends
  /// at most `most`, returns how many.
  struct GivenUp {
    UrlId url = 0;
    HostId host = 0;
    std::uint8_t failures = 0;             ///< Of this URL.
    bool first = false;                    ///< Of its host, since that was given up.
    std::shared_ptr<const HostDown> down;  ///< Why; null if that is forgotten.
  };
  virtual std::size_t TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls) = 0;

  /// Numbers of the frontier. `waiting` includes URLs that wait for a retry, `leased` includes
  /// robots checks.
  struct Counts {
    std::uint64_t known = 0, waiting = 0, leased = 0, given_up_untaken = 0;
    std::uint64_t unsettled = 0;       ///< Leases that are decided and not settled.
    std::uint64_t pages = 0;           ///< kPage so far.
    std::uint64_t hosts = 0;           ///< Known.
    std::uint64_t hosts_active = 0;    ///< With something waiting or leased.
    std::uint64_t hosts_ready = 0;     ///< That may be asked now, or nearly so.
    std::uint64_t held_by_budget = 0;  ///< Waiting URLs that no budget is left for.
    bool pages_spent = false;          ///< max_pages is reached.
  };
  virtual Counts counts() const = 0;

  /// Whether the crawl is finished: no lease is outstanding, TakeGivenUp() has nothing to return,
  /// and only URLs that no budget is left for wait. Only OfferAll() changes that.
  virtual bool Finished() const = 0;

  /// Whether seeds or their sitemaps have not been requested yet; see
  /// FrontierOptions::max_discovery.
  virtual bool Discovering() const = 0;

  /// Whether the URL is known, but all offers so far have skipped it.
  virtual bool Skipped(UrlId url) const = 0;
  /// The text of a URL that waits or has waited, or that is settled.
  virtual Result<std::string> TextOf(UrlId url) = 0;

  /// The hosts that hold the crawl up, those due last first: at most `most`.
  struct Holdup {
    HostId host = 0;
    std::string origin;
    std::uint64_t waiting = 0;
    std::uint32_t leased = 0;
    TimePoint due;         ///< May be asked again, as far as clocks tell; past if it may now.
    std::string_view why;  ///< "politeness", "backoff", "request under way", "domain limit", …
    Duration interval{0};  ///< With "politeness": between two requests.
    /// The source of that delay: "--delay", "Crawl-delay of its robots.txt", "its last answer took
    /// so long".
    std::string_view asked_by;
  };
  virtual std::vector<Holdup> Holdups(TimePoint now, std::size_t most) const = 0;

  /// When `url` is due, and why not yet; empty if it does not wait. For explaining.
  virtual std::optional<Holdup> WhyWaiting(UrlId url, TimePoint now) const = 0;
};

}  // namespace crawler
