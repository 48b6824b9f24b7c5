#include <algorithm>
#include <charconv>
#include <map>

#include "base/ascii.hpp"
#include "index/language.hpp"
#include "search/compiler.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

/// `text` as URLs have it: blanks and what is not ASCII escaped; in small letters.
std::string LowerCaseEscaped(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f) {
      escaped += Lower(c);
    } else {
      escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return escaped;
}

bool HostIs(std::string_view host, std::string_view wanted) {
  if (!host.ends_with(wanted)) return false;
  return host.size() == wanted.size() || host[host.size() - wanted.size() - 1] == '.';
}

/// The first string behind all that begin with `prefix`. Bytes of UTF-8 are never 0xff.
std::string PastPrefix(std::string_view prefix) { return std::string(prefix) + '\xff'; }

/// How much of a prefix stems keep, as a rule: from there on words that begin so are looked at.
std::string_view StemOf(std::string_view prefix) {
  std::size_t size = std::min<std::size_t>(prefix.size(), 3);
  while (size < prefix.size() && (static_cast<unsigned char>(prefix[size]) & 0xc0) == 0x80) ++size;
  return prefix.substr(0, size);
}

}  // namespace

Status QueryCompiler::CompilePrefix(const QueryNode& query, bool wanted, MatcherPtr* matcher) {
  const std::string language = pages_->languages().empty() ? "" : pages_->languages().front().code;
  analyzer_.Words(query.text, language, &tokens_);
  std::erase_if(tokens_, [](const Token& token) { return token.is_part; });
  if (tokens_.empty()) return Status::Ok();
  // Of "std::vec*" the last word is the beginning of one; whole ones stand before it.
  std::string prefix(tokens_.back().term);
  // Terms are without marks; signs such as those of c++ would go, too.
  if (!IsAscii(prefix)) folder_.Fold(tokens_.back().term, Folder::Marks::kRemoved, &prefix);
  const std::string_view whole = std::string_view(query.text).substr(0, tokens_.back().offset);
  std::vector<std::string> terms;
  if (Status status = Expand(prefix, &terms); !status.ok()) return status;
  if (Status status = MakeWord(query, wanted, terms, matcher); !status.ok()) return status;
  if (tokens_.size() < 2) return Status::Ok();
  QueryNode before;
  before.kind = QueryNode::Kind::kPhrase;
  before.in = query.in;
  before.text.assign(whole);
  std::vector<MatcherPtr> both;
  both.push_back(std::move(*matcher));
  MatcherPtr words;
  bool optional = false;
  if (Status status = CompileText(before, wanted, &words, &optional); !status.ok()) return status;
  if (words != nullptr) both.push_back(std::move(words));
  *matcher = std::make_unique<AndMatcher>(std::move(both), std::vector<MatcherPtr>(),
                                          std::vector<MatcherPtr>());
  return Status::Ok();
}

Status QueryCompiler::Expand(const std::string& prefix, std::vector<std::string>* terms) {
  const auto [known, added] = expansions_.try_emplace(prefix);
  Expansion& expansion = known->second;
  if (added) {
    if (Status status = ReadExpansion(prefix, &expansion); !status.ok()) return status;
    KeepMostFrequent(&expansion);
  }
  is_exact_ = is_exact_ && expansion.is_whole;
  for (const auto& [document_freq, term] : expansion.terms) terms->push_back(term);
  return Status::Ok();
}

// Terms are stems, so a word may begin with the prefix though its term is shorter; what is shown
// of a term is a word.
Status QueryCompiler::ReadExpansion(std::string_view prefix, Expansion* expansion) {
  const std::string from(StemOf(prefix)), to = PastPrefix(from);
  std::string folded;
  const auto begins_so = [&](std::string_view term, std::string_view shown) {
    if (term.starts_with(prefix) || shown.starts_with(prefix)) return true;
    if (IsAscii(shown)) return false;
    folder_.Fold(shown, Folder::Marks::kRemoved, &folded);
    return folded.starts_with(prefix);
  };
  const auto read = [&](Statement& select, const auto& take) -> Status {
    return ForEachRow(select, [&](Statement& row) {
      if (!begins_so(row.Text(0), row.Text(2))) return;
      take(static_cast<std::uint64_t>(row.Int(1)), row.Text(0));
    });
  };
  Status status = read(expand_.Bind(1, from).Bind(2, to),
                       [&](std::uint64_t document_freq, std::string_view term) {
                         AddTerm(document_freq, term, expansion);
                       });
  if (!status.ok() || !expansion->terms.empty()) return status;
  // The table is made at the end of a crawl; until then the segments say which terms there are.
  std::map<std::string, std::uint64_t, std::less<>> found;
  for (const Segment& segment : pages_->text_segments()) {
    status = read(expand_segment_.Bind(1, from).Bind(2, to).Bind(3, segment.id),
                  [&](std::uint64_t document_freq, std::string_view term) {
                    const auto place = found.try_emplace(std::string(term)).first;
                    place->second += document_freq;
                  });
    if (!status.ok()) return status;
  }
  for (const auto& [term, document_freq] : found) AddTerm(document_freq, term, expansion);
  return Status::Ok();
}

void QueryCompiler::AddTerm(std::uint64_t document_freq, std::string_view term,
                            Expansion* expansion) {
  expansion->terms.emplace_back(document_freq, term);
  if (expansion->terms.size() == 16 * kMaxExpansion) KeepMostFrequent(expansion);
}

// Of equally frequent ones the first by name.
void QueryCompiler::KeepMostFrequent(Expansion* expansion) {
  auto& terms = expansion->terms;
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (terms.size() <= kMaxExpansion) return;
  expansion->is_whole = false;
  terms.resize(kMaxExpansion);
}

std::string_view QueryCompiler::UrlOf(std::uint32_t page) {
  url_text_.clear();
  const Result<bool> row = url_.Bind(1, std::int64_t{page}).Step();
  if (!row.ok()) {
    status_ = row.status();
  } else if (*row) {
    url_text_.assign(url_.Text(0));
    url_.Reset();
  }
  return url_text_;
}

namespace {

/// The part of a URL behind its host.
struct BehindHost {
  std::uint16_t port = 0;
  std::string_view rest;  ///< Path and query.
};

BehindHost AfterHost(std::string_view url, std::string_view host) {
  BehindHost behind;
  behind.port = url.starts_with("https:") ? 443 : 80;
  url.remove_prefix(std::min(url.find(host), url.size() - host.size()) + host.size());
  if (url.starts_with(':')) {
    std::from_chars(url.data() + 1, url.data() + url.size(), behind.port);
    url.remove_prefix(std::min(url.find('/'), url.size()));
  }
  behind.rest = url;
  return behind;
}

}  // namespace

Status QueryCompiler::CompileSite(const QueryNode& query, MatcherPtr* matcher) {
  if (Status status = pages_->LoadHosts(db_); !status.ok()) return status;
  Url site, secure;
  if (ParseUrl("http://" + query.text, nullptr, &site) != UrlKind::kFollowable ||
      ParseUrl("https://" + query.text, nullptr, &secure) != UrlKind::kFollowable) {
    *matcher = std::make_unique<NothingMatcher>();
    return Status::Ok();
  }
  std::vector<bool> hosts(pages_->hosts().size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i] = HostIs(pages_->hosts()[i], site.host());
  }
  const auto host_fits = [this, hosts = std::move(hosts)](std::uint32_t page) {
    return hosts[pages_->HostOf(page)];
  };
  // A port that is the default of one scheme is written in the other's.
  const int port = site.port() == secure.port() ? site.port() : 0;
  std::string path(site.path_and_query());
  if (port == 0 && path == "/") {
    *matcher = std::make_unique<FilterMatcher>(host_fits);
    return Status::Ok();
  }
  *matcher = std::make_unique<FilterMatcher>(
      [this, host_fits, port, path = std::move(path)](std::uint32_t page) {
        if (!host_fits(page)) return false;
        const std::string_view url = UrlOf(page);
        const std::string& host = pages_->hosts()[pages_->HostOf(page)];
        if (url.size() < host.size()) return false;
        const BehindHost behind = AfterHost(url, host);
        return (port == 0 || behind.port == port) && behind.rest.starts_with(path);
      });
  return Status::Ok();
}

Status QueryCompiler::CompileInUrl(const QueryNode& query, MatcherPtr* matcher) {
  *matcher = std::make_unique<FilterMatcher>(
      [this, wanted = LowerCaseEscaped(query.text)](std::uint32_t page) {
        return LowerCase(UrlOf(page)).find(wanted) != std::string::npos;
      });
  return Status::Ok();
}

Status QueryCompiler::CompileLanguage(const QueryNode& query, MatcherPtr* matcher) {
  // nb is no, iw is he.
  const LanguageCode normal = NormalLanguageCode(query.text);
  const std::string wanted = normal.empty() ? LowerCase(query.text) : std::string(normal);
  const std::vector<PageTable::Language>& languages = pages_->languages();
  const auto known = std::find_if(languages.begin(), languages.end(),
                                  [&](const auto& language) { return language.code == wanted; });
  if (known == languages.end()) {
    *matcher = std::make_unique<NothingMatcher>();
    return Status::Ok();
  }
  const auto number = static_cast<std::uint8_t>(known - languages.begin());
  *matcher = std::make_unique<FilterMatcher>(
      [this, number](std::uint32_t page) { return (*pages_)[page].language == number; });
  return Status::Ok();
}

}  // namespace crawler
