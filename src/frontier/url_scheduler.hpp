#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontier/chunked_array.hpp"
#include "frontier/fingerprint_table.hpp"
#include "frontier/frontier.hpp"
#include "frontier/host_state.hpp"
#include "frontier/indexed_heap.hpp"
#include "frontier/memory_frontier.hpp"
#include "frontier/url_heap.hpp"
#include "frontier/url_records.hpp"

namespace crawler {

/// The scheduling of MemoryFrontier: known URLs, queues, leases; without texts and without a lock.
/// See Frontier and MemoryFrontier for the meaning of the calls.
///
/// The exact order on three levels: a host's URLs are in a heap, hosts that may be asked are in
/// queues, and open queues are in a heap by their first host. A host is put into its domain's
/// queue. When its turn comes and something else stops it (its IP address, a budget), it moves to
/// that thing's queue, which is closed by then, and takes part again when that opens. So a limit
/// costs one move per host, not a search, and the best host that may be asked is always first in an
/// open queue.
class UrlScheduler {
 public:
  using Offer = Frontier::Offer;
  using Offered = Frontier::Offered;
  using Lease = Frontier::Lease;
  using Outcome = Frontier::Outcome;
  using Verdict = Frontier::Verdict;
  using GivenUp = Frontier::GivenUp;
  using HostDown = Frontier::HostDown;
  using Counts = Frontier::Counts;
  using Holdup = Frontier::Holdup;
  using PastRequest = MemoryFrontier::PastRequest;

  explicit UrlScheduler(const FrontierOptions& options);

  struct Prints {
    std::uint64_t url = 0, origin = 0;
  };

  void OfferAll(const std::vector<Offer>& offers, const std::vector<Prints>& prints,
                std::vector<Offered>* results);
  /// Lets a skipped URL wait. False if as many URLs wait as may.
  bool Admit(UrlId url, std::string_view origin);
  /// Leases have no text, depth and origin yet; `via` only says whether it is a sitemap file.
  void LeaseFor(std::uint16_t worker, TimePoint now, std::size_t most, std::vector<Lease>* leases);
  TimePoint NextDue() const;
  Verdict Finish(const Lease& lease, const Outcome& outcome);
  void PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                       std::chrono::milliseconds crawl_delay);
  bool FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until);
  void RepeatRobotsCheck(HostId host);
  void SettleLeases(const std::vector<LeaseToken>& leases);
  std::size_t TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls);
  Counts counts() const;
  bool Finished() const;
  std::vector<Holdup> Holdups(TimePoint now, std::size_t most) const;
  std::optional<Holdup> WhyWaiting(UrlId url, TimePoint now) const;
  bool Discovering() const { return discovering_; }
  bool Skipped(UrlId url) const {
    if (!urls_.Has(url)) return false;
    const UrlState state = urls_.state(url);
    return state == UrlState::kSkipped || state == UrlState::kKeptOut;
  }
  void RestoreHost(std::string_view origin, std::string_view site);
  void RestoreUrl(std::string_view url, HostId host, bool skipped, bool is_sitemap, UrlId from);
  void RestoreLink(UrlId to);
  void RestoreWorth(UrlId url, std::uint16_t worth);
  void RestoreWaiting(UrlId url);
  void RestoreFailures(UrlId url, int failures);
  void RestoreThrottled(UrlId url);
  void RestoreOver(UrlId url, bool is_page);
  void RestoreRequest(UrlId url, const PastRequest& request);
  void RestoreRequest(std::string_view origin, const PastRequest& request);
  void RestoreRequestTo(HostId host, const PastRequest& request);
  void RestoreStart(ActiveHost& host, TimePoint at);
  void EndRestore(TimePoint now, std::optional<TimePoint> maybe_asked_at);
  std::size_t memory() const;
  /// 0 if there is no such URL.
  HostId HostOf(UrlId url) const { return urls_.Has(url) ? urls_.host(url) : 0; }

 private:
  // offer.cpp
  void Prefetch(const std::vector<Prints>& prints);
  const UrlHeap* HeapOf(UrlId url);  // Null if it is in none.
  Offered OfferOne(const Offer& offer, const Prints& prints);
  bool IsFull() const;
  UrlId FindUrl(std::uint64_t print) const;
  UrlId AddUrl(std::uint64_t print, HostId host);
  HostId FindHost(std::uint64_t print) const;
  HostId AddHost(std::uint64_t print, std::string_view site);
  std::uint32_t DomainOf(std::string_view site);
  // Whether the turn of a URL depends on nothing but the time when it was found.
  bool OrderIsFixed() const {
    return options_.order == FrontierOrder::kBfs || options_.order == FrontierOrder::kDfs;
  }
  void CountLink(UrlId url);
  void RaiseWorth(UrlId url, std::uint16_t worth);
  void Rise(UrlId url, const HostRecord& record);
  void Enqueue(UrlId url, std::string_view origin);

  // discovery.cpp
  void Discover(UrlId url, const Offer& offer);
  void Discovered(UrlId url);
  void EndDiscovery();

  void Wait(ActiveHost& host, UrlId url);
  void CountWaiting(const ActiveHost& host, int change);
  std::uint32_t Activate(HostId id, std::string_view origin);
  void Deactivate(std::uint32_t index);
  void Touch(std::uint32_t index);
  void PlaceTouched();

  // schedule.cpp: where a host is, after something about it has changed.
  void Place(std::uint32_t index);
  void Rest(std::uint32_t index);
  void SetAlarm(std::uint32_t index, ActiveHost::AlarmKind kind, TimePoint at);
  IndexedHeap<Alarm>& AlarmsOf(ActiveHost::AlarmKind kind);
  void QueueHost(std::uint32_t index, QueueId id);
  void UnqueueHost(std::uint32_t index);
  void RefreshQueue(QueueId id);
  void RefreshQueuesOf(const ActiveHost& host);
  void RankUndecided(ActiveDomain& domain);
  bool IsUndecided(const ActiveHost& host) const;
  void MoveDueRetries(ActiveHost& host);
  void Advance(TimePoint now);
  static bool KeepsQueue(const ActiveHost& host);
  HostQueue& QueueOf(QueueId id);
  TimePoint OpensAt(QueueId id) const;
  TimePoint ClockDue(const ActiveHost& host) const;
  bool Blocked(const ActiveHost& host) const;
  bool NeedsRobotsCheck(const ActiveHost& host) const;
  QueueId StoppedBy(const ActiveHost& host) const;
  UrlId HeadOf(const ActiveHost& host) const;
  std::int64_t ScoreOf(UrlId url) const;
  std::int64_t KeyOf(UrlId url) const;

  // lease.cpp
  Lease LeaseFrom(std::uint32_t index);
  WorkerQueue& QueueOfWorker(std::uint16_t worker);
  void OpenWorkerQueue(std::uint16_t worker, TimePoint opens);
  bool LeaveToItsWorker(std::uint32_t index, std::uint16_t worker);
  enum class Health : std::uint8_t { kUp, kDown };
  bool IsCrowded() const;
  void CountSlots(const ActiveHost& host, std::int32_t count);
  void UpdateSlotClass(ActiveHost& host);
  Health EndRequest(std::uint32_t index, UrlId url, const Outcome& outcome);
  // The interval behind a request to the host, for the hosts of its domain or address together.
  Duration DomainInterval(const ActiveHost& host) const {
    return GroupInterval(host.delay, options_.hosts_per_domain);
  }
  Duration AddressInterval(const ActiveHost& host) const {
    return GroupInterval(host.delay, options_.hosts_per_address);
  }
  void SetAddress(std::uint32_t index, const IpAddress& address, TimePoint started);
  void LeaveAddress(ActiveHost& host);
  void CountPage(ActiveHost& host);
  Verdict WaitAgain(ActiveHost& host, UrlId url, const Outcome& outcome);
  auto UrgentOrder() const {
    return [this](UrlId a, UrlId b) {
      const bool tried_a = urls_.tried(a), tried_b = urls_.tried(b);
      return tried_a != tried_b ? tried_a : a > b;
    };
  }
  std::uint32_t CheckedBy(const Lease& lease) const;
  bool IsOutstanding(const Lease& lease) const;
  void EndLease(const Lease& lease, const Outcome& outcome);

  // host_health.cpp
  Health NoteHealth(ActiveHost& host, const Outcome& outcome);
  void NoteErrors(ActiveHost& host, const Outcome& outcome);
  bool ThrottledAlone(const ActiveHost& host, UrlId url) const;
  void NoteThrottled(ActiveHost& host, const Lease& lease, const Outcome& outcome);
  void Widen(HostExtras& extras) const;
  // A request that failed, or that the host asked to repeat later.
  struct Trouble {
    bool throttled = false;
    TimePoint started, ended;
    std::optional<Duration> retry_after;
  };
  Duration CountTrouble(HostRecord& record, TimePoint* unwell_at, const Trouble& trouble) const;
  bool CountsAsDown(const HostRecord& record) const;
  void GiveUpHost(std::uint32_t index, TimePoint until, const Outcome& outcome,
                  HostDown::Reason reason, int attempts);
  void HostIsDown(std::uint32_t index, const Outcome& outcome, bool robots_check);
  void GiveUp(UrlId url);

  bool PagesSpent() const;
  bool DomainSpent(const ActiveDomain& domain) const;
  std::uint64_t HeldByBudget() const;
  Holdup Explain(const ActiveHost& host, bool urgent, TimePoint now) const;
  void AddInterval(const ActiveHost& host, Holdup* holdup) const;
  UrlHeapContext HeapContext() { return {{urls_, options_.order}, url_blocks_}; }

  struct HashAddress {
    std::uint64_t hash_key;
    std::size_t operator()(const IpAddress& address) const;
  };

  const FrontierOptions options_;
  const std::uint32_t domain_limit_, address_limit_, slow_limit_, failing_limit_;

  FingerprintTable url_table_, host_table_, domain_table_;
  UrlRecords urls_;
  UrlBlocks url_blocks_;
  ChunkedArray<HostRecord, 4096> hosts_;      // Ids begin at 1.
  ChunkedArray<DomainRecord, 4096> domains_;  // So do theirs.
  Pool<ActiveHost> active_;
  Pool<ActiveDomain> active_domains_;
  Pool<ActiveAddress> addresses_;
  std::unordered_map<IpAddress, std::uint32_t, HashAddress> address_index_;

  HostQueue pages_queue_;                 // Hosts stopped by max_pages.
  HostQueue slow_queue_, failing_queue_;  // Hosts stopped by the limits of slots.
  std::vector<std::unique_ptr<WorkerQueue>> worker_queues_;
  // Requests under way to hosts that are not prompt, and to failing ones among them.
  std::uint32_t slow_leased_ = 0, failing_leased_ = 0;
  std::unordered_set<std::uint32_t> undecided_;  // Hosts; see IsUndecided().
  bool pages_open_ = true;                       // max_pages leaves some.
  IndexedHeap<Rank> ready_;                      // The open queues.
  IndexedHeap<Alarm> wakes_;                     // Hosts; see ActiveHost::AlarmKind.
  IndexedHeap<Alarm> lingering_;
  IndexedHeap<Alarm> idle_;
  IndexedHeap<Alarm> openings_;  // Queues that open by themselves.

  TimePoint now_ = TimePoint::min();  // The latest time that a caller has passed.
  bool answered_ = false;             // Some host has answered, in this run or before.
  // Discovery; see FrontierOptions::max_discovery.
  bool discovering_ = false;
  TimePoint discovery_until_ = TimePoint::max();
  std::unordered_set<UrlId> undiscovered_;  // Seeds and sitemaps that were not asked for yet.
  std::size_t discovery_sitemaps_ = 0;

  LeaseToken last_token_ = 0;
  std::unordered_map<UrlId, LeaseToken> outstanding_;  // Leases that have not ended.
  std::unordered_set<LeaseToken> unsettled_;
  std::uint64_t waiting_ = 0, held_by_domains_ = 0;
  std::uint64_t leased_ = 0, pages_ = 0, reserved_ = 0;
  std::uint64_t ready_hosts_ = 0;
  UrlId first_of_offer_ = 0;  // Of the last offer that brought a new URL.
  std::vector<UrlId> given_up_;
  std::vector<std::uint32_t> touched_;  // Hosts whose rank the offers being looked at change.
  std::vector<UrlId> likely_;           // Targets of the offers being looked at; keeps its memory.

  // See MemoryFrontier::EndRestore().
  TimePoint maybe_asked_at_ = TimePoint::min();

  // Only while a stored crawl is brought back.
  UrlId restored_from_ = 0;
  std::string restored_origins_;
  std::vector<std::size_t> restored_ends_;
  struct RestoredRequest {
    TimePoint ended = TimePoint::min();
    TimePoint rest_until = TimePoint::min();
    TimePoint unwell_at = TimePoint::min();
  };
  std::unordered_map<HostId, RestoredRequest> restored_requests_;
  std::unordered_map<HostId, IpAddress> restored_addresses_;  // The latest of each host.
};

}  // namespace crawler
