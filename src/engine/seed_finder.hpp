#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "engine/page_visit.hpp"
#include "parse/sitemap.hpp"

namespace crawler {

/// FindSeeds(): reads seed files, sitemaps and a page of search results.
/// Life: construct, Find() once. Ownership: borrows the arguments.
class SeedFinder {
 public:
  /// Seeds of all sources; each of them costs memory as long as the crawl runs.
  static constexpr std::size_t kMaxSeeds = 1'000'000;

  SeedFinder(const SeedSources& sources, const CrawlOptions& options)
      : sources_(sources), options_(options) {}

  FoundSeeds Find();

 private:
  using Outcome = FoundSeeds::Outcome;

  bool Fail(Outcome outcome, std::string error);
  Status Add(std::string_view url);
  bool ReadFile(const std::string& path);
  bool ReadSitemaps(const std::string& given);
  bool ReadSitemapFile(const std::string& path, Sitemap* sitemap);
  bool FetchSitemap(const std::string& url, Sitemap* sitemap);
  bool AddEntries(const Sitemap& sitemap);
  bool Search();
  bool AddResults(PageVisit& visit);
  Result<PageVisit> Visit(const Url& url, const NetworkOptions& network,
                          const std::vector<std::string>& credential_urls,
                          const VisitOptions& options);

  const SeedSources& sources_;
  const CrawlOptions& options_;
  FoundSeeds found_;
  std::uint64_t sitemap_bytes_ = 0, sitemap_entries_ = 0;
  bool requested_ = false;  // A request was made, so that the next one has to wait.
};

}  // namespace crawler
