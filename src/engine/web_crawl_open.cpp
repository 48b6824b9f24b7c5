// How a run begins: the folder of the crawl is opened, or the run is refused.
#include <cstdio>
#include <utility>

#include "base/catch_exceptions.hpp"
#include "base/hash.hpp"
#include "engine/focus.hpp"
#include "engine/options_json.hpp"
#include "engine/stage_options.hpp"
#include "engine/web_crawl.hpp"
#include "store/read_catalogue.hpp"
#include "store/warc_writer.hpp"

namespace crawler {
namespace {

using Outcome = CrawlResult::Outcome;

Status Invalid(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

/// A new crawl must not touch the data of another one in its folder.
Status CheckUnused(Database& catalogue, const std::string& folder) {
  // A crawl that was killed before its first commit has left nothing, so it may begin again.
  const Result<std::string> begun = ReadState(catalogue, "hash_key");
  if (!begun.ok()) return begun.status();
  if (!begun->empty()) {
    return Invalid("there is a crawl in " + folder + " already; `crawler resume " + folder +
                   "` goes on with it, `crawler recrawl " + folder +
                   "` visits it once more, another --out begins a new one");
  }
  // A crawl commits its hash key before it writes WARC files, so the catalogue must have been lost.
  const auto archived = ListWarcFiles(CrawlFolder::WarcPath(folder));
  if (!archived.ok()) return archived.status();
  if (archived->empty()) return Status::Ok();
  return Invalid("there are WARC files in " + folder +
                 ", but crawl.db knows of none; put back the one that does, or begin with another "
                 "--out");
}

// The errors that opening the folder of a new crawl would have, as far as they can be told before.
Status CheckNewFolder(const std::string& folder) {
  if (Status status = CrawlFolder::CheckNew(folder); !status.ok()) return status;
  Result<Database> catalogue = OpenCatalogueForReading(CrawlFolder::CataloguePath(folder));
  const bool none = catalogue.status().code() == StatusCode::kNotFound;
  if (!catalogue.ok()) return none ? Status::Ok() : catalogue.status();
  if (const long holder = CrawlFolder::Holder(folder); holder != 0) {
    return CrawlFolder::Busy(folder, holder);
  }
  return CheckUnused(*catalogue, folder);
}

bool IsLessDeep(int max_depth, int before) {
  return max_depth >= 0 && (before < 0 || max_depth < before);
}

}  // namespace

CrawlResult WebCrawl::Refuse(Outcome outcome, const Status& status) {
  CrawlResult result;
  result.message = status.message();
  result.outcome = outcome;
  switch (status.code()) {
    case StatusCode::kBusy:
      result.outcome = Outcome::kFolderBusy;
      break;
    case StatusCode::kInvalidArgument:
      result.outcome = Outcome::kBadOption;
      break;
    case StatusCode::kNotFound:
      result.outcome = Outcome::kNoCrawl;
      break;
    case StatusCode::kCorruption:
    case StatusCode::kUnsupported:
    case StatusCode::kResourceExhausted:
      result.outcome = Outcome::kStorage;
      break;
    case StatusCode::kOutOfMemory:
      result.outcome = Outcome::kOutOfMemory;
      break;
    default:
      break;
  }
  return result;
}

// Memory or threads may run out before the crawl has begun, or after its threads have ended.
template <typename Work>
CrawlResult WebCrawl::CatchShortage(Work&& work) {
  CrawlResult result;
  const Status status = CatchExceptions([&] {
    result = work();
    return Status::Ok();
  });
  return status.ok() ? result : Refuse(Outcome::kOutOfMemory, status);
}

CrawlResult WebCrawl::Run() {
  return CatchShortage([this] { return RunNew(); });
}

CrawlResult WebCrawl::Check() {
  return CatchShortage([this] {
    CrawlOptions& options = crawl_.options;
    // Seeds that are found later may bring a topic.
    if (options.topic.empty())
      options.topic = options.seeds.empty() ? "any" : TopicOfSeeds(options.seeds);
    if (Status status = Prepare("0"); !status.ok()) return Refuse(Outcome::kBadOption, status);
    const Status folder = options.folder.empty() ? Status::Ok() : CheckNewFolder(options.folder);
    return folder.ok() ? CrawlResult() : Refuse(Outcome::kStorage, folder);
  });
}

CrawlResult WebCrawl::RunNew() {
  CrawlOptions& options = crawl_.options;
  if (options.seeds.empty()) {
    return Refuse(Outcome::kBadOption, Invalid("no URL to begin with was given"));
  }
  if (options.topic.empty()) options.topic = TopicOfSeeds(options.seeds);
  const std::uint64_t key = crawl_.environment.hash_key.value_or(RandomKey());
  char hash_key[17];
  std::snprintf(hash_key, sizeof hash_key, "%016llx", static_cast<unsigned long long>(key));
  if (Status status = Prepare(hash_key); !status.ok()) return Refuse(Outcome::kBadOption, status);
  Result<std::unique_ptr<CrawlFolder>> folder = CrawlFolder::Create(options.folder);
  if (!folder.ok()) return Refuse(Outcome::kStorage, folder.status());
  folder_ = std::move(folder).value();
  if (Status status = ProtectFolder(); !status.ok()) return Refuse(Outcome::kStorage, status);
  Result<std::unique_ptr<Catalogue>> catalogue = Catalogue::Open(
      crawl_.catalogue_path, options.full_durability ? Durability::kFull : Durability::kNormal);
  if (!catalogue.ok()) return Refuse(Outcome::kStorage, catalogue.status());
  if (Status status = CheckUnused((*catalogue)->database(), options.folder); !status.ok()) {
    return Refuse(Outcome::kStorage, status);
  }
  return Crawl(std::move(catalogue).value(), Beginning::kNew);
}

CrawlResult WebCrawl::Resume(const std::function<void(CrawlOptions&)>& changes) {
  return ContinueExisting(changes, Beginning::kResumed);
}

CrawlResult WebCrawl::Retry(const RetrySelection& selection,
                            const std::function<void(CrawlOptions&)>& changes) {
  Result<RetryFilter> filter = MakeRetryFilter(selection.host, selection.kind);
  if (!filter.ok()) return Refuse(Outcome::kBadOption, filter.status());
  retry_filter_ = std::move(filter).value();
  return ContinueExisting(changes, Beginning::kResumed);
}

CrawlResult WebCrawl::Recrawl(const std::function<void(CrawlOptions&)>& changes) {
  return ContinueExisting(changes, Beginning::kRepeated);
}

CrawlResult WebCrawl::ContinueExisting(const std::function<void(CrawlOptions&)>& changes,
                                       Beginning beginning) {
  return CatchShortage([&] { return OpenAndContinue(changes, beginning); });
}

CrawlResult WebCrawl::OpenAndContinue(const std::function<void(CrawlOptions&)>& changes,
                                      Beginning beginning) {
  const std::string path = crawl_.options.folder;
  Result<std::unique_ptr<CrawlFolder>> folder = CrawlFolder::Open(path);
  if (!folder.ok()) return Refuse(Outcome::kStorage, folder.status());
  folder_ = std::move(folder).value();
  Result<std::unique_ptr<Catalogue>> catalogue =
      Catalogue::Open(CrawlFolder::CataloguePath(path), Durability::kNormal);
  if (!catalogue.ok()) return Refuse(Outcome::kStorage, catalogue.status());
  Result<std::string> hash_key = ReadOptions(**catalogue);
  if (!hash_key.ok()) return Refuse(Outcome::kStorage, hash_key.status());

  const int depth_before = crawl_.options.max_depth;
  if (changes) changes(crawl_.options);
  if (beginning == Beginning::kResumed && IsLessDeep(crawl_.options.max_depth, depth_before)) {
    return Refuse(Outcome::kBadOption,
                  Invalid("a resume may go deeper than the crawl did, but not less deep: what is "
                          "farther away waits already; `crawler recrawl " +
                          path + "` begins at the seeds again"));
  }
  if (crawl_.options.full_durability) {
    if (Status status = (*catalogue)->SetDurability(Durability::kFull); !status.ok()) {
      return Refuse(Outcome::kStorage, status);
    }
  }
  if (Status status = Prepare(*hash_key); !status.ok()) return Refuse(Outcome::kBadOption, status);
  if (Status status = ProtectFolder(); !status.ok()) return Refuse(Outcome::kStorage, status);
  return Crawl(std::move(catalogue).value(), beginning);
}

// Takes over the options of the stored crawl; returns its hash key.
Result<std::string> WebCrawl::ReadOptions(Catalogue& catalogue) {
  const std::string path = crawl_.options.folder;
  const Result<std::string> stored = ReadState(catalogue.database(), "options");
  if (!stored.ok()) return stored.status();
  Result<std::string> hash_key = ReadState(catalogue.database(), "hash_key");
  if (!hash_key.ok()) return hash_key;
  if (hash_key->empty()) {
    return Status(StatusCode::kNotFound, "the crawl in " + path +
                                             " ended before anything was written; begin it again "
                                             "with `crawler crawl`");
  }
  Result<CrawlOptions> options = OptionsFromJson(*stored);
  if (!options.ok()) return options.status();
  crawl_.options = std::move(options).value();
  crawl_.options.folder = path;
  return hash_key;
}

// Pages that need a login, and cookies in archived responses, are for the owner only.
Status WebCrawl::ProtectFolder() const {
  const NetworkOptions& network = crawl_.options.network;
  if (!HasCredentials(network) && !network.cookies) return Status::Ok();
  return folder_->MakePrivate();
}

}  // namespace crawler
