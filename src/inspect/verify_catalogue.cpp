#include "inspect/verify_catalogue.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/hash.hpp"
#include "index/link_graph.hpp"
#include "store/rows.hpp"

namespace crawler {
namespace {

/// The URLs of a table, to find those that are in it twice. Texts are compared by their hashes.
class DuplicateFinder {
 public:
  void Add(std::int64_t id, std::string_view url) { hashes_.emplace_back(Hash64(url, seed_), id); }

  void Report(ProblemList& problems) {
    std::sort(hashes_.begin(), hashes_.end());
    for (std::size_t i = 1; i < hashes_.size(); ++i) {
      if (hashes_[i].first != hashes_[i - 1].first) continue;
      problems.AddUrl(hashes_[i].second, " is there twice: urls rows " +
                                             std::to_string(hashes_[i - 1].second) + " and " +
                                             std::to_string(hashes_[i].second));
    }
  }

 private:
  const std::uint64_t seed_ = RandomKey();
  std::vector<std::pair<std::uint64_t, std::int64_t>> hashes_;
};

}  // namespace

Status CatalogueVerifier::Run() {
  for (const auto step : {&CatalogueVerifier::ReadUrls, &CatalogueVerifier::ReadRequeued,
                          &CatalogueVerifier::ReadVisits, &CatalogueVerifier::ReadPages,
                          &CatalogueVerifier::ReadLinks}) {
    if (Status status = (this->*step)(); !status.ok()) return status;
  }
  return Status::Ok();
}

VerifiedUrl* CatalogueVerifier::Find(std::int64_t id) {
  if (id < 1 || id > static_cast<std::int64_t>(urls_.size())) return nullptr;
  return &urls_[static_cast<std::size_t>(id - 1)];
}

Status CatalogueVerifier::ReadUrls() {
  DuplicateFinder duplicates;
  const std::string_view sql = "SELECT id, url, skipped IS NOT NULL FROM urls ORDER BY id";
  Status status = ForEachRow(db_, sql, [&](Statement& row) {
    VerifiedUrl& url = urls_.emplace_back();
    url.wanted = row.Int(0) > round_.last_url && row.Int(2) == 0;
    if (row.Int(0) != static_cast<std::int64_t>(urls_.size())) {
      problems_.AddRow("urls", row.Int(0), " is not the next one");
    }
    duplicates.Add(row.Int(0), row.Text(1));
  });
  if (!status.ok()) return status;
  out_.urls = urls_.size();
  duplicates.Report(problems_);
  return status;
}

Status CatalogueVerifier::ReadRequeued() {
  return ForEachRow(db_, "SELECT id, url_id, waits FROM requeued", [this](Statement& row) {
    if (VerifiedUrl* const url = Find(row.Int(1))) {
      url->wanted |= row.Int(2) != 0;
    } else {
      problems_.AddRow("requeued", row.Int(0), " has a URL that is not there");
    }
  });
}

Status CatalogueVerifier::ReadVisits() {
  const std::string_view sql =
      "SELECT id, url_id, final, outcome, warc_file, warc_offset, warc_length, change"
      " FROM visits ORDER BY id";
  return ForEachRow(db_, sql, [this](Statement& row) {
    ++out_.visits;
    if (!row.IsNull(4)) {
      responses_.push_back({static_cast<std::uint32_t>(row.Int(4)),
                            static_cast<std::uint64_t>(row.Int(5)),
                            static_cast<std::uint64_t>(row.Int(6)), row.Int(1)});
    }
    if (!row.IsNull(1)) CheckVisit(row);
  });
}

void CatalogueVerifier::CheckVisit(Statement& row) {
  VerifiedUrl* const url = Find(row.Int(1));
  if (url == nullptr) {
    problems_.AddRow("visits", row.Int(0), " has a URL that is not there");
    return;
  }
  if (url->over) problems_.AddUrl(row.Int(1), " was visited again after its end");
  NoteOutcome(row, url);
}

void CatalogueVerifier::NoteOutcome(Statement& row, VerifiedUrl* url) {
  const std::string_view outcome = row.Text(3);
  const PageChange change = ParsePageChange(row.Text(7));
  const bool page = outcome == VisitOutcomeName(VisitOutcome::kPage);
  const bool unchanged = outcome == VisitOutcomeName(VisitOutcome::kUnchanged);
  const bool lost = outcome == VisitOutcomeName(VisitOutcome::kLost);
  const bool stays = change == PageChange::kUnchanged || change == PageChange::kKept;
  if (stays && !url->expected && !lost) {
    problems_.AddUrl(row.Int(1), " was unchanged by a visit, but has no page");
  }
  if (page) url->expected = true;
  if (change == PageChange::kGone || (lost && !stays)) url->expected = false;
  if (row.Int(2) == 0 || row.Int(0) <= round_.last_visit) return;
  url->over = true;
  url->read = page || unchanged;
}

Status CatalogueVerifier::ReadPages() {
  const std::string_view sql =
      "SELECT p.id, p.url_id, p.url = u.url, v.url_id = p.url_id AND v.outcome = 'page' FROM "
      "pages p LEFT JOIN urls u ON u.id = p.url_id LEFT JOIN visits v ON v.id = p.visit_id";
  Status status = ForEachRow(db_, sql, [this](Statement& row) { CheckPage(row); });
  CheckPagesAreExpected();
  return status;
}

void CatalogueVerifier::CheckPage(Statement& row) {
  ++out_.pages;
  VerifiedUrl* const url = Find(row.Int(1));
  if (url == nullptr || row.Int(2) == 0) {
    problems_.AddRow("pages", row.Int(0), " has a URL that is not there");
    return;
  }
  if (url->page) problems_.AddUrl(row.Int(1), " has two pages");
  if (row.Int(3) == 0) problems_.AddUrl(row.Int(1), " has a page without the visit that it names");
  url->page = true;
}

void CatalogueVerifier::CheckPagesAreExpected() {
  std::int64_t id = 0;
  for (const VerifiedUrl& url : urls_) {
    ++id;
    if (url.page == url.expected) continue;
    problems_.AddUrl(id, url.page ? " has a page but no visit" : " was visited but has no page");
  }
}

Status CatalogueVerifier::ReadLinks() {
  return ForEachRow(db_, "SELECT rowid, from_id, links FROM page_links",
                    [this](Statement& row) { CheckLinks(row); });
}

void CatalogueVerifier::CheckLinks(Statement& row) {
  const VerifiedUrl* const from = Find(row.Int(1));
  if (from == nullptr) {
    problems_.AddRow("page_links", row.Int(0), " is of no page");
  } else if (!from->page) {
    problems_.AddUrl(row.Int(1), " has links but no page");
  }
  bool known = true;
  LinkListReader links(row.Text(2));
  LinkListReader::Link link;
  while (links.Next(&link)) {
    ++out_.links;
    known &= Find(link.to) != nullptr;
  }
  if (links.damaged() || !known) problems_.AddUrl(row.Int(1), " has links that cannot be read");
}

}  // namespace crawler
