#include "engine/response_processor.hpp"

#include <utility>

#include "engine/visit_outcome.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

constexpr std::uint32_t kMaxRedirectsInARow = 10;

}  // namespace

ResponseProcessor::ResponseProcessor(CrawlContext& crawl)
    : crawl_(crawl),
      reader_(ToExtractOptions(crawl.product, crawl.normalize),
              crawl.fetch->options().limits.max_decoded),
      offers_(crawl),
      hasher_(DigestAlgorithm::kSha256),
      urls_(crawl.catalogue_path) {
  if (crawl.options.order == CrawlOrder::kRelevance) {
    focus_ = std::make_unique<Focus>(crawl.options.topic);
  }
}

void ResponseProcessor::Register(UrlId from, CommitBatch* change) {
  registration_ = crawl_.registry->Register(offers_.candidates(), from);
  change->ticket = registration_.ticket;
  change->hosts = std::move(registration_.hosts);
  change->urls = std::move(registration_.urls);
  change->requeued = std::move(registration_.requeued);
}

// URLs that had been too deep and have come near enough are offered again, in a change of its own.
// How many wait now.
std::size_t ResponseProcessor::Admit() {
  std::size_t waiting = 0;
  while (!registration_.admitted.empty()) {
    const std::vector<UrlId> admitted = std::move(registration_.admitted);
    offers_.Clear();
    for (const UrlId id : admitted) {
      const Result<UrlRow> row = crawl_.registry->Find(id, urls_);
      if (!row.ok()) {
        crawl_.writer->Fail(row.status());
        return waiting;
      }
      offers_.Add(row->url, row->via, crawl_.registry->DepthOf(*row), row->redirects);
    }
    CommitBatch change;
    Register(0, &change);
    waiting += registration_.waiting;
    crawl_.writer->Push(std::move(change));
  }
  return waiting;
}

// Whoever would exceed the budget is not let in, so that it holds exactly.
bool ResponseProcessor::WithinBytes(std::uint64_t size) {
  const std::uint64_t before = crawl_.page_bytes.fetch_add(size);
  if (crawl_.options.max_bytes == 0 || before + size <= crawl_.options.max_bytes) return true;
  crawl_.page_bytes.fetch_sub(size);
  crawl_.spent.store("max-bytes");
  crawl_.stopping.store(true);
  crawl_.wake_idle();
  return false;
}

void ResponseProcessor::Finish(FetchedUrl fetched) {
  fetched.url.depth = crawl_.registry->DepthOf(fetched.url);
  const bool has_whole = fetched.known && !fetched.known->truncated;
  ResponseClass judgement =
      ClassifyResponse(fetched.result, fetched.lease.failures, crawl_.retry, has_whole);
  if (judgement.kind == Kind::kReturned) {
    Return(fetched, "the crawl ended before the answer");
    return;
  }
  if (fetched.conditional && fetched.result.ok() && fetched.result.status == 304) {
    judgement = {};
    judgement.kind = Kind::kPage;
    judgement.outcome = VisitOutcome::kUnchanged;
  }
  const bool is_sitemap = fetched.url.via == Via::kSitemapFile;
  const std::uint64_t size = fetched.result.raw_body.size();
  if (judgement.is_page() && !is_sitemap && !WithinBytes(size)) {
    Return(fetched, "more than max-bytes leaves");
    return;
  }
  crawl_.counters.bytes.fetch_add(size, std::memory_order_relaxed);

  CommitBatch change;
  offers_.Clear();
  if (judgement.outcome == VisitOutcome::kRedirect) OfferRedirect(fetched, &judgement);
  if (judgement.is_page() && is_sitemap) ReadSitemapFile(fetched, &judgement);
  change.visits.push_back(ToVisit(fetched, judgement));
  if (judgement.outcome == VisitOutcome::kUnchanged) {
    OfferStoredLinks(fetched);
    KeepPage(fetched, nullptr, &change);
  } else if (judgement.is_page()) {
    ReadPage(fetched, &change);
  } else {
    Archive(fetched, false, nullptr, &change);
    Register(fetched.url.id, &change);
    if (judgement.outcome == VisitOutcome::kRedirect && !registration_.ids.empty()) {
      change.visits.front().redirect_to = registration_.ids.front();
    }
  }
  Count(judgement, fetched);
  if (change.page) ReportPage(fetched, change);
  std::size_t waiting = registration_.waiting;
  waiting += Admit();  // Before the lease ends, like all offers.

  const bool over = EndLease(fetched, judgement, &change);
  SettlePage(std::move(fetched.known), &change.visits.front(), &change);
  crawl_.writer->Push(std::move(change));
  if (waiting > 0 || over) crawl_.wake_idle();
}

void ResponseProcessor::OfferRedirect(const FetchedUrl& fetched, ResponseClass* judgement) {
  const std::uint32_t redirects = fetched.url.redirects + 1;
  const bool is_sitemap = fetched.url.via == Via::kSitemapFile;
  offers_.Add(fetched.result.redirect->href(), is_sitemap ? Via::kSitemapFile : Via::kRedirect,
              fetched.url.depth, redirects,
              redirects > kMaxRedirectsInARow ? SkipReason::kTooManyRedirects : SkipReason::kNone);
  if (focus_ != nullptr) offers_.Promise(static_cast<std::uint16_t>(fetched.lease.score));
  Url target = *fetched.result.redirect;
  target.RemoveCredentials();
  judgement->detail = "to " + std::string(target.href());
}

// Whether the URL is over now.
bool ResponseProcessor::EndLease(const FetchedUrl& fetched, const ResponseClass& judgement,
                                 CommitBatch* change) {
  const UrlId id = fetched.url.id;
  VisitRow& visit = change->visits.front();
  const std::string what =
      visit.detail.empty() ? "status " + std::to_string(visit.status) : visit.detail;
  if (judgement.is_failure()) crawl_.retries.Add(id, visit.at, what);
  Frontier::Outcome outcome = ToOutcome(fetched.result, judgement, crawl_.Now());
  outcome.what = what;
  const Frontier::Verdict verdict = crawl_.frontier->Finish(fetched.lease, outcome);
  visit.final = verdict != Frontier::Verdict::kWaits;
  if (verdict == Frontier::Verdict::kGivenUp) {
    const bool tried_enough =
        judgement.uses_retry() && visit.failures > static_cast<std::uint32_t>(crawl_.retry.retries);
    if (!tried_enough) {
      const bool throttled = judgement.kind == Kind::kThrottled;
      visit.given_up = throttled ? GiveUpReason::kThrottled : GiveUpReason::kFailures;
    }
    change->dead_letters.push_back({id, visit.at,
                                    tried_enough ? what : what + "; its host was given up then",
                                    crawl_.retries.Take(id)});
    crawl_.counters.dead_letters.fetch_add(1);
  } else if (visit.final) {
    crawl_.retries.Forget(id);
  }
  return visit.final;
}

// The URL waits again as if it had not been asked for; but its host has been, which a resume has to
// know.
void ResponseProcessor::Return(const FetchedUrl& fetched, std::string_view why) {
  ResponseClass judgement;
  judgement.kind = Kind::kReturned;
  judgement.outcome = VisitOutcome::kCancelled;
  judgement.detail = why;
  WriteCancelled(ToVisit(fetched, judgement));
  crawl_.frontier->Finish(fetched.lease, ToOutcome(fetched.result, judgement, crawl_.Now()));
}

void ResponseProcessor::WriteCancelled(VisitRow visit) {
  if (visit.total == 0) return;  // Nothing was sent.
  CommitBatch change;
  offers_.Clear();
  Register(visit.url, &change);
  visit.final = false;
  change.visits.push_back(std::move(visit));
  crawl_.writer->Push(std::move(change));
}

void ResponseProcessor::Count(const ResponseClass& judgement, const FetchedUrl& fetched) {
  CrawlCounters& counters = crawl_.counters;
  switch (judgement.outcome) {
    case VisitOutcome::kRedirect:
      counters.redirects.fetch_add(1);
      break;
    case VisitOutcome::kHttpError:
      counters.http_errors.fetch_add(1);
      break;
    case VisitOutcome::kUnwanted:
      counters.unwanted.fetch_add(1);
      break;
    case VisitOutcome::kFailed:
      counters.failures.fetch_add(1);
      break;
    case VisitOutcome::kThrottled:
      counters.throttled.fetch_add(1);
      break;
    default:
      break;
  }
  if (!crawl_.logger.Enabled(LogLevel::kDebug)) return;
  crawl_.logger.Debug("Engine", "Fetched",
                      {{"url", fetched.url.url},
                       {"status", fetched.result.status},
                       {"outcome", VisitOutcomeName(judgement.outcome)},
                       {"detail", judgement.detail}});
}

}  // namespace crawler
