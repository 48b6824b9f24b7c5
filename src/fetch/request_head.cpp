#include "fetch/request_head.hpp"

namespace crawler {

std::string RequestUrl(const Url& url) {
  if (!url.has_credentials()) return std::string(url.href_without_fragment());
  std::string text(url.scheme());
  text.append("://").append(url.host_and_port()).append(url.path_and_query());
  return text;
}

std::vector<std::string> ConditionLines(const FetchRequest& request) {
  std::vector<std::string> lines;
  // Values of a response's head, which has been checked; a line break could only be ours.
  const auto add = [&lines](std::string_view name, const std::string& value) {
    if (value.empty() || value.find_first_of("\r\n") != std::string::npos) return;
    lines.emplace_back(name).append(value);
  };
  add("If-None-Match: ", request.etag);
  add("If-Modified-Since: ", request.last_modified);
  return lines;
}

std::string RequestHead(const FetchContext& context, const FetchRequest& request, bool http10) {
  const Url& url = request.url;
  const std::string& proxy = context.options().proxy;
  // A proxy of the http kind is told the whole URL; for https it is only asked for a tunnel.
  const bool proxied = proxy.starts_with("http") && url.scheme() == "http";

  std::string head = request.method == FetchRequest::Method::kHead ? "HEAD " : "GET ";
  if (proxied) {
    head += RequestUrl(url);
  } else {
    head += url.path_and_query();
  }
  head += http10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  if (context.custom_host_line()) {
    head += *context.custom_host_line();
  } else {
    head.append("Host: ").append(url.host_and_port()).append("\r\n");
  }
  if (proxied && proxy.find('@') != std::string::npos) {
    head += "Proxy-Authorization: [withheld]\r\n";
  }
  if (proxied) head += "Proxy-Connection: Keep-Alive\r\n";
  for (const std::string& line : ConditionLines(request)) head.append(line).append("\r\n");
  head += context.HeadersFor(url).archived;
  head += "\r\n";
  return head;
}

}  // namespace crawler
