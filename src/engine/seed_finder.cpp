#include "engine/seed_finder.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/ascii.hpp"
#include "base/log.hpp"
#include "engine/failure_text.hpp"
#include "engine/stage_options.hpp"
#include "parse/search_results.hpp"
#include "url/given_url.hpp"
#include "url/percent.hpp"

namespace crawler {
namespace {

constexpr std::string_view kPlaceholder = "{words}";
constexpr std::size_t kSourceRedirects = 5;
/// Bytes of a line of a seed file; a longer one is no URL.
constexpr std::size_t kMaxSeedLine = 64 * 1024;

Status Bad(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

std::string_view Trimmed(std::string_view line) {
  // A comment begins the line or follows a blank: elsewhere a '#' begins a fragment.
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || IsSpace(line[at - 1])) line = line.substr(0, at);
  }
  while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  return line;
}

// Cuts a stream of bytes into lines.
class LineTaker {
 public:
  LineTaker(std::string name, const std::function<Status(std::string_view)>& take)
      : name_(std::move(name)), take_(take) {}

  Status Add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      line_.append(bytes.substr(0, end));
      if (line_.size() > kMaxSeedLine) return Fail("the line is longer than 64 KiB; no URL is");
      if (end == std::string_view::npos) return Status::Ok();
      if (Status status = End(); !status.ok()) return status;
      bytes.remove_prefix(end + 1);
    }
    return Status::Ok();
  }

  /// The line is complete.
  Status End() {
    if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);
    if (number_ == 1 && (line_.starts_with("\xFF\xFE") || line_.starts_with("\xFE\xFF"))) {
      return Fail("the file is in UTF-16; save it as UTF-8");
    }
    if (line_.find('\0') != std::string::npos) {
      return Fail("there is a NUL byte; the file is no text with a URL per line");
    }
    const std::string_view text = Trimmed(line_);
    if (!text.empty()) {
      if (Status status = take_(text); !status.ok()) return Fail(status.message());
    }
    line_.clear();
    ++number_;
    return Status::Ok();
  }

 private:
  Status Fail(const std::string& why) const {
    return Bad(name_ + ":" + std::to_string(number_) + ": " + why);
  }

  const std::string name_;
  const std::function<Status(std::string_view)>& take_;
  std::string line_;
  std::uint64_t number_ = 1;
};

Status ReadLines(std::FILE* file, const std::string& name, LineTaker& lines) {
  const auto buffer = std::make_unique<char[]>(kMaxSeedLine);
  while (const std::size_t size = std::fread(buffer.get(), 1, kMaxSeedLine, file)) {
    if (Status status = lines.Add({buffer.get(), size}); !status.ok()) return status;
  }
  if (std::ferror(file) != 0) {
    return Bad("cannot read " + name + ": " + std::generic_category().message(errno));
  }
  return lines.End();
}

// Calls `take` with each line of `path` ("-": the standard input) that is neither blank nor a
// comment, trimmed. Reads in memory bounded by kMaxSeedLine. kInvalidArgument, with file and line,
// if the file cannot be read or is no text in UTF-8; a failure of `take` ends the reading, and its
// message is given the place.
Status ForEachSeedLine(const std::string& path,
                       const std::function<Status(std::string_view line)>& take) {
  if (path == "-") {
    LineTaker lines("standard input", take);
    return ReadLines(stdin, "the standard input", lines);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             &std::fclose);
  if (file == nullptr) {
    return Bad("cannot read " + path + ": " + std::generic_category().message(errno));
  }
  LineTaker lines(path, take);
  return ReadLines(file.get(), path, lines);
}

bool IsWebAddress(std::string_view text) {
  Url url;
  return ParseUrl(text, nullptr, &url) == UrlKind::kFollowable;
}

// As a form sends them.
std::string EncodedWords(std::string_view words) {
  std::string out;
  for (const char c : words) {
    if (IsLetter(c) || IsDigit(c) || c == '-' || c == '.' || c == '_' || c == '*') {
      out.push_back(c);
    } else if (c == ' ') {
      out.push_back('+');
    } else {
      AppendPercent(static_cast<unsigned char>(c), &out);
    }
  }
  return out;
}

// Why a visit gave no document; empty if it did.
std::string FailureOf(const PageVisit& visit) {
  const FetchResult& fetch = visit.fetch;
  if (!visit.fetched) return "robots.txt does not allow it, or cannot be fetched";
  if (!fetch.ok()) {
    const std::string hint = FailureHint(fetch.failure, fetch.message);
    return fetch.message + (hint.empty() ? "" : ". " + hint);
  }
  if (fetch.status == 200) return {};
  const std::string hint = StatusHint(fetch.status);
  return "it " + DescribeStatus(fetch.status) + (hint.empty() ? "" : ". " + hint);
}

}  // namespace

bool SeedFinder::Fail(Outcome outcome, std::string error) {
  found_.outcome = outcome;
  found_.error = std::move(error);
  return false;
}

FoundSeeds SeedFinder::Find() {
  bool ok = true;
  for (const std::string& file : sources_.files) ok = ok && ReadFile(file);
  for (const std::string& sitemap : sources_.sitemaps) ok = ok && ReadSitemaps(sitemap);
  if (ok && !sources_.query.empty()) Search();
  return std::move(found_);
}

Status SeedFinder::Add(std::string_view url) {
  const Result<Url> parsed = ParseGivenUrl(url);
  if (!parsed.ok()) return parsed.status();
  if (found_.seeds.size() >= kMaxSeeds) {
    return Status(StatusCode::kInvalidArgument,
                  "there are more than 1,000,000 URLs to begin with; crawl them in parts");
  }
  found_.seeds.emplace_back(url);
  return Status::Ok();
}

bool SeedFinder::ReadFile(const std::string& path) {
  const std::size_t before = found_.seeds.size();
  const Status status = ForEachSeedLine(path, [this](std::string_view line) { return Add(line); });
  if (!status.ok()) return Fail(Outcome::kBadSource, status.message());
  if (found_.seeds.size() > before) return true;
  return Fail(Outcome::kBadSource,
              (path == "-" ? "the standard input" : path) + " has no URL; it takes one per line");
}

// Breadth first over the sitemaps that an index lists.
bool SeedFinder::ReadSitemaps(const std::string& given) {
  std::deque<std::string> waiting = {given};
  std::set<std::string> known = {given};
  const std::size_t before = found_.seeds.size();
  for (std::uint64_t files = 0; !waiting.empty(); ++files) {
    const SitemapOptions& limits = options_.sitemap_limits;
    const bool spent = (limits.max_files != 0 && files >= limits.max_files) ||
                       (limits.max_bytes != 0 && sitemap_bytes_ >= limits.max_bytes);
    if (spent) {
      found_.warnings.push_back(std::to_string(waiting.size()) + " sitemaps that " + given +
                                " lists were not read: a limit of sitemaps is reached");
      break;
    }
    const std::string source = std::move(waiting.front());
    waiting.pop_front();
    Sitemap sitemap;
    const bool read = files == 0 && !IsWebAddress(source) ? ReadSitemapFile(source, &sitemap)
                                                          : FetchSitemap(source, &sitemap);
    if (!read && files == 0) return false;
    if (!read) {
      found_.warnings.push_back(std::exchange(found_.error, {}));
      found_.outcome = Outcome::kFound;
      continue;
    }
    if (sitemap.kind != SitemapKind::kIndex) {
      if (!AddEntries(sitemap)) return false;
      continue;
    }
    for (SitemapEntry& entry : sitemap.entries) {
      if (known.insert(entry.url).second) waiting.push_back(std::move(entry.url));
    }
  }
  if (found_.seeds.size() > before) return true;
  return Fail(Outcome::kFailed, given + " lists no page");
}

bool SeedFinder::AddEntries(const Sitemap& sitemap) {
  const std::uint64_t most = options_.sitemap_limits.max_entries;
  for (const SitemapEntry& entry : sitemap.entries) {
    if (most != 0 && sitemap_entries_ >= most) {
      found_.warnings.push_back("only the first " + std::to_string(most) +
                                " entries of sitemaps were taken: --max-sitemap-entries");
      break;
    }
    ++sitemap_entries_;
    if (const Status status = Add(entry.url); !status.ok()) {
      return Fail(Outcome::kBadSource, status.message());
    }
  }
  return true;
}

bool SeedFinder::ReadSitemapFile(const std::string& path, Sitemap* sitemap) {
  const std::size_t most = SitemapLimits().max_bytes;
  std::ifstream file(path, std::ios::binary);
  std::string bytes(most + 1, '\0');
  if (file) file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.is_open() || file.bad()) {
    return Fail(Outcome::kBadSource,
                "cannot read " + path + ": " + std::generic_category().message(errno));
  }
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (bytes.size() > most) return Fail(Outcome::kBadSource, path + " is larger than 50 MiB");
  Url base;
  ParseUrl("file:///", nullptr, &base);
  *sitemap = ParseSitemap(bytes, "", base);
  sitemap_bytes_ += bytes.size();
  if (sitemap->kind != SitemapKind::kUnknown) return true;
  return Fail(Outcome::kBadSource,
              path + " is no sitemap: neither XML of a sitemap or feed, nor a URL per line");
}

bool SeedFinder::FetchSitemap(const std::string& given, Sitemap* sitemap) {
  Result<Url> url = ParseGivenUrl(given);
  if (!url.ok()) return Fail(Outcome::kBadSource, url.status().message());
  NetworkOptions network = options_.network;
  network.max_body = SitemapLimits().max_bytes;
  network.any_type = true;
  VisitOptions visit_options;
  visit_options.obey_robots = network.obey_robots;
  visit_options.max_redirects = kSourceRedirects;
  visit_options.as_sitemap = true;
  Result<PageVisit> visit = Visit(*url, network, {given}, visit_options);
  if (!visit.ok()) return Fail(Outcome::kBadSource, visit.status().message());
  if (const std::string failure = FailureOf(*visit); !failure.empty()) {
    return Fail(visit->fetched ? Outcome::kFailed : Outcome::kRefused,
                "no sitemap from " + given + ": " + failure);
  }
  sitemap_bytes_ += visit->fetch.body().size();
  *sitemap = std::move(visit->document.sitemap);
  if (visit->document.kind == Document::Kind::kSitemap) return true;
  return Fail(Outcome::kFailed, given +
                                    " is no sitemap: neither XML of a sitemap or feed, nor a "
                                    "URL per line");
}

Result<PageVisit> SeedFinder::Visit(const Url& url, const NetworkOptions& network,
                                    const std::vector<std::string>& credential_urls,
                                    const VisitOptions& options) {
  if (std::exchange(requested_, true)) std::this_thread::sleep_for(options_.delay);
  Result<FetchOptions> fetch_options = ToFetchOptions(network, credential_urls);
  if (!fetch_options.ok()) return fetch_options.status();
  const auto context = FetchContext::Create(std::move(fetch_options).value(), Logger());
  if (!context.ok()) return context.status();
  return VisitPage(*context, url, options);
}

bool SeedFinder::Search() {
  std::string address = sources_.search_engine;
  const std::size_t at = address.find(kPlaceholder);
  if (at == std::string::npos) {
    return Fail(Outcome::kBadSource, "the URL of the search engine, " + address +
                                         ", needs {words} where the words belong");
  }
  address.replace(at, kPlaceholder.size(), EncodedWords(sources_.query));
  Result<Url> url = ParseGivenUrl(address);
  if (!url.ok()) return Fail(Outcome::kBadSource, url.status().message());
  VisitOptions visit_options;
  visit_options.obey_robots = false;
  visit_options.max_redirects = kSourceRedirects;
  visit_options.extractors.emplace_back([] { return std::make_unique<SearchResultLinks>(); });
  NetworkOptions network = options_.network;
  network.header_variables.clear();
  network.basic_auth_variable.clear();
  network.bearer_variable.clear();
  Result<PageVisit> visit = Visit(*url, network, {}, visit_options);
  if (!visit.ok()) return Fail(Outcome::kBadSource, visit.status().message());
  return AddResults(*visit);
}

bool SeedFinder::AddResults(PageVisit& visit) {
  const std::string engine = visit.fetch.url.Origin();
  const SearchResults results = ReadSearchResults(visit.document.page, visit.fetch.url);
  if (results.challenged) {
    return Fail(Outcome::kFailed,
                "the search engine " + engine +
                    " asks whether a person searches; try again later, name another one with "
                    "--search-engine, or give the URLs with --seeds");
  }
  if (const std::string failure = FailureOf(visit); !failure.empty()) {
    return Fail(Outcome::kFailed, "no results from the search engine " + engine + ": " + failure);
  }
  if (results.urls.empty()) {
    const bool known = results.empty;
    return Fail(Outcome::kFailed,
                known ? "the search engine " + engine + " has found nothing for \"" +
                            sources_.query + "\"; try other words"
                      : "the page of " + engine +
                            " has no results in the form of DuckDuckGo's HTML search");
  }
  int rank = 0;
  for (const std::string& result : results.urls) {
    if (const Status status = Add(result); !status.ok()) {
      return Fail(Outcome::kBadSource, status.message());
    }
    found_.searched.push_back({result, sources_.query, ++rank});
  }
  return true;
}

}  // namespace crawler
