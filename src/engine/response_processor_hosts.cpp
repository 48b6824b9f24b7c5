// Leases that end without a response to read: cancelled requests, robots checks, URLs that
// robots.txt refuses, hosts that were given up.
#include <chrono>
#include <memory>
#include <utility>

#include "engine/batch_rows.hpp"
#include "engine/response_processor.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

}  // namespace

// The URL waits again as if it had not been requested. Its host was contacted, though, and a
// resumed crawl has to know that.
void ResponseProcessor::Return(const FetchedUrl& fetched, std::string_view why) {
  ResponseClass response;
  response.kind = Kind::kReturned;
  response.outcome = VisitOutcome::kCancelled;
  response.detail = why;
  WriteCancelled(ToVisitRow(fetched.lease, fetched.result, response));
  crawl_.frontier->Finish(fetched.lease, ToOutcome(fetched.result, response, crawl_.Now()));
}

void ResponseProcessor::WriteCancelled(VisitRow visit) {
  if (visit.total == 0) return;  // Nothing was sent.
  CommitBatch batch;
  batch.place = crawl_.writer->Reserve();
  visit.final = false;
  batch.visits.push_back(std::move(visit));
  crawl_.writer->Push(std::move(batch));
}

void ResponseProcessor::FinishRobotsCheck(const FetchedUrl& fetched) {
  const FetchResult& result = fetched.result;
  Url url;
  ParseUrl(fetched.lease.url, nullptr, &url);
  if (result.failure == FetchFailure::kCancelled) {
    ReturnRobotsCheck(fetched, url);
    return;
  }
  RobotsAnswer answer =
      ReadRobotsAnswer(result, url, crawl_.product, crawl_.retry, *crawl_.environment.clock);
  crawl_.reporter.RobotsAnswered(fetched.lease.host, result, answer);
  CommitBatch batch;
  batch.lease = fetched.lease.token;
  offers_.Clear();
  if (!answer.refused()) OfferRobotsSitemaps(fetched.lease, answer.record, url);
  Archive(fetched, answer.response, nullptr, &batch);
  Offer(fetched.lease.id, &batch);
  GiveBackKnownSitemaps(fetched.lease.host);
  batch.visits.push_back(ToRobotsVisitRow(fetched.lease, result, answer.response));
  batch.robots = answer.row;
  const std::string warning = EndRobotsCheck(fetched, std::move(answer));
  crawl_.writer->Push(std::move(batch));
  if (!warning.empty()) crawl_.Warn(warning);
  crawl_.wake_idle();
}

// Returns a warning, as NoteSeed() does.
std::string ResponseProcessor::EndRobotsCheck(const FetchedUrl& fetched, RobotsAnswer answer) {
  Frontier::Outcome outcome = ToOutcome(fetched.result, answer.response, crawl_.Now());
  outcome.what = answer.what;
  if (answer.refused()) {
    const bool given_up =
        crawl_.frontier->FailRobotsCheck(fetched.lease, outcome, answer.refused_until);
    return given_up ? "" : TellOfRobots(fetched);
  }
  PassRobotsCheck(fetched.lease, outcome, std::move(answer.record), answer.row.rules.size());
  return "";
}

// The robots check that failed, and is repeated, may have been for a seed.
std::string ResponseProcessor::TellOfRobots(const FetchedUrl& fetched) {
  const FetchResult& result = fetched.result;
  SeedWatch::Attempt attempt;
  attempt.failure = result.failure;
  attempt.final = false;
  std::string detail = DescribeFailure(result);
  if (result.ok()) {
    attempt.outcome = VisitOutcome::kGivenUp;
    attempt.given_up = GiveUpReason::kNoRobots;
    detail = "robots.txt of its host " + DescribeStatus(result.status);
  }
  attempt.detail = detail;
  return TellOfSeed(fetched.lease.id, attempt);
}

void ResponseProcessor::ReturnRobotsCheck(const FetchedUrl& fetched, const Url& url) {
  WriteCancelled(ToRobotsVisitRow(fetched.lease, fetched.result, CancelledRobotsRequest(url)));
  const Frontier::Outcome outcome = NothingSent(Kind::kReturned, crawl_.Now());
  crawl_.frontier->FailRobotsCheck(fetched.lease, outcome, outcome.now);
}

void ResponseProcessor::PassStoredRobots(const Frontier::Lease& lease, RobotsRecord record,
                                         std::size_t bytes) {
  Url url;
  ParseUrl(lease.url, nullptr, &url);
  offers_.Clear();
  OfferRobotsSitemaps(lease, record, url);
  CommitBatch batch;
  Offer(lease.id, &batch);
  GiveBackKnownSitemaps(lease.host);
  PassRobotsCheck(lease, NothingSent(Kind::kReturned, crawl_.Now()), std::move(record), bytes);
  crawl_.writer->Push(std::move(batch));
  crawl_.wake_idle();
}

// A host outside of the scope whose robots.txt is asked for because of a sitemap leads to no other
// sitemaps: otherwise each of them could lead to the next host.
void ResponseProcessor::OfferRobotsSitemaps(const Frontier::Lease& lease,
                                            const RobotsRecord& record, const Url& url) {
  if (!crawl_.options.sitemaps) return;
  if (lease.is_sitemap() && !crawl_.scope->Check(url).allowed) return;
  const std::size_t most = crawl_.sitemaps->TakeFiles(lease.host, CountSitemaps(record));
  OfferSitemaps(record, url, most, &offers_);
}

// robots.txt is asked for again and again, and names the same sitemaps each time.
void ResponseProcessor::GiveBackKnownSitemaps(HostId host) {
  std::size_t known = 0;
  const std::vector<Frontier::Offer>& candidates = offers_.candidates();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    known += candidates[i].via == Via::kSitemapFile && !offered_.offered[i].is_new;
  }
  if (known > 0) crawl_.sitemaps->GiveBackFiles(host, known);
}

// The rules come first: with the end of the check, the host may be leased by another thread.
void ResponseProcessor::PassRobotsCheck(const Frontier::Lease& lease,
                                        const Frontier::Outcome& outcome, RobotsRecord record,
                                        std::size_t bytes) {
  const TimePoint until = record.expires();
  const auto delay = record.rules().crawl_delay().value_or(std::chrono::milliseconds(0));
  crawl_.robots.Put(lease.host, std::make_shared<const RobotsRecord>(std::move(record)), bytes);
  crawl_.frontier->PassRobotsCheck(lease, outcome, until, delay);
}

void ResponseProcessor::Refuse(const Frontier::Lease& lease, const RobotsVerdict& verdict,
                               std::optional<StoredPage> known) {
  const PageChange change =
      EndUnsent(lease, ToRefusedRow(lease, verdict, crawl_.NowMilliseconds()), std::move(known));
  crawl_.reporter.Refused(lease, verdict, change);
}

void ResponseProcessor::LeaveOutSitemap(const Frontier::Lease& lease, const std::string& limit) {
  EndUnsent(lease, ToLeftOutRow(lease, limit, crawl_.NowMilliseconds()), std::nullopt);
  crawl_.reporter.SitemapLimitReached(lease, limit);
}

// The URL is over although nothing was sent. Returns the meaning for its stored page.
PageChange ResponseProcessor::EndUnsent(const Frontier::Lease& lease, VisitRow visit,
                                        std::optional<StoredPage> known) {
  CommitBatch batch;
  batch.lease = lease.token;
  ApplyChange(std::move(known), &visit, &batch);
  NoteSeed(visit);
  const PageChange change = visit.change;
  batch.visits.push_back(std::move(visit));
  crawl_.frontier->Finish(lease, NothingSent(Kind::kDropped, crawl_.Now()));
  crawl_.retries.Forget(lease.id);
  batch.place = crawl_.writer->Reserve();
  crawl_.writer->Push(std::move(batch));
  return change;
}

void ResponseProcessor::WriteGivenUp(const std::vector<Frontier::GivenUp>& urls) {
  CommitBatch batch;
  const std::int64_t now = crawl_.NowMilliseconds();
  for (const Frontier::GivenUp& url : urls) {
    VisitRow visit = ToGivenUpRow(url, now, *crawl_.environment.clock);
    if (url.first) {
      batch.events.push_back({now, "host given up", visit.detail});
      crawl_.reporter.HostGivenUp(url, visit.given_up, crawl_.Now());
    }
    batch.dead_letters.push_back({url.url, now, visit.detail, crawl_.retries.Take(url.url)});
    if (crawl_.recrawl) {
      Result<std::optional<StoredPage>> known = urls_.ReadPage(url.url);
      if (!known.ok()) crawl_.writer->Fail(known.status());
      if (known.ok()) ApplyChange(std::move(known).value(), &visit, &batch);
    }
    NoteSeed(visit);
    batch.visits.push_back(std::move(visit));
  }
  batch.place = crawl_.writer->Reserve();
  crawl_.writer->Push(std::move(batch));
}

}  // namespace crawler
