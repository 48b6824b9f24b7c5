#include "engine/page_work.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/robots_fetch.hpp"
#include "fetch/http_fields.hpp"
#include "robots/robots_txt.hpp"

namespace crawler {
namespace {

using Kind = Frontier::Outcome::Kind;

constexpr std::uint32_t kMaxRedirectsInARow = 10;
constexpr std::uint32_t kMaxSitemapNesting = 3;
/// How long a refusal of a host holds that never answered for its robots.txt.
constexpr std::chrono::minutes kRefusalLifetime{10};

ExtractOptions ToExtractOptions(const CrawlContext& crawl) {
  ExtractOptions options;
  options.robots_agent = crawl.product;
  options.normalize = crawl.normalize;
  return options;
}

VisitRow ToVisit(const FetchedUrl& fetched, const Judgement& judgement) {
  const FetchResult& result = fetched.result;
  VisitRow visit;
  visit.url = fetched.url.id;
  visit.at = ToMilliseconds(result.started);
  visit.outcome = judgement.outcome;
  visit.status = result.status;
  visit.detail = judgement.detail;
  visit.failures = fetched.lease.failures + (judgement.failed ? 1u : 0u);
  visit.score = fetched.lease.score;
  if (result.remote_address) visit.address = result.remote_address->ToString();
  visit.protocol = HttpVersionName(result.protocol);
  visit.bytes = result.raw_body.size();
  visit.resolved = result.timings.resolved.count();
  visit.connected = result.timings.connected.count();
  visit.secured = result.timings.secured.count();
  visit.first_byte = result.timings.first_byte.count();
  visit.total = result.timings.total.count();
  if (judgement.retry_after) {
    visit.retry_after =
        std::chrono::ceil<std::chrono::milliseconds>(*judgement.retry_after).count();
  }
  return visit;
}

Frontier::Outcome ToOutcome(const FetchResult& result, const Judgement& judgement) {
  Frontier::Outcome outcome;
  outcome.kind = judgement.kind;
  outcome.failed = judgement.failed;
  outcome.now = Clock::System().Now();
  outcome.took = result.timings.total;
  outcome.started = outcome.now - outcome.took;
  outcome.retry_after = judgement.retry_after;
  outcome.address = result.remote_address;
  return outcome;
}

Frontier::Outcome NothingSent(Kind kind) {
  Frontier::Outcome outcome;
  outcome.kind = kind;
  outcome.now = outcome.started = Clock::System().Now();
  return outcome;
}

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

}  // namespace

PageWork::PageWork(CrawlContext& crawl)
    : crawl_(crawl),
      reader_(ToExtractOptions(crawl), crawl.fetch->options().limits.max_decoded),
      offers_(crawl),
      hasher_(DigestAlgorithm::kSha256),
      urls_(crawl.catalogue_path) {
  if (crawl.options.order == CrawlOrder::kRelevance) {
    focus_ = std::make_unique<Focus>(crawl.options.topic);
  }
}

void PageWork::Register(UrlId from, Change* change) {
  registration_ = crawl_.book->Register(offers_.candidates(), from);
  change->ticket = registration_.ticket;
  change->hosts = std::move(registration_.hosts);
  change->urls = std::move(registration_.urls);
  change->promotions = std::move(registration_.promotions);
}

// URLs that had been too deep and have come near enough are offered again, in a change of its own.
void PageWork::Admit() {
  while (!registration_.admitted.empty()) {
    const std::vector<UrlId> admitted = std::move(registration_.admitted);
    offers_.Clear();
    for (const UrlId id : admitted) {
      if (const Result<UrlRow> row = crawl_.book->Find(id, urls_); row.ok()) {
        offers_.Add(row->url, row->via, crawl_.book->DepthOf(*row), row->redirects);
      }
    }
    Change change;
    Register(0, &change);
    crawl_.recorder->Push(std::move(change));
  }
}

// Whoever would exceed the budget is not let in, so that it holds exactly.
bool PageWork::WithinBytes(std::uint64_t size) {
  const std::uint64_t before = crawl_.page_bytes.fetch_add(size);
  if (crawl_.options.max_bytes == 0 || before + size <= crawl_.options.max_bytes) return true;
  crawl_.page_bytes.fetch_sub(size);
  crawl_.spent.store("max-bytes");
  crawl_.stopping.store(true);
  crawl_.wake_idle();
  return false;
}

void PageWork::Finish(FetchedUrl fetched) {
  const UrlId id = fetched.url.id;
  fetched.url.depth = crawl_.book->DepthOf(fetched.url);
  Judgement judgement = Judge(fetched.result, fetched.lease.failures);
  if (judgement.kind == Kind::kReturned) {
    Return(fetched, "the crawl ended before the answer");
    return;
  }
  const bool is_sitemap = fetched.url.via == Via::kSitemapFile;
  const std::uint64_t size = fetched.result.raw_body.size();
  if (judgement.is_page() && !is_sitemap && !WithinBytes(size)) {
    Return(fetched, "more than max-bytes leaves");
    return;
  }
  crawl_.counters.bytes.fetch_add(size, std::memory_order_relaxed);

  Change change;
  offers_.Clear();
  if (judgement.outcome == VisitOutcome::kRedirect) {
    const std::uint32_t redirects = fetched.url.redirects + 1;
    offers_.Add(
        fetched.result.redirect->href(), is_sitemap ? Via::kSitemapFile : Via::kRedirect,
        fetched.url.depth, redirects,
        redirects > kMaxRedirectsInARow ? "too many redirects in a row" : std::string_view());
    if (focus_ != nullptr) offers_.Promise(static_cast<std::uint16_t>(fetched.lease.score));
    Url target = *fetched.result.redirect;
    target.RemoveCredentials();
    judgement.detail = "to " + std::string(target.href());
  }
  if (judgement.is_page() && is_sitemap) ReadSitemapFile(fetched, &judgement);
  change.visits.push_back(ToVisit(fetched, judgement));
  if (judgement.is_page()) {
    ReadPage(fetched, &change);
  } else {
    Archive(fetched, false, nullptr, &change);
    Register(id, &change);
    if (judgement.outcome == VisitOutcome::kRedirect && !registration_.ids.empty()) {
      change.visits.front().redirect_to = registration_.ids.front();
    }
  }
  Count(judgement, fetched);
  if (change.page) ReportPage(fetched, change);
  const bool wake = registration_.waiting > 0;
  // Before the lease ends, like all offers.
  if (!registration_.admitted.empty()) Admit();

  VisitRow& visit = change.visits.front();
  const std::string what =
      visit.detail.empty() ? "status " + std::to_string(visit.status) : visit.detail;
  if (judgement.kind == Kind::kRetry) crawl_.retries.Add(id, visit.at, what);
  Frontier::Outcome outcome = ToOutcome(fetched.result, judgement);
  outcome.what = what;
  const Frontier::Verdict verdict = crawl_.frontier->Finish(fetched.lease, outcome);
  visit.final = verdict != Frontier::Verdict::kWaits;
  if (verdict == Frontier::Verdict::kGivenUp) {
    const bool tried_enough = visit.failures >= static_cast<std::uint32_t>(kMaxFailures);
    change.dead_letters.push_back({id, visit.at,
                                   tried_enough ? what : what + "; its host was given up then",
                                   crawl_.retries.Take(id)});
    crawl_.counters.dead_letters.fetch_add(1);
  } else if (visit.final && fetched.lease.failures > 0) {
    crawl_.retries.Forget(id);
  }
  const bool over = visit.final;
  crawl_.recorder->Push(std::move(change));
  if (wake || over) crawl_.wake_idle();
}

// The URL waits again as if it had not been asked for; but its host has been, which a resume has to
// know.
void PageWork::Return(const FetchedUrl& fetched, std::string_view why) {
  Judgement judgement;
  judgement.kind = Kind::kReturned;
  judgement.outcome = VisitOutcome::kCancelled;
  judgement.detail = why;
  WriteCancelled(ToVisit(fetched, judgement));
  crawl_.frontier->Finish(fetched.lease, ToOutcome(fetched.result, judgement));
}

void PageWork::WriteCancelled(VisitRow visit) {
  if (visit.total == 0) return;  // Nothing was sent.
  Change change;
  offers_.Clear();
  Register(visit.url, &change);
  visit.final = false;
  change.visits.push_back(std::move(visit));
  crawl_.recorder->Push(std::move(change));
}

void PageWork::Count(const Judgement& judgement, const FetchedUrl& fetched) {
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

void PageWork::ReadPage(const FetchedUrl& fetched, Change* change) {
  reader_.Read(fetched.result, &document_);
  if (document_.kind == Document::Kind::kSitemap) {
    // A feed or sitemap that was linked like a page: its entries are its links.
    for (const SitemapEntry& entry : document_.sitemap.entries) {
      offers_.Add(entry.url, Via::kLink, fetched.url.depth + 1);
    }
  } else {
    offers_.AddLinks(document_.page, fetched.url.depth + 1);
  }
  crawl_.counters.links.fetch_add(offers_.candidates().size());
  BuildDocument(fetched, change);
  if (focus_ != nullptr) WeighLinks(*change);

  hasher_.Update(fetched.result.body());
  const Sha256Digest digest = FinishSha256(hasher_);
  std::optional<ContentIndex::First> first;
  if (!fetched.result.body().empty()) first = crawl_.contents.Find(digest);
  const bool payload_is_content = fetched.result.body_is_raw && !fetched.result.chunked;
  Archive(fetched, true, payload_is_content ? &digest : nullptr, change);
  Register(fetched.url.id, change);
  AddPage(fetched, digest, first, change);
  // Only now: a page that is called the first of its content must be written before the others.
  if (fetched.result.body().empty()) return;
  const ContentIndex::First here{fetched.url.id,
                                 static_cast<std::uint32_t>(change->visits.front().at / 1000)};
  if (!first) crawl_.contents.Add(digest, here);
  if (crawl_.options.warc) crawl_.payloads.Add(change->capture.payload_digest, here);
}

void PageWork::BuildDocument(const FetchedUrl& fetched, Change* change) {
  const Page& page = document_.page;
  if (!crawl_.options.index || page.robots.noindex) return;
  DocumentSource source;
  source.url = fetched.url.url;
  source.title = page.title;
  source.text = page.text;
  source.headings = page.headings;
  source.language_hint = page.language;
  source.date = change->visits.front().at;
  if (const auto modified = fetched.result.headers.Find("Last-Modified")) {
    if (const std::optional<WallTime> date = ParseHttpDate(*modified)) {
      source.date = ToMilliseconds(*date);
    }
  }
  change->document = std::make_unique<IndexedDocument>();
  documents_.Build(source, change->document.get());
}

void PageWork::WeighLinks(const Change& change) {
  const double relevance = change.document == nullptr ? 0 : focus_->OfPage(*change.document);
  offers_.Weigh(*focus_, document_.page,
                change.document == nullptr ? std::string_view() : change.document->language,
                relevance);
}

void PageWork::AddPage(const FetchedUrl& fetched, const Sha256Digest& digest,
                       const std::optional<ContentIndex::First>& first, Change* change) {
  const HeaderBlock& headers = fetched.result.headers;
  const Page& page = document_.page;
  PageRow& row = change->page.emplace();
  row.url_id = fetched.url.id;
  row.url = fetched.url.url;
  row.domain = fetched.result.url.host();
  row.title = page.title;
  row.description = page.description;
  AppendHex(digest, &row.content_hash);
  row.status = fetched.result.status;
  row.crawled_at = change->visits.front().at;
  row.last_modified = headers.Find("Last-Modified").value_or("");
  row.etag = headers.Find("ETag").value_or("");
  row.depth = fetched.url.depth;
  row.score = fetched.lease.score;
  row.size = fetched.result.body().size();
  row.content_type = document_.media_type;
  row.charset = CharsetName(document_.charset.charset);
  row.language = page.language;
  row.canonical = page.canonical;
  row.noindex = page.robots.noindex;
  row.nofollow = page.robots.nofollow;
  row.truncated = TruncationName(fetched.result.truncated);
  if (first && first->url != fetched.url.id) {
    row.duplicate_of = first->url;
    crawl_.counters.duplicates.fetch_add(1);
  }
  row.links = offers_.LinksJson(page, registration_.ids);
}

void PageWork::ReportPage(const FetchedUrl& fetched, const Change& change) {
  const CrawlCallbacks& callbacks = crawl_.callbacks;
  if (callbacks.on_edge) {
    const std::vector<UrlCandidate>& candidates = offers_.candidates();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      callbacks.on_edge(fetched.url.url, candidates[i].url, offers_.nofollow(i));
    }
  }
  if (!callbacks.on_page) return;
  CrawledPage page;
  page.url = change.page->url;
  page.title = change.page->title;
  page.text = document_.page.text;
  page.body = fetched.result.body();
  page.content_type = change.page->content_type;
  page.status = change.page->status;
  page.depth = static_cast<int>(change.page->depth);
  page.score = static_cast<double>(change.page->score) / 100;
  page.size = change.page->size;
  callbacks.on_page(page);
}

void PageWork::ReadSitemapFile(const FetchedUrl& fetched, Judgement* judgement) {
  judgement->kind = Kind::kDone;
  judgement->outcome = VisitOutcome::kSitemap;
  reader_.ReadSitemap(fetched.result, &document_);
  const Sitemap& sitemap = document_.sitemap;
  if (document_.kind == Document::Kind::kNone) {
    judgement->outcome = VisitOutcome::kUnwanted;
    judgement->detail = "not a sitemap";
    return;
  }
  judgement->detail = std::string(SitemapKindName(sitemap.kind)) + " with " +
                      std::to_string(sitemap.entries.size()) + " entries";
  if (!sitemap.problem.empty()) judgement->detail += "; " + sitemap.problem;
  const bool is_index = sitemap.kind == SitemapKind::kIndex;
  if (is_index && fetched.url.depth >= kMaxSitemapNesting) {
    judgement->detail += "; nested too deeply to be read";
    return;
  }
  for (const SitemapEntry& entry : sitemap.entries) {
    if (is_index) {
      offers_.Add(entry.url, Via::kSitemapFile, fetched.url.depth + 1);
    } else {
      offers_.Add(entry.url, Via::kSitemapEntry, 1);
    }
  }
  if (focus_ != nullptr) offers_.Weigh(*focus_, document_.page, {}, 0);
}

void PageWork::Archive(const FetchedUrl& fetched, bool is_page, const Sha256Digest* payload,
                       Change* change) {
  if (!crawl_.options.warc || fetched.result.headers.empty()) return;
  CaptureDetails details;
  details.depth = fetched.url.depth;
  details.payload_digest = payload;
  std::string via;
  if (fetched.url.from != 0) {
    if (Result<UrlRow> row = crawl_.book->Find(fetched.url.from, urls_); row.ok()) {
      via = std::move(row->url);
    }
  }
  details.via = via;
  std::string original;
  // Of payloads, not of contents: the same page may come gzipped one time and plain another.
  Sha256Digest computed;
  std::optional<ContentIndex::First> first;
  if (is_page) {
    if (payload == nullptr) {
      computed = encoder_.PayloadDigest(fetched.result);
      details.payload_digest = &computed;
    }
    first = crawl_.payloads.Find(*details.payload_digest);
  }
  if (first) {
    if (Result<UrlRow> row = crawl_.book->Find(first->url, urls_); row.ok()) {
      original = std::move(row->url);
      details.original = {original, WallTime(std::chrono::seconds(first->at))};
    }
  }
  encoder_.EncodeCapture(fetched.result, details, &change->capture);
  Change::Indexed& indexed = change->indexed;
  indexed.url = ArchivedUrl(fetched.result.url);
  indexed.date = WarcDate(fetched.result.started);
  indexed.mime = details.original ? "warc/revisit" : fetched.result.headers.Joined("Content-Type");
  indexed.status = fetched.result.status;
}

void PageWork::OfferSitemaps(const RobotsRecord& record, const Url& url) {
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

void PageWork::Introduce(const Frontier::Lease& lease, const UrlRow& url, RobotsRecord record) {
  Url parsed;
  ParseUrl(url.url, nullptr, &parsed);
  OfferSitemaps(record, parsed);
  Change change;
  Register(url.id, &change);
  const TimePoint until = record.expires();
  const auto delay = record.rules().crawl_delay().value_or(std::chrono::milliseconds(0));
  crawl_.frontier->Introduce(lease, NothingSent(Kind::kReturned), until, delay,
                             std::make_shared<const HostRobots>(std::move(record)));
  crawl_.recorder->Push(std::move(change));
  crawl_.wake_idle();
}

void PageWork::FinishIntroduction(const FetchedUrl& fetched) {
  const FetchResult& result = fetched.result;
  Url url;
  ParseUrl(fetched.url.url, nullptr, &url);
  if (result.failure == FetchFailure::kCancelled) {
    Judgement cancelled;
    cancelled.outcome = VisitOutcome::kCancelled;
    cancelled.detail = RobotsUrlOf(url);
    VisitRow visit = ToVisit(fetched, cancelled);
    visit.url = 0;
    WriteCancelled(std::move(visit));
    Frontier::Outcome outcome = NothingSent(Kind::kReturned);
    crawl_.frontier->RefuseIntroduction(fetched.lease, outcome, outcome.now);
    return;
  }
  crawl_.counters.bytes.fetch_add(result.raw_body.size());
  Judgement judgement;
  judgement.kind = Kind::kDone;
  const RobotsFetch fetch = ToRobotsFetch(result);
  RobotsRecord record(crawl_.product);
  const TimePoint now = Clock::System().Now();
  record.Update(fetch, result.body(), now);
  const bool refused = record.policy() == RobotsPolicy::kRefuseAll;
  judgement.failed = refused;
  // A blocked address or a bad certificate will not change in the next seconds.
  if (refused && Judge(result, 0).kind == Kind::kDone) judgement.kind = Kind::kDropped;
  judgement.retry_after = fetch.retry_after;

  Change change;
  if (!refused) OfferSitemaps(record, url);
  Archive(fetched, false, nullptr, &change);
  if (refused) offers_.Clear();
  Register(fetched.url.id, &change);

  judgement.outcome = VisitOutcome::kRobots;
  judgement.detail = RobotsUrlOf(url);
  if (!result.ok()) judgement.detail += ": " + DescribeFailure(result);
  change.visits.push_back(ToVisit(fetched, judgement));
  change.visits.front().url = 0;

  RobotsRow& row = change.robots.emplace();
  row.origin = url.Origin();
  if (record.policy() == RobotsPolicy::kRules) row.rules = result.body().substr(0, kMaxRobotsBytes);
  row.status = result.status;
  row.policy = PolicyName(record.policy());
  const auto delay = record.rules().crawl_delay().value_or(std::chrono::milliseconds(0));
  row.crawl_delay = static_cast<double>(delay.count()) / 1000;
  row.fetched_at = NowMilliseconds();
  const auto holds = std::chrono::duration_cast<std::chrono::milliseconds>(record.expires() - now);
  row.expires_at = row.fetched_at + holds.count();

  Frontier::Outcome outcome = ToOutcome(result, judgement);
  const std::string why =
      result.ok() ? "status " + std::to_string(result.status) : DescribeFailure(result);
  outcome.what = why;
  if (!refused) {
    const TimePoint until = record.expires();
    crawl_.frontier->Introduce(fetched.lease, outcome, until, delay,
                               std::make_shared<const HostRobots>(std::move(record)));
  } else {
    crawl_.frontier->RefuseIntroduction(fetched.lease, outcome, now + kRefusalLifetime);
  }
  crawl_.recorder->Push(std::move(change));
  crawl_.wake_idle();
}

void PageWork::Refuse(const Frontier::Lease& lease, const UrlRow& url,
                      const RobotsVerdict& verdict) {
  VisitRow visit;
  visit.url = url.id;
  visit.at = NowMilliseconds();
  visit.outcome = VisitOutcome::kRefused;
  visit.score = lease.score;
  visit.failures = lease.failures;
  visit.detail = "robots.txt";
  if (verdict.line > 0) visit.detail += " line " + std::to_string(verdict.line);
  visit.detail.append(": ").append(verdict.rule);
  Change change;
  offers_.Clear();
  Register(url.id, &change);
  change.visits.push_back(std::move(visit));
  crawl_.frontier->Finish(lease, NothingSent(Kind::kDropped));
  crawl_.counters.refused.fetch_add(1);
  crawl_.recorder->Push(std::move(change));
}

namespace {

// Which host, how often, when, and what came last.
std::string DescribeDown(const Frontier::HostDown* down) {
  if (down == nullptr) return "its host was given up";
  const auto ago = std::chrono::duration_cast<WallTime::duration>(Clock::System().Now() - down->at);
  const std::string at = WarcDate(Clock::System().WallNow() - ago);
  const std::string attempts = std::to_string(down->attempts);
  using Reason = Frontier::HostDown::Reason;
  std::string text;
  if (down->reason == Reason::kIntroduction) {
    text.append(kReasonNoRobots).append(" ").append(down->origin).append(", given up at ");
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

void PageWork::WriteGivenUp(const std::vector<Frontier::GivenUp>& urls) {
  Change change;
  offers_.Clear();
  Register(0, &change);
  const std::int64_t now = NowMilliseconds();
  for (const Frontier::GivenUp& url : urls) {
    VisitRow visit;
    visit.url = url.url;
    visit.at = now;
    visit.outcome = VisitOutcome::kGivenUp;
    visit.failures = url.failures;
    visit.detail = DescribeDown(url.down.get());
    if (url.first) {
      change.events.push_back({now, "host given up", visit.detail});
      crawl_.logger.Warn("Engine", "Host given up", {{"why", visit.detail}});
    }
    change.dead_letters.push_back({url.url, now, visit.detail, crawl_.retries.Take(url.url)});
    change.visits.push_back(std::move(visit));
  }
  crawl_.counters.dead_letters.fetch_add(urls.size());
  crawl_.recorder->Push(std::move(change));
}

}  // namespace crawler
