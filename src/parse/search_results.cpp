#include "parse/search_results.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "url/percent.hpp"

namespace crawler {
namespace {

constexpr std::string_view kResult = "search result", kEmpty = "search empty",
                           kChallenged = "search challenged";

// Calls `visit` for each class name of a class attribute.
template <typename Visit>
void ForEachClass(std::string_view classes, Visit visit) {
  while (!classes.empty()) {
    const auto* const end = std::find_if(classes.begin(), classes.end(), IsSpace);
    const auto size = static_cast<std::size_t>(end - classes.begin());
    if (size > 0) visit(classes.substr(0, size));
    classes.remove_prefix(std::min(size + 1, classes.size()));
  }
}

// The URL that `href` leads to; empty if it is an advertisement or no web page.
std::string TargetOf(std::string_view href, const Url& page) {
  Url link;
  if (ParseUrl(href, &page, &link) != UrlKind::kFollowable) return {};
  if (link.path() == "/y.js") return {};  // Counts clicks on advertisements.
  if (link.path() != "/l/") return std::string(link.href());
  const std::string wrapped = QueryParameter(link.query(), "uddg");
  Url target;
  if (ParseUrl(wrapped, nullptr, &target) != UrlKind::kFollowable) return {};
  if (target.path() == "/y.js") return {};
  return std::string(target.href());
}

}  // namespace

void SearchResultLinks::OnStartTag(const StartTag& tag, ExtractorOutput& out) {
  const std::optional<std::string> classes = tag.Attribute("class");
  if (!classes) return;
  bool result = false, advertisement = false, link = false;
  ForEachClass(*classes, [&](std::string_view name) {
    result |= name == "result";
    advertisement |= name == "result--ad";
    link |= name == "result__a";
    if (name == "no-results") out.AddField(kEmpty, "yes");
    if (name.starts_with("anomaly-modal")) out.AddField(kChallenged, "yes");
  });
  if (result || advertisement) in_advertisement_ = advertisement;
  if (!link || advertisement || in_advertisement_ || tag.id() != TagId::kA) return;
  if (const std::optional<std::string> href = tag.Attribute(AttrId::kHref)) {
    out.AddField(kResult, *href);
  }
}

SearchResults ReadSearchResults(const Page& page, const Url& url) {
  SearchResults results;
  for (const PageField& field : page.fields) {
    results.empty |= field.name == kEmpty;
    results.challenged |= field.name == kChallenged;
    if (field.name != kResult) continue;
    std::string target = TargetOf(field.value, url);
    const bool known =
        std::find(results.urls.begin(), results.urls.end(), target) != results.urls.end();
    if (!target.empty() && !known) results.urls.push_back(std::move(target));
  }
  return results;
}

}  // namespace crawler
