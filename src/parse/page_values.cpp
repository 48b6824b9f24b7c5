#include "parse/page_values.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace crawler {
namespace {

constexpr std::string_view kSpaces = " \t\n\f\r";

void SkipSpaces(std::string_view* text) {
  text->remove_prefix(std::min(text->find_first_not_of(kSpaces), text->size()));
}

std::string_view Trim(std::string_view text) {
  SkipSpaces(&text);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Takes the next piece off `*rest`: what stands before one of `separators`.
std::string_view TakeUntil(std::string_view* rest, std::string_view separators) {
  const std::size_t end = std::min(rest->find_first_of(separators), rest->size());
  const std::string_view piece = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return piece;
}

struct RelWord {
  std::string_view word;
  std::uint32_t bit;
};
constexpr RelWord kRelWords[] = {{"nofollow", kRelNofollow},
                                 {"ugc", kRelUgc},
                                 {"sponsored", kRelSponsored},
                                 {"canonical", kRelCanonical},
                                 {"alternate", kRelAlternate},
                                 {"stylesheet", kRelStylesheet},
                                 {"icon", kRelIcon},
                                 {"next", kRelNext},
                                 {"prev", kRelPrev},
                                 {"previous", kRelPrev},
                                 {"preload", kRelPreload},
                                 {"modulepreload", kRelModulepreload},
                                 {"prefetch", kRelPrefetch},
                                 {"preconnect", kRelPreconnect},
                                 {"dns-prefetch", kRelDnsPrefetch},
                                 {"manifest", kRelManifest},
                                 {"search", kRelSearch},
                                 {"pingback", kRelPingback},
                                 {"amphtml", kRelAmphtml},
                                 {"license", kRelLicense},
                                 {"author", kRelAuthor},
                                 {"noopener", kRelNoopener},
                                 {"noreferrer", kRelNoreferrer}};

void ApplyDirective(std::string_view word, RobotsDirectives* directives) {
  if (EqualsNoCase(word, "none")) directives->noindex = directives->nofollow = true;
  if (EqualsNoCase(word, "noindex")) directives->noindex = true;
  if (EqualsNoCase(word, "nofollow")) directives->nofollow = true;
  if (EqualsNoCase(word, "noarchive")) directives->noarchive = true;
  if (EqualsNoCase(word, "nosnippet")) directives->nosnippet = true;
  if (EqualsNoCase(word, "noimageindex")) directives->noimageindex = true;
}

bool IsProductToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (Lower(c) >= 'a' && Lower(c) <= 'z') || IsDigit(c) || c == '-' || c == '_' || c == '*';
  });
}

// A directive that has a value behind a colon, which is not the name of a robot.
bool TakesValue(std::string_view word) {
  return EqualsNoCase(word, "unavailable_after") || EqualsNoCase(word, "max-snippet") ||
         EqualsNoCase(word, "max-image-preview") || EqualsNoCase(word, "max-video-preview");
}

// Reads a token or a quoted string of a header parameter off `*rest`.
std::string TakeParameterValue(std::string_view* rest) {
  std::string value;
  if (rest->empty() || rest->front() != '"') {
    const std::size_t end = std::min(rest->find_first_of(" \t;,"), rest->size());
    value = rest->substr(0, end);
    rest->remove_prefix(end);
    return value;
  }
  rest->remove_prefix(1);
  while (!rest->empty() && rest->front() != '"') {
    if (rest->front() == '\\' && rest->size() > 1) rest->remove_prefix(1);
    value += rest->front();
    rest->remove_prefix(1);
  }
  if (!rest->empty()) rest->remove_prefix(1);
  return value;
}

// Reads ";name=value" off `*rest`; false when there is no further parameter.
bool TakeParameter(std::string_view* rest, std::string* name, std::string* value) {
  SkipSpaces(rest);
  if (rest->empty() || rest->front() != ';') return false;
  rest->remove_prefix(1);
  SkipSpaces(rest);
  const std::size_t end = std::min(rest->find_first_of(" \t=;,"), rest->size());
  name->assign(rest->substr(0, end));
  std::transform(name->begin(), name->end(), name->begin(), Lower);
  rest->remove_prefix(end);
  SkipSpaces(rest);
  value->clear();
  if (!rest->empty() && rest->front() == '=') {
    rest->remove_prefix(1);
    SkipSpaces(rest);
    *value = TakeParameterValue(rest);
  }
  return true;
}

}  // namespace

bool EqualsNoCase(std::string_view a, std::string_view lower_case_b) {
  return std::equal(a.begin(), a.end(), lower_case_b.begin(), lower_case_b.end(),
                    [](char x, char y) { return Lower(x) == y; });
}

std::optional<std::string_view> SrcsetReader::Next() {
  while (!rest_.empty() && (IsSpace(rest_.front()) || rest_.front() == ',')) {
    rest_.remove_prefix(1);
  }
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = std::min(rest_.find_first_of(kSpaces), rest_.size());
  std::string_view url = rest_.substr(0, end);
  rest_.remove_prefix(end);
  if (url.back() != ',') {
    SkipDescriptors();
    return url;
  }
  while (url.back() == ',') url.remove_suffix(1);  // It did not begin with one.
  return url;
}

// A comma in parentheses does not end the candidate.
void SrcsetReader::SkipDescriptors() {
  bool in_parentheses = false;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (rest_[i] == '(') in_parentheses = true;
    if (rest_[i] == ')') in_parentheses = false;
    if (rest_[i] == ',' && !in_parentheses) {
      rest_.remove_prefix(i + 1);
      return;
    }
  }
  rest_ = {};
}

std::optional<std::string_view> MetaRefreshTarget(std::string_view content) {
  std::string_view rest = content;
  SkipSpaces(&rest);
  if (rest.empty() || (!IsDigit(rest.front()) && rest.front() != '.')) return std::nullopt;
  while (!rest.empty() && (IsDigit(rest.front()) || rest.front() == '.')) rest.remove_prefix(1);
  if (rest.empty()) return std::nullopt;
  if (rest.front() != ';' && rest.front() != ',' && !IsSpace(rest.front())) return std::nullopt;
  SkipSpaces(&rest);
  if (!rest.empty() && (rest.front() == ';' || rest.front() == ',')) rest.remove_prefix(1);
  SkipSpaces(&rest);
  if (rest.empty()) return std::nullopt;

  if (Lower(rest.front()) == 'u') {
    // "url=" is skipped if all of it is there; otherwise the word is part of the URL.
    if (rest.size() < 3 || !EqualsNoCase(rest.substr(0, 3), "url")) return rest;
    std::string_view behind = rest.substr(3);
    SkipSpaces(&behind);
    if (behind.empty() || behind.front() != '=') return rest;
    behind.remove_prefix(1);
    SkipSpaces(&behind);
    rest = behind;
  }
  if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
    const char quote = rest.front();
    rest.remove_prefix(1);
    rest = rest.substr(0, rest.find(quote));
  }
  return rest;
}

std::uint32_t ParseRel(std::string_view rel) {
  std::uint32_t bits = 0;
  while (!rel.empty()) {
    const std::string_view word = TakeUntil(&rel, kSpaces);
    if (word.empty()) continue;
    const auto* found = std::find_if(std::begin(kRelWords), std::end(kRelWords),
                                     [&](const RelWord& w) { return EqualsNoCase(word, w.word); });
    bits |= found == std::end(kRelWords) ? kRelOther : found->bit;
  }
  return bits;
}

RobotsDirectives ParseRobotsContent(std::string_view content) {
  RobotsDirectives directives;
  while (!content.empty()) ApplyDirective(TakeUntil(&content, ", \t\n\f\r;"), &directives);
  return directives;
}

RobotsDirectives ParseXRobotsTag(std::string_view value, std::string_view agent) {
  RobotsDirectives directives;
  bool applies = true;  // Until a robot is named, to all.
  while (!value.empty()) {
    std::string_view word = Trim(TakeUntil(&value, ","));
    const std::size_t colon = word.find(':');
    if (colon != word.npos) {
      const std::string_view name = Trim(word.substr(0, colon));
      if (IsProductToken(name) && !TakesValue(name)) {
        std::string lower_agent(agent);
        std::transform(lower_agent.begin(), lower_agent.end(), lower_agent.begin(), Lower);
        applies = name == "*" || EqualsNoCase(name, "robots") || EqualsNoCase(name, lower_agent);
        word = Trim(word.substr(colon + 1));
      }
    }
    if (applies) ApplyDirective(word, &directives);
  }
  return directives;
}

std::vector<LinkHeaderValue> ParseLinkHeader(std::string_view value) {
  std::vector<LinkHeaderValue> links;
  std::string name, parameter;
  while (!value.empty()) {
    const std::size_t open = value.find('<');
    if (open == value.npos) break;
    const std::size_t close = value.find('>', open);
    if (close == value.npos) break;
    LinkHeaderValue link;
    link.target = value.substr(open + 1, close - open - 1);
    value.remove_prefix(close + 1);
    bool has_rel = false;
    while (TakeParameter(&value, &name, &parameter)) {
      if (name == "rel" && !has_rel) {  // The first one counts (RFC 8288, 3.3).
        link.rel = parameter;
        has_rel = true;
      } else if (name == "anchor") {
        link.has_anchor = true;
      } else if (name == "hreflang" && link.hreflang.empty()) {
        link.hreflang = parameter;
      } else if (name == "type" && link.type.empty()) {
        link.type = parameter;
      }
    }
    links.push_back(std::move(link));
    value.remove_prefix(std::min(value.find(','), value.size()));
  }
  return links;
}

}  // namespace crawler
