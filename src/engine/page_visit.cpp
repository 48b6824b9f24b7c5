#include "engine/page_visit.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/robots_fetch.hpp"
#include "fetch/fetch_following.hpp"
#include "fetch/http_fetcher.hpp"
#include "parse/meta_fields.hpp"
#include "robots/robots_txt.hpp"

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

PageVisit::Robots AskRobots(Fetcher& fetcher, const std::string& user_agent, const Url& url) {
  PageVisit::Robots robots;
  robots.asked = true;
  robots.url = RobotsUrlOf(url);
  const FetchResult result = FetchAndWait(fetcher, RobotsRequest(url), kMaxRobotsRedirects);
  robots.status = result.status;
  robots.failure = result.failure;
  robots.message = result.message;

  RobotsRecord record(user_agent);
  record.Update(ToRobotsFetch(result), result.body(), Clock::System().Now());
  const RobotsVerdict verdict = record.Check(url);
  robots.allowed = verdict.allowed;
  robots.line = verdict.line;
  robots.rule = verdict.rule;
  robots.crawl_delay = record.rules().crawl_delay();
  robots.sitemaps = record.rules().sitemaps();
  return robots;
}

void ReadDocument(const FetchOptions& options, const VisitOptions& wanted, PageVisit* visit) {
  ExtractOptions extract;
  extract.robots_agent = ProductToken(options.user_agent);
  extract.extractors = wanted.extractors;
  if (extract.extractors.empty()) {
    extract.extractors.push_back([] { return std::make_unique<MetaFields>(); });
  }
  DocumentReader reader(std::move(extract), options.limits.max_decoded);
  if (wanted.as_sitemap) {
    reader.ReadSitemap(visit->fetch, &visit->document);
  } else {
    reader.Read(visit->fetch, &visit->document);
  }
}

}  // namespace

Result<PageVisit> VisitPage(const std::shared_ptr<const FetchContext>& context, Url url,
                            const VisitOptions& options) {
  Result<std::unique_ptr<HttpFetcher>> fetcher = HttpFetcher::Create(context);
  if (!fetcher.ok()) return fetcher.status();

  PageVisit visit;
  while (true) {
    if (options.obey_robots) {
      visit.robots = AskRobots(**fetcher, context->options().user_agent, url);
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
  ReadDocument(context->options(), options, &visit);
  return visit;
}

}  // namespace crawler
