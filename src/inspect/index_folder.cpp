#include <utility>

#include "base/memory_group.hpp"
#include "engine/crawl_folder.hpp"
#include "engine/options_json.hpp"
#include "index/indexing.hpp"
#include "inspect/index_archive.hpp"
#include "inspect/inspect.hpp"
#include "inspect/read_snapshot.hpp"
#include "store/catalogue.hpp"

namespace crawler {
namespace {

void Report(const IndexCallbacks& callbacks, std::string_view step, std::uint64_t done,
            std::uint64_t all) {
  if (callbacks.on_progress) callbacks.on_progress({step, done, all});
}

Status Index(const std::string& path, const IndexSettings& settings,
             const IndexCallbacks& callbacks, ArchiveIndexReport* archive, IndexReport* report) {
  Result<std::unique_ptr<CrawlFolder>> folder = CrawlFolder::Open(path);
  if (!folder.ok()) return folder.status();
  Result<std::unique_ptr<Catalogue>> catalogue =
      Catalogue::Open(CrawlFolder::CataloguePath(path), Durability::kNormal);
  if (!catalogue.ok()) return catalogue.status();
  const Result<std::string> stored = ReadState((*catalogue)->database(), "options");
  if (!stored.ok()) return stored.status();
  const Result<CrawlOptions> crawl = OptionsFromJson(*stored);
  if (!crawl.ok()) return crawl.status();
  const std::uint64_t max_ram =
      WithinMemoryGroup(settings.max_ram == 0 ? crawl->max_ram : settings.max_ram);

  if (settings.rebuild) {
    if (Status status = ForgetIndex((*catalogue)->database()); !status.ok()) return status;
  }
  ArchiveIndexOptions from_archive;
  from_archive.max_ram = static_cast<std::size_t>(max_ram);
  from_archive.progress = [&](std::uint64_t done, std::uint64_t all) {
    Report(callbacks, "reading pages from the archive", done, all);
  };
  from_archive.warn = callbacks.on_warning;
  Status status =
      IndexFromArchive(**catalogue, *crawl, CrawlFolder::WarcPath(path), from_archive, archive);
  if (!status.ok()) return status;
  IndexOptions options;
  options.max_ram = static_cast<std::size_t>(max_ram);
  options.topic = crawl->topic;
  options.progress = [&](std::string_view step) { Report(callbacks, step, 0, 0); };
  status = RunIndexing((*catalogue)->database(), options, report);
  if (status.ok()) status = (*catalogue)->Checkpoint();
  return status;
}

}  // namespace

IndexOutcome IndexFolder(const std::string& folder, const IndexSettings& settings,
                         const IndexCallbacks& callbacks) {
  ArchiveIndexReport archive;
  IndexReport report;
  const Status status = Index(folder, settings, callbacks, &archive, &report);
  IndexOutcome outcome;
  if (!status.ok()) outcome.error = status.message();
  outcome.outcome = KindOfFailure(status);
  outcome.pages = report.pages;
  outcome.unindexed = report.unindexed;
  outcome.from_archive = archive.read;
  outcome.unreadable = archive.unreadable;
  outcome.unarchived = archive.unarchived;
  outcome.terms = report.terms;
  outcome.links = report.links;
  outcome.rank_iterations = report.iterations;
  outcome.rank_change = report.change;
  outcome.rank_converged = report.converged;
  return outcome;
}

}  // namespace crawler
