#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "frontier/frontier.hpp"
#include "frontier/indexed_heap.hpp"
#include "frontier/politeness.hpp"
#include "frontier/url_heap.hpp"
#include "url/address.hpp"

namespace crawler {

/// When never is meant.
constexpr TimePoint kNever = TimePoint::max();

/// Whose turn it is: the higher score, the older URL of equals.
struct Rank {
  std::int64_t score = 0;
  UrlId url = 0;
  std::uint32_t item = 0;

  bool operator<(const Rank& other) const {
    return score != other.score ? score > other.score : url < other.url;
  }
};

/// Something to be looked at again at a time.
struct Alarm {
  TimePoint at;
  std::uint32_t item = 0;

  bool operator<(const Alarm& other) const { return at < other.at; }
};

/// Which queue of hosts is meant: its kind in the lowest two bits, whose it is above them.
enum class QueueKind : std::uint8_t { kDomain, kAddress, kDomainPages, kPages };
using QueueId = std::uint32_t;
constexpr QueueId kNoQueue = 0xFFFFFFFF;

/// Hosts that may be asked as far as they themselves are concerned. A queue that is open takes part
/// in the choice of the next lease with its first host; one that is closed, because a limit is
/// reached or an interval has not passed, does not, however many wait in it.
struct HostQueue {
  IndexedHeap<Rank> hosts;
  std::uint32_t ready_place = kNowhere;  ///< Among the open queues.
  std::uint32_t alarm_place = kNowhere;  ///< Among those that open by themselves.
  std::uint32_t counted = 0;             ///< Its part of Counts::hosts_ready.
};

/// What stays of every host.
struct HostRecord {
  std::uint32_t low = 0;     ///< The lower half of its fingerprint.
  std::uint32_t domain = 0;  ///< Index of its DomainRecord.
  std::uint32_t active = 0;  ///< Its ActiveHost, if it has one.
  std::uint32_t pages = 0;
  std::uint32_t links = 0;
  std::uint16_t failures = 0;   ///< In a row; those of requests side by side count as one.
  std::uint16_t throttles = 0;  ///< Likewise.
};

/// What stays of every registrable domain.
struct DomainRecord {
  std::uint32_t low = 0;
  std::uint32_t active = 0;
  std::uint32_t pages = 0;
};

/// Hosts with a limit in common, while one of them is active.
struct HostGroup {
  HostQueue queue;
  StartClock clock;
  std::uint32_t in_flight = 0;
  std::uint32_t hosts = 0;  ///< Active ones.
};

struct ActiveDomain : HostGroup {
  /// Closed when max_per_domain leaves nothing. Made for the first host that waits for it.
  std::unique_ptr<HostQueue> pages_queue;
  std::uint32_t record = 0;
  std::uint32_t reserved = 0;       ///< Pages that leases may become.
  std::uint32_t waiting_pages = 0;  ///< URLs that wait and would be pages.
};

struct ActiveAddress : HostGroup {
  std::optional<IpAddress> address;
};

/// What few hosts need.
struct HostExtras {
  struct Retry {
    TimePoint at;
    UrlId url = 0;
    bool operator>(const Retry& other) const {
      return at != other.at ? at > other.at : url > other.url;
    }
  };
  std::vector<UrlId> urgent;   ///< A heap: those that never failed, the oldest first.
  std::vector<Retry> retries;  ///< A heap, the earliest first.
  TimePoint down_until = TimePoint::min();
  TimePoint backoff_until = TimePoint::min();
  TimePoint unwell_at = TimePoint::min();          ///< When the last failure was counted.
  TimePoint error_at = TimePoint::min();           ///< When the last 5xx was counted.
  std::shared_ptr<const Frontier::HostDown> down;  ///< Why it was given up last.
  bool down_told = false;                          ///< By TakeGivenUp().
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
  std::shared_ptr<const HostNotes> notes;
  StartClock clock;
  TimePoint robots_until = TimePoint::min();
  std::uint32_t crawl_delay_ms = 0;
  std::uint32_t last_took_ms = 0;
  QueueId queue = kNoQueue;
  std::uint32_t queue_place = kNowhere;
  std::uint32_t alarm_place = kNowhere;
  AlarmKind alarm = AlarmKind::kNone;
  std::uint8_t errors = 0;  ///< Answers of 5xx in a row; see SlowDown().
  bool checking_robots = false;
  bool just_checked = false;  ///< No URL has been leased since.
  bool touched = false;       ///< By the offers being looked at.

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
  HostExtras& MakeExtras() {
    if (extras == nullptr) extras = std::make_unique<HostExtras>();
    return *extras;
  }
};

}  // namespace crawler
