#include "engine/response_processor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/freed_memory.hpp"
#include "engine/batch_rows.hpp"
#include "engine/recrawl.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

constexpr std::uint32_t kMaxRedirectsInARow = 10;
constexpr std::size_t kLargePage = std::size_t{1} << 20;

PageReaderOptions ToPageReaderOptions(const CrawlContext& crawl) {
  PageReaderOptions options;
  options.extract = ToExtractOptions(crawl.product, crawl.normalize);
  options.max_text = crawl.fetch->options().limits.max_decoded;
  options.sitemaps.max_bytes = crawl.max_sitemap();
  options.index = crawl.options.index;
  if (crawl.options.order == CrawlOrder::kRelevance) options.topic = crawl.options.topic;
  return options;
}

// Of an absolute URL, without its query.
std::string_view PathOf(std::string_view url) {
  const std::size_t path = url.find('/', url.find("://") + 3);
  return path == std::string_view::npos ? "/" : url.substr(path, url.find('?', path) - path);
}

}  // namespace

ResponseProcessor::ResponseProcessor(CrawlContext& crawl)
    : crawl_(crawl),
      urls_(crawl.catalogue_path),
      text_of_([&crawl](UrlId id) { return crawl.frontier->TextOf(id); }),
      reader_(ToPageReaderOptions(crawl)),
      offers_(*crawl.scope, crawl.normalize, crawl.options.max_depth),
      captures_(crawl.payloads, text_of_) {}

// A page takes many times its size in text, terms and records, so large ones come one at a time; so
// do sitemaps, which may be packed.
void ResponseProcessor::Finish(FetchedUrl fetched) {
  if (fetched.result.body().size() < kLargePage && !fetched.lease.is_sitemap()) {
    Process(std::move(fetched));
    return;
  }
  const MutexLock lock(crawl_.large_pages);
  Process(std::move(fetched));
  offers_.Clear();
  reader_.Trim();
  ReturnFreedMemory();
}

void ResponseProcessor::Process(FetchedUrl fetched) {
  ResponseClass response = Classify(fetched);
  if (response.kind == Kind::kReturned) {
    Return(fetched, "the crawl ended before the answer");
    return;
  }
  if (!WithinBytes(fetched, response)) {
    Return(fetched, "more than max-bytes leaves");
    return;
  }
  CommitBatch batch;
  batch.lease = fetched.lease.token;
  const std::optional<PageContent> page = Read(fetched, &response, &batch);
  batch.visits.push_back(ToVisitRow(fetched.lease, fetched.result, response));
  Archive(fetched, response, page ? &*page : nullptr, &batch);
  const bool is_page = response.outcome == VisitOutcome::kPage;
  // Callbacks and the log may be slow. They must not hold a place in the order of commits:
  // callbacks come before Offer(), which takes the place, and the log after Push(), which fills it.
  if (is_page) AddPage(fetched, *page, &batch);
  Offer(fetched.lease.id, &batch);
  if (fetched.lease.is_sitemap()) GiveBackKnownSitemaps(fetched.lease.host);
  VisitRow& visit = batch.visits.front();
  if (response.outcome == VisitOutcome::kRedirect && !offered_.offered.empty()) {
    visit.redirect_to = offered_.offered.front().url;
  }
  if (is_page) AddOfferedLinks(*page, &batch);
  if (response.outcome == VisitOutcome::kUnchanged) {
    batch.counts.links = offers_.CountLinks(offered_.offered);
  }
  const Frontier::Verdict verdict = EndLease(fetched, response, &batch);
  ApplyChange(std::move(fetched.known), &visit, &batch);
  const std::string warning = NoteSeed(visit);
  const bool over = visit.final;
  VisitEnd end{verdict, false, std::nullopt, visit.change};
  end.exhausted = verdict == Frontier::Verdict::kGivenUp && visit.given_up == GiveUpReason::kNone;
  crawl_.writer->Push(std::move(batch));
  if (!warning.empty()) crawl_.Warn(warning);
  const TimePoint now = crawl_.Now();
  if (verdict == Frontier::Verdict::kWaits) end.retry_in = RetryIn(fetched.lease.id, now);
  crawl_.reporter.VisitEnded(fetched.lease, fetched.result, response, end, now);
  if (offered_.waiting > 0 || over) crawl_.wake_idle();
}

ResponseClass ResponseProcessor::Classify(const FetchedUrl& fetched) const {
  const UrlHistory history{fetched.lease.failures, fetched.known ? &*fetched.known : nullptr,
                           fetched.conditional, fetched.lease.throttled_alone};
  ResponseClass response = ClassifyResponse(fetched.result, history, crawl_.retry);
  if (response.outcome != VisitOutcome::kHttpError || !IsGuess(fetched.lease)) return response;
  response.outcome = VisitOutcome::kNoSitemap;
  // Nobody misses it when its retries are used up.
  if (fetched.lease.failures >= crawl_.retry.retries) response.kind = Kind::kDone;
  return response;
}

// Whether this is a sitemap that nothing has named: /sitemap.xml, or where that redirects to.
bool ResponseProcessor::IsGuess(const Frontier::Lease& lease) const {
  if (!lease.is_sitemap()) return false;
  if (lease.redirects == 0 && PathOf(lease.url) != "/sitemap.xml") return false;
  const std::shared_ptr<const RobotsRecord> record = crawl_.robots.Find(lease.host);
  return record == nullptr || record->rules().sitemaps().empty();
}

// Tells the watch on seeds what became of an attempt. Returns a warning if a seed has failed for
// the first time and is tried again.
std::string ResponseProcessor::NoteSeed(const VisitRow& visit) {
  if (!crawl_.seeds.watching()) return "";  // Nearly always.
  const bool skipped = visit.redirect_to != 0 && crawl_.frontier->Skipped(visit.redirect_to);
  const SeedWatch::Attempt attempt{visit.outcome, visit.status, visit.failure,     visit.given_up,
                                   visit.detail,  visit.final,  visit.redirect_to, skipped};
  crawl_.seeds.Note(visit.url, attempt);
  return visit.final ? "" : TellOfSeed(visit.url, attempt);
}

// A seed that fails may take minutes until it is given up. The person who started the crawl learns
// the reason at its first failure.
std::string ResponseProcessor::TellOfSeed(UrlId url, const SeedWatch::Attempt& attempt) {
  const auto failure = crawl_.seeds.TellFirst(url, attempt, *crawl_.scope);
  if (!failure) return "";
  const TimePoint now = crawl_.Now();
  const auto waits = crawl_.frontier->WhyWaiting(url, now);
  const auto wait = std::chrono::ceil<std::chrono::seconds>(waits ? std::max(waits->due, now) - now
                                                                  : Duration::zero());
  return failure->url + " " + failure->what + ". It is tried again in " +
         std::to_string(wait.count()) + " s." + (failure->hint.empty() ? "" : " " + failure->hint);
}

// A page that would exceed the budget of bytes is refused, so that the budget holds exactly.
bool ResponseProcessor::WithinBytes(const FetchedUrl& fetched, const ResponseClass& response) {
  const std::uint64_t size = fetched.result.raw_body.size();
  if (response.is_page() && !fetched.lease.is_sitemap()) {
    const std::uint64_t before = crawl_.page_bytes.fetch_add(size);
    const std::uint64_t most = crawl_.options.max_bytes;
    if (most != 0 && before + size > most) {
      crawl_.page_bytes.fetch_sub(size);
      crawl_.stop.BudgetIsSpent("max-bytes");
      crawl_.wake_idle();
      return false;
    }
  }
  return true;
}

// Makes candidates of the links of the response. Returns the page if its body was read as one.
std::optional<PageContent> ResponseProcessor::Read(const FetchedUrl& fetched,
                                                   ResponseClass* response, CommitBatch* batch) {
  std::optional<PageContent> page;
  offers_.Clear();
  if (response->outcome == VisitOutcome::kRedirect) {
    OfferRedirect(fetched, response);
  } else if (response->is_page() && fetched.lease.is_sitemap()) {
    ReadSitemap(fetched, response, batch);
  } else if (response->outcome == VisitOutcome::kUnchanged) {
    OfferStoredLinks(fetched);
  } else if (response->is_page()) {
    page = ReadPage(fetched, response, batch);
  }
  if (response->outcome == VisitOutcome::kUnchanged) {
    const RobotsDirectives robots = reader_.RobotsOf(fetched.result.headers);
    batch->updated = UpdatedPage(*fetched.known, fetched.result, robots, fetched.lease.depth);
  }
  return page;
}

PageContent ResponseProcessor::ReadPage(const FetchedUrl& fetched, ResponseClass* response,
                                        CommitBatch* batch) {
  const FetchResult& result = fetched.result;
  PageContent page;
  page = reader_.ReadPage(result, fetched.lease.depth, &offers_);
  const std::optional<StoredPage>& known = fetched.known;
  const bool same = known && MayBeKept(*known, crawl_.options) &&
                    IsSamePage(*known, result, reader_.document(), page.digest);
  if (!same || reader_.weighs_links()) {
    batch->document = reader_.BuildDocument(fetched.lease.url, result);
  }
  if (reader_.weighs_links()) reader_.WeighLinks(batch->document.get(), &offers_);
  if (same) {
    batch->document = nullptr;
    response->outcome = VisitOutcome::kUnchanged;
  }
  return page;
}

void ResponseProcessor::ReadSitemap(const FetchedUrl& fetched, ResponseClass* response,
                                    CommitBatch* batch) {
  const Frontier::Lease& lease = fetched.lease;
  SitemapResult sitemap =
      reader_.ReadSitemap(fetched.result, {lease.depth, lease.host, *crawl_.sitemaps}, &offers_);
  if (!sitemap.limit.empty()) {
    batch->events.push_back(
        {crawl_.NowMilliseconds(), "sitemap limit", lease.url + ": " + sitemap.detail});
    crawl_.reporter.SitemapLimitReached(lease, sitemap.limit);
  }
  response->kind = Kind::kDone;
  response->outcome = sitemap.outcome == VisitOutcome::kUnwanted && IsGuess(fetched.lease)
                          ? VisitOutcome::kNoSitemap
                          : sitemap.outcome;
  response->detail = std::move(sitemap.detail);
}

void ResponseProcessor::OfferRedirect(const FetchedUrl& fetched, ResponseClass* response) {
  const bool is_sitemap = fetched.lease.is_sitemap();
  if (is_sitemap && crawl_.sitemaps->TakeFiles(fetched.lease.host, 1) == 0) {
    response->detail += "; left out, beyond the limit of " + crawl_.sitemaps->FileLimit();
    return;
  }
  const std::uint32_t redirects = fetched.lease.redirects + 1;
  offers_.Add(fetched.result.redirect->href(), is_sitemap ? Via::kSitemapFile : Via::kRedirect,
              fetched.lease.depth, redirects,
              redirects > kMaxRedirectsInARow ? SkipReason::kTooManyRedirects : SkipReason::kNone);
  if (reader_.weighs_links()) offers_.SetWorth(static_cast<std::uint16_t>(fetched.lease.score));
}

// Offers the links of a page that the server did not send again, because it has not changed.
void ResponseProcessor::OfferStoredLinks(const FetchedUrl& fetched) {
  const Result<std::string> links = urls_.ReadLinks(fetched.lease.id);
  Status status = links.status();
  if (status.ok()) {
    status =
        reader_.ReadStoredLinks({*links, fetched.lease.url, crawl_.catalogue_path},
                                fetched.result.headers, fetched.lease.depth, text_of_, &offers_);
  }
  if (!status.ok()) crawl_.writer->Fail(std::move(status));
}

void ResponseProcessor::Archive(const FetchedUrl& fetched, const ResponseClass& response,
                                const PageContent* page, CommitBatch* batch) {
  if (!crawl_.options.warc || fetched.result.headers.empty()) return;
  CaptureSource source;
  source.via = TextOfSource(fetched.lease.from);
  source.depth = fetched.lease.depth;
  source.is_page = page != nullptr;
  if (page != nullptr && page->payload_is_content) source.payload = &page->digest;
  if (response.outcome == VisitOutcome::kUnchanged) source.unchanged = &*fetched.known;
  captures_.Encode(fetched.result, source, &batch->capture);
}

// Adds the row of the page, and tells the caller of the crawl about it.
void ResponseProcessor::AddPage(const FetchedUrl& fetched, const PageContent& page,
                                CommitBatch* batch) {
  const Frontier::Lease& lease = fetched.lease;
  PageRow& row = batch->page.emplace(
      ToPageRow(lease, fetched.result, reader_.document(), page.digest, batch->capture));
  // The original is in the index of contents only after it got its place in the order of commits,
  // so it is written before this page.
  if (row.size > 0) row.duplicate_of = crawl_.contents.FirstOther(page.digest, lease.id);
  PageChange change = PageChange::kNone;
  if (crawl_.recrawl) change = fetched.known ? PageChange::kChanged : PageChange::kNew;
  crawl_.reporter.PageFound(
      {row, change, reader_.document().page.text, fetched.result.body(), offers_});
}

// Completes the row of the page with the ids of its links. From now on the page counts as the first
// with its content: it has its place in the order of commits, before its duplicates.
void ResponseProcessor::AddOfferedLinks(const PageContent& page, CommitBatch* batch) {
  PageRow& row = *batch->page;
  row.depth = offered_.from_depth.value_or(row.depth);
  row.links = offers_.LinksJson(reader_.document().page, offered_.offered, &batch->counts.links);
  if (row.size == 0) return;
  const ContentIndex::First here{row.url_id, static_cast<std::uint32_t>(row.crawled_at / 1000)};
  crawl_.contents.Add(page.digest, here);
  if (crawl_.options.warc) crawl_.payloads.Add(batch->capture.payload_digest, here);
}

Frontier::Verdict ResponseProcessor::EndLease(const FetchedUrl& fetched,
                                              const ResponseClass& response, CommitBatch* batch) {
  const UrlId id = fetched.lease.id;
  VisitRow& visit = batch->visits.front();
  std::string what;  // For people who ask why something failed.
  if (!response.is_page()) what = DescribeVisit(visit);
  if (response.is_failure()) crawl_.retries.Add(id, visit.at, what);
  Frontier::Outcome outcome = ToOutcome(fetched.result, response, crawl_.Now());
  outcome.what = what;
  const Frontier::Verdict verdict = crawl_.frontier->Finish(fetched.lease, outcome);
  AddVerdict(verdict, response, crawl_.retry, &visit);
  if (verdict == Frontier::Verdict::kGivenUp) {
    batch->dead_letters.push_back(
        {id, visit.at, DeadLetterReason(visit, what), crawl_.retries.Take(id)});
  } else if (visit.final) {
    crawl_.retries.Forget(id);
  }
  return verdict;
}

// Time until the URL is tried again, if the log wants to know.
std::optional<Duration> ResponseProcessor::RetryIn(UrlId url, TimePoint now) const {
  if (!crawl_.logger.Enabled(LogLevel::kInfo)) return std::nullopt;
  const std::optional<Frontier::Holdup> waits = crawl_.frontier->WhyWaiting(url, now);
  if (!waits) return std::nullopt;
  return std::max(waits->due, now) - now;
}

// Applies the end of a URL to its page; see PageChangeOf().
void ResponseProcessor::ApplyChange(std::optional<StoredPage> known, VisitRow* visit,
                                    CommitBatch* batch) {
  if (!crawl_.recrawl || !visit->final) return;
  visit->change = PageChangeOf(*visit, known.has_value(), batch->page.has_value());
  if (EndsStoredPage(visit->change)) batch->ended = std::move(known);
}

void ResponseProcessor::Offer(UrlId from, CommitBatch* batch) {
  offered_ = crawl_.writer->Offer(*crawl_.frontier, offers_.candidates(), from, batch);
}

// The text of the page that a URL was found on; valid until the next call. Pages that are fetched
// one after the other often have the same source.
std::string_view ResponseProcessor::TextOfSource(UrlId from) {
  if (from != last_from_) {
    last_from_ = from;
    last_from_text_.clear();
    if (from != 0) {
      Result<std::string> text = crawl_.frontier->TextOf(from);
      if (text.ok()) last_from_text_ = std::move(text).value();
    }
  }
  return last_from_text_;
}

}  // namespace crawler
