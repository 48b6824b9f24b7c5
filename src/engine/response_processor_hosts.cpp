// What is done for hosts: their robots.txt, what it refuses, and those that are given up.
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/response_processor.hpp"
#include "engine/robots_fetch.hpp"
#include "engine/visit_outcome.hpp"
#include "robots/robots_txt.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

/// How long a refusal of a host holds that never answered for its robots.txt.
constexpr std::chrono::minutes kRefusalLifetime{10};

std::string_view PolicyName(RobotsPolicy policy) {
  switch (policy) {
    case RobotsPolicy::kRules:
      return "rules";
    case RobotsPolicy::kAllowAll:
      return "allow all";
    case RobotsPolicy::kRefuseAll:
      return "refuse all";
  }
  return "unknown";
}

RobotsRow ToRobotsRow(const RobotsRecord& record, const FetchResult& result, std::string origin,
                      const Clock& clock) {
  RobotsRow row;
  row.origin = std::move(origin);
  if (record.policy() == RobotsPolicy::kRules) row.rules = result.body().substr(0, kMaxRobotsBytes);
  row.status = result.status;
  row.policy = PolicyName(record.policy());
  const auto delay = record.rules().crawl_delay().value_or(std::chrono::milliseconds(0));
  row.crawl_delay = static_cast<double>(delay.count()) / 1000;
  row.fetched_at = ToMilliseconds(clock.WallNow());
  const auto holds =
      std::chrono::duration_cast<std::chrono::milliseconds>(record.expires() - clock.Now());
  row.expires_at = row.fetched_at + holds.count();
  return row;
}

GiveUpReason ToGiveUpReason(const Frontier::HostDown* down) {
  if (down == nullptr) return GiveUpReason::kFailures;
  switch (down->reason) {
    case Frontier::HostDown::Reason::kFailures:
      return GiveUpReason::kFailures;
    case Frontier::HostDown::Reason::kThrottled:
      return GiveUpReason::kThrottled;
    case Frontier::HostDown::Reason::kRobotsCheck:
      return GiveUpReason::kNoRobots;
  }
  return GiveUpReason::kFailures;
}

// Which host, how often, when, and what came last.
std::string DescribeDown(const Frontier::HostDown* down, const Clock& clock) {
  if (down == nullptr) return "its host was given up";
  const auto ago = std::chrono::duration_cast<WallTime::duration>(clock.Now() - down->at);
  const std::string at = WarcDate(clock.WallNow() - ago);
  const std::string attempts = std::to_string(down->attempts);
  using Reason = Frontier::HostDown::Reason;
  std::string text;
  if (down->reason == Reason::kRobotsCheck) {
    text.append("no robots.txt from its host ").append(down->origin).append(", given up at ");
    text.append(at).append(" after ").append(attempts);
    text.append(down->attempts == 1 ? " attempt" : " attempts");
  } else {
    text.append("its host ").append(down->origin).append(" was given up at ").append(at);
    text.append(" after ").append(attempts);
    text.append(down->reason == Reason::kThrottled ? " requests to wait in a row"
                                                   : " failures in a row");
  }
  if (!down->last.empty()) text.append("; the last: ").append(down->last);
  return text;
}

}  // namespace

void ResponseProcessor::OfferSitemaps(const RobotsRecord& record, const Url& url) {
  offers_.Clear();
  if (!crawl_.options.sitemaps) return;
  const std::vector<std::string>& named = record.rules().sitemaps();
  for (const std::string& sitemap : named) {
    Url resolved;
    if (ParseUrl(sitemap, &url, &resolved) == UrlKind::kFollowable) {
      offers_.Add(resolved.href(), Via::kSitemapFile, 0);
    }
  }
  if (named.empty()) offers_.Add(url.Origin() + "/sitemap.xml", Via::kSitemapFile, 0);
}

void ResponseProcessor::PassRobotsCheck(const Frontier::Lease& lease, const UrlRow& url,
                                        RobotsRecord record) {
  Url parsed;
  ParseUrl(url.url, nullptr, &parsed);
  OfferSitemaps(record, parsed);
  CommitBatch change;
  Register(url.id, &change);
  const TimePoint until = record.expires();
  const auto delay = record.rules().crawl_delay().value_or(std::chrono::milliseconds(0));
  crawl_.frontier->PassRobotsCheck(lease, NothingSent(Kind::kReturned, crawl_.Now()), until, delay,
                                   std::make_shared<const HostRobots>(std::move(record)));
  crawl_.writer->Push(std::move(change));
  crawl_.wake_idle();
}

void ResponseProcessor::FinishRobotsCheck(const FetchedUrl& fetched) {
  const FetchResult& result = fetched.result;
  Url url;
  ParseUrl(fetched.url.url, nullptr, &url);
  if (result.failure == FetchFailure::kCancelled) {
    ReturnRobotsCheck(fetched, url);
    return;
  }
  crawl_.counters.bytes.fetch_add(result.raw_body.size());
  ResponseClass judgement;
  judgement.kind = Kind::kDone;
  const RobotsFetch fetch = ToRobotsFetch(result);
  RobotsRecord record(crawl_.product);
  const TimePoint now = crawl_.Now();
  record.Update(fetch, result.body(), now);
  const bool refused = record.policy() == RobotsPolicy::kRefuseAll;
  // A blocked address or a bad certificate will not change in the next seconds.
  if (refused && ClassifyResponse(result, 0, crawl_.retry).kind == Kind::kDone) {
    judgement.kind = Kind::kDropped;
  }
  judgement.no_answer = refused;
  judgement.retry_after = fetch.retry_after;

  CommitBatch change;
  if (!refused) OfferSitemaps(record, url);
  Archive(fetched, false, nullptr, &change);
  if (refused) offers_.Clear();
  Register(fetched.url.id, &change);

  judgement.outcome = VisitOutcome::kRobots;
  judgement.detail = RobotsUrlOf(url);
  if (!result.ok()) judgement.detail += ": " + DescribeFailure(result);
  change.visits.push_back(ToVisit(fetched, judgement));
  change.visits.front().url = 0;
  change.visits.front().host = fetched.url.host;

  change.robots = ToRobotsRow(record, result, url.Origin(), *crawl_.environment.clock);
  Frontier::Outcome outcome = ToOutcome(result, judgement, crawl_.Now());
  const std::string why =
      result.ok() ? "status " + std::to_string(result.status) : DescribeFailure(result);
  outcome.what = why;
  if (!refused) {
    const TimePoint until = record.expires();
    const auto delay = record.rules().crawl_delay().value_or(std::chrono::milliseconds(0));
    crawl_.frontier->PassRobotsCheck(fetched.lease, outcome, until, delay,
                                     std::make_shared<const HostRobots>(std::move(record)));
  } else {
    crawl_.frontier->FailRobotsCheck(fetched.lease, outcome, now + kRefusalLifetime);
  }
  crawl_.writer->Push(std::move(change));
  crawl_.wake_idle();
}

void ResponseProcessor::ReturnRobotsCheck(const FetchedUrl& fetched, const Url& url) {
  ResponseClass cancelled;
  cancelled.outcome = VisitOutcome::kCancelled;
  cancelled.detail = RobotsUrlOf(url);
  VisitRow visit = ToVisit(fetched, cancelled);
  visit.url = 0;
  visit.host = fetched.url.host;
  WriteCancelled(std::move(visit));
  const Frontier::Outcome outcome = NothingSent(Kind::kReturned, crawl_.Now());
  crawl_.frontier->FailRobotsCheck(fetched.lease, outcome, outcome.now);
}

void ResponseProcessor::Refuse(const Frontier::Lease& lease, const UrlRow& url,
                               const RobotsVerdict& verdict, std::optional<StoredPage> known) {
  VisitRow visit;
  visit.url = url.id;
  visit.at = crawl_.NowMilliseconds();
  visit.outcome = VisitOutcome::kRefused;
  visit.score = lease.score;
  visit.failures = lease.failures;
  visit.detail = "robots.txt";
  if (verdict.line > 0) visit.detail += " line " + std::to_string(verdict.line);
  visit.detail.append(": ").append(verdict.rule);
  CommitBatch change;
  offers_.Clear();
  Register(url.id, &change);
  SettlePage(std::move(known), &visit, &change);
  change.visits.push_back(std::move(visit));
  crawl_.frontier->Finish(lease, NothingSent(Kind::kDropped, crawl_.Now()));
  crawl_.counters.refused.fetch_add(1);
  crawl_.writer->Push(std::move(change));
}

void ResponseProcessor::WriteGivenUp(const std::vector<Frontier::GivenUp>& urls) {
  CommitBatch change;
  offers_.Clear();
  Register(0, &change);
  const std::int64_t now = crawl_.NowMilliseconds();
  for (const Frontier::GivenUp& url : urls) {
    VisitRow visit;
    visit.url = url.url;
    visit.at = now;
    visit.outcome = VisitOutcome::kGivenUp;
    visit.failures = url.failures;
    visit.given_up = ToGiveUpReason(url.down.get());
    visit.detail = DescribeDown(url.down.get(), *crawl_.environment.clock);
    if (url.first) {
      change.events.push_back({now, "host given up", visit.detail});
      crawl_.logger.Warn("Engine", "Host given up", {{"why", visit.detail}});
    }
    change.dead_letters.push_back({url.url, now, visit.detail, crawl_.retries.Take(url.url)});
    if (crawl_.recrawl) {
      Result<std::optional<StoredPage>> known = urls_.ReadPage(url.url);
      if (!known.ok()) crawl_.writer->Fail(known.status());
      if (known.ok()) SettlePage(std::move(known).value(), &visit, &change);
    }
    change.visits.push_back(std::move(visit));
  }
  crawl_.counters.dead_letters.fetch_add(urls.size());
  crawl_.writer->Push(std::move(change));
}

}  // namespace crawler
