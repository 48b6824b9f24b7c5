// ReadCrawlStatus(): the state the recorder leaves with every commit.
#include <nlohmann/json.hpp>
#include <string>

#include "base/clock.hpp"
#include "crawler/crawler.hpp"
#include "db/database.hpp"
#include "engine/crawl_folder.hpp"
#include "inspect/inspect.hpp"
#include "store/catalogue.hpp"

namespace crawler {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

void ReadStatistics(const Json& live, CrawlStatistics* s) {
  s->phase = live.value("phase", "");
  s->elapsed = milliseconds(live.value("elapsed_ms", std::int64_t{0}));
  for (const auto& [name, value] : kCrawlCounts) s->*value = live.value(name, std::uint64_t{0});
}

void ReadHoldups(const Json& live, CrawlStatus* status) {
  for (const Json& entry : live.value("holdups", Json::array())) {
    HostHoldup holdup;
    holdup.host = entry.value("host", "");
    holdup.waiting = entry.value("waiting", std::uint64_t{0});
    holdup.under_way = entry.value("under_way", 0u);
    holdup.why = entry.value("why", "");
    const std::int64_t due = entry.value("due_in_ms", std::int64_t{-1});
    if (due >= 0) holdup.due_in = milliseconds(due);
    status->holdups.push_back(std::move(holdup));
  }
}

}  // namespace

CrawlStatus InspectStatus(const std::string& folder) {
  CrawlStatus status;
  status.process = CrawlFolder::Holder(folder);
  status.running = status.process != 0;
  Result<Database> db = OpenForReading(folder);
  if (!db.ok()) {
    status.error = db.status().message();
    return status;
  }
  const Result<std::string> state = ReadState(*db, "status");
  const Result<std::string> text = ReadState(*db, "live");
  if (!state.ok() || !text.ok()) {
    status.error = (state.ok() ? text : state).status().message();
    return status;
  }
  status.state = *state == "running" && !status.running ? "interrupted" : *state;
  const Json live = Json::parse(*text, nullptr, false);
  if (!live.is_object()) return status;  // Nothing has been committed yet.
  try {
    status.as_of = WallTime(std::chrono::duration_cast<WallTime::duration>(
        milliseconds(live.value("at", std::int64_t{0}))));
    ReadStatistics(live, &status.statistics);
    ReadHoldups(live, &status);
  } catch (const Json::exception& error) {
    status.error = std::string("crawl_state cannot be read: ") + error.what();
  }
  return status;
}

}  // namespace crawler
