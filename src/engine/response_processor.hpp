#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "engine/capture.hpp"
#include "engine/content_index.hpp"
#include "engine/crawl_context.hpp"
#include "engine/link_offers.hpp"
#include "engine/page_reader.hpp"
#include "engine/response_class.hpp"
#include "engine/robots_answer.hpp"
#include "engine/url_text.hpp"
#include "model/fetch_result.hpp"
#include "robots/robots_record.hpp"
#include "store/url_reader.hpp"

namespace crawler {

/// A lease and the response it led to.
struct FetchedUrl {
  Frontier::Lease lease;
  FetchResult result;
  std::optional<StoredPage> known;  ///< The page of the URL in the catalogue of a repeated crawl.
  bool conditional = false;         ///< The request carried the validators of `known`.
};

/// From a response to a CommitBatch; Finish() is the list of the steps. Each step is a piece of its
/// own (response_class, page_reader, recrawl, robots_answer, capture, batch_rows); this class calls
/// them in order, and is the only one of them that talks to the frontier and the commit writer. The
/// order matters: links are offered before the lease ends, so that the frontier is never finished
/// while links are still to come. Threads: one at a time; have one for each thread.
class ResponseProcessor {
 public:
  explicit ResponseProcessor(CrawlContext& crawl);
  ResponseProcessor(const ResponseProcessor&) = delete;
  ResponseProcessor& operator=(const ResponseProcessor&) = delete;

  /// A URL was fetched.
  void Finish(FetchedUrl fetched);
  /// The robots.txt of a host was fetched, redirects followed.
  void FinishRobotsCheck(const FetchedUrl& fetched);
  /// The stored robots.txt of the host, a file of `bytes` bytes, is still good; nothing was sent.
  void PassStoredRobots(const Frontier::Lease& lease, RobotsRecord record, std::size_t bytes);
  /// robots.txt refuses the URL; nothing was sent.
  void Refuse(const Frontier::Lease& lease, const RobotsVerdict& verdict,
              std::optional<StoredPage> known);
  /// The URL is a sitemap beyond `limit`, for people; nothing was sent.
  void LeaveOutSitemap(const Frontier::Lease& lease, const std::string& limit);
  /// URLs of hosts that were given up.
  void WriteGivenUp(const std::vector<Frontier::GivenUp>& urls);

 private:
  void Process(FetchedUrl fetched);
  // Steps of Process().
  ResponseClass Classify(const FetchedUrl& fetched) const;
  bool IsGuess(const Frontier::Lease& lease) const;
  std::string NoteSeed(const VisitRow& visit);
  std::string TellOfSeed(UrlId url, const SeedWatch::Attempt& attempt);
  std::string TellOfRobots(const FetchedUrl& fetched);
  bool WithinBytes(const FetchedUrl& fetched, const ResponseClass& response);
  std::optional<PageContent> Read(const FetchedUrl& fetched, ResponseClass* response,
                                  CommitBatch* batch);
  PageContent ReadPage(const FetchedUrl& fetched, ResponseClass* response, CommitBatch* batch);
  void ReadSitemap(const FetchedUrl& fetched, ResponseClass* response, CommitBatch* batch);
  void OfferRedirect(const FetchedUrl& fetched, ResponseClass* response);
  void OfferStoredLinks(const FetchedUrl& fetched);
  void Archive(const FetchedUrl& fetched, const ResponseClass& response, const PageContent* page,
               CommitBatch* batch);
  void AddPage(const FetchedUrl& fetched, const PageContent& page, CommitBatch* batch);
  void AddOfferedLinks(const PageContent& page, CommitBatch* batch);
  std::optional<Duration> RetryIn(UrlId url, TimePoint now) const;
  Frontier::Verdict EndLease(const FetchedUrl& fetched, const ResponseClass& response,
                             CommitBatch* batch);
  void ApplyChange(std::optional<StoredPage> known, VisitRow* visit, CommitBatch* batch);

  // Other ends of a lease.
  void Return(const FetchedUrl& fetched, std::string_view why);
  void ReturnRobotsCheck(const FetchedUrl& fetched, const Url& url);
  std::string EndRobotsCheck(const FetchedUrl& fetched, RobotsAnswer answer);
  void WriteCancelled(VisitRow visit);
  PageChange EndUnsent(const Frontier::Lease& lease, VisitRow visit,
                       std::optional<StoredPage> known);

  // The frontier.
  void Offer(UrlId from, CommitBatch* batch);
  void OfferRobotsSitemaps(const Frontier::Lease& lease, const RobotsRecord& record,
                           const Url& url);
  void GiveBackKnownSitemaps(HostId host);
  void PassRobotsCheck(const Frontier::Lease& lease, const Frontier::Outcome& outcome,
                       RobotsRecord record, std::size_t bytes);
  std::string_view TextOfSource(UrlId from);

  CrawlContext& crawl_;
  UrlReader urls_;
  const UrlTextLookup text_of_;
  PageReader reader_;
  LinkOffers offers_;
  CaptureEncoder captures_;
  Frontier::OfferResult offered_;
  UrlId last_from_ = 0;
  std::string last_from_text_;
};

}  // namespace crawler
