#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "frontier/frontier.hpp"
#include "frontier/indexed_heap.hpp"
#include "frontier/politeness.hpp"
#include "frontier/url_heap.hpp"
#include "url/address.hpp"

namespace crawler {

/// A time that never comes.
constexpr TimePoint kNever = TimePoint::max();

/// The order of leases: the higher key first, the older URL of equals.
struct Rank {
  std::int64_t key = 0;
  UrlId url = 0;
  std::uint32_t item = 0;

  bool operator<(const Rank& other) const {
    return key != other.key ? key > other.key : url < other.url;
  }
};

/// A host or queue that has to be looked at again at a given time.
struct Alarm {
  TimePoint at;
  std::uint32_t item = 0;

  bool operator<(const Alarm& other) const { return at < other.at; }
};

/// Name of a queue of hosts: its kind in the lowest three bits, its owner in the others.
enum class QueueKind : std::uint8_t {
  kDomain,
  kAddress,
  kDomainPages,
  kPages,
  kSlow,
  kFailing,
  kWorker,
};
using QueueId = std::uint32_t;
constexpr QueueId kNoQueue = 0xFFFFFFFF;

constexpr QueueId IdOf(QueueKind kind, std::uint32_t whose) {
  return (whose << 3) | static_cast<std::uint32_t>(kind);
}
constexpr QueueKind KindOf(QueueId id) { return static_cast<QueueKind>(id & 7); }
constexpr std::uint32_t OwnerOf(QueueId id) { return id >> 3; }

/// Hosts that may be asked as far as they themselves are concerned. A queue that is open takes part
/// in the choice of the next lease with its first host; one that is closed, because a limit is
/// reached or an interval has not passed, does not, however many wait in it.
struct HostQueue {
  IndexedHeap<Rank> hosts;
  std::uint32_t ready_place = kNowhere;  ///< Among the open queues.
  std::uint32_t alarm_place = kNowhere;  ///< Among those that open by themselves.
  std::uint32_t counted = 0;             ///< Its part of Counts::hosts_ready.
};

/// The hosts that other threads have left to one; see Frontier::LeaseFor().
struct WorkerQueue : HostQueue {
  TimePoint opens = TimePoint::min();  ///< From then on other threads take them.
};

/// The record of a host; it is never removed.
struct HostRecord {
  std::uint32_t low = 0;     ///< The lower half of its fingerprint.
  std::uint32_t domain = 0;  ///< Index of its DomainRecord.
  std::uint32_t active = 0;  ///< Its ActiveHost, if it has one.
  std::uint32_t pages = 0;
  std::uint32_t links = 0;
  std::uint16_t failures = 0;   ///< In a row; those of requests side by side count as one.
  std::uint16_t throttles = 0;  ///< Likewise.
};

/// The record of a registrable domain; it is never removed.
struct DomainRecord {
  std::uint32_t low = 0;
  std::uint32_t active = 0;
  std::uint32_t pages = 0;
};

/// When a group of hosts may be asked: after the intervals behind all requests to it. A lease
/// counts as a request until it is given back. Requires: leases are given only after opens().
class GroupClock {
 public:
  /// min(): no request is known.
  TimePoint opens() const { return opens_; }

  /// A URL of a host with the interval `own` is leased.
  void Lease(UrlId url, TimePoint now, Duration own) {
    before_ = opens_;
    by_ = url;
    opens_ = std::max(opens_, now + own);
  }
  /// Nothing was sent. If another lease was given since, the interval behind `url` had passed.
  void GiveBack(UrlId url) {
    if (by_ != url) return;
    opens_ = before_;
    by_ = 0;
  }
  /// The request was started at `at`. A `url` of 0: by an earlier run, or before the host was in
  /// the group.
  void Started(UrlId url, TimePoint at, Duration own) {
    if (at == TimePoint::min()) return;
    opens_ = std::max(opens_, at + own);
    before_ = std::max(before_, at + own);
    if (by_ == url) by_ = 0;
  }

 private:
  TimePoint opens_ = TimePoint::min();
  TimePoint before_ = TimePoint::min();  // Without the last lease.
  UrlId by_ = 0;                         // The last lease, while it may be given back.
};

/// Hosts with a limit in common, while one of them is active.
struct HostGroup {
  HostQueue queue;
  GroupClock clock;
  std::uint32_t in_flight = 0;
  std::uint32_t hosts = 0;  ///< Active ones.
};

struct ActiveDomain : HostGroup {
  /// Closed when max_per_domain leaves nothing. Made for the first host that waits for it.
  std::unique_ptr<HostQueue> pages_queue;
  std::uint32_t record = 0;
  bool pages_open = true;      ///< max_per_domain leaves some.
  std::uint32_t reserved = 0;  ///< Pages that leases may become.
  std::uint32_t waiting = 0;   ///< URLs that wait, sitemaps included.
};

struct ActiveAddress : HostGroup {
  std::optional<IpAddress> address;
};

/// State that few hosts need.
struct HostExtras {
  struct Retry {
    TimePoint at;
    UrlId url = 0;
    bool operator>(const Retry& other) const {
      return at != other.at ? at > other.at : url > other.url;
    }
  };
  std::vector<UrlId> urgent;   ///< A heap: those never tried first, the oldest of equals.
  std::vector<Retry> retries;  ///< A heap, the earliest first.
  TimePoint down_until = TimePoint::min();
  TimePoint backoff_until = TimePoint::min();
  TimePoint keep_until = TimePoint::min();         ///< Restored: its clock may run until then.
  TimePoint unwell_at = TimePoint::min();          ///< When the last failure was counted.
  TimePoint error_at = TimePoint::min();           ///< When the last 5xx was counted.
  std::shared_ptr<const Frontier::HostDown> down;  ///< Why it was given up last.
  bool down_told = false;                          ///< TakeGivenUp() has returned one of its URLs.
  /// The URL that alone asked to wait since the last good answer; see Lease::throttled_alone.
  UrlId throttled_url = 0;
  /// Requests at a time while the host recovers from a failure or a request to wait: 1, and one
  /// more with each answer. 0: no such limit.
  std::uint32_t window = 0;
};

/// A host with something waiting, leased or due.
struct ActiveHost {
  enum class AlarmKind : std::uint8_t {
    kNone,
    kWake,    ///< It may be asked, or one of its URLs tried again.
    kLinger,  ///< It has nothing to do, but a clock still runs.
    kIdle,    ///< It has nothing to do and is kept as long as its robots check holds, if there is
              ///< room.
  };

  HostId id = 0;
  std::uint32_t domain = 0;   ///< Its ActiveDomain.
  std::uint32_t address = 0;  ///< Its ActiveAddress, once known.
  std::uint32_t leased = 0;   ///< Requests under way, robots checks too.
  UrlHeap urls;
  std::unique_ptr<char[]> origin;  ///< For people.
  std::unique_ptr<HostExtras> extras;
  StartClock clock;
  TimePoint robots_until = TimePoint::min();
  std::chrono::milliseconds delay{0};
  std::uint32_t crawl_delay_ms = 0;
  std::uint32_t last_took_ms = 0;
  AnswerTime answers;
  SlotClass slot_class = SlotClass::kSlow;
  QueueId queue = kNoQueue;
  std::uint32_t queue_place = kNowhere;
  std::uint32_t alarm_place = kNowhere;
  AlarmKind alarm = AlarmKind::kNone;
  static constexpr std::uint16_t kNoWorker = 0xFFFF;
  std::uint16_t worker = kNoWorker;  ///< The thread that it was leased to last.
  std::uint8_t errors = 0;           ///< Answers of 5xx in a row; see SlowDown().
  bool checking_robots = false;
  bool just_checked = false;  ///< No URL has been leased since.
  bool touched = false;       ///< By the offers being looked at.
  bool sitemap_last = false;  ///< The last URL that was leased is a sitemap.

  bool has_urgent() const { return extras != nullptr && !extras->urgent.empty(); }
  bool has_head() const { return has_urgent() || !urls.empty(); }
  TimePoint first_retry() const {
    return extras == nullptr || extras->retries.empty() ? kNever : extras->retries.front().at;
  }
  std::uint64_t waiting() const {
    if (extras == nullptr) return urls.size();
    return urls.size() + extras->urgent.size() + extras->retries.size();
  }
  TimePoint down_until() const { return extras == nullptr ? TimePoint::min() : extras->down_until; }
  TimePoint backoff_until() const {
    return extras == nullptr ? TimePoint::min() : extras->backoff_until;
  }
  TimePoint keep_until() const { return extras == nullptr ? TimePoint::min() : extras->keep_until; }
  HostExtras& MakeExtras() {
    if (extras == nullptr) extras = std::make_unique<HostExtras>();
    return *extras;
  }
};

}  // namespace crawler
