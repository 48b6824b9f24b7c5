// ReadCrawlStatus(): the state that is written with every commit.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "crawler/crawler.hpp"
#include "db/database.hpp"
#include "engine/crawl_folder.hpp"
#include "engine/visit_tally.hpp"
#include "inspect/inspect.hpp"
#include "inspect/read_folder.hpp"
#include "inspect/read_snapshot.hpp"
#include "store/catalogue.hpp"

namespace crawler {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

void ReadStatistics(const Json& live, CrawlStatistics* s) {
  s->phase = live.value("phase", "");
  s->paused = live.value("paused", false);
  s->elapsed = milliseconds(live.value("elapsed_ms", std::int64_t{0}));
  for (const auto& [name, value, help] : kCrawlCounts)
    s->*value = live.value(name, std::uint64_t{0});
  const Json this_run = live.value("this_run", Json::object());
  for (const auto& [name, value] : kCrawlRunCounts) {
    s->this_run.*value = this_run.value(name, std::uint64_t{0});
  }
  s->elapsed_all = milliseconds(live.value("elapsed_all_ms", s->elapsed.count()));
  for (const Json& phase : live.value("phases", Json::array())) {
    s->phases.push_back(
        {phase.value("name", ""), milliseconds(phase.value("elapsed_ms", std::int64_t{0})),
         phase.value("requests", std::uint64_t{0}), phase.value("pages", std::uint64_t{0})});
  }
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
    holdup.interval = milliseconds(entry.value("interval_ms", std::int64_t{0}));
    holdup.asked_by = entry.value("asked_by", "");
    holdup.trouble = entry.value("trouble", "");
    status->holdups.push_back(std::move(holdup));
  }
}

// Of a crawl that nobody runs nothing is under way: it waits for the next run.
void EndRequests(CrawlStatus* status) {
  CrawlStatistics& s = status->statistics;
  s.urls_waiting += std::exchange(s.urls_under_way, 0);
  s.paused = false;
  for (HostHoldup& holdup : status->holdups) {
    holdup.waiting += std::exchange(holdup.under_way, 0);
    if (!holdup.due_in || holdup.why == "request under way") holdup.why = "interrupted";
    holdup.due_in = milliseconds(0);
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
    status.outcome = KindOfFailure(db.status());
    return status;
  }
  const Result<std::string> state = ReadState(*db, "status");
  const Result<std::string> text = ReadState(*db, "live");
  const Result<std::string> breakdown = ReadState(*db, "breakdown");
  for (const Result<std::string>* read : {&state, &text, &breakdown}) {
    if (read->ok()) continue;
    status.error = read->status().message();
    status.outcome = KindOfFailure(read->status());
    return status;
  }
  status.breakdown = BreakdownFromJson(*breakdown);
  status.state = *state == "running" && !status.running ? "interrupted" : *state;
  const Json live = Json::parse(*text, nullptr, false);
  if (!live.is_object()) return status;  // Nothing has been committed yet.
  try {
    status.as_of = WallTime(std::chrono::duration_cast<WallTime::duration>(
        milliseconds(live.value("at", std::int64_t{0}))));
    ReadStatistics(live, &status.statistics);
    ReadHoldups(live, &status);
    if (!status.running) EndRequests(&status);
    if (status.running && status.statistics.paused) status.state = "paused";
  } catch (const Json::exception& error) {
    status.outcome = ReadOutcome::Kind::kStorage;
    status.error = std::string("crawl_state cannot be read: ") + error.what();
  }
  return status;
}

}  // namespace crawler
