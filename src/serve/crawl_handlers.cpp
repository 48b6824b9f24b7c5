// Answers about a crawl: its state, its lists, searches.
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "inspect/catalogue_lists.hpp"
#include "inspect/inspect.hpp"
#include "serve/crawl_json.hpp"
#include "serve/handler_parts.hpp"
#include "serve/routes.hpp"

namespace crawler {
namespace {

constexpr std::size_t kLongestText = 2'000;  ///< Of a URL or a query.

/// Answers with a list, in one of the slots for expensive queries.
template <typename Read>
HttpResponse AnswerList(CrawlService& service, const RoutedRequest& request, Read read) {
  const Result<ListRequest> wanted = ReadListRequest(request.http);
  if (!wanted.ok()) return FailureResponse(wanted.status());
  const WorkSlots::Lease slot(service.queries(), kPatience);
  if (!slot.held()) return BusyResponse();
  const Result<ListJson> list = read(*wanted);
  return list.ok() ? JsonResponse(*list) : FailureResponse(list.status());
}

/// The parameter `url`, or why there is none that can be used.
Result<std::string> ReadUrl(const RoutedRequest& request) {
  const std::string_view url = request.http.Parameter("url");
  if (url.empty()) return Status(StatusCode::kInvalidArgument, "the parameter url is missing");
  if (url.size() > kLongestText) {
    return Status(StatusCode::kInvalidArgument, "the parameter url is too long");
  }
  return std::string(url);
}

}  // namespace

HttpResponse FailureResponse(const Status& status) {
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
      return ErrorResponse(400, status.message());
    case StatusCode::kNotFound:
      return ErrorResponse(404, status.message());
    case StatusCode::kCancelled:
      return ErrorResponse(503, "that took too long; ask for less");
    case StatusCode::kNotReady:
      return ErrorResponse(409, status.message());
    default:
      return ErrorResponse(503, status.message());
  }
}

HttpResponse BusyResponse() {
  HttpResponse response = ErrorResponse(503, "too many requests at a time; try again");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

bool ReadNumber(const HttpRequest& request, std::string_view name, std::int64_t least,
                std::int64_t most, std::int64_t* value) {
  const std::string_view text = request.Parameter(name);
  if (text.empty()) return true;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || number < least || number > most) return false;
  *value = number;
  return true;
}

Result<ListRequest> ReadListRequest(const HttpRequest& request) {
  ListRequest list;
  const auto invalid = [](std::string message) {
    return Status(StatusCode::kInvalidArgument, std::move(message));
  };
  if (!ReadNumber(request, "limit", 1, 1'000, &list.limit)) {
    return invalid("limit must be between 1 and 1000");
  }
  if (!ReadNumber(request, "offset", 0, 1'000'000, &list.offset)) {
    return invalid("offset must be between 0 and 1000000");
  }
  if (!ReadNumber(request, "status", 0, 999, &list.status)) {
    return invalid("status must be a status code");
  }
  const std::string_view order = request.Parameter("order");
  if (!order.empty() && order != "asc" && order != "desc") {
    return invalid("order must be asc or desc");
  }
  list.descending = order == "desc";
  list.sort = request.Parameter("sort");
  list.text = request.Parameter("q");
  if (list.sort.size() > kLongestText || list.text.size() > kLongestText) {
    return invalid("q and sort must not be longer than " + std::to_string(kLongestText));
  }
  return list;
}

HttpResponse AnswerStatus(CrawlService& service, const RoutedRequest& request) {
  ServeJson json = StatusJson(request.crawl->name(), request.crawl->View());
  if (service.runner().IsQueued(*request.crawl)) json["state"] = "queued";
  json["startable"] = service.runner().can_start();
  json["last_error"] = service.runner().LastError(*request.crawl);
  return JsonResponse(json);
}

HttpResponse AnswerSeries(CrawlService&, const RoutedRequest& request) {
  return JsonResponse(SeriesJson(request.crawl->series()));
}

HttpResponse AnswerHosts(CrawlService& service, const RoutedRequest& request) {
  return AnswerList(service, request, [&](const ListRequest& list) {
    return ListHosts(request.crawl->folder(), request.crawl->View().status.holdups, list,
                     service.stopped());
  });
}

HttpResponse AnswerRobots(CrawlService& service, const RoutedRequest& request) {
  const std::string host(request.http.Parameter("host"));
  if (host.empty() || host.size() > kLongestText) {
    return ErrorResponse(400, "the parameter host must be scheme://host[:port]");
  }
  const Result<ListJson> robots = ReadRobotsTxt(request.crawl->folder(), host, service.stopped());
  return robots.ok() ? JsonResponse(*robots) : FailureResponse(robots.status());
}

HttpResponse AnswerPages(CrawlService& service, const RoutedRequest& request) {
  return AnswerList(service, request, [&](ListRequest list) {
    if (request.http.Parameter("recent") == "1") {
      list.sort = "id";
      list.descending = true;
    }
    return ListPages(request.crawl->folder(), list, service.stopped());
  });
}

HttpResponse AnswerExplain(CrawlService& service, const RoutedRequest& request) {
  const Result<std::string> url = ReadUrl(request);
  if (!url.ok()) return FailureResponse(url.status());
  const WorkSlots::Lease slot(service.queries(), kPatience);
  if (!slot.held()) return BusyResponse();
  const UrlExplanation explanation = InspectUrl(request.crawl->folder(), *url);
  if (!explanation.error.empty()) return ErrorResponse(400, explanation.error);
  return JsonResponse(ExplanationJson(explanation));
}

HttpResponse AnswerLinks(CrawlService& service, const RoutedRequest& request) {
  const std::string kind(request.http.Parameter("kind"));
  const std::string& folder = request.crawl->folder();
  if (kind == "broken") {
    return AnswerList(service, request, [&](const ListRequest& list) {
      return ListBroken(folder, list, service.stopped());
    });
  }
  if (kind == "redirects") {
    return AnswerList(service, request, [&](const ListRequest& list) {
      return ListRedirects(folder, list, service.stopped());
    });
  }
  if (kind != "in" && kind != "out") {
    return ErrorResponse(400, "kind must be broken, redirects, in or out");
  }
  const Result<std::string> url = ReadUrl(request);
  if (!url.ok()) return FailureResponse(url.status());
  return AnswerList(service, request, [&](const ListRequest& list) {
    return ListLinks(folder, *url, kind == "out", list, service.stopped());
  });
}

HttpResponse AnswerGraph(CrawlService& service, const RoutedRequest& request) {
  std::int64_t limit = 300;
  if (!ReadNumber(request.http, "limit", 1, 1'000, &limit)) {
    return ErrorResponse(400, "limit must be between 1 and 1000");
  }
  const std::string_view level = request.http.Parameter("level");
  if (!level.empty() && level != "host" && level != "page") {
    return ErrorResponse(400, "level must be host or page");
  }
  const WorkSlots::Lease slot(service.queries(), kPatience);
  if (!slot.held()) return BusyResponse();
  const Result<ListJson> picture = LinkPicture(request.crawl->folder(), level != "page",
                                               static_cast<std::size_t>(limit), service.stopped());
  return picture.ok() ? JsonResponse(*picture) : FailureResponse(picture.status());
}

HttpResponse AnswerSearch(CrawlService&, const RoutedRequest& request) {
  const std::string query(request.http.Parameter("q"));
  if (query.empty() || query.size() > kLongestText) {
    return ErrorResponse(400, "the parameter q must have between 1 and 2000 bytes");
  }
  std::int64_t limit = 10, offset = 0;
  if (!ReadNumber(request.http, "limit", 1, 100, &limit) ||
      !ReadNumber(request.http, "offset", 0, 9'900, &offset)) {
    return ErrorResponse(400, "limit must be between 1 and 100, offset between 0 and 9900");
  }
  const auto began = std::chrono::steady_clock::now();
  Result<std::unique_ptr<QueryEngine>> engine = request.crawl->TakeEngine();
  if (!engine.ok()) return FailureResponse(engine.status());
  QueryOptions options;
  options.limit = static_cast<std::size_t>(limit);
  options.offset = static_cast<std::size_t>(offset);
  options.why = request.http.Parameter("why") == "1";
  const Result<QueryAnswer> answer = (*engine)->Search(query, options);
  if (!answer.ok()) return FailureResponse(answer.status());
  if (const Status indexed = (*engine)->searcher().CheckIndexed(); !indexed.ok()) {
    return FailureResponse(indexed);
  }
  ServeJson json = SearchJson(query, *answer, options.why);
  json["took_us"] = std::chrono::duration_cast<std::chrono::microseconds>(
                        std::chrono::steady_clock::now() - began)
                        .count();
  request.crawl->PutEngine(std::move(engine).value());
  return JsonResponse(json);
}

HttpResponse AnswerSuggest(CrawlService&, const RoutedRequest& request) {
  const std::string_view prefix = request.http.Parameter("q");
  constexpr std::size_t kMostWords = 10;
  if (prefix.size() > kLongestText) return ErrorResponse(400, "the parameter q is too long");
  Result<std::unique_ptr<QueryEngine>> engine = request.crawl->TakeEngine();
  if (!engine.ok()) return FailureResponse(engine.status());
  const Result<std::vector<SpellingSuggestion>> words = (*engine)->Complete(prefix, kMostWords);
  if (!words.ok()) return FailureResponse(words.status());
  ServeJson json = ServeJson::array();
  for (const SpellingSuggestion& word : *words) {
    json.push_back({{"word", word.shown}, {"pages", word.document_freq}});
  }
  request.crawl->PutEngine(std::move(engine).value());
  return JsonResponse(json);
}

}  // namespace crawler
