// Answers that are written piece by piece, and stored copies.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "inspect/inspect.hpp"
#include "serve/crawl_json.hpp"
#include "serve/handler_parts.hpp"
#include "serve/request_guard.hpp"
#include "serve/routes.hpp"

namespace crawler {
namespace {

constexpr std::chrono::minutes kExportTime{10};
constexpr std::chrono::seconds kStatusInterval{1};
constexpr std::size_t kPiece = 64 << 10;  ///< Bytes of an export that are sent at once.

/// A name for a file, whatever the crawl is called.
std::string FileName(const std::string& crawl, std::string_view what, std::string_view format) {
  std::string name = crawl + "-" + std::string(what) + "." + std::string(format);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !IsLetter(c) && !IsDigit(c) && c != '-' && c != '_' && c != '.'; }, '_');
  return name;
}

void Export(CrawlService& service, const std::string& folder, const std::string& what,
            DataFormat format, const HttpWrite& write) {
  std::string piece;
  const auto flush = [&] {
    const bool sent = piece.empty() || write(piece);
    piece.clear();
    return sent;
  };
  const TextSink sink = [&](std::string_view text) {
    piece += text;
    return piece.size() < kPiece || flush();
  };
  const ReadLimits limits{kExportTime, service.stopped()};
  (void)ExportFolder(folder, what, format, sink, limits, false);
  flush();
}

/// The charset of a Content-Type in a response head, if it is a plain word.
std::string CharsetOf(std::string_view head) {
  std::string lower(head);
  for (char& c : lower) c = Lower(c);
  const std::size_t field = lower.find("\ncontent-type:");
  if (field == std::string::npos) return "";
  const std::string line = lower.substr(field + 1, lower.find('\n', field + 1) - field - 1);
  constexpr std::string_view kCharset = "charset=";
  const std::size_t at = line.find(kCharset);
  if (at == std::string::npos) return "";
  std::string charset;
  for (const char c : line.substr(at + kCharset.size())) {
    if (c == '"' && charset.empty()) continue;
    if (!IsLetter(c) && !IsDigit(c) && c != '-' && c != '_') break;
    charset += c;
  }
  return charset;
}

bool WriteEvent(const HttpWrite& write, std::string_view kind, std::string_view data) {
  return write("event: " + std::string(kind) + "\ndata: " + std::string(data) + "\n\n");
}

void FollowEvents(CrawlService& service, ServedCrawl& crawl, const HttpWrite& write) {
  std::uint64_t last = crawl.events().last();
  auto next_status = std::chrono::steady_clock::now();
  while (!service.stopping()) {
    if (std::chrono::steady_clock::now() >= next_status) {
      next_status = std::chrono::steady_clock::now() + kStatusInterval;
      const std::string status = ToText(StatusJson(crawl.name(), crawl.View()));
      if (!WriteEvent(write, "status", status)) return;
    }
    for (const EventLog::Event& event : crawl.events().WaitBehind(last, next_status)) {
      last = event.number;
      if (!WriteEvent(write, event.kind, event.data)) return;
    }
  }
}

}  // namespace

HttpResponse AnswerExport(CrawlService& service, const RoutedRequest& request) {
  const std::string what(request.http.Parameter("what"));
  const std::string format(request.http.Parameter("format"));
  const auto kinds = ListExports();
  const bool known = std::any_of(kinds.begin(), kinds.end(),
                                 [&](const ExportKind& kind) { return what == kind.name; });
  if (!known || what == "graph") {
    return ErrorResponse(400, "what must be one of the exports of `crawler export`, but graph");
  }
  if (!format.empty() && format != "csv" && format != "jsonl") {
    return ErrorResponse(400, "format must be csv or jsonl");
  }
  const bool jsonl = format == "jsonl";
  if (const CrawlView view = request.crawl->View(); !view.status.error.empty()) {
    return ErrorResponse(503, view.status.error);
  }
  auto slot = std::make_shared<WorkSlots::Lease>(service.streams(), std::chrono::milliseconds(0));
  if (!slot->held()) return BusyResponse();
  HttpResponse response;
  response.type = jsonl ? "application/x-ndjson" : "text/csv; charset=utf-8";
  response.headers.emplace_back("Content-Disposition",
                                "attachment; filename=\"" +
                                    FileName(request.crawl->name(), what, jsonl ? "jsonl" : "csv") +
                                    "\"");
  response.stream = [&service, slot, folder = request.crawl->folder(), what,
                     jsonl](const HttpWrite& write) {
    Export(service, folder, what, jsonl ? DataFormat::kJsonl : DataFormat::kCsv, write);
  };
  return response;
}

HttpResponse AnswerContent(CrawlService& service, const RoutedRequest& request) {
  const std::string url(request.http.Parameter("url"));
  if (url.empty() || url.size() > 2'000) {
    return ErrorResponse(400, "the parameter url must have between 1 and 2000 bytes");
  }
  const WorkSlots::Lease slot(service.queries(), kPatience);
  if (!slot.held()) return BusyResponse();
  ArchivedContent content = ReadStored(request.crawl->folder(), url);
  if (content.outcome.kind == ReadOutcome::Kind::kNotFound) {
    return ErrorResponse(404, content.outcome.error);
  }
  if (content.outcome.kind == ReadOutcome::Kind::kBadRequest) {
    return ErrorResponse(400, content.outcome.error);
  }
  if (content.outcome.kind != ReadOutcome::Kind::kDone) {
    return ErrorResponse(503, content.outcome.error);
  }
  HttpResponse response;
  response.headers = {{"Content-Security-Policy", kSandboxPolicy},
                      {"X-Frame-Options", "SAMEORIGIN"}};
  if (request.http.Parameter("as") == "text") {
    response.type = "text/plain; charset=utf-8";
    response.body = std::move(content.text);
    return response;
  }
  const std::string charset = CharsetOf(content.head);
  const bool html =
      content.media_type == "text/html" || content.media_type == "application/xhtml+xml";
  response.type = html ? "text/html" : "text/plain";
  if (!charset.empty()) response.type += "; charset=" + charset;
  if (!html && !content.media_type.starts_with("text/")) {
    response.type = "application/octet-stream";
    response.headers.emplace_back("Content-Disposition", "attachment");
  }
  response.body = std::move(content.body);
  return response;
}

HttpResponse AnswerEvents(CrawlService& service, const RoutedRequest& request) {
  auto slot = std::make_shared<WorkSlots::Lease>(service.streams(), std::chrono::milliseconds(0));
  if (!slot->held()) return BusyResponse();
  HttpResponse response;
  response.type = "text/event-stream";
  response.stream = [&service, slot, crawl = request.crawl](const HttpWrite& write) {
    FollowEvents(service, *crawl, write);
  };
  return response;
}

}  // namespace crawler
