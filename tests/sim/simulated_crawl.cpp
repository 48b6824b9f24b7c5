#include "sim/simulated_crawl.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "engine/web_crawl.hpp"
#include "inspect/inspect.hpp"
#include "inspect/read_folder.hpp"

namespace crawler::sim {
namespace {

namespace fs = std::filesystem;

// In memory where the system has a file system for that.
fs::path TemporaryFolder() {
  fs::path parent = fs::temp_directory_path();
  if (access("/dev/shm", W_OK) == 0) parent = "/dev/shm";
  std::string pattern = (parent / "crawler-sim-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return pattern;
}

}  // namespace

CrawlOptions SimulatedOptions(std::vector<std::string> seeds) {
  CrawlOptions options;
  options.seeds = std::move(seeds);
  options.warc = false;
  options.index = false;
  options.fetch_threads = 1;
  options.parse_threads = 0;
  return options;
}

SimulatedCrawl::SimulatedCrawl(const SimulatedWeb& web, CrawlOptions options)
    : web_(web),
      options_(std::move(options)),
      base_(TemporaryFolder().string()),
      network_(std::make_unique<SimulatedNetwork>(web)) {
  options_.folder = base_ + "/crawl";
}

SimulatedCrawl::~SimulatedCrawl() {
  std::error_code ignored;
  fs::remove_all(base_, ignored);
}

// The files as they are when a process is gone from one moment to the next. The index of the WAL is
// left out, as it is shared memory that SQLite builds anew.
void SimulatedCrawl::Snapshot() {
  const fs::path from = options_.folder;
  const fs::path to = base_ + "/killed";
  fs::remove_all(to);
  fs::create_directories(to);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = to / fs::relative(entry.path(), from);
    if (entry.is_directory()) {
      fs::create_directories(target);
    } else if (!entry.path().string().ends_with("-shm")) {
      fs::copy_file(entry.path(), target);
    }
  }
  network_at_kill_ = std::make_unique<SimulatedNetwork>(*network_);
}

void SimulatedCrawl::Restore() {
  fs::remove_all(options_.folder);
  fs::rename(base_ + "/killed", options_.folder);
  kills_.insert(network_->process());
  network_ = std::move(network_at_kill_);
}

std::optional<CrawlResult> SimulatedCrawl::Run(std::optional<Interruption> interruption,
                                               const std::function<void(CrawlOptions&)>& changes) {
  CrawlEnvironment environment;
  environment.clock = &network_->clock();
  environment.single_thread = true;
  environment.hash_key = web_.seed();
  environment.make_fetcher = [this]() -> Result<std::unique_ptr<Fetcher>> {
    return std::unique_ptr<Fetcher>(std::make_unique<SimulatedFetcher>(*network_));
  };
  CrawlCallbacks callbacks;
  callbacks.on_page = on_page;
  callbacks.on_warning = [this](std::string_view text) { warnings_.emplace_back(text); };
  WebCrawl crawl(options_, std::move(callbacks), std::move(environment));
  bool killed = false;
  network_->on_step = [&](std::uint64_t step) {
    if (killed || !interruption || step != interruption->step) return;
    if (interruption->kind == Interruption::Kind::kStop) {
      crawl.Stop();
      return;
    }
    if (interruption->kind == Interruption::Kind::kKill) {
      Snapshot();
      killed = true;
    }
    crawl.StopNow();
  };
  network_->on_stuck = [&](const std::string& why) {
    stuck_ = why;
    crawl.StopNow();
  };
  CrawlResult result = begun_ ? crawl.Resume(changes) : crawl.Run();
  begun_ = true;
  network_->on_step = nullptr;
  network_->on_stuck = nullptr;
  if (killed) Restore();
  network_->BeginProcess();
  if (killed) return std::nullopt;
  if (changes) changes(options_);
  return result;
}

std::vector<std::string> SimulatedCrawl::Pages() const {
  std::vector<std::string> pages;
  Result<Database> db = OpenForReading(options_.folder);
  if (!db.ok()) throw std::runtime_error(db.status().message());
  Result<Statement> select = db->Prepare("SELECT url FROM pages ORDER BY id");
  if (!select.ok()) throw std::runtime_error(select.status().message());
  for (Result<bool> row = select->Step(); row.ok() && *row; row = select->Step()) {
    pages.emplace_back(select->Text(0));
  }
  return pages;
}

std::int64_t SimulatedCrawl::Value(const std::string& query) const {
  Result<Database> db = OpenForReading(options_.folder);
  if (!db.ok()) throw std::runtime_error(db.status().message());
  Result<Statement> select = db->Prepare(query);
  if (!select.ok()) throw std::runtime_error(select.status().message());
  const Result<bool> row = select->Step();
  if (!row.ok() || !*row) throw std::runtime_error("no row: " + query);
  return select->Int(0);
}

std::vector<std::string> SimulatedCrawl::Problems() const {
  std::vector<std::string> problems = JudgeRecord(*network_, options_, kills_);
  if (!stuck_.empty()) problems.push_back(stuck_);
  const CrawlVerification verified = InspectAll(options_.folder);
  if (!verified.error.empty()) problems.push_back("verify: " + verified.error);
  for (const std::string& problem : verified.problems) problems.push_back("verify: " + problem);
  return problems;
}

}  // namespace crawler::sim
