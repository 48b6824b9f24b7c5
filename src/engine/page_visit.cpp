#include "engine/page_visit.hpp"

#include <algorithm>
#include <utility>

#include "engine/robots_fetch.hpp"
#include "fetch/fetch_following.hpp"
#include "fetch/fetcher.hpp"
#include "fetch/http_fields.hpp"
#include "parse/html_extractor.hpp"
#include "robots/robots_txt.hpp"
#include "url/query_encoder.hpp"

namespace crawler {
namespace {

FetchResult FetchAndWait(Fetcher& fetcher, FetchRequest request, std::size_t max_redirects) {
  FetchResult result;
  FetchFollowing(
      fetcher, std::move(request), [&result](FetchResult done) { result = std::move(done); },
      max_redirects);
  fetcher.RunUntilIdle();
  return result;
}

PageVisit::Robots AskRobots(Fetcher& fetcher, const Url& url) {
  PageVisit::Robots robots;
  robots.asked = true;
  robots.url = RobotsUrlOf(url);
  const FetchResult result = FetchAndWait(fetcher, RobotsRequest(url), kMaxRobotsRedirects);
  robots.status = result.status;
  robots.failure = result.failure;
  robots.message = result.message;

  RobotsRecord record(fetcher.context().options().user_agent);
  record.Update(ToRobotsFetch(result), result.body(), Clock::System().Now());
  const RobotsVerdict verdict = record.Check(url);
  robots.allowed = verdict.allowed;
  robots.line = verdict.line;
  robots.rule = verdict.rule;
  robots.crawl_delay = record.rules().crawl_delay();
  robots.sitemaps = record.rules().sitemaps();
  return robots;
}

bool IsXml(std::string_view media_type) {
  return media_type.ends_with("/xml") || media_type.ends_with("+xml");
}

void ReadHtml(const FetchOptions& options, std::string_view html, PageVisit* visit) {
  ExtractOptions extract;
  extract.robots_agent = ProductToken(options.user_agent);
  HtmlExtractor extractor(extract);
  const auto query_encoder = QueryEncoder::ForEncoding(CharsetName(visit->charset.charset));
  const HtmlExtractor::Context context{&visit->fetch.headers, query_encoder.get()};
  extractor.Extract(html, visit->fetch.url, context, &visit->page);
  visit->document = PageVisit::Document::kHtml;
}

// Feeds and sitemaps come as XML or text; what is neither is read as HTML, as browsers do.
void ReadDocument(const FetchOptions& options, PageVisit* visit) {
  const std::string_view content_type = visit->fetch.headers.Find("Content-Type").value_or("");
  const std::string media_type = MediaTypeEssence(content_type);
  const std::string_view body = visit->fetch.body();
  if (body.empty()) return;

  const bool is_text = media_type == "text/plain";
  const bool is_xml = IsXml(media_type);
  if (is_xml && media_type != "application/xhtml+xml") {
    visit->sitemap = ParseSitemap(body, content_type, visit->fetch.url);
    if (visit->sitemap.kind != SitemapKind::kUnknown) {
      visit->document = PageVisit::Document::kSitemap;
      return;
    }
  }
  visit->charset = is_text || is_xml ? SniffXmlCharset(body, content_type)
                                     : SniffHtmlCharset(body, content_type);
  std::string buffer;
  const Utf8Text text = ToUtf8(body, visit->charset.charset, buffer, options.limits.max_decoded);
  if (is_text) {
    visit->page.text = text.text;
    visit->document = PageVisit::Document::kText;
  } else {
    ReadHtml(options, text.text, visit);
  }
}

}  // namespace

Result<PageVisit> VisitPage(std::shared_ptr<const FetchContext> context, Url url,
                            const VisitOptions& options) {
  Result<std::unique_ptr<Fetcher>> fetcher = Fetcher::Create(std::move(context));
  if (!fetcher.ok()) return fetcher.status();

  PageVisit visit;
  while (true) {
    if (options.obey_robots) {
      visit.robots = AskRobots(**fetcher, url);
      if (!visit.robots.allowed) {
        visit.fetched = false;
        visit.fetch = FetchResult();
        visit.fetch.url = std::move(url);
        return visit;
      }
    }
    FetchRequest request;
    request.url = url;
    visit.fetch = FetchAndWait(**fetcher, std::move(request), 0);
    visit.fetched = true;
    const std::optional<Url>& target = visit.fetch.redirect;
    if (!target || !target->followable() || visit.redirected_from.size() >= options.max_redirects) {
      break;
    }
    visit.redirected_from.emplace_back(url.href());
    url = *target;
    url.RemoveFragment();
  }
  ReadDocument((*fetcher)->context().options(), &visit);
  return visit;
}

}  // namespace crawler
