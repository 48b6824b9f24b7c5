#include "inspect/read_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "engine/crawl_folder.hpp"
#include "engine/options_json.hpp"
#include "engine/stage_options.hpp"
#include "store/catalogue.hpp"
#include "store/read_catalogue.hpp"
#include "url/given_url.hpp"
#include "url/normalize.hpp"

namespace crawler {

Result<Database> OpenForReading(const std::string& folder) {
  const std::string path = CrawlFolder::CataloguePath(folder);
  if (std::error_code error; !std::filesystem::exists(path, error) && !error) {
    return CrawlFolder::NoCrawlIn(folder);
  }
  return OpenCatalogueForReading(path);
}

Result<CrawlOptions> ReadOptions(Database& db) {
  const Result<std::string> stored = ReadState(db, "options");
  if (!stored.ok()) return stored.status();
  if (stored->empty()) {
    return Status(StatusCode::kNotFound, "nothing has been written yet; try again");
  }
  return OptionsFromJson(*stored);
}

namespace {

// The first seed, if all of them are of one host.
Result<std::optional<Url>> OnlySeed(const CrawlOptions& options) {
  Result<std::vector<Url>> seeds = ParseSeeds(options);
  if (!seeds.ok()) return seeds.status();
  const bool one =
      !seeds->empty() && std::all_of(seeds->begin(), seeds->end(), [&](const Url& url) {
        return url.Origin() == seeds->front().Origin();
      });
  return one ? std::optional<Url>(seeds->front()) : std::nullopt;
}

// Whether `text` is the host and port of `url`, or begins with them.
bool BeginsWithHost(std::string_view text, const Url& url) {
  const std::string_view host = url.host_and_port();
  if (!text.starts_with(host)) return false;
  return text.size() == host.size() || std::string_view("/?#").find(text[host.size()]) != text.npos;
}

}  // namespace

Result<Url> ParseUrlFor(const CrawlOptions& options, std::string_view text) {
  Url url;
  const UrlKind kind = ParseUrl(text, nullptr, &url);
  if (kind != UrlKind::kFollowable) {
    const Result<std::optional<Url>> seed = OnlySeed(options);
    if (!seed.ok()) return seed.status();
    const bool is_path = text.starts_with('/') && !text.starts_with("//");
    if (!seed->has_value() && is_path) {
      return Status(StatusCode::kInvalidArgument,
                    "'" + std::string(text) +
                        "' is a path, and the crawl has several hosts; write the whole URL");
    }
    const bool relative = seed->has_value() && kind == UrlKind::kInvalid && !text.empty() &&
                          text.find("://") == std::string_view::npos;
    if (seed->has_value() && BeginsWithHost(text, **seed)) {
      ParseUrl(std::string((*seed)->scheme()) + "://" + std::string(text), nullptr, &url);
    } else if (!relative || ParseUrl(text, &**seed, &url) != UrlKind::kFollowable) {
      return ParseGivenUrl(text).status();
    }
  }
  NormalizeUrl(&url, {options.drop_tracking, options.drop_session_ids, options.sort_query});
  return url;
}

Result<std::string> NormalFormIn(const std::string& folder, std::string_view url) {
  Result<Database> db = OpenForReading(folder);
  if (!db.ok()) return db.status();
  const Result<CrawlOptions> options = ReadOptions(*db);
  if (!options.ok()) return options.status();
  const Result<Url> parsed = ParseUrlFor(*options, url);
  if (!parsed.ok()) return parsed.status();
  return std::string(parsed->href());
}

}  // namespace crawler
