// ReadArchivedContent(): a response of the archive, and the page in it.
#include <chrono>
#include <utility>

#include "inspect/inspect.hpp"
#include "inspect/read_folder.hpp"
#include "inspect/stored_response.hpp"
#include "model/page.hpp"

namespace crawler {
namespace {

void ReportDocument(Document&& document, ArchivedContent* out) {
  out->media_type = std::move(document.media_type);
  out->title = std::move(document.page.title);
  for (const Link& link : document.page.links) {
    out->links.push_back({std::string(document.page.UrlOf(link)),
                          std::string(document.page.TextOf(link)), link.nofollow()});
  }
  out->text = std::move(document.page.text);
}

Status ReadInto(CatalogueSnapshot& snapshot, const std::string& folder, std::string_view text,
                ArchivedContent* out) {
  const Result<std::unique_ptr<StoredResponses>> responses =
      StoredResponses::Open(snapshot, folder);
  if (!responses.ok()) return responses.status();
  const Result<Url> url = ParseUrlFor((*responses)->options(), text);
  if (!url.ok()) return url.status();
  const Result<ArchivedPage> page = (*responses)->Find(url->href());
  if (!page.ok()) return page.status();
  FetchResult response;
  std::string problem;
  const Result<bool> read = (*responses)->Read(*page, &response, &problem);
  if (!read.ok()) return read.status();
  if (!*read) return Status(StatusCode::kCorruption, problem);
  out->url = page->url;
  out->status = page->status;
  out->at = std::chrono::system_clock::time_point(std::chrono::milliseconds(page->crawled_at));
  out->head = response.headers.raw();
  out->body = response.body();
  Document document;
  (*responses)->ReadDocument(response, &document);
  ReportDocument(std::move(document), out);
  return Status::Ok();
}

}  // namespace

ArchivedContent ReadStored(const std::string& folder, std::string_view url) {
  ArchivedContent page;
  Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, {});
  if (!snapshot.ok()) {
    page.outcome = FailedToRead(snapshot.status());
    return page;
  }
  page.outcome = snapshot->Outcome(ReadInto(*snapshot, folder, url, &page), 1);
  return page;
}

}  // namespace crawler
