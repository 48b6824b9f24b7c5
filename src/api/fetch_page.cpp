// FetchPage(): options in, engine/page_visit, plain structs out. No logic.
#include <memory>
#include <string>
#include <utility>

#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "engine/page_visit.hpp"
#include "fetch/context.hpp"
#include "fetch/options.hpp"
#include "url/normalize.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

PageReport Bad(PageReport::Outcome outcome, std::string_view url, std::string message) {
  PageReport report;
  report.outcome = outcome;
  report.url = url;
  report.message = std::move(message);
  return report;
}

Status AddCredentials(const NetworkOptions& from, std::string_view url, FetchOptions* to) {
  using Maker = Result<Credential> (*)(std::string_view, const std::string&);
  const std::pair<const std::string&, Maker> sources[] = {
      {from.basic_auth_variable, &Credential::BasicFromEnvironment},
      {from.bearer_variable, &Credential::BearerFromEnvironment}};
  for (const auto& [variable, make] : sources) {
    if (variable.empty()) continue;
    Result<Credential> credential = make(url, variable);
    if (!credential.ok()) return credential.status();
    to->credentials.push_back(std::move(credential).value());
  }
  return Status::Ok();
}

Result<FetchOptions> ToFetchOptions(const NetworkOptions& from, std::string_view url) {
  FetchOptions to;
  to.user_agent = from.user_agent.empty() ? "crawler/" CRAWLER_VERSION : from.user_agent;
  to.contact = from.contact;
  to.extra_headers = from.headers;
  if (Status status = AddCredentials(from, url, &to); !status.ok()) return status;

  Result<AllowedNets> nets = AllowedNets::Parse(from.allow_nets);
  if (!nets.ok()) return nets.status();
  to.allowed_nets = std::move(nets).value();
  to.proxy = from.proxy;
  if (from.ip_version != 0 && from.ip_version != 4 && from.ip_version != 6) {
    return Status(StatusCode::kInvalidArgument, "ip_version must be 0, 4 or 6");
  }
  to.ip_version = from.ip_version == 4   ? IpVersion::kV4
                  : from.ip_version == 6 ? IpVersion::kV6
                                         : IpVersion::kAny;
  to.local_address = from.local_address;
  to.ca_file = from.ca_file;
  to.insecure = from.insecure;
  to.limits.connect = from.connect_timeout;
  to.limits.total = from.total_timeout;
  to.limits.response = std::min(to.limits.response, from.total_timeout);
  to.limits.max_body = from.max_body;
  to.limits.max_decoded = from.max_body;
  if (from.any_type) to.wanted_types.clear();
  return to;
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
    return report;
  }
  if (!visit.fetched) {
    report.outcome = PageReport::Outcome::kFailed;
    report.failure = FetchFailureName(robots_failure);
    report.message = "robots.txt cannot be fetched, so nothing may be: " + report.robots.message;
    return report;
  }
  report.outcome = visit.fetch.ok() ? PageReport::Outcome::kFetched : PageReport::Outcome::kFailed;
  ReportResponse(visit.fetch, &report);
  if (visit.document == PageVisit::Document::kSitemap) {
    ReportSitemap(std::move(visit.sitemap), &report);
  } else if (visit.document != PageVisit::Document::kNone) {
    report.document = visit.document == PageVisit::Document::kHtml ? "html" : "text";
    report.charset = CharsetName(visit.charset.charset);
    ReportPage(std::move(visit.page), &report);
  }
  return report;
}

}  // namespace

PageReport FetchPage(std::string_view url_text, const NetworkOptions& options) {
  using Outcome = PageReport::Outcome;
  Url url;
  switch (ParseUrl(url_text, nullptr, &url)) {
    case UrlKind::kInvalid:
      return Bad(Outcome::kBadUrl, url_text,
                 "not an absolute URL; write it with its scheme, e.g. https://example.org/");
    case UrlKind::kOtherScheme:
      return Bad(
          Outcome::kBadUrl, url_text,
          "the scheme " + std::string(url.scheme()) + ": is not fetched, only http and https");
    case UrlKind::kFollowable:
      break;
  }
  NormalizeUrl(&url);
  Result<FetchOptions> fetch_options = ToFetchOptions(options, url.href());
  if (!fetch_options.ok()) {
    return Bad(Outcome::kBadOption, url.href(), fetch_options.status().message());
  }
  auto context = FetchContext::Create(std::move(fetch_options).value());
  if (!context.ok()) return Bad(Outcome::kBadOption, url.href(), context.status().message());

  VisitOptions visit_options;
  visit_options.obey_robots = options.obey_robots;
  visit_options.max_redirects = static_cast<std::size_t>(std::max(0, options.max_redirects));
  Result<PageVisit> visit = VisitPage(std::move(context).value(), url, visit_options);
  if (!visit.ok()) return Bad(Outcome::kFailed, url.href(), visit.status().message());
  return ToReport(std::move(visit).value());
}

}  // namespace crawler
