#include "sim/simulated_web.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "fetch/http_fields.hpp"
#include "url/domain.hpp"

namespace crawler::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Time-outs of a fetcher with default options.
constexpr seconds kConnectTimeout{10};
constexpr seconds kResponseTimeout{20};
constexpr seconds kReadTimeout{30};

std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

bool HasBody(int status) { return status != 304 && status != 204; }

void FillHead(int status, std::string_view type, const std::string& more, FetchResult* result) {
  result->status = status;
  result->protocol = HttpVersion::kHttp11;
  std::string head = "HTTP/1.1 " + std::to_string(status) + " Simulated\r\n";
  if (HasBody(status)) {
    head.append("Content-Type: ").append(type).append("\r\nContent-Length: ");
    head.append(std::to_string(result->raw_body.size())).append("\r\n");
  }
  head.append(more).append("\r\n");
  result->headers = HeaderBlock(std::move(head));
  result->redirect = ReadRedirect(result->headers, status, result->url).url;
}

void FillRequestHead(const FetchRequest& request, FetchResult* result) {
  result->request_head = "GET " + std::string(request.url.path_and_query()) +
                         " HTTP/1.1\r\nHost: " + std::string(request.url.host()) + "\r\n\r\n";
}

void FillResource(const FetchRequest& request, const Resource* resource, FetchResult* result) {
  if (resource == nullptr) {
    result->raw_body = "<title>not found</title>";
    FillHead(404, "text/html", {}, result);
    return;
  }
  switch (resource->kind) {
    case Resource::Kind::kPage: {
      std::string more;
      if (!resource->etag.empty()) more = "ETag: " + resource->etag + "\r\n";
      if (!resource->etag.empty() && request.etag == resource->etag) {
        FillHead(304, {}, more, result);
        return;
      }
      result->raw_body = RenderPage(*resource);
      FillHead(200, "text/html; charset=utf-8", more, result);
      return;
    }
    case Resource::Kind::kFile:
      FillHead(200, "application/pdf", {}, result);
      result->failure = FetchFailure::kUnwantedType;
      result->message = "application/pdf";
      return;
    case Resource::Kind::kRedirect:
      FillHead(301, "text/html", "Location: " + resource->location + "\r\n", result);
      return;
    case Resource::Kind::kError:
      result->raw_body = "<title>error</title>";
      FillHead(resource->status, "text/html", {}, result);
      return;
    case Resource::Kind::kText:
      result->raw_body = resource->body;
      FillHead(resource->status, "text/plain", {}, result);
      return;
  }
}

// Replaces the good answer in `answer` by `fault`.
void Apply(const Fault& fault, SimulatedWeb::Answer* answer) {
  FetchResult& result = answer->result;
  answer->fault = fault;
  result.failure = fault.failure;
  switch (fault.failure) {
    case FetchFailure::kNone:
      result.raw_body = "<title>fault</title>";
      FillHead(fault.status, "text/html",
               fault.retry_after.empty() ? "" : "Retry-After: " + fault.retry_after + "\r\n",
               &result);
      return;
    case FetchFailure::kReadTimeout:
    case FetchFailure::kDisconnected:
      result.raw_body.resize(result.raw_body.size() / 2);
      result.truncated =
          fault.failure == FetchFailure::kReadTimeout ? Truncation::kTime : Truncation::kDisconnect;
      result.message = "simulated: the body was cut";
      if (fault.failure == FetchFailure::kReadTimeout) answer->latency = kReadTimeout;
      return;
    default:
      break;
  }
  result.message = "simulated";
  result.status = 0;
  result.protocol = HttpVersion::kNone;
  result.headers = HeaderBlock();
  result.redirect.reset();
  result.raw_body.clear();
  result.request_head.clear();
  if (fault.failure != FetchFailure::kResponseTimeout) result.remote_address.reset();
  if (fault.failure == FetchFailure::kConnectTimeout) answer->latency = kConnectTimeout;
  if (fault.failure == FetchFailure::kResponseTimeout) answer->latency = kResponseTimeout;
}

const Fault* OutageAt(const SimulatedHost& host, Moment now) {
  for (const Outage& outage : host.outages) {
    if (now >= outage.from && now < outage.to) return &outage.fault;
  }
  return nullptr;
}

const Fault* FaultOf(const Resource& resource, int reached_before) {
  const auto index = static_cast<std::size_t>(reached_before);
  if (index < resource.faults.size()) return &resource.faults[index];
  return resource.forever ? &*resource.forever : nullptr;
}

std::string Describe(const Fault& fault) {
  if (fault.failure != FetchFailure::kNone) return std::string(FetchFailureName(fault.failure));
  std::string text = std::to_string(fault.status);
  if (!fault.retry_after.empty()) text += " Retry-After " + fault.retry_after;
  return text;
}

std::string Describe(const Resource& resource) {
  std::string text;
  switch (resource.kind) {
    case Resource::Kind::kPage:
      text = "page";
      break;
    case Resource::Kind::kFile:
      text = "file";
      break;
    case Resource::Kind::kRedirect:
      text = "redirect to " + resource.location;
      break;
    case Resource::Kind::kError:
      text = "error " + std::to_string(resource.status);
      break;
    case Resource::Kind::kText:
      text = "text " + std::to_string(resource.status);
      break;
  }
  for (const Fault& fault : resource.faults) text += ", first " + Describe(fault);
  if (resource.forever) text += ", for ever " + Describe(*resource.forever);
  for (const SimulatedLink& link : resource.links) {
    text += (link.nofollow ? " (nofollow " : " (") + link.target + ")";
  }
  return text;
}

std::string Seconds(Moment moment) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(moment).count()) + " ms";
}

}  // namespace

Url ParsedUrl(std::string_view text) {
  Url url;
  ParseUrl(text, nullptr, &url);
  return url;
}

FetchRequest RequestFor(std::string_view url) {
  FetchRequest request;
  request.url = ParsedUrl(url);
  return request;
}

bool RobotsRules::Allows(std::string_view path) const {
  std::size_t longest_allow = 0, longest_disallow = 0;
  for (const std::string& prefix : allow) {
    if (path.starts_with(prefix)) longest_allow = std::max(longest_allow, prefix.size());
  }
  for (const std::string& prefix : disallow) {
    if (path.starts_with(prefix)) longest_disallow = std::max(longest_disallow, prefix.size());
  }
  return longest_disallow == 0 || longest_allow >= longest_disallow;
}

std::string RobotsRules::ToText() const {
  std::string text = "User-agent: *\n";
  for (const std::string& prefix : disallow) text += "Disallow: " + prefix + "\n";
  for (const std::string& prefix : allow) text += "Allow: " + prefix + "\n";
  if (crawl_delay) {
    std::string digits = std::to_string(crawl_delay->count() % 1000);
    digits.insert(0, 3 - digits.size(), '0');
    text += "Crawl-delay: " + std::to_string(crawl_delay->count() / 1000) + "." + digits + "\n";
  }
  for (const std::string& sitemap : sitemaps) text += "Sitemap: " + sitemap + "\n";
  return text;
}

void SimulatedHost::SetRobots(RobotsRules new_rules) {
  rules = std::move(new_rules);
  Resource file;
  file.kind = Resource::Kind::kText;
  file.body = rules->ToText();
  Add("/robots.txt", std::move(file));
}

Resource& SimulatedHost::Add(const std::string& path, Resource resource) {
  return resources.insert_or_assign(path, std::move(resource)).first->second;
}

Resource& SimulatedHost::AddPage(const std::string& path, const std::vector<std::string>& links) {
  Resource page;
  page.title = origin + path;
  page.text = "This is the page " + path + " of " + origin + ".";
  for (const std::string& link : links) {
    page.links.push_back({link, link.starts_with('/') ? origin + link : link, false});
  }
  return Add(path, std::move(page));
}

std::string RenderPage(const Resource& page) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><title>" + Escape(page.title) + "</title></head>\n";
  html += "<body>\n";
  for (const SimulatedLink& link : page.links) {
    html += "<a href=\"" + Escape(link.href) + "\"" + (link.nofollow ? " rel=\"nofollow\"" : "") +
            ">" + Escape(link.target) + "</a>\n";
  }
  html += "<p>" + Escape(page.text) + "</p>\n";
  // A body that is cut in half keeps all its links.
  html.append(html.size() + 16, ' ');
  return html + "</body></html>\n";
}

SimulatedHost& SimulatedWeb::AddHost(const std::string& name) {
  SimulatedHost host;
  host.origin = "http://" + name;
  const Url url = ParsedUrl(host.origin + "/");
  host.site = SiteOf(UrlView(url.href(), url));
  host.address = IpAddress::V4(0x05000001u + static_cast<std::uint32_t>(hosts_.size()));
  const std::string origin = host.origin;
  return hosts_.insert_or_assign(origin, std::move(host)).first->second;
}

const SimulatedHost* SimulatedWeb::FindHost(std::string_view origin) const {
  const auto found = hosts_.find(origin);
  return found == hosts_.end() ? nullptr : &found->second;
}

const Resource* SimulatedWeb::Find(std::string_view url) const {
  const Url parsed = ParsedUrl(url);
  const SimulatedHost* const host = FindHost(parsed.Origin());
  if (host == nullptr) return nullptr;
  const auto found = host->resources.find(parsed.path_and_query());
  return found == host->resources.end() ? nullptr : &found->second;
}

SimulatedWeb::Answer SimulatedWeb::Ask(const FetchRequest& request, int reached_before,
                                       Moment now) const {
  Answer answer;
  FetchResult& result = answer.result;
  result.url = request.url;
  const SimulatedHost* const host = FindHost(request.url.Origin());
  if (host == nullptr) {
    answer.latency = milliseconds(5);
    Apply(Fault::Failure(FetchFailure::kDns), &answer);
  } else {
    const std::string key = std::string(request.url.href()) + " " + std::to_string(reached_before);
    const auto jitter = static_cast<int>(Hash64(key, seed_) % 1000);
    answer.latency = host->latency + host->latency * jitter / 1000;
    result.remote_address = host->address;
    result.remote_port = 80;
    FillRequestHead(request, &result);
    const auto found = host->resources.find(request.url.path_and_query());
    const Resource* const resource = found == host->resources.end() ? nullptr : &found->second;
    FillResource(request, resource, &result);
    const milliseconds patience =
        request.response_timeout.count() > 0 ? request.response_timeout : kResponseTimeout;
    const Fault* fault = OutageAt(*host, now);
    answer.reached = fault == nullptr;
    if (fault == nullptr && resource != nullptr) fault = FaultOf(*resource, reached_before);
    if (fault != nullptr) {
      Apply(*fault, &answer);
    } else if (answer.latency >= patience) {
      Apply(Fault::Failure(FetchFailure::kResponseTimeout), &answer);
    }
    if (result.failure == FetchFailure::kResponseTimeout) answer.latency = patience;
    if (result.failure == FetchFailure::kUnwantedType && request.any_type) {
      result.failure = FetchFailure::kNone;
      result.message.clear();
    }
  }
  result.timings.total = std::chrono::duration_cast<std::chrono::microseconds>(answer.latency);
  if (result.status != 0) {
    result.timings.connected = result.timings.total / 4;
    result.timings.first_byte = result.timings.total / 2;
  }
  return answer;
}

std::string SimulatedWeb::Describe() const {
  std::string text;
  for (const auto& [origin, host] : hosts_) {
    text += origin + " at " + host.address.ToString() + ", latency " + Seconds(host.latency) + "\n";
    if (host.rules) {
      std::string rules = host.rules->ToText();
      std::replace(rules.begin(), rules.end(), '\n', ';');
      text += "  rules " + rules + "\n";
    }
    for (const Outage& outage : host.outages) {
      text += "  from " + Seconds(outage.from) + " to " + Seconds(outage.to) + ": " +
              sim::Describe(outage.fault) + "\n";
    }
    for (const auto& [path, resource] : host.resources) {
      text += "  " + path + ": " + sim::Describe(resource) + "\n";
    }
  }
  return text;
}

}  // namespace crawler::sim
