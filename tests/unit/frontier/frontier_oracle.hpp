#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontier/frontier.hpp"
#include "frontier/frontier_options.hpp"

namespace crawler {

/// The rules of Frontier said once more, as plainly as possible and at any cost: every question is
/// answered by looking at everything. Only the jitter of retries is taken from the code under test.
class FrontierOracle {
 public:
  explicit FrontierOracle(const FrontierOptions& options) : options_(options) {}

  std::vector<Frontier::Offered> OfferAll(const std::vector<Frontier::Offer>& offers);
  std::vector<Frontier::Lease> LeaseSome(TimePoint now, std::size_t most);
  Frontier::Verdict Finish(const Frontier::Lease& lease, const Frontier::Outcome& outcome);
  void PassRobotsCheck(const Frontier::Lease& lease, const Frontier::Outcome& outcome,
                       TimePoint until, std::chrono::milliseconds crawl_delay);
  bool FailRobotsCheck(const Frontier::Lease& lease, const Frontier::Outcome& outcome,
                       TimePoint until);
  /// All that have been given up since the last call, by id.
  std::vector<UrlId> TakeGivenUp();

  Frontier::Counts counts() const;
  bool Finished() const;
  /// The first moment after `now` at which something can be leased; max() if none is known.
  TimePoint NextDue() const;

 private:
  enum class State { kSkipped, kWaiting, kLeased, kOver };
  struct Clock {
    TimePoint last = TimePoint::min(), before = TimePoint::min();
    UrlId by = 0;
    TimePoint Next(Duration interval) const;
  };
  struct UrlFacts {
    std::string text;
    HostId host = 0;
    State state = State::kSkipped;
    bool urgent = false;
    bool kept_out = false;
    bool throttled = false;
    int failures = 0;
    std::int64_t links = 0, worth = 0;
    std::int64_t offer = 0;  // Number of the offer by which it became known.
    TimePoint retry_at = TimePoint::min();
  };
  struct HostFacts {
    std::string origin, site;
    std::int64_t links = 0, pages = 0;
    int failures = 0, throttles = 0;
    bool active = false;
    // What an inactive host has forgotten:
    int leased = 0;
    bool checking_robots = false, just_checked = false;
    int errors = 0;
    UrlId throttled_url = 0;
    int window = 0;
    bool sitemap_last = false;
    Clock clock;
    TimePoint backoff_until = TimePoint::min(), unwell_at = TimePoint::min();
    TimePoint robots_until = TimePoint::min(), error_at = TimePoint::min();
    TimePoint down_until = TimePoint::min();
    Duration crawl_delay{0}, took{0};
    std::int64_t usual_ms = -1;
    std::string address;
  };
  struct Request {
    UrlId lease = 0;  // While it is under way.
    TimePoint at;
    Duration interval{0};
  };
  struct Group {
    std::vector<Request> requests;
    TimePoint Opens() const;
    void End(UrlId lease, const Frontier::Outcome& outcome, Duration interval);
    int reserved = 0;
    std::uint64_t pages = 0;
  };

  void SetNow(TimePoint now);
  void Forget();
  void ForgetGroups();
  bool HasWork(HostId id) const;
  TimePoint ClockDue(const HostFacts& host) const;
  bool GroupOpen(const std::string& name, bool is_address, TimePoint now) const;
  int InFlight(const std::string& name, bool is_address) const;
  UrlId Head(HostId id, TimePoint now) const;
  static bool Tried(const UrlFacts& url) { return url.failures > 0 || url.throttled; }
  bool Before(UrlId a, UrlId b, HostId host) const;
  bool PagesOpen(HostId id) const;
  static bool Prompt(const HostFacts& host) {
    return host.failures == 0 && host.usual_ms >= 0 && host.usual_ms <= 2'000;
  }
  bool SlotFor(const HostFacts& host) const;
  std::int64_t Score(UrlId url) const;
  std::int64_t Key(UrlId url) const;
  Duration DelayOf(const HostFacts& host) const;
  Duration IntervalOf(const HostFacts& host, bool is_address) const;
  bool MayBeAsked(HostId id, TimePoint now) const;
  UrlId Best(TimePoint now) const;
  bool EndRequest(HostId id, UrlId url, const Frontier::Outcome& outcome);
  void GiveUpHost(HostId id, TimePoint until);
  bool Held(const UrlFacts& url) const;
  Duration Capped(Duration time, std::chrono::milliseconds limit) const;

  const FrontierOptions options_;
  TimePoint now_ = TimePoint::min();
  bool answered_ = false;  // Some host has answered.
  std::vector<UrlFacts> urls_{1};
  std::vector<HostFacts> hosts_{1};
  std::map<std::string, Group> sites_, addresses_;
  std::vector<UrlId> given_up_;
  std::uint64_t pages_ = 0, reserved_ = 0;
  std::int64_t offers_ = 0;
};

}  // namespace crawler
