#include "serve/service.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "serve/routes.hpp"
#include "serve/web_files.hpp"

namespace crawler {
namespace {

constexpr Route kRoutes[] = {
    {"GET", "/health", AnswerHealth},
    {"GET", "/ready", AnswerReady},
    {"GET", "/metrics", AnswerMetrics},
    {"GET", "/api/v1/openapi.json", AnswerOpenApi},
    {"GET", "/api/v1/crawls", AnswerCrawls},
    {"POST", "/api/v1/crawls", StartCrawl},
    {"GET", "/api/v1/crawls/{name}/status", AnswerStatus},
    {"GET", "/api/v1/crawls/{name}/series", AnswerSeries},
    {"GET", "/api/v1/crawls/{name}/hosts", AnswerHosts},
    {"GET", "/api/v1/crawls/{name}/hosts/robots", AnswerRobots},
    {"GET", "/api/v1/crawls/{name}/pages", AnswerPages},
    {"GET", "/api/v1/crawls/{name}/explain", AnswerExplain},
    {"GET", "/api/v1/crawls/{name}/links", AnswerLinks},
    {"GET", "/api/v1/crawls/{name}/graph", AnswerGraph},
    {"GET", "/api/v1/crawls/{name}/search", AnswerSearch},
    {"GET", "/api/v1/crawls/{name}/suggest", AnswerSuggest},
    {"GET", "/api/v1/crawls/{name}/export", AnswerExport},
    {"GET", "/api/v1/crawls/{name}/content", AnswerContent},
    {"GET", "/api/v1/crawls/{name}/events", AnswerEvents},
    {"POST", "/api/v1/crawls/{name}/pause", PauseCrawl},
    {"POST", "/api/v1/crawls/{name}/resume", ResumeCrawl},
    {"POST", "/api/v1/crawls/{name}/stop", StopCrawl},
    {"POST", "/api/v1/crawls/{name}/retry", RetryCrawl},
    {"POST", "/api/v1/crawls/{name}/recrawl", RepeatCrawl},
    {"POST", "/api/v1/crawls/{name}/seeds", AddSeeds},
};

/// Whether `path` is the route's, and the name of the crawl in it.
bool MatchesRoute(std::string_view pattern, std::string_view path, std::string_view* name) {
  constexpr std::string_view kName = "{name}";
  const std::size_t begin = pattern.find(kName);
  if (begin == std::string_view::npos) return pattern == path;
  const std::string_view rest = pattern.substr(begin + kName.size());
  if (!path.starts_with(pattern.substr(0, begin)) || path.size() <= begin + rest.size())
    return false;
  path.remove_prefix(begin);
  const std::size_t end = path.find('/');
  if (end == 0 || end == std::string_view::npos || path.substr(end) != rest) return false;
  *name = path.substr(0, end);
  return true;
}

HttpResponse AnswerFile(const WebFile& file, const HttpRequest& request) {
  HttpResponse response;
  const std::string etag = "\"" + std::string(file.digest) + "\"";
  response.headers = {{"ETag", etag}, {"Cache-Control", "no-cache"}};
  response.type = file.type;
  if (request.Header("if-none-match") == etag) {
    response.status = 304;
  } else {
    response.body = file.content;
  }
  return response;
}

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

CrawlService::CrawlService(ServeOptions options)
    : options_(std::move(options)),
      crawls_(options_.folders, options_.root),
      runner_(options_.root.empty() ? 0 : std::max(options_.parallel, 1), options_.on_log,
              options_.defaults) {}

CrawlService::~CrawlService() { Stop(); }

Status CrawlService::Start() {
  if (options_.token.empty() && !IsLoopback(options_.address)) {
    return Status(StatusCode::kInvalidArgument,
                  "listening at " + options_.address +
                      " needs a token: put one into the environment variable CRAWLER_TOKEN");
  }
  http_ = std::make_unique<HttpServer>(
      [this](const HttpRequest& request) -> std::optional<HttpResponse> {
        if (guard_ready_.load(std::memory_order_acquire)) return guard_->Check(request);
        return ErrorResponse(503, "the service begins");
      },
      [this](const HttpRequest& request) { return Answer(request); });
  if (Status status = http_->Listen(options_.address, options_.port); !status.ok()) return status;
  guard_ = std::make_unique<RequestGuard>(options_.token, options_.address, http_->port());
  guard_ready_.store(true, std::memory_order_release);
  sampler_ = std::thread([this] { SampleAll(); });
  return Status::Ok();
}

void CrawlService::Stop() {
  stopping_.store(true);
  {
    MutexLock lock(mutex_);
    stop_.SignalAll();
  }
  runner_.StopAll();
  if (sampler_.joinable()) sampler_.join();
  if (http_ != nullptr) http_->Stop();
}

std::string CrawlService::url() const {
  const bool v6 = options_.address.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + options_.address + "]" : options_.address;
  return "http://" + host + ":" + std::to_string(http_ != nullptr ? http_->port() : 0) + "/";
}

void CrawlService::SampleAll() {
  constexpr std::chrono::seconds kInterval{1};
  auto next = std::chrono::steady_clock::now();
  while (!stopping()) {
    for (const auto& crawl : crawls_.All()) {
      if (crawl->running() && !stopping()) crawl->Sample();
    }
    next = std::max(next + kInterval, std::chrono::steady_clock::now());
    MutexLock lock(mutex_);
    while (!stopping() && stop_.WaitUntil(mutex_, next)) {
    }
  }
}

HttpResponse CrawlService::Answer(const HttpRequest& request) {
  const std::string path = request.path == "/" ? "/web/index.html" : request.path;
  bool other_method = false;
  for (const Route& route : kRoutes) {
    std::string_view name;
    if (!MatchesRoute(route.path, path, &name)) continue;
    if (request.method != route.method) {
      other_method = true;
      continue;
    }
    std::shared_ptr<ServedCrawl> crawl;
    if (!name.empty()) {
      crawl = crawls_.Find(name);
      if (crawl == nullptr) return ErrorResponse(404, "there is no crawl " + std::string(name));
    }
    return route.handler(*this, {request, std::move(crawl)});
  }
  if (other_method) return ErrorResponse(405, "this path is not for " + request.method);
  for (const WebFile& file : WebFiles()) {
    if (request.method == "GET" && path == file.path) return AnswerFile(file, request);
  }
  return ErrorResponse(404, "there is nothing at this path");
}

}  // namespace crawler
