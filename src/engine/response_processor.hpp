#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/crawl_context.hpp"
#include "engine/document_reader.hpp"
#include "engine/focus.hpp"
#include "engine/link_offers.hpp"
#include "engine/response_class.hpp"
#include "model/fetch_result.hpp"
#include "robots/robots_record.hpp"
#include "store/warc_record.hpp"

namespace crawler {

/// What robots.txt of a host says, kept with the host.
class HostRobots final : public HostNotes {
 public:
  explicit HostRobots(RobotsRecord robots_record) : record(std::move(robots_record)) {}
  const RobotsRecord record;
};

/// A lease and the response it led to.
struct FetchedUrl {
  Frontier::Lease lease;
  UrlRow url;
  FetchResult result;
  std::optional<StoredPage> known;  ///< What a repeated crawl has of it already.
  bool conditional = false;         ///< It was asked for in case it is not as `known` any more.
};

/// Whether a stored page has all that one fetched now would have, so that it may stay if its
/// content has not changed.
bool MayBeKept(const StoredPage& page, const CrawlOptions& options);
/// Whether a 304 is enough for that. It need not say that a header which asked robots to leave the
/// page alone is gone.
bool MayBeConfirmed(const StoredPage& page, const CrawlOptions& options);

/// From a response to a CommitBatch: judges, reads, offers the links, archives, ends the lease, and
/// hands everything to the recorder. The order matters: links are offered before the lease ends, so
/// that the frontier is never finished while links are still to come. Threads: one at a time; have
/// one for each thread.
class ResponseProcessor {
 public:
  explicit ResponseProcessor(CrawlContext& crawl);

  /// A URL was fetched.
  void Finish(FetchedUrl fetched);
  /// The robots.txt of a host was fetched, redirects followed.
  void FinishRobotsCheck(const FetchedUrl& fetched);
  /// robots.txt of the host is still good; nothing was sent.
  void PassRobotsCheck(const Frontier::Lease& lease, const UrlRow& url, RobotsRecord record);
  /// robots.txt refuses the URL; nothing was sent.
  void Refuse(const Frontier::Lease& lease, const UrlRow& url, const RobotsVerdict& verdict,
              std::optional<StoredPage> known);
  /// URLs of hosts that were given up.
  void WriteGivenUp(const std::vector<Frontier::GivenUp>& urls);

 private:
  bool WithinBytes(std::uint64_t size);
  std::size_t Admit();
  void OfferRedirect(const FetchedUrl& fetched, ResponseClass* judgement);
  bool EndLease(const FetchedUrl& fetched, const ResponseClass& judgement, CommitBatch* change);
  void Return(const FetchedUrl& fetched, std::string_view why);
  void ReturnRobotsCheck(const FetchedUrl& fetched, const Url& url);
  void WriteCancelled(VisitRow visit);
  void ReadPage(const FetchedUrl& fetched, CommitBatch* change);
  void OfferStoredLinks(const FetchedUrl& fetched);
  void KeepPage(const FetchedUrl& fetched, const Sha256Digest* payload, CommitBatch* change);
  bool SameAsStored(const FetchedUrl& fetched, const Sha256Digest& digest) const;
  void SettlePage(std::optional<StoredPage> known, VisitRow* visit, CommitBatch* change);
  void BuildDocument(const FetchedUrl& fetched, CommitBatch* change);
  void WeighLinks(const CommitBatch& change);
  void AddPage(const FetchedUrl& fetched, const Sha256Digest& digest,
               const std::optional<ContentIndex::First>& first, CommitBatch* change);
  void OfferSitemaps(const RobotsRecord& record, const Url& url);
  void ReadSitemapFile(const FetchedUrl& fetched, ResponseClass* judgement);
  std::string_view TextOf(UrlId from);
  void Archive(const FetchedUrl& fetched, bool is_page, const Sha256Digest* payload,
               CommitBatch* change);
  void Count(const ResponseClass& judgement, const FetchedUrl& fetched);
  void ReportPage(const FetchedUrl& fetched, const CommitBatch& change);
  void Register(UrlId from, CommitBatch* change);

  CrawlContext& crawl_;
  DocumentReader reader_;
  LinkOffers offers_;
  std::unique_ptr<Focus> focus_;  // Only of a crawl that goes by relevance.
  DocumentBuilder documents_;
  WarcEncoder encoder_;
  Hasher hasher_;
  UrlReader urls_;
  Document document_;
  Registration registration_;
  UrlId last_from_ = 0;
  std::string last_from_text_;
};

}  // namespace crawler
