#include "engine/batch_rows.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/json.hpp"
#include "parse/charset.hpp"

namespace crawler {
namespace {

using DownReason = Frontier::HostDown::Reason;

GiveUpReason ToGiveUpReason(const Frontier::HostDown* down) {
  if (down == nullptr) return GiveUpReason::kFailures;
  switch (down->reason) {
    case DownReason::kFailures:
      return GiveUpReason::kFailures;
    case DownReason::kThrottled:
      return GiveUpReason::kThrottled;
    case DownReason::kRobotsCheck:
      return GiveUpReason::kNoRobots;
  }
  return GiveUpReason::kFailures;
}

// The host that was given up, when, after how many attempts, and the last failure.
std::string DescribeDown(const Frontier::HostDown* down, const Clock& clock) {
  if (down == nullptr) return "its host was given up";
  const auto ago = std::chrono::duration_cast<WallTime::duration>(clock.Now() - down->at);
  const std::string at = WarcDate(clock.WallNow() - ago);
  const std::string attempts = std::to_string(down->attempts);
  std::string text;
  if (down->reason == DownReason::kRobotsCheck) {
    text.append("no robots.txt from its host ").append(down->origin).append(", given up at ");
    text.append(at).append(" after ").append(attempts);
    text.append(down->attempts == 1 ? " attempt" : " attempts");
  } else {
    text.append("its host ").append(down->origin).append(" was given up at ").append(at);
    text.append(" after ").append(attempts);
    text.append(down->reason == DownReason::kThrottled ? " requests to wait in a row"
                                                       : " failures in a row");
  }
  if (!down->last.empty()) text.append(kLastFailure).append(down->last);
  return text;
}

VisitRow UnsentRow(const Frontier::Lease& lease, VisitOutcome outcome, std::int64_t at) {
  VisitRow visit;
  visit.url = lease.id;
  visit.url_host = lease.host;
  visit.at = at;
  visit.outcome = outcome;
  visit.score = lease.score;
  visit.failures = lease.failures;
  return visit;
}

constexpr std::size_t kMaxHeaderBytes = 500;
constexpr std::size_t kMaxAlternates = 100;

// The headers that are stored with a page: about caching, content, security and the server. The
// WARC has all of them.
constexpr std::string_view kStoredHeaders[] = {
    "cache-control", "content-encoding", "content-language",
    "expires",       "server",           "strict-transport-security",
    "vary",          "x-powered-by",     "x-robots-tag"};

void AppendMember(std::string_view name, std::string* json) {
  json->push_back(json->empty() ? '{' : ',');
  AppendJson(name, json);
  json->push_back(':');
}

std::string HeadersJson(const HeaderBlock& headers) {
  std::string json;
  for (const std::string_view name : kStoredHeaders) {
    if (!headers.Find(name)) continue;
    AppendMember(name, &json);
    AppendJsonBytes(std::string_view(headers.Joined(name)).substr(0, kMaxHeaderBytes), &json);
  }
  if (!json.empty()) json.push_back('}');
  return json;
}

std::string HreflangJson(const Page& page) {
  std::string json;
  std::vector<std::string_view> seen;
  for (const Alternate& alternate : page.alternates) {
    const std::string_view language = alternate.hreflang;
    if (language.empty() || seen.size() == kMaxAlternates) continue;
    if (std::find(seen.begin(), seen.end(), language) != seen.end()) continue;
    seen.push_back(language);
    AppendMember(language, &json);
    AppendJsonBytes(alternate.url, &json);
  }
  if (!json.empty()) json.push_back('}');
  return json;
}

// PageRow::payload_hash of a page whose content has `digest`.
std::optional<std::string> PayloadHash(const EncodedCapture& capture, const Sha256Digest& digest) {
  if (capture.members.empty()) return std::nullopt;
  const Sha256Digest& payload = capture.payload_digest;
  if (payload == digest) return std::string();
  return std::string(payload.begin(), payload.end());
}

}  // namespace

std::optional<IpAddress> AddressOfHost(const FetchResult& result) {
  if (result.via_proxy) return std::nullopt;
  if (result.redirected_from.empty()) return result.remote_address;
  Url asked;
  ParseUrl(result.redirected_from.front(), nullptr, &asked);
  return asked.Origin() == result.url.Origin() ? result.remote_address : std::nullopt;
}

Frontier::Outcome ToOutcome(const FetchResult& result, const ResponseClass& response,
                            TimePoint now) {
  Frontier::Outcome outcome;
  outcome.kind = response.kind;
  outcome.no_answer = response.no_answer;
  outcome.server_error = response.server_error;
  outcome.patient = response.patient;
  outcome.now = now;
  outcome.took = result.timings.total;
  outcome.started = outcome.now - outcome.took;
  outcome.retry_after = response.retry_after;
  outcome.address = AddressOfHost(result);
  outcome.failure = result.failure;
  return outcome;
}

Frontier::Outcome NothingSent(Frontier::Outcome::Kind kind, TimePoint now) {
  Frontier::Outcome outcome;
  outcome.kind = kind;
  outcome.now = outcome.started = now;
  return outcome;
}

VisitRow ToVisitRow(const Frontier::Lease& lease, const FetchResult& result,
                    const ResponseClass& response) {
  VisitRow visit;
  visit.url = lease.id;
  visit.url_host = lease.host;
  visit.at = ToMilliseconds(result.started);
  visit.outcome = response.outcome;
  visit.status = result.status;
  visit.failure = result.failure;
  visit.detail = response.detail;
  visit.failures = lease.failures + (response.is_failure() ? 1u : 0u);
  visit.score = lease.score;
  if (const auto address = AddressOfHost(result)) visit.address = address->ToString();
  visit.protocol = HttpVersionName(result.protocol);
  visit.bytes = result.raw_body.size();
  visit.resolved = result.timings.resolved.count();
  visit.connected = result.timings.connected.count();
  visit.secured = result.timings.secured.count();
  visit.first_byte = result.timings.first_byte.count();
  visit.total = result.timings.total.count();
  if (response.retry_after) {
    visit.retry_after = std::chrono::ceil<std::chrono::milliseconds>(*response.retry_after).count();
  }
  return visit;
}

VisitRow ToRobotsVisitRow(const Frontier::Lease& lease, const FetchResult& result,
                          const ResponseClass& response) {
  VisitRow visit = ToVisitRow(lease, result, response);
  visit.url = 0;
  visit.host = lease.host;
  // No time at all means that nothing was sent, but there was a request before a redirect.
  if (!result.redirected_from.empty()) visit.total = std::max<std::int64_t>(visit.total, 1);
  return visit;
}

VisitRow ToRefusedRow(const Frontier::Lease& lease, const RobotsVerdict& verdict, std::int64_t at) {
  VisitRow visit = UnsentRow(lease, VisitOutcome::kRefused, at);
  visit.detail = "robots.txt";
  if (verdict.line > 0) visit.detail += " line " + std::to_string(verdict.line);
  visit.detail.append(": ").append(verdict.rule);
  return visit;
}

VisitRow ToLeftOutRow(const Frontier::Lease& lease, const std::string& limit, std::int64_t at) {
  VisitRow visit = UnsentRow(lease, VisitOutcome::kUnwanted, at);
  visit.detail = "beyond the limit of " + limit;
  return visit;
}

VisitRow ToGivenUpRow(const Frontier::GivenUp& url, std::int64_t at, const Clock& clock) {
  VisitRow visit;
  visit.url = url.url;
  visit.url_host = url.host;
  visit.at = at;
  visit.outcome = VisitOutcome::kGivenUp;
  visit.failures = url.failures;
  visit.given_up = ToGiveUpReason(url.down.get());
  if (url.down != nullptr) visit.failure = url.down->failure;
  visit.detail = DescribeDown(url.down.get(), clock);
  return visit;
}

std::string DescribeVisit(const VisitRow& visit) {
  return visit.detail.empty() ? "status " + std::to_string(visit.status) : visit.detail;
}

void AddVerdict(Frontier::Verdict verdict, const ResponseClass& response, const RetryPolicy& policy,
                VisitRow* visit) {
  visit->final = verdict != Frontier::Verdict::kWaits;
  if (verdict != Frontier::Verdict::kGivenUp) return;
  const bool retries_used_up =
      response.uses_retry() && visit->failures > static_cast<std::uint32_t>(policy.retries);
  if (retries_used_up) return;
  const bool throttled = response.kind == Frontier::Outcome::Kind::kThrottled;
  visit->given_up = throttled ? GiveUpReason::kThrottled : GiveUpReason::kFailures;
}

std::string DeadLetterReason(const VisitRow& visit, const std::string& what) {
  return visit.given_up == GiveUpReason::kNone ? what : what + "; its host was given up then";
}

PageRow ToPageRow(const Frontier::Lease& lease, const FetchResult& result, const Document& document,
                  const Sha256Digest& digest, const EncodedCapture& capture) {
  const HeaderBlock& headers = result.headers;
  const Page& page = document.page;
  PageRow row;
  row.url_id = lease.id;
  row.url = lease.url;
  row.domain = result.url.host();
  row.title = page.title;
  row.description = page.description;
  AppendHex(digest, &row.content_hash);
  row.status = result.status;
  row.crawled_at = ToMilliseconds(result.started);
  row.last_modified = headers.Find("Last-Modified").value_or("");
  row.etag = headers.Find("ETag").value_or("");
  row.depth = lease.depth;
  row.score = lease.score;
  row.size = result.body().size();
  row.content_type = document.media_type;
  row.charset = CharsetName(document.charset.charset);
  row.language = page.language;
  row.canonical = page.canonical;
  row.noindex = page.robots.noindex;
  row.nofollow = page.robots.nofollow;
  row.truncated = TruncationName(result.truncated);
  row.h1 = page.TextOf(page.h1);
  row.hreflang = HreflangJson(page);
  row.headers = HeadersJson(headers);
  row.payload_hash = PayloadHash(capture, digest);
  return row;
}

}  // namespace crawler
