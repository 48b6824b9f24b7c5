#include "engine/page_report.hpp"

#include <cstddef>
#include <vector>

namespace crawler {

void ReportPage(const CrawlCallbacks& callbacks, const PageRow& row, PageChange change,
                std::string_view text, std::string_view body, const LinkOffers& links) {
  if (callbacks.on_edge) {
    const std::vector<Frontier::Offer>& candidates = links.candidates();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      callbacks.on_edge(row.url, candidates[i].url, links.nofollow(i));
    }
  }
  if (!callbacks.on_page) return;
  CrawledPage page;
  page.url = row.url;
  page.title = row.title;
  page.text = text;
  page.body = body;
  page.content_type = row.content_type;
  page.status = row.status;
  page.depth = static_cast<int>(row.depth);
  page.score = static_cast<double>(row.score) / 100;
  page.size = row.size;
  page.change = PageChangeName(change);
  callbacks.on_page(page);
}

void ReportKnownPage(const CrawlCallbacks& callbacks, const Frontier::Lease& lease,
                     const KnownPageVisit& visit) {
  const bool told = visit.change == PageChange::kUnchanged || visit.change == PageChange::kGone;
  if (!told || !callbacks.on_known_page) return;
  CrawledPage page;
  page.url = lease.url;
  page.status = visit.status;
  page.depth = static_cast<int>(lease.depth);
  page.score = static_cast<double>(lease.score) / 100;
  page.size = visit.size;
  page.change = PageChangeName(visit.change);
  callbacks.on_known_page(page);
}

}  // namespace crawler
