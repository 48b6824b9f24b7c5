#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "frontier/depths.hpp"
#include "frontier/frontier.hpp"
#include "frontier/frontier_options.hpp"
#include "frontier/url_texts.hpp"

namespace crawler {

class UrlScheduler;

/// The frontier of one process, in memory. Texts of URLs leave memory when they are settled and the
/// room for them is used up; then they are read back from the catalogue.
///
/// A known URL takes about 28 bytes (24 if it does not wait) beside its text, a host with its
/// domain about 400. A host with nothing waiting, leased or due shrinks to a few counters; the last
/// few thousand such hosts keep the result of their robots check for a while. Threads: safe from
/// any thread. Lock order: mutex_, reader_mutex_.
class MemoryFrontier final : public Frontier {
 public:
  /// Reads the row of a settled URL from the catalogue; called by one thread at a time.
  using ReadUrl = std::function<Result<UrlRow>(UrlId)>;

  /// Holds about `room_for_texts` bytes of settled texts in memory. Without `read` every text stays
  /// in memory.
  explicit MemoryFrontier(const FrontierOptions& options, ReadUrl read = nullptr,
                          std::size_t room_for_texts = 0);
  ~MemoryFrontier() override;

  OfferResult OfferAll(const std::vector<Offer>& offers, UrlId from) override
      CRAWLER_EXCLUDES(mutex_);
  Result<std::size_t> LeaseSome(TimePoint now, std::size_t most,
                                std::vector<Lease>* leases) override
      CRAWLER_EXCLUDES(mutex_, reader_mutex_);
  Result<std::size_t> LeaseFor(std::uint16_t worker, TimePoint now, std::size_t most,
                               std::vector<Lease>* leases) override
      CRAWLER_EXCLUDES(mutex_, reader_mutex_);
  TimePoint NextDue() const override CRAWLER_EXCLUDES(mutex_);
  Verdict Finish(const Lease& lease, const Outcome& outcome) override CRAWLER_EXCLUDES(mutex_);
  void PassRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until,
                       std::chrono::milliseconds crawl_delay) override CRAWLER_EXCLUDES(mutex_);
  bool FailRobotsCheck(const Lease& lease, const Outcome& outcome, TimePoint until) override
      CRAWLER_EXCLUDES(mutex_);
  void RepeatRobotsCheck(HostId host) override CRAWLER_EXCLUDES(mutex_);
  void Settle(const std::vector<LeaseToken>& leases, std::uint64_t last_offer) override
      CRAWLER_EXCLUDES(mutex_);
  std::size_t TakeGivenUp(std::size_t most, std::vector<GivenUp>* urls) override
      CRAWLER_EXCLUDES(mutex_);
  Counts counts() const override CRAWLER_EXCLUDES(mutex_);
  bool Finished() const override CRAWLER_EXCLUDES(mutex_);
  bool Discovering() const override CRAWLER_EXCLUDES(mutex_);
  bool Skipped(UrlId url) const override CRAWLER_EXCLUDES(mutex_);
  Result<std::string> TextOf(UrlId url) override CRAWLER_EXCLUDES(mutex_, reader_mutex_);
  std::vector<Holdup> Holdups(TimePoint now, std::size_t most) const override
      CRAWLER_EXCLUDES(mutex_);
  std::optional<Holdup> WhyWaiting(UrlId url, TimePoint now) const override
      CRAWLER_EXCLUDES(mutex_);

  // Bringing back a stored crawl: hosts and URLs in the order of their ids, then any number of
  // links and ends, then EndRestore(). Nothing else but Skipped() may be called before that. Ids
  // that do not exist are ignored.
  void RestoreHost(std::string_view origin, std::string_view site);
  /// `from`: the page or sitemap on which the URL was found; 0 if there is none.
  void RestoreUrl(std::string_view url, HostId host, bool skipped, bool is_sitemap, UrlId from = 0);
  void RestoreLink(UrlId to);                         ///< One link to it (and to its host).
  void RestoreWorth(UrlId url, std::uint16_t worth);  ///< The worth that an offer gave it.
  void RestoreWaiting(UrlId url);                     ///< It was skipped, but waits after all.
  void RestoreFailures(UrlId url, int failures);      ///< It waits for a retry, due at once.
  void RestoreThrottled(UrlId url);                   ///< Its host asked to wait for it.
  void RestoreOver(UrlId url, bool is_page);          ///< It was finished.
  /// A request of an earlier run; they are restored in their order. With them a resumed crawl is as
  /// polite as one that was never stopped: no host is asked before its delay and its rest after
  /// failures have passed. A host that counted as down gets another chance after its rest.
  struct PastRequest {
    enum class Health : std::uint8_t { kWell, kFailed, kThrottled, kUnknown };
    Health health = Health::kWell;
    bool recent = false;  ///< The delay behind it may not have passed.
    TimePoint started, ended;
    std::optional<Duration> retry_after;
    std::optional<IpAddress> address;  ///< That answered.
    bool answered = false;             ///< With any status.
  };
  void RestoreRequest(UrlId url, const PastRequest& request);
  void RestoreRequest(std::string_view origin, const PastRequest& request);
  /// The depths of the stored URLs, and the links between them. Required with max_depth.
  void RestoreDepths(std::unique_ptr<Depths> depths);
  /// `maybe_asked_at`: a kill has forgotten requests that may have been made until then, and pages
  /// whose links are found again. So every host, also one that is found later, counts as asked at
  /// that time.
  void EndRestore(TimePoint now = TimePoint::min(), std::optional<TimePoint> maybe_asked_at = {});

  /// The host of a URL; 0 if there is no such URL.
  HostId HostOf(UrlId url) const CRAWLER_EXCLUDES(mutex_);

  /// Bytes held in memory, texts not included.
  std::size_t memory() const CRAWLER_EXCLUDES(mutex_);

 private:
  void AddRows(const std::vector<Offer>& offers, UrlId from, OfferResult* result)
      CRAWLER_REQUIRES(mutex_);
  void UpdateDepths(const std::vector<Offer>& offers, UrlId from, OfferResult* result)
      CRAWLER_REQUIRES(mutex_);
  bool Admit(const Depths::Nearer& change, std::uint64_t offer) CRAWLER_REQUIRES(mutex_);
  void Fill(UrlRow* row, Lease* lease) const;
  Result<UrlRow> Read(UrlId url) CRAWLER_EXCLUDES(reader_mutex_);
  Status ReadMissing(const std::vector<std::size_t>& missing, TimePoint now,
                     std::vector<Lease>* leases) CRAWLER_EXCLUDES(mutex_, reader_mutex_);

  const std::uint64_t hash_key_;  // Hashing needs no lock.
  const bool keeps_depths_;
  mutable Mutex mutex_;
  const std::unique_ptr<UrlScheduler> scheduler_ CRAWLER_PT_GUARDED_BY(mutex_);
  UrlTexts texts_ CRAWLER_GUARDED_BY(mutex_);
  std::unique_ptr<Depths> depths_ CRAWLER_GUARDED_BY(mutex_);  // Only with max_depth.
  std::uint64_t offers_ CRAWLER_GUARDED_BY(mutex_) = 0;

  Mutex reader_mutex_;
  const ReadUrl read_ CRAWLER_GUARDED_BY(reader_mutex_);
};

}  // namespace crawler
