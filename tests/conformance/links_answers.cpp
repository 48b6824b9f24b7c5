#include <string>

#include "answers.hpp"
#include "model/headers.hpp"
#include "parse/html_extractor.hpp"

namespace crawler {

using nlohmann::json;

// The set was made with browsers' parsers: scripts on, and URLs as resolved, not in normal form.
json AnswerLinks(const json& test_case) {
  ExtractOptions options;
  options.scripting = true;
  HtmlExtractor extractor(options);

  std::string head = "HTTP/1.1 200 OK\r\n";
  const json headers = test_case.value("headers", json::object());
  for (const auto& [name, value] : headers.items()) {
    head += name + ": " + value.get<std::string>() + "\r\n";
  }
  const HeaderBlock block(head + "\r\n");
  HtmlExtractor::Context context;
  context.headers = &block;

  Url url, base, target;
  ParseUrl(test_case.at("url").get<std::string>(), nullptr, &url);
  Page page;
  const std::string html = test_case.at("html").get<std::string>();
  extractor.Extract(html, url, context, &page);
  ParseUrl(page.base_url, nullptr, &base);

  json links = json::array();
  for (const Link& link : page.links) {
    const bool in_header = link.source == LinkSource::kHeaderLink;
    if (ParseUrl(page.Href(link), in_header ? &url : &base, &target) == UrlKind::kInvalid) continue;
    links.push_back({{"tag", LinkTag(link.source)},
                     {"attr", LinkAttribute(link.source)},
                     {"url", target.href()}});
  }
  return {{"links", std::move(links)}};
}

}  // namespace crawler
