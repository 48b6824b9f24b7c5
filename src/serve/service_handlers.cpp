// Answers about the service itself and all its crawls.
#include <string>

#include "serve/crawl_json.hpp"
#include "serve/metrics.hpp"
#include "serve/routes.hpp"
#include "serve/web_files.hpp"

namespace crawler {

HttpResponse AnswerHealth(CrawlService& service, const RoutedRequest&) {
  constexpr std::size_t kMostChecked = 100;
  ServeJson reasons = ServeJson::array();
  std::size_t checked = 0;
  for (const auto& crawl : service.crawls().All()) {
    if (++checked > kMostChecked) break;
    const std::string trouble = crawl->Trouble();
    if (!trouble.empty()) reasons.push_back({{"crawl", crawl->name()}, {"reason", trouble}});
  }
  HttpResponse response;
  const bool well = reasons.empty();
  response = JsonResponse({{"status", well ? "ok" : "failing"}, {"reasons", std::move(reasons)}});
  response.status = well ? 200 : 503;
  return response;
}

HttpResponse AnswerReady(CrawlService& service, const RoutedRequest&) {
  if (service.stopping()) return ErrorResponse(503, "the service ends");
  return JsonResponse({{"status", "ready"}});
}

HttpResponse AnswerMetrics(CrawlService& service, const RoutedRequest&) {
  constexpr std::size_t kMostMeasured = 100;  // Each is a label.
  MetricsText metrics;
  std::size_t measured = 0;
  for (const auto& crawl : service.crawls().All()) {
    if (++measured > kMostMeasured) break;
    metrics.AddCrawl(crawl->name(), crawl->View(), crawl->Meters());
  }
  metrics.AddProcess();
  HttpResponse response;
  response.type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics.Text();
  return response;
}

HttpResponse AnswerOpenApi(CrawlService&, const RoutedRequest&) {
  HttpResponse response;
  response.body = OpenApiText();
  return response;
}

HttpResponse AnswerCrawls(CrawlService& service, const RoutedRequest&) {
  ServeJson crawls = ServeJson::array();
  for (const auto& crawl : service.crawls().All()) {
    ServeJson summary = SummaryJson(crawl->name(), crawl->folder(), crawl->View());
    if (service.runner().IsQueued(*crawl)) summary["state"] = "queued";
    summary["startable"] = service.runner().can_start();
    summary["last_error"] = service.runner().LastError(*crawl);
    crawls.push_back(std::move(summary));
  }
  return JsonResponse(crawls);
}

}  // namespace crawler
