// The steps before the first thread starts: options become parts, a stored crawl is restored.
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/memory_group.hpp"
#include "engine/log_events.hpp"
#include "engine/options_json.hpp"
#include "engine/restore.hpp"
#include "engine/stage_options.hpp"
#include "engine/web_crawl.hpp"
#include "frontier/memory_frontier.hpp"
#include "robots/robots_txt.hpp"
#include "store/lost_captures.hpp"
#include "store/requeue.hpp"
#include "store/stored_crawl.hpp"
#include "store/url_reader.hpp"

namespace crawler {
namespace {

/// Bytes of URL texts that are held in memory although they are committed.
constexpr std::size_t kRoomForTexts = std::size_t{16} << 20;

/// A page of the largest size needs as much, in its several forms.
constexpr std::uint64_t kLeastRam = std::uint64_t{160} << 20;

std::size_t QuarterOfRam(const CrawlOptions& options) {
  return static_cast<std::size_t>(std::max(WithinMemoryGroup(options.max_ram), kLeastRam) / 4);
}

// The key of the fingerprints in its stored form.
Result<std::uint64_t> ParseHashKey(std::string_view text) {
  std::uint64_t key = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, key, 16);
  if (error == std::errc() && stopped == end) return key;
  return Status(StatusCode::kCorruption, "the stored hash_key of the crawl cannot be read");
}

Status RemoveFromIndex(Database& db, const std::vector<ArchiveLoss>& losses) {
  if (losses.empty()) return Status::Ok();
  Result<std::unique_ptr<IndexWriter>> index = IndexWriter::Open(db, 0);
  if (!index.ok()) return index.status();
  for (const ArchiveLoss& loss : losses) {
    for (const std::int64_t page : loss.pages) {
      if (Status status = (*index)->Remove(page); !status.ok()) return status;
    }
  }
  return Status::Ok();
}

/// Idle connections that are kept unless the options say otherwise: each takes some kilobytes.
constexpr int kMostKept = 10'000;

/// With fewer open files a crawl is refused: every request would fail for lack of a descriptor.
constexpr rlim_t kFewestFiles = 40;

Status CheckOpenFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kFewestFiles) return Status::Ok();
  return Status(StatusCode::kResourceExhausted,
                "the limit of open files is " + std::to_string(limit.rlim_cur) +
                    "; a crawl needs at least " + std::to_string(kFewestFiles) +
                    ", so raise it with `ulimit -n`");
}

/// The number of connections that the limit of open files leaves.
int MostConnections(int threads) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT_MAX;
  // Each thread has an event loop and a connection to the catalogue; the 32 are the writer's files.
  const std::int64_t others = 32 + 12 * std::int64_t{threads};
  const auto all = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, INT_MAX));
  return static_cast<int>(std::max<std::int64_t>(all - others, 1));
}

}  // namespace

// Limits threads and connections to the descriptors that are left: a request without one would
// fail.
void WebCrawl::LimitConnections(FetchLimits* limits) {
  const CrawlOptions& options = crawl_.options;
  threads_ = options.fetch_threads;
  if (threads_ == 0) {
    threads_ = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 4u));
  }
  threads_ = std::min(threads_, options.connections);
  const int most = MostConnections(threads_ + options.parse_threads);
  connections_ = std::min(options.connections, most);
  threads_ = std::min(threads_, connections_);
  if (connections_ < options.connections) {
    crawl_.logger.Warn("Engine", "Fewer connections than asked for: the limit of open files is low",
                       {{"connections", connections_}, {"asked", options.connections}});
  }
  limits->max_transfers = static_cast<std::size_t>(connections_);
  const int kept = options.keep_connections > 0 ? options.keep_connections : kMostKept;
  limits->max_idle_connections =
      static_cast<std::size_t>(std::max(std::min(kept, most - connections_) / threads_, 1));
}

// Makes all parts of the crawl but threads and files.
Status WebCrawl::Prepare(const std::string& hash_key) {
  if (Status status = CheckOptions(crawl_.options); !status.ok()) return status;
  if (Status status = CheckOpenFiles(); !status.ok()) return status;
  CrawlOptions& options = crawl_.options;
  hash_key_ = hash_key;
  if (RemoveCredentials(&options.seeds)) {
    crawl_.Warn(
        "user and password in a URL are never sent, so they are left out; put user:password into "
        "an environment variable and name it with --basic-auth-from");
  }
  crawl_.catalogue_path = CrawlFolder::CataloguePath(options.folder);
  crawl_.normalize = ToNormalizeOptions(options);
  Result<std::vector<Url>> seeds = ParseSeeds(options);
  if (!seeds.ok()) return seeds.status();
  seeds_ = std::move(seeds).value();
  Result<std::unique_ptr<Scope>> scope = MakeScope(options, seeds_);
  if (!scope.ok()) return scope.status();
  crawl_.scope = std::move(scope).value();

  Result<FetchOptions> fetch = ToFetchOptions(options.network, options.seeds);
  if (!fetch.ok()) return fetch.status();
  LimitConnections(&fetch->limits);
  // The frontier limits requests per host; a redirected robots.txt may add one.
  fetch->limits.max_transfers_per_host = static_cast<std::size_t>(options.per_host) + 1;
  fetch->keep_request_head = options.warc;
  crawl_.memory = std::make_shared<MemoryBudget>(QuarterOfRam(options));
  fetch->memory = crawl_.memory;
  auto context = FetchContext::Create(std::move(fetch).value(), crawl_.logger);
  if (!context.ok()) return context.status();
  crawl_.fetch = std::move(context).value();
  crawl_.product = ProductToken(crawl_.fetch->options().user_agent);

  const Result<std::uint64_t> fingerprint_key = ParseHashKey(hash_key);
  if (!fingerprint_key.ok()) return fingerprint_key.status();
  crawl_.retry = ToRetryPolicy(options);
  crawl_.sitemaps = std::make_unique<SitemapBudget>(options.sitemap_limits);
  auto frontier = std::make_unique<MemoryFrontier>(
      ToFrontierOptions(options, connections_, *fingerprint_key),
      [reader = std::make_shared<UrlReader>(crawl_.catalogue_path)](UrlId id) {
        return reader->Read(id);
      },
      kRoomForTexts);
  memory_frontier_ = frontier.get();
  crawl_.frontier = std::move(frontier);
  return Status::Ok();
}

// Makes all changes before the first request in one transaction, which is committed when no step
// can fail any more: a crawl that cannot go on stays as it was.
Status WebCrawl::Enter(Catalogue& catalogue, Beginning beginning,
                       std::unique_ptr<WarcWriter>* warc) {
  Status status = catalogue.Begin();
  if (status.ok() && beginning != Beginning::kNew) status = Restore(catalogue, beginning);
  if (status.ok() && crawl_.options.warc) {
    Result<std::unique_ptr<WarcWriter>> writer = OpenArchive(catalogue);
    if (!writer.ok()) return writer.status();
    *warc = std::move(writer).value();
  }
  if (status.ok()) status = catalogue.PutState("hash_key", hash_key_);
  if (status.ok()) status = catalogue.PutState("options", ToJson(crawl_.options));
  if (status.ok()) status = catalogue.PutState("status", "running");
  if (status.ok()) status = catalogue.Commit();
  if (status.ok() && beginning != Beginning::kNew) status = catalogue.DropIndexes();
  return status;
}

Status WebCrawl::Restore(Catalogue& catalogue, Beginning beginning) {
  phases_.Enter("restoring");
  Status status;
  if (beginning == Beginning::kRepeated) {
    status = catalogue.BeginRound(crawl_.NowMilliseconds());
  } else {
    status = RequeueForResume(catalogue);
  }
  if (!status.ok()) return status;
  std::vector<ArchiveLoss> losses;
  const std::string folder = CrawlFolder::WarcPath(crawl_.options.folder);
  if (crawl_.options.warc) {
    Result<std::vector<ArchiveLoss>> found =
        RequeueLostCaptures(catalogue, folder, crawl_.NowMilliseconds());
    if (!found.ok()) return found.status();
    losses = std::move(found).value();
    status = RemoveFromIndex(catalogue.database(), losses);
    if (!status.ok()) return status;
  }
  RestoredCrawl restored(crawl_.contents, crawl_.retries, crawl_.seeds, tally_, *crawl_.sitemaps);
  status = RestoreCrawl(catalogue.database(), crawl_.options, *crawl_.environment.clock,
                        memory_frontier_, &restored);
  // Later runs have to know of the kill as well: this one may end before it has asked all hosts.
  if (status.ok() && restored.interrupted) {
    status = catalogue.PutState(kInterruptedAt, std::to_string(crawl_.NowMilliseconds()));
  }
  Continue(std::move(restored));
  if (status.ok() && beginning == Beginning::kResumed) status = RestoreElapsed(catalogue);
  if (status.ok()) status = CutArchive(folder, losses);
  if (!status.ok()) return status;
  for (const ArchiveLoss& loss : losses) {
    crawl_.Warn(loss.file + " is " + std::to_string(loss.bytes) +
                " bytes shorter than it was written; the records of " +
                std::to_string(loss.pages.size()) + " pages and of " + std::to_string(loss.others) +
                " other responses are gone, and are fetched again");
  }
  return Status::Ok();
}

// How long the earlier runs took. A folder that does not say so has its last run only.
Status WebCrawl::RestoreElapsed(Catalogue& catalogue) {
  const Result<std::string> text = ReadState(catalogue.database(), "live");
  if (!text.ok()) return text.status();
  const nlohmann::json live = nlohmann::json::parse(*text, nullptr, false);
  if (!live.is_object()) return Status::Ok();
  for (const char* const key : {"elapsed_ms", "elapsed_all_ms"}) {
    const auto value = live.find(key);
    if (value == live.end() || !value->is_number_integer()) continue;
    elapsed_before_ =
        std::chrono::milliseconds(std::max<std::int64_t>(value->get<std::int64_t>(), 0));
  }
  return Status::Ok();
}

// Takes over the numbers of earlier runs.
void WebCrawl::Continue(RestoredCrawl restored) {
  crawl_.recrawl = restored.recrawl;
  crawl_.page_bytes.store(restored.page_bytes);
  before_ = restored.totals;
  requeued_ = std::move(restored.requeued);
}

// Requeues URLs that are over, but that this run fetches again.
Status WebCrawl::RequeueForResume(Catalogue& catalogue) {
  const auto requeue = [this](const Result<std::uint64_t>& urls, std::string_view sentence) {
    if (urls.ok() && *urls > 0) crawl_.Warn(std::to_string(*urls) + std::string(sentence));
    return urls.status();
  };
  Status status;
  if (!crawl_.options.network.obey_robots) {
    status = requeue(RequeueRefused(catalogue),
                     " URLs that were left out because of robots.txt are fetched now");
  }
  if (status.ok() && retry_filter_) {
    const Result<std::uint64_t> urls = RequeueFailed(catalogue, *retry_filter_);
    if (urls.ok() && *urls == 0)
      crawl_.Warn("no URL that was given up matches; none is tried again");
    status = requeue(urls, " URLs that were given up are tried again");
  }
  if (status.ok()) {
    status = requeue(RequeueSeedsWithoutPage(catalogue),
                     " URLs are tried again, because the crawl has no page yet");
  }
  return status;
}

// Opens the index and gathers the postings that a kill has lost.
Result<std::unique_ptr<IndexWriter>> WebCrawl::OpenIndex(Catalogue& catalogue) {
  Result<std::unique_ptr<IndexWriter>> writer =
      IndexWriter::Open(catalogue.database(),
                        static_cast<std::size_t>(WithinMemoryGroup(crawl_.options.max_ram) / 4));
  if (!writer.ok()) return writer;
  if (!crawl_.options.index) return writer;
  const Status status = (*writer)->Recover([this] { return crawl_.stop.requested(); });
  // A crawl that is stopped here adds no page; the next run gathers the rest.
  if (!status.ok() && status.code() != StatusCode::kCancelled) return status;
  return writer;
}

Result<std::unique_ptr<WarcWriter>> WebCrawl::OpenArchive(Catalogue& catalogue) {
  const Result<WarcEnd> committed = CommittedWarcEnd(catalogue.database());
  if (!committed.ok()) return committed.status();
  WarcWriter::Options options;
  options.software = "crawler/" CRAWLER_VERSION;
  options.user_agent = crawl_.fetch->options().user_agent;
  options.robots = crawl_.options.network.obey_robots ? "obey" : "ignore";
  options.index = true;
  return WarcWriter::Open(CrawlFolder::WarcPath(crawl_.options.folder), std::move(options),
                          *committed);
}

Status WebCrawl::StartWriter(std::unique_ptr<Catalogue> catalogue,
                             std::unique_ptr<WarcWriter> warc) {
  std::unique_ptr<IndexWriter> index;
  // A repeated crawl removes pages from the index even if it adds none.
  if (crawl_.options.index || crawl_.recrawl) {
    Result<std::unique_ptr<IndexWriter>> writer = OpenIndex(*catalogue);
    if (!writer.ok()) return writer.status();
    index = std::move(writer).value();
  }
  CommitWriter::Hooks hooks;
  hooks.state = std::bind_front(&WebCrawl::LiveState, this);
  hooks.tally = [this](const std::vector<VisitRow>& visits) {
    for (const VisitRow& row : visits) meters_.AddVisit(row);
    return tally_.AddRows(visits);
  };
  hooks.committed = std::bind_front(&Frontier::Settle, crawl_.frontier.get());
  hooks.measured = [this](const CrawlTotals& added, Duration took) {
    meters_.AddCommit(took);
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(took);
    crawl_.logger.Log(log_events::kCommitted, {{"pages", added.pages},
                                               {"urls", added.urls_known},
                                               {"links", added.links},
                                               {"ms", time.count()}});
  };
  if (const std::optional<MemoryGroup> group = MemoryGroup::Find()) {
    hooks.check = [group = *group] { return group.CheckRoom(); };
  }
  hooks.removed = [this](const StoredPage& page, UrlId heir) {
    if (const std::optional<Sha256Digest> content = Sha256FromHex(page.content_hash)) {
      crawl_.contents.Replace(*content, page.url_id, heir);
    }
  };
  hooks.failed = [this] { StopNow(); };
  crawl_.writer = std::make_unique<CommitWriter>(
      std::move(catalogue), std::move(index), std::move(warc), std::move(hooks),
      crawl_.options.full_durability, *crawl_.environment.clock, !crawl_.environment.single_thread);
  return Status::Ok();
}

}  // namespace crawler
