#include "engine/restore.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/focus.hpp"
#include "index/link_graph.hpp"
#include "store/stored_crawl.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

class Restorer {
 public:
  Restorer(const StoredCrawl& stored, CrawlContext& crawl, std::vector<RequeueRow>* requeued)
      : stored_(stored), round_(stored.round()), crawl_(crawl), requeued_(*requeued) {
    if (crawl.options.max_depth >= 0) {
      depths_ = std::make_unique<Depths>(static_cast<std::uint32_t>(crawl.options.max_depth));
    }
    if (crawl.options.order == CrawlOrder::kRelevance) {
      focus_ = std::make_unique<Focus>(crawl.options.topic);
    }
  }

  Status Run() {
    crawl_.recrawl = round_.number != 0;
    for (const auto step : {&Restorer::Hosts, &Restorer::Urls, &Restorer::Requeued,
                            &Restorer::Visits, &Restorer::Links, &Restorer::Pages}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    Readmit();
    crawl_.frontier->EndRestore(now_, stored_.was_interrupted());
    if (crawl_.registry != nullptr) crawl_.registry->KeepDepths(std::move(depths_));
    return Status::Ok();
  }

 private:
  // Where a URL was found, and how far from the seeds.
  struct Sighting {
    std::uint32_t depth = 0;
    UrlId from = 0;
  };

  Status Hosts() {
    return stored_.ForEachHost([this](const StoredHost& host) {
      crawl_.frontier->RestoreHost(host.origin, host.site);
      return Status::Ok();
    });
  }

  Status Urls() {
    return stored_.ForEachUrl([this](const StoredUrl& row) {
      const bool earlier = row.id <= round_.last_url;
      crawl_.frontier->RestoreUrl(row.url, row.host, earlier || row.skipped != SkipReason::kNone,
                                  row.via == Via::kSitemapFile);
      if (focus_ != nullptr) RestoreWorth(row);
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
      return Status::Ok();
    });
  }

  // What links promise is stored with them; this is for URLs that are no link's.
  void RestoreWorth(const StoredUrl& row) {
    if (row.via == Via::kSeed) {
      crawl_.frontier->RestoreWorth(row.id, Frontier::kMostWorth);
    } else if (row.via != Via::kLink) {
      crawl_.frontier->RestoreWorth(row.id, focus_->OfUrl(row.url));
    }
  }

  Status Requeued() {
    return stored_.ForEachRequeue([this](const RequeueRow& row) {
      if (depths_ != nullptr) depths_->Add(row.url, std::min(row.depth, depths_->Of(row.url)));
      if (row.waits) {
        crawl_.frontier->RestoreWaiting(row.url);
        returning_.erase(row.url);
      } else if (WithinDepth(row.depth)) {
        // Nearer, but the kill came before it was admitted; or the frontier was full.
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
        crawl_.frontier->RestoreLink(link.to);
        crawl_.frontier->RestoreWorth(link.to, link.worth);
        if (!link.nofollow) RestoreWay(row.from, link.to, false);
      }
      if (known && !links.damaged()) return Status::Ok();
      return stored_.Corrupt("page_links", row.row, "has links that cannot be read");
    });
  }

  // Where a way leads that was followed there is a depth by now; the others lead out of scope.
  void RestoreWay(UrlId from, UrlId to, bool redirect) {
    if (depths_ == nullptr || depths_->Of(to) == Depths::kUnreached) return;
    depths_->AddLink(from, to, redirect);
  }

  Status Visits() {
    read_.resize(static_cast<std::size_t>(stored_.url_count()) + 1);
    return stored_.ForEachVisit([this](const StoredVisit& row) {
      Request(row);
      if (row.url == 0 || row.id <= round_.last_visit) return Status::Ok();
      if (row.redirect_to != 0) RestoreWay(row.url, row.redirect_to, true);
      if (row.final) {
        const bool is_page =
            row.outcome == VisitOutcome::kPage || row.outcome == VisitOutcome::kUnchanged;
        read_[row.url] = is_page;
        CountChange(row.change);
        crawl_.frontier->RestoreOver(row.url, is_page);
        returning_.erase(row.url);
        crawl_.retries.Forget(row.url);
        if (is_page) crawl_.page_bytes.fetch_add(row.bytes);
      } else if (row.failures > 0) {
        // A host that could not be reached cost the URL no retry.
        const int unreached = FaultOf(row.failure, row.status) == Fault::kHost ? 1 : 0;
        crawl_.frontier->RestoreFailures(row.url, static_cast<int>(row.failures) - unreached);
        const std::string what =
            row.detail.empty() ? "status " + std::to_string(row.status) : std::string(row.detail);
        crawl_.retries.Add(row.url, row.at, what);
      }
      return Status::Ok();
    });
  }

  void CountChange(PageChange change) {
    CrawlCounters& counters = crawl_.counters;
    counters.pages_new += change == PageChange::kNew;
    counters.pages_changed += change == PageChange::kChanged;
    counters.pages_unchanged += change == PageChange::kUnchanged;
    counters.pages_gone += change == PageChange::kGone;
  }

  // What the hosts' clocks have to know. The catalogue's is another one, which may have been set
  // meanwhile: nothing is taken to lie in the future, and no rest lasts longer than was asked for.
  void Request(const StoredVisit& row) {
    constexpr milliseconds kDay = std::chrono::hours(24), kYear = 365 * kDay;
    const std::chrono::microseconds took(std::clamp<std::int64_t>(row.total, 0, 1'000'000'000));
    if (took.count() == 0) return;  // Nothing was sent.
    const milliseconds age(wall_now_ - std::clamp<std::int64_t>(row.at, 0, wall_now_));
    const CrawlOptions& options = crawl_.options;
    const milliseconds cap = options.max_crawl_delay.count() > 0 ? options.max_crawl_delay : kDay;

    Frontier::PastRequest request;
    request.health = HealthOf(row);
    request.recent = age <= std::max(options.delay, cap);
    request.started = now_ - std::min(age, kYear);
    request.ended = std::min<TimePoint>(request.started + took, now_);
    if (row.retry_after != 0) {
      request.retry_after =
          milliseconds(std::clamp<std::int64_t>(row.retry_after, 0, kDay.count()));
    }
    if (row.url == 0) {
      crawl_.frontier->RestoreRequest(row.origin, request);
    } else {
      crawl_.frontier->RestoreRequest(row.url, request);
    }
  }

  // What the answer said of its host when it came; see ClassifyResponse() and PolicyOf().
  static Frontier::PastRequest::Health HealthOf(const StoredVisit& row) {
    using Health = Frontier::PastRequest::Health;
    if (row.outcome == VisitOutcome::kCancelled) return Health::kUnknown;
    if (row.outcome == VisitOutcome::kThrottled) return Health::kThrottled;
    if (row.failures == 0)
      return Health::kWell;  // It does not count any more; see RequeueFailed().
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
      if (row.size > 0) {
        crawl_.contents.Add(row.content_hash,
                            {row.url, static_cast<std::uint32_t>(row.crawled_at / 1000)});
      }
      return Status::Ok();
    });
  }

  bool WithinDepth(std::uint32_t depth) const {
    const int most = crawl_.options.max_depth;
    return most < 0 || depth <= static_cast<std::uint32_t>(most);
  }

  // What was turned away for a budget that is larger now.
  void Readmit() {
    for (const auto& [url, sighting] : returning_) {
      if (!crawl_.frontier->TurnedAway(url)) continue;
      crawl_.frontier->RestoreWaiting(url);
      requeued_.push_back({url, sighting.depth, sighting.from, true});
    }
  }

  StoredCrawl stored_;
  const Round round_;
  CrawlContext& crawl_;
  std::vector<RequeueRow>& requeued_;
  std::vector<bool> read_;  // By URL: its page was read in this round, and its links with it.
  std::unique_ptr<Depths> depths_;
  std::unique_ptr<Focus> focus_;  // Only of a crawl that goes by relevance.
  std::map<UrlId, Sighting> returning_;
  LinkListReader::Link link_;
  const TimePoint now_ = crawl_.Now();
  const std::int64_t wall_now_ = crawl_.NowMilliseconds();
};

}  // namespace

Status RestoreCrawl(Database& db, CrawlContext& crawl, std::vector<RequeueRow>* requeued) {
  const Result<StoredCrawl> stored = StoredCrawl::Open(db);
  if (!stored.ok()) return stored.status();
  return Restorer(*stored, crawl, requeued).Run();
}

}  // namespace crawler
