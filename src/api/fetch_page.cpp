// FetchPage(): converts options for engine/page_visit and its result to plain structs. No logic.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "engine/failure_text.hpp"
#include "engine/page_visit.hpp"
#include "engine/stage_options.hpp"
#include "fetch/context.hpp"
#include "fetch/options.hpp"
#include "url/given_url.hpp"
#include "url/normalize.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

// A type of its own: for a type of the standard library, the library would export template
// instances.
struct Warnings {
  std::vector<std::string> lines;
};

PageReport Bad(PageReport::Outcome outcome, std::string_view url, std::string message) {
  PageReport report;
  report.outcome = outcome;
  report.url = url;
  report.message = std::move(message);
  return report;
}

RobotsReport ToReport(PageVisit::Robots&& robots) {
  RobotsReport report;
  report.asked = robots.asked;
  report.url = std::move(robots.url);
  report.status = robots.status;
  report.message = std::move(robots.message);
  report.allowed = robots.allowed;
  report.line = robots.line;
  report.rule = std::move(robots.rule);
  report.crawl_delay = robots.crawl_delay;
  report.sitemaps = std::move(robots.sitemaps);
  return report;
}

void ReportResponse(const FetchResult& fetch, PageReport* report) {
  if (!fetch.ok()) report->failure = FetchFailureName(fetch.failure);
  report->message = fetch.message;
  report->hint = fetch.ok() ? StatusHint(fetch.status) : FailureHint(fetch.failure, fetch.message);
  report->status = fetch.status;
  report->protocol = HttpVersionName(fetch.protocol);
  if (fetch.remote_address) {
    const std::string text = fetch.remote_address->ToString();
    report->address = (fetch.remote_address->is_v4() ? text : "[" + text + "]") + ":" +
                      std::to_string(fetch.remote_port);
  }
  report->tls = fetch.tls_version;
  if (fetch.redirect) report->redirect = fetch.redirect->href();
  for (std::size_t i = 0; i < fetch.headers.size(); ++i) {
    report->headers.emplace_back(fetch.headers.name(i), fetch.headers.value(i));
  }
  report->timings = {fetch.timings.resolved, fetch.timings.connected, fetch.timings.secured,
                     fetch.timings.first_byte, fetch.timings.total};
  report->bytes_received = fetch.raw_body.size();
  report->bytes_decoded = fetch.body().size();
  report->truncated = TruncationName(fetch.truncated);
}

void ReportPage(Page&& page, PageReport* report) {
  for (const Link& link : page.links) {
    LinkReport entry;
    entry.url = page.UrlOf(link);
    entry.tag = LinkTag(link.source);
    entry.attribute = LinkAttribute(link.source);
    entry.text = page.TextOf(link);
    entry.nofollow = link.nofollow();
    entry.followable = link.kind == UrlKind::kFollowable;
    report->links.push_back(std::move(entry));
  }
  for (PageField& field : page.fields) {
    report->meta.emplace_back(std::move(field.name), std::move(field.value));
  }
  report->title = std::move(page.title);
  report->description = std::move(page.description);
  report->language = std::move(page.language);
  report->canonical = std::move(page.canonical);
  report->noindex = page.robots.noindex;
  report->nofollow = page.robots.nofollow;
  report->text = std::move(page.text);
}

void ReportSitemap(Sitemap&& sitemap, PageReport* report) {
  report->document = SitemapKindName(sitemap.kind);
  if (sitemap.end != SitemapEnd::kComplete) report->message = std::move(sitemap.problem);
  for (SitemapEntry& entry : sitemap.entries) {
    LinkReport link;
    link.url = std::move(entry.url);
    link.tag = report->document;
    link.attribute = "loc";
    link.followable = true;
    report->links.push_back(std::move(link));
  }
}

PageReport ToReport(PageVisit&& visit) {
  PageReport report;
  report.url = visit.fetch.url.href();
  report.redirected_from = std::move(visit.redirected_from);
  const FetchFailure robots_failure = visit.robots.failure;
  report.robots = ToReport(std::move(visit.robots));
  if (!visit.fetched && robots_failure == FetchFailure::kNone) {
    report.outcome = PageReport::Outcome::kRefused;
    report.hint = RobotsHint();
    return report;
  }
  if (!visit.fetched) {
    report.outcome = PageReport::Outcome::kFailed;
    report.failure = FetchFailureName(robots_failure);
    report.message = "robots.txt cannot be fetched, so nothing may be: " + report.robots.message;
    report.hint = FailureHint(robots_failure, report.message);
    return report;
  }
  report.outcome = visit.fetch.ok() ? PageReport::Outcome::kFetched : PageReport::Outcome::kFailed;
  ReportResponse(visit.fetch, &report);
  Document& document = visit.document;
  if (document.kind == Document::Kind::kSitemap) {
    ReportSitemap(std::move(document.sitemap), &report);
  } else if (document.kind != Document::Kind::kNone) {
    report.document = document.kind == Document::Kind::kHtml ? "html" : "text";
    report.charset = CharsetName(document.charset.charset);
    ReportPage(std::move(document.page), &report);
  }
  return report;
}

}  // namespace

PageReport FetchPage(std::string_view url_text, const NetworkOptions& options) {
  using Outcome = PageReport::Outcome;
  Result<Url> given = ParseGivenUrl(url_text);
  if (!given.ok()) return Bad(Outcome::kBadUrl, url_text, given.status().message());
  Url url = std::move(given).value();
  const bool had_credentials = url.has_credentials();
  NormalizeUrl(&url);
  Result<FetchOptions> fetch_options = ToFetchOptions(options, {std::string(url.href())});
  if (!fetch_options.ok()) {
    return Bad(Outcome::kBadOption, url.href(), fetch_options.status().message());
  }
  const auto warnings = std::make_shared<Warnings>();
  const Logger logger(
      [warnings](LogLevel, std::string_view line) { warnings->lines.emplace_back(line); },
      LogLevel::kWarn);
  auto context = FetchContext::Create(std::move(fetch_options).value(), logger);
  if (!context.ok()) return Bad(Outcome::kBadOption, url.href(), context.status().message());

  VisitOptions visit_options;
  visit_options.obey_robots = options.obey_robots;
  visit_options.max_redirects = static_cast<std::size_t>(std::max(0, options.max_redirects));
  Result<PageVisit> visit = VisitPage(*context, url, visit_options);
  if (!visit.ok()) return Bad(Outcome::kFailed, url.href(), visit.status().message());
  PageReport report = ToReport(std::move(visit).value());
  report.warnings = std::move(warnings->lines);
  if (had_credentials) {
    report.warnings.emplace_back(
        "user and password in a URL are never sent; put user:password into an environment variable "
        "and name it with --basic-auth-from");
  }
  return report;
}

}  // namespace crawler
