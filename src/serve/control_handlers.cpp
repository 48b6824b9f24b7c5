// Changes: they need the header X-Crawler, see RequestGuard.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/stage_options.hpp"
#include "serve/crawl_json.hpp"
#include "serve/handler_parts.hpp"
#include "serve/routes.hpp"
#include "store/requeue.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMostSeeds = 10'000;

/// The body as a JSON object; an empty body is an empty object.
Result<ServeJson> ReadBody(const HttpRequest& request) {
  if (request.body.empty()) return ServeJson(ServeJson::object());
  if (!request.Header("content-type").starts_with("application/json")) {
    return Status(StatusCode::kInvalidArgument, "the body must be application/json");
  }
  ServeJson body = ServeJson::parse(request.body, nullptr, false);
  if (!body.is_object()) {
    return Status(StatusCode::kInvalidArgument, "the body must be a JSON object");
  }
  return body;
}

Result<std::vector<std::string>> ReadTexts(const ServeJson& body, const char* name) {
  const auto list = body.find(name);
  const auto wrong = [name] {
    return Status(StatusCode::kInvalidArgument,
                  std::string(name) + " must be a list of up to 10000 texts");
  };
  std::vector<std::string> texts;
  if (list == body.end()) return texts;
  if (!list->is_array() || list->size() > kMostSeeds) return wrong();
  for (const ServeJson& text : *list) {
    if (!text.is_string()) return wrong();
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

std::string ReadText(const ServeJson& body, const char* name) {
  const auto text = body.find(name);
  return text != body.end() && text->is_string() ? text->get<std::string>() : "";
}

HttpResponse NotHere(const ServedCrawl& crawl) {
  return ErrorResponse(409, crawl.running()
                                ? "the crawl runs in another process, which has to do that"
                                : "the crawl does not run");
}

/// The state of the crawl after a change.
HttpResponse Changed(CrawlService& service, const RoutedRequest& request, int status) {
  request.crawl->Sample();
  HttpResponse response = AnswerStatus(service, request);
  response.status = status;
  return response;
}

HttpResponse StartJob(CrawlService& service, const RoutedRequest& request, CrawlRunner::Job job) {
  if (!service.runner().can_start()) {
    return ErrorResponse(409, "this service starts no crawls; `crawler serve --root` does");
  }
  if (request.crawl->View().status.running) return NotHere(*request.crawl);
  job.crawl = request.crawl;
  const Status status = service.runner().Start(std::move(job));
  if (!status.ok()) return ErrorResponse(409, status.message());
  return Changed(service, request, 202);
}

/// The options that a request may set, over those of the service.
class OptionReader {
 public:
  OptionReader(const ServeJson& json, CrawlOptions* options) : json_(json), options_(*options) {}

  /// Why the options cannot be used; ok if they can.
  Status Read() {
    if (!json_.is_object()) return Wrong("options must be an object");
    for (const auto& [name, value] : json_.items()) {
      if (Status status = ReadOne(name, value); !status.ok()) return status;
    }
    return Status::Ok();
  }

 private:
  static Status Wrong(std::string message) {
    return Status(StatusCode::kInvalidArgument, std::move(message));
  }

  Status ReadOne(const std::string& name, const ServeJson& value) {
    if (name == "scope") return ReadScope(value);
    if (name == "include" || name == "exclude") {
      Result<std::vector<std::string>> texts = ReadTexts(json_, name.c_str());
      if (!texts.ok()) return texts.status();
      (name == "include" ? options_.include : options_.exclude) = std::move(texts).value();
      return Status::Ok();
    }
    if (name == "topic" && value.is_string()) {
      options_.topic = value.get<std::string>();
      return Status::Ok();
    }
    if (name == "sitemaps" && value.is_boolean()) {
      options_.sitemaps = value.get<bool>();
      return Status::Ok();
    }
    return ReadNumberOption(name, value);
  }

  Status ReadNumberOption(const std::string& name, const ServeJson& value) {
    constexpr std::int64_t kMost = 1'000'000'000'000;
    if (!value.is_number_integer()) return Wrong("there is no option " + name + " of this type");
    const auto number = value.get<std::int64_t>();
    const std::int64_t least = name == "max_depth" || name == "max_per_domain" ? -1 : 0;
    if (number < least || number > kMost) return Wrong(name + " is out of range");
    const auto count = static_cast<std::uint64_t>(number);
    const std::chrono::milliseconds time(number);
    if (name == "max_pages") {
      options_.max_pages = count;
    } else if (name == "max_depth" && number <= 1'000'000) {
      options_.max_depth = static_cast<int>(number);
    } else if (name == "max_per_domain") {
      options_.max_per_domain = number;
    } else if (name == "max_bytes") {
      options_.max_bytes = count;
    } else if (name == "max_time_ms") {
      options_.max_time = time;
    } else if (name == "delay_ms") {
      options_.delay = time;
    } else if (name == "per_host" && number >= 1 && number <= 1'000) {
      options_.per_host = static_cast<int>(number);
    } else {
      return Wrong("there is no option " + name + ", or it is out of range");
    }
    return Status::Ok();
  }

  Status ReadScope(const ServeJson& value) {
    const std::string scope = value.is_string() ? value.get<std::string>() : "";
    for (const auto& [name, known] :
         {std::pair<const char*, CrawlScope>{"prefix", CrawlScope::kPrefix},
          {"host", CrawlScope::kHost},
          {"domain", CrawlScope::kDomain},
          {"web", CrawlScope::kWeb}}) {
      if (scope != name) continue;
      options_.scope = known;
      return Status::Ok();
    }
    return Wrong("scope must be prefix, host, domain or web");
  }

  const ServeJson& json_;
  CrawlOptions& options_;
};

/// The options of a new crawl, from the body of a request.
Result<CrawlOptions> ReadNewCrawl(const ServeJson& body, const CrawlOptions& defaults) {
  CrawlOptions options = defaults;
  Result<std::vector<std::string>> seeds = ReadTexts(body, "seeds");
  if (!seeds.ok()) return seeds.status();
  if (seeds->empty()) return Status(StatusCode::kInvalidArgument, "seeds are missing");
  options.seeds = std::move(seeds).value();
  if (const auto given = body.find("options"); given != body.end()) {
    if (Status status = OptionReader(*given, &options).Read(); !status.ok()) return status;
  }
  const auto urls = ParseSeeds(options);
  if (!urls.ok()) return urls.status();
  if (const auto scope = MakeScope(options, *urls); !scope.ok()) return scope.status();
  return options;
}

}  // namespace

HttpResponse StartCrawl(CrawlService& service, const RoutedRequest& request) {
  if (!service.runner().can_start()) {
    return ErrorResponse(409, "this service starts no crawls; `crawler serve --root` does");
  }
  const Result<ServeJson> body = ReadBody(request.http);
  if (!body.ok()) return FailureResponse(body.status());
  const std::string name = ReadText(*body, "name");
  if (!IsCrawlName(name)) {
    return ErrorResponse(400, "name must be up to 100 letters, digits, '-', '_' and '.'");
  }
  Result<CrawlOptions> options = ReadNewCrawl(*body, service.runner().defaults());
  if (!options.ok()) return FailureResponse(options.status());
  const std::filesystem::path folder = std::filesystem::path(service.crawls().root()) / name;
  std::error_code error;
  // create_directory() follows no symbolic link at the end of the path.
  if (!std::filesystem::create_directory(folder, error)) {
    if (error && error != std::errc::file_exists)
      return ErrorResponse(503, "the folder cannot be made: " + error.message());
    return ErrorResponse(409, "there is a crawl or a file " + name + " already");
  }
  CrawlRunner::Job job;
  job.kind = CrawlRunner::Job::Kind::kNew;
  job.options = std::move(options).value();
  job.crawl = service.crawls().Add(folder.string());
  const RoutedRequest started{request.http, job.crawl};
  const Status status = service.runner().Start(std::move(job));
  if (!status.ok()) return ErrorResponse(409, status.message());
  HttpResponse response = JsonResponse({{"name", started.crawl->name()}});
  response.status = 201;
  return response;
}

HttpResponse PauseCrawl(CrawlService& service, const RoutedRequest& request) {
  if (!request.crawl->WithCrawl([](WebCrawl& crawl) { crawl.Pause(); })) {
    return NotHere(*request.crawl);
  }
  return Changed(service, request, 200);
}

HttpResponse ResumeCrawl(CrawlService& service, const RoutedRequest& request) {
  if (request.crawl->WithCrawl([](WebCrawl& crawl) { crawl.Continue(); })) {
    return Changed(service, request, 200);
  }
  if (!service.runner().can_start()) return NotHere(*request.crawl);
  return StartJob(service, request, {});
}

HttpResponse StopCrawl(CrawlService& service, const RoutedRequest& request) {
  const bool stopped = service.runner().Unqueue(*request.crawl) ||
                       request.crawl->WithCrawl([](WebCrawl& crawl) { crawl.Stop(); });
  return stopped ? Changed(service, request, 202) : NotHere(*request.crawl);
}

HttpResponse RetryCrawl(CrawlService& service, const RoutedRequest& request) {
  const Result<ServeJson> body = ReadBody(request.http);
  if (!body.ok()) return FailureResponse(body.status());
  const RetrySelection selection{ReadText(*body, "host"), ReadText(*body, "kind")};
  const Result<RetryFilter> filter = MakeRetryFilter(selection.host, selection.kind);
  if (!filter.ok()) return FailureResponse(filter.status());
  if (request.crawl->WithCrawl([](const WebCrawl&) {})) {
    request.crawl->AskRetry(selection);
    return Changed(service, request, 202);
  }
  CrawlRunner::Job job;
  job.kind = CrawlRunner::Job::Kind::kRetry;
  job.selection = selection;
  return StartJob(service, request, std::move(job));
}

HttpResponse RepeatCrawl(CrawlService& service, const RoutedRequest& request) {
  CrawlRunner::Job job;
  job.kind = CrawlRunner::Job::Kind::kRecrawl;
  return StartJob(service, request, std::move(job));
}

HttpResponse AddSeeds(CrawlService&, const RoutedRequest& request) {
  const Result<ServeJson> body = ReadBody(request.http);
  if (!body.ok()) return FailureResponse(body.status());
  Result<std::vector<std::string>> seeds = ReadTexts(*body, "seeds");
  if (!seeds.ok()) return FailureResponse(seeds.status());
  if (seeds->empty()) return ErrorResponse(400, "seeds are missing");
  Result<std::size_t> added = std::size_t{0};
  if (!request.crawl->WithCrawl([&](WebCrawl& crawl) { added = crawl.AddSeeds(*seeds); })) {
    return NotHere(*request.crawl);
  }
  if (!added.ok()) return FailureResponse(added.status());
  return JsonResponse({{"added", *added}});
}

}  // namespace crawler
