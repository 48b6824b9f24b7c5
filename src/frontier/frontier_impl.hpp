#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontier/chunked_array.hpp"
#include "frontier/fingerprint_table.hpp"
#include "frontier/frontier.hpp"
#include "frontier/host_state.hpp"
#include "frontier/indexed_heap.hpp"
#include "frontier/url_heap.hpp"
#include "frontier/url_records.hpp"

namespace crawler {

/// The frontier behind its lock; see Frontier for what the calls mean.
///
/// The exact order on three levels: a host's URLs are in a heap, hosts that may be asked are in
/// queues, and open queues are in a heap by their first host. A host is put into its domain's
/// queue. When its turn comes and something else stops it (its IP address, a budget), it moves to
/// that thing's queue, which is closed by then, and takes part again when that opens. So a limit
/// costs one move a host, not a search, and the best host that may be asked is always first in an
/// open queue.
class Frontier::Impl {
 public:
  explicit Impl(const FrontierOptions& options);

  struct Prints {
    std::uint64_t url = 0, origin = 0;
  };

  std::uint64_t OfferAll(const std::vector<Offer>& offers, const std::vector<Prints>& prints,
                         std::vector<Offered>* results);
  std::size_t LeaseSome(TimePoint now, std::size_t most, std::vector<Lease>* leases);
  TimePoint NextDue() const;
  Verdict Finish(const Lease& lease, const Outcome& outcome);
  void PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                       std::chrono::milliseconds crawl_delay,
                       std::shared_ptr<const HostNotes> notes);
  bool FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until);
  std::size_t TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls);
  Counts counts() const;
  bool Finished() const;
  std::vector<Holdup> Holdups(TimePoint now, std::size_t most) const;
  std::optional<Holdup> WhyWaiting(UrlId url, TimePoint now) const;
  bool TurnedAway(UrlId url) const {
    if (!urls_.Has(url)) return false;
    const UrlState state = urls_.state(url);
    return state == UrlState::kTurnedAway || state == UrlState::kKeptOut;
  }
  void RestoreHost(std::string_view origin, std::string_view site);
  void RestoreUrl(std::string_view url, HostId host, bool turned_away, bool urgent);
  void RestoreLink(UrlId to);
  void RestoreWorth(UrlId url, std::uint16_t worth);
  void RestoreWaiting(UrlId url);
  void RestoreFailures(UrlId url, int failures);
  void RestoreOver(UrlId url, bool is_page);
  void RestoreRequest(UrlId url, const PastRequest& request);
  void RestoreRequest(std::string_view origin, const PastRequest& request);
  void RestoreRequestTo(HostId host, const PastRequest& request);
  void RestoreStart(ActiveHost& host, TimePoint at);
  void EndRestore(TimePoint now, bool interrupted);
  std::size_t memory() const;

 private:
  // offer.cpp
  void Prefetch(const std::vector<Prints>& prints);
  const UrlHeap* HeapOf(UrlId url);  // Null if it is in none.
  Offered OfferOne(const Offer& offer, const Prints& prints);
  UrlId FindUrl(std::uint64_t print) const;
  UrlId AddUrl(std::uint64_t print, HostId host);
  HostId FindHost(std::uint64_t print) const;
  HostId AddHost(std::uint64_t print, std::string_view site);
  std::uint32_t DomainOf(std::string_view site);
  void CountLink(UrlId url);
  void RaiseWorth(UrlId url, std::uint16_t worth);
  void Rise(UrlId url, const HostRecord& record);
  void Enqueue(UrlId url, std::string_view origin);
  void Wait(ActiveHost& host, UrlId url);
  void CountWaiting(const ActiveHost& host, UrlId url, int change);
  std::uint32_t Activate(HostId id, std::string_view origin);
  void Deactivate(std::uint32_t index);
  void Touch(std::uint32_t index);
  void SettleTouched();

  // schedule.cpp: where a host is, after something about it has changed.
  void Settle(std::uint32_t index);
  void Rest(std::uint32_t index);
  void SetAlarm(std::uint32_t index, ActiveHost::AlarmKind kind, TimePoint at);
  IndexedHeap<Alarm>& AlarmsOf(ActiveHost::AlarmKind kind);
  void QueueHost(std::uint32_t index, QueueId id);
  void UnqueueHost(std::uint32_t index);
  void RefreshQueue(QueueId id);
  void RefreshQueuesOf(const ActiveHost& host);
  void MoveDueRetries(ActiveHost& host);
  void Advance(TimePoint now);
  static QueueId IdOf(QueueKind kind, std::uint32_t whose);
  HostQueue& QueueOf(QueueId id);
  TimePoint OpensAt(QueueId id) const;
  TimePoint ClockDue(const ActiveHost& host) const;
  bool Blocked(const ActiveHost& host) const;
  bool NeedsRobotsCheck(const ActiveHost& host) const;
  QueueId StoppedBy(const ActiveHost& host) const;
  UrlId HeadOf(const ActiveHost& host) const;
  std::int64_t ScoreOf(UrlId url) const;

  // lease.cpp
  Lease LeaseFrom(std::uint32_t index);
  enum class Health : std::uint8_t { kUp, kDown };
  Health EndRequest(std::uint32_t index, UrlId url, const Outcome& outcome);
  Health NoteHealth(ActiveHost& host, const Outcome& outcome);
  void NoteErrors(ActiveHost& host, const Outcome& outcome);
  // A request that came to nothing.
  struct Trouble {
    bool throttled = false;
    TimePoint started, ended;
    std::optional<Duration> retry_after;
  };
  Duration CountTrouble(HostRecord& record, TimePoint* unwell_at, const Trouble& trouble) const;
  bool CountsAsDown(const HostRecord& record) const;
  void SetAddress(std::uint32_t index, const IpAddress& address, TimePoint started);
  void LeaveAddress(ActiveHost& host);
  void CountPage(ActiveHost& host);
  Verdict WaitAgain(ActiveHost& host, UrlId url, const Outcome& outcome);
  void GiveUpHost(std::uint32_t index, TimePoint until, const Outcome& outcome,
                  HostDown::Reason reason, int attempts);
  void HostIsDown(std::uint32_t index, const Outcome& outcome, bool robots_check);
  auto UrgentOrder() const {
    return [this](UrlId a, UrlId b) {
      const bool failed_a = urls_.failures(a) > 0, failed_b = urls_.failures(b) > 0;
      return failed_a != failed_b ? failed_a : a > b;
    };
  }
  void GiveUp(UrlId url);
  std::uint32_t CheckedBy(const Lease& lease) const;

  bool PagesSpent() const;
  bool DomainSpent(const ActiveDomain& domain) const;
  std::uint64_t HeldByBudget() const;
  Holdup Explain(const ActiveHost& host, bool urgent, TimePoint now) const;
  UrlHeapContext HeapContext() {
    return {{urls_, options_.order != FrontierOrder::kBfs}, url_blocks_};
  }

  struct HashAddress {
    std::uint64_t hash_key;
    std::size_t operator()(const IpAddress& address) const;
  };

  const FrontierOptions options_;
  const Duration domain_interval_, address_interval_;
  const std::uint32_t domain_limit_, address_limit_;

  FingerprintTable url_table_, host_table_, domain_table_;
  UrlRecords urls_;
  UrlBlocks url_blocks_;
  ChunkedArray<HostRecord, 4096> hosts_;      // Ids begin at 1.
  ChunkedArray<DomainRecord, 4096> domains_;  // So do theirs.
  Pool<ActiveHost> active_;
  Pool<ActiveDomain> active_domains_;
  Pool<ActiveAddress> addresses_;
  std::unordered_map<IpAddress, std::uint32_t, HashAddress> address_index_;

  HostQueue pages_queue_;     // Hosts stopped by max_pages.
  IndexedHeap<Rank> ready_;   // The open queues.
  IndexedHeap<Alarm> wakes_;  // Hosts; see ActiveHost::AlarmKind.
  IndexedHeap<Alarm> lingering_;
  IndexedHeap<Alarm> idle_;
  IndexedHeap<Alarm> openings_;  // Queues that open by themselves.

  TimePoint now_ = TimePoint::min();  // The latest that anybody said it is.
  std::uint64_t tickets_ = 0;
  std::uint64_t waiting_ = 0, held_by_domains_ = 0;
  std::uint64_t leased_ = 0, pages_ = 0, reserved_ = 0;
  std::uint64_t ready_hosts_ = 0;
  std::vector<UrlId> given_up_;
  std::vector<std::uint32_t> touched_;  // Hosts whose rank the offers being looked at change.
  std::vector<UrlId> likely_;           // What a page may link to; kept for its memory.

  // When a run that was killed may have asked any host, until the first lease.
  TimePoint maybe_asked_at_ = TimePoint::min();

  // Only while a stored crawl is brought back.
  std::string restored_origins_;
  std::vector<std::size_t> restored_ends_;
  struct RestoredRequest {
    TimePoint started = TimePoint::min();
    TimePoint rest_until = TimePoint::min();
    TimePoint unwell_at = TimePoint::min();
  };
  std::unordered_map<HostId, RestoredRequest> restored_requests_;
};

}  // namespace crawler
