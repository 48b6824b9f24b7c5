#include "engine/commit_batch.hpp"

namespace crawler {

void CommitBatch::CountRows() {
  counts.hosts_known += hosts.size();
  counts.urls_known += urls.size();
  counts.dead_letters += dead_letters.size();
  for (const UrlRow& row : urls) {
    counts.waiting += row.skipped == SkipReason::kNone;
    counts.urls_elsewhere += row.skipped == SkipReason::kOutsideReach;
  }
  for (const RequeueRow& row : requeued) counts.waiting += row.waits;
  for (const VisitRow& row : visits) {
    counts.waiting -= row.url != 0 && row.final;
    Count(CountedVisit(row), &counts);
  }
}

std::size_t CommitBatch::Size() const {
  std::size_t size = sizeof(CommitBatch) + capture.bytes.size();
  for (const UrlRow& url : urls) size += sizeof url + url.url.size();
  if (page) size += page->links.size() + page->title.size() + page->description.size();
  if (document != nullptr) size += document->Size();
  if (robots) size += robots->rules.size();
  return size + visits.size() * sizeof(VisitRow);
}

}  // namespace crawler
