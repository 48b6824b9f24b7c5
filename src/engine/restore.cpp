#include "engine/restore.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/commit_batch.hpp"
#include "engine/focus.hpp"
#include "index/link_graph.hpp"
#include "store/stored_crawl.hpp"
#include "url/address.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDay = std::chrono::hours(24), kYear = 365 * kDay;

class Restorer {
 public:
  Restorer(const StoredCrawl& stored, const CrawlOptions& options, const Clock& clock,
           MemoryFrontier* frontier, RestoredCrawl* out)
      : stored_(stored),
        round_(stored.round()),
        options_(options),
        frontier_(*frontier),
        out_(*out),
        now_(clock.Now()),
        wall_now_(ToMilliseconds(clock.WallNow())) {
    if (options.max_depth >= 0) {
      depths_ = std::make_unique<Depths>(static_cast<std::uint32_t>(options.max_depth));
    }
    if (options.order == CrawlOrder::kRelevance) focus_ = std::make_unique<Focus>(options.topic);
  }

  Status Run() {
    out_.recrawl = round_.number != 0;
    out_.interrupted = stored_.was_interrupted();
    for (const auto step : {&Restorer::Hosts, &Restorer::Urls, &Restorer::Requeued,
                            &Restorer::Visits, &Restorer::Links, &Restorer::Pages}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    Readmit();
    frontier_.EndRestore(now_, MaybeAskedAt());
    if (depths_ != nullptr) frontier_.RestoreDepths(std::move(depths_));
    return Status::Ok();
  }

 private:
  // Where a URL was found, and how far from the seeds.
  struct Sighting {
    std::uint32_t depth = 0;
    UrlId from = 0;
  };

  // When requests may have been made of which a kill has left no row.
  std::optional<TimePoint> MaybeAskedAt() const {
    if (stored_.was_interrupted()) return now_;
    if (stored_.interrupted_at() == 0) return std::nullopt;
    return now_ - std::min(AgeOf(stored_.interrupted_at()), kYear);
  }

  // How long ago `at` was. The clock may have been set since: nothing lies in the future.
  milliseconds AgeOf(std::int64_t at) const {
    return milliseconds(wall_now_ - std::clamp<std::int64_t>(at, 0, wall_now_));
  }

  Status Hosts() {
    return stored_.ForEachHost([this](const StoredHost& host) {
      frontier_.RestoreHost(host.origin, host.site);
      return Status::Ok();
    });
  }

  Status Urls() {
    return stored_.ForEachUrl([this](const StoredUrl& row) {
      const bool earlier = row.id <= round_.last_url;
      frontier_.RestoreUrl(row.url, row.host, earlier || row.skipped != SkipReason::kNone,
                           row.via == Via::kSitemapFile, row.from);
      if (focus_ != nullptr) RestoreWorth(row);
      out_.totals.urls_elsewhere += row.skipped == SkipReason::kOutsideReach;
      if (row.via == Via::kSeed && !earlier) out_.seeds.Add(row.id, row.url);
      if (earlier) {
        if (depths_ != nullptr) depths_->Add(row.id, Depths::kUnreached);
        return Status::Ok();
      }
      const bool followed = row.skipped == SkipReason::kNone ||
                            row.skipped == SkipReason::kTooDeep ||
                            row.skipped == SkipReason::kFrontierFull;
      if (depths_ != nullptr) depths_->Add(row.id, followed ? row.depth : Depths::kUnreached);
      const bool may_return = row.skipped == SkipReason::kFrontierFull ||
                              (row.skipped == SkipReason::kTooDeep && WithinDepth(row.depth));
      if (may_return) returning_.emplace(row.id, Sighting{row.depth, row.from});
      CountSitemaps(row);
      return Status::Ok();
    });
  }

  // A file or an entry counts for the host of the sitemap that lists it.
  void CountSitemaps(const StoredUrl& row) {
    if (row.via != Via::kSitemapFile && row.via != Via::kSitemapEntry) return;
    const auto listed_by = sitemaps_.find(row.from);
    const HostId host = listed_by == sitemaps_.end() ? row.host : listed_by->second;
    if (row.via == Via::kSitemapFile) {
      sitemaps_.emplace(row.id, row.host);
      out_.sitemaps.TakeFiles(host, 1);
    } else {
      out_.sitemaps.TakeEntries(host, 1);
    }
  }

  // The worth of a link is stored with the link; this is for seeds, redirects and sitemap entries.
  void RestoreWorth(const StoredUrl& row) {
    if (row.via == Via::kSeed) {
      frontier_.RestoreWorth(row.id, Frontier::kMostWorth);
    } else if (row.via != Via::kLink) {
      frontier_.RestoreWorth(row.id, focus_->OfUrl(row.url));
    }
  }

  Status Requeued() {
    return stored_.ForEachRequeue([this](const RequeueRow& row) {
      if (depths_ != nullptr) depths_->Add(row.url, std::min(row.depth, depths_->Of(row.url)));
      if (row.waits) {
        frontier_.RestoreWaiting(row.url);
        returning_.erase(row.url);
      } else if (WithinDepth(row.depth)) {
        // It came nearer, but a kill came before it was queued; or the frontier was full.
        returning_.emplace(row.url, Sighting{row.depth, row.from});
      }
      return Status::Ok();
    });
  }

  Status Links() {
    return stored_.ForEachLinkList([this](const StoredLinks& row) {
      if (!read_[row.from]) return Status::Ok();
      bool known = true;
      LinkListReader links(row.links);
      LinkListReader::Link& link = link_;
      while (known && links.Next(&link)) {
        known = stored_.HasUrl(link.to);
        if (!known) break;
        ++out_.totals.links;
        frontier_.RestoreLink(link.to);
        frontier_.RestoreWorth(link.to, link.worth);
        if (!link.nofollow) RestoreWay(row.from, link.to, false);
      }
      if (known && !links.damaged()) return Status::Ok();
      return stored_.Corrupt("page_links", row.row, "has links that cannot be read");
    });
  }

  // Adds a link between two URLs to the depths. A target without a depth is out of scope.
  void RestoreWay(UrlId from, UrlId to, bool redirect) {
    if (depths_ == nullptr || depths_->Of(to) == Depths::kUnreached) return;
    depths_->AddLink(from, to, redirect);
  }

  Status Visits() {
    read_.resize(static_cast<std::size_t>(stored_.url_count()) + 1);
    return stored_.ForEachVisit([this](const StoredVisit& row) {
      Request(row);
      if (row.id <= round_.last_visit) return Status::Ok();
      CountVisit(row);
      if (row.url == 0) return Status::Ok();
      if (row.redirect_to != 0) RestoreWay(row.url, row.redirect_to, true);
      if (row.final) {
        const bool is_page =
            row.outcome == VisitOutcome::kPage || row.outcome == VisitOutcome::kUnchanged;
        read_[row.url] = is_page;
        frontier_.RestoreOver(row.url, is_page);
        returning_.erase(row.url);
        out_.retries.Forget(row.url);
        if (is_page) out_.page_bytes += row.bytes;
        if (row.outcome == VisitOutcome::kSitemap) {
          const auto sitemap = sitemaps_.find(row.url);
          if (sitemap != sitemaps_.end()) out_.sitemaps.AddBytes(sitemap->second, row.bytes);
        }
        return Status::Ok();
      }
      if (row.outcome == VisitOutcome::kThrottled) frontier_.RestoreThrottled(row.url);
      if (row.failures > 0) {
        // A host that could not be reached cost the URL no retry.
        const int unreached = FaultOf(row.failure, row.status) == Fault::kHost ? 1 : 0;
        frontier_.RestoreFailures(row.url, static_cast<int>(row.failures) - unreached);
        const std::string what =
            row.detail.empty() ? "status " + std::to_string(row.status) : std::string(row.detail);
        out_.retries.Add(row.url, row.at, what);
      }
      return Status::Ok();
    });
  }

  void CountVisit(const StoredVisit& row) {
    const CountedVisit visit(row);
    Count(visit, &out_.totals);
    const HostId host = row.url == 0 ? row.host : frontier_.HostOf(row.url);
    out_.totals.hosts_asked += out_.tally.Add(host, visit);
    if (row.url == 0) return;
    const bool skipped = row.redirect_to != 0 && frontier_.Skipped(row.redirect_to);
    out_.seeds.Note(row.url, {row.outcome, row.status, row.failure, row.given_up, row.detail,
                              row.final, row.redirect_to, skipped});
  }

  // The state of hosts that a request leaves behind: their clocks, their health, their addresses.
  // No rest lasts longer than the host asked for.
  void Request(const StoredVisit& row) {
    const std::chrono::microseconds took(std::clamp<std::int64_t>(row.total, 0, 1'000'000'000));
    if (took.count() == 0) return;  // Nothing was sent.
    const milliseconds age = AgeOf(row.at);
    const milliseconds cap = options_.max_crawl_delay.count() > 0 ? options_.max_crawl_delay : kDay;

    MemoryFrontier::PastRequest request;
    request.health = HealthOf(row);
    request.answered = row.status != 0;
    request.recent = age <= std::max(LongestDelay(), cap);
    request.started = now_ - std::min(age, kYear);
    // Stored times are whole milliseconds: it may have ended as much later.
    request.ended = std::min<TimePoint>(request.started + took + milliseconds(1), now_);
    if (row.retry_after != 0) {
      request.retry_after =
          milliseconds(std::clamp<std::int64_t>(row.retry_after, 0, kDay.count()));
    }
    request.address = AddressOf(row);
    if (row.url == 0) {
      frontier_.RestoreRequest(row.origin, request);
    } else {
      frontier_.RestoreRequest(row.url, request);
    }
  }

  milliseconds LongestDelay() const {
    milliseconds longest = options_.delay;
    for (const HostDelay& rule : options_.host_delays) longest = std::max(longest, rule.delay);
    return longest;
  }

  // Visits in a row often have the same address.
  std::optional<IpAddress> AddressOf(const StoredVisit& row) {
    if (row.address != last_address_text_) {
      last_address_text_ = row.address;
      last_address_ = IpAddress::FromText(row.address);
    }
    return last_address_;
  }

  // The health of the host by this answer; see ClassifyResponse() and ReadRobotsAnswer().
  static MemoryFrontier::PastRequest::Health HealthOf(const StoredVisit& row) {
    using Health = MemoryFrontier::PastRequest::Health;
    if (row.outcome == VisitOutcome::kCancelled) return Health::kUnknown;
    if (row.outcome == VisitOutcome::kThrottled) return Health::kThrottled;
    if (row.failures == 0)
      return Health::kWell;  // It did not fail, or RequeueFailed() has forgiven it.
    if (row.url == 0) {
      const bool failed = row.status < 200 || row.status == 429 || row.status >= 500;
      return failed ? Health::kFailed : Health::kWell;
    }
    const Fault fault = FaultOf(row.failure, row.status);
    const bool failed =
        fault == Fault::kHost || fault == Fault::kNoAnswer || row.failure == FetchFailure::kTls;
    return failed ? Health::kFailed : Health::kWell;
  }

  Status Pages() {
    return stored_.ForEachPage([this](const StoredContent& row) {
      out_.totals.duplicates += row.is_duplicate;
      if (row.size > 0) {
        out_.contents.Add(row.content_hash,
                          {row.url, static_cast<std::uint32_t>(row.crawled_at / 1000)});
      }
      return Status::Ok();
    });
  }

  bool WithinDepth(std::uint32_t depth) const {
    const int most = options_.max_depth;
    return most < 0 || depth <= static_cast<std::uint32_t>(most);
  }

  // URLs that were skipped for a budget that is larger now.
  void Readmit() {
    for (const auto& [url, sighting] : returning_) {
      if (!frontier_.Skipped(url)) continue;
      frontier_.RestoreWaiting(url);
      out_.requeued.push_back({url, sighting.depth, sighting.from, true});
    }
  }

  StoredCrawl stored_;
  const Round round_;
  const CrawlOptions& options_;
  MemoryFrontier& frontier_;
  RestoredCrawl& out_;
  std::vector<bool> read_;  // By URL: its page was read in this round, and its links with it.
  std::unique_ptr<Depths> depths_;
  std::unique_ptr<Focus> focus_;  // Only of a crawl that goes by relevance.
  std::map<UrlId, Sighting> returning_;
  std::unordered_map<UrlId, HostId> sitemaps_;  // Sitemap files of this round, by URL.
  LinkListReader::Link link_;
  std::string last_address_text_;
  std::optional<IpAddress> last_address_;
  const TimePoint now_;
  const std::int64_t wall_now_;
};

}  // namespace

Status RestoreCrawl(Database& db, const CrawlOptions& options, const Clock& clock,
                    MemoryFrontier* frontier, RestoredCrawl* out) {
  const Result<StoredCrawl> stored = StoredCrawl::Open(db);
  if (!stored.ok()) return stored.status();
  out->totals.dead_letters = static_cast<std::uint64_t>(stored->dead_letter_count());
  return Restorer(*stored, options, clock, frontier, out).Run();
}

}  // namespace crawler
