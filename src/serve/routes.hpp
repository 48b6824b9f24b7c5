#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "serve/http_message.hpp"
#include "serve/service.hpp"

namespace crawler {

/// A request with the crawl that its path names.
struct RoutedRequest {
  const HttpRequest& http;
  std::shared_ptr<ServedCrawl> crawl;  ///< Null if the route has no {name}.
};

using RouteHandler = HttpResponse (*)(CrawlService& service, const RoutedRequest& request);

/// A path that the service answers. src/serve/openapi.json has the same ones; a test compares.
struct Route {
  const char* method;
  const char* path;  ///< With {name} for the name of a crawl.
  RouteHandler handler;
};
std::span<const Route> Routes();

// Handlers, by source.

// service_handlers.cpp
HttpResponse AnswerHealth(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerReady(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerMetrics(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerOpenApi(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerCrawls(CrawlService& service, const RoutedRequest& request);

// crawl_handlers.cpp
HttpResponse AnswerStatus(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerSeries(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerHosts(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerRobots(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerPages(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerExplain(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerLinks(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerGraph(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerSearch(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerSuggest(CrawlService& service, const RoutedRequest& request);

// stream_handlers.cpp
HttpResponse AnswerExport(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerContent(CrawlService& service, const RoutedRequest& request);
HttpResponse AnswerEvents(CrawlService& service, const RoutedRequest& request);

// control_handlers.cpp
HttpResponse StartCrawl(CrawlService& service, const RoutedRequest& request);
HttpResponse PauseCrawl(CrawlService& service, const RoutedRequest& request);
HttpResponse ResumeCrawl(CrawlService& service, const RoutedRequest& request);
HttpResponse StopCrawl(CrawlService& service, const RoutedRequest& request);
HttpResponse RetryCrawl(CrawlService& service, const RoutedRequest& request);
HttpResponse RepeatCrawl(CrawlService& service, const RoutedRequest& request);
HttpResponse AddSeeds(CrawlService& service, const RoutedRequest& request);

}  // namespace crawler
