#include <utility>

#include "engine/crawl_folder.hpp"
#include "engine/inspect.hpp"
#include "engine/options_json.hpp"
#include "index/indexing.hpp"
#include "store/catalogue.hpp"

namespace crawler {
namespace {

Status Index(const std::string& path, IndexReport* report) {
  Result<std::unique_ptr<CrawlFolder>> folder = CrawlFolder::Open(path);
  if (!folder.ok()) return folder.status();
  Result<std::unique_ptr<Catalogue>> catalogue =
      Catalogue::Open(CrawlFolder::CataloguePath(path), Durability::kNormal);
  if (!catalogue.ok()) return catalogue.status();
  const Result<std::string> stored = (*catalogue)->State("options");
  if (!stored.ok()) return stored.status();
  const Result<CrawlOptions> crawl = OptionsFromJson(*stored);
  if (!crawl.ok()) return crawl.status();
  IndexOptions options;
  options.max_ram = static_cast<std::size_t>(crawl->max_ram);
  options.topic = crawl->topic;
  Status status = RunIndexing((*catalogue)->database(), options, report);
  if (status.ok()) status = (*catalogue)->Checkpoint();
  return status;
}

}  // namespace

IndexOutcome IndexFolder(const std::string& folder) {
  IndexReport report;
  const Status status = Index(folder, &report);
  IndexOutcome outcome;
  if (!status.ok()) outcome.error = status.message();
  outcome.busy = status.code() == StatusCode::kCancelled;
  outcome.pages = report.pages;
  outcome.unindexed = report.unindexed;
  outcome.terms = report.terms;
  outcome.links = report.links;
  outcome.rank_iterations = report.iterations;
  outcome.rank_change = report.change;
  return outcome;
}

}  // namespace crawler
