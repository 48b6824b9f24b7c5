#include "engine/offer_urls.hpp"

#include <utility>

namespace crawler {

Frontier::OfferResult OfferUrls(Frontier& frontier, CommitWriter& writer,
                                const std::vector<Frontier::Offer>& offers, UrlId from,
                                CommitBatch* batch) {
  Frontier::OfferResult result;
  batch->place = writer.Reserve([&] { result = frontier.OfferAll(offers, from); });
  batch->offer = result.number;
  batch->hosts = std::move(result.hosts);
  batch->urls = std::move(result.urls);
  batch->requeued = std::move(result.requeued);
  return result;
}

}  // namespace crawler
