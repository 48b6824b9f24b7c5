#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "crawler/crawler.hpp"
#include "sim/oracles.hpp"
#include "sim/simulated_fetcher.hpp"

namespace crawler::sim {

/// Options that suit a simulated crawl: one thread, no index, no archive.
CrawlOptions SimulatedOptions(std::vector<std::string> seeds);

/// A crawl of a simulated web, with the real engine, frontier, parser and catalogue, in a temporary
/// folder that goes with this object. It may be interrupted and resumed any number of times.
/// Threads: all of it runs in the calling thread.
class SimulatedCrawl {
 public:
  /// `web` must outlive the crawl. The same web and options always give the same crawl.
  SimulatedCrawl(const SimulatedWeb& web, CrawlOptions options);
  ~SimulatedCrawl();
  SimulatedCrawl(const SimulatedCrawl&) = delete;
  SimulatedCrawl& operator=(const SimulatedCrawl&) = delete;

  /// How a run ends early: at the step with this number (see SimulatedNetwork::on_step).
  struct Interruption {
    enum class Kind : std::uint8_t {
      kStop,     ///< Nothing new is begun; requests under way may end.
      kStopNow,  ///< Requests under way are given up.
      kKill,     ///< The process is gone; only its files stay.
    };
    Kind kind = Kind::kStop;
    std::uint64_t step = 0;
  };

  /// Begins the crawl, or resumes it if it has begun. `changes` of options are for a resume.
  /// Nothing if the process was killed.
  std::optional<CrawlResult> Run(std::optional<Interruption> interruption = {},
                                 const std::function<void(CrawlOptions&)>& changes = {});

  /// Called for every page of the runs that follow.
  std::function<void(const CrawledPage&)> on_page;

  SimulatedNetwork& network() { return *network_; }
  const CrawlOptions& options() const { return options_; }
  const std::string& folder() const { return options_.folder; }
  const std::set<int>& kills() const { return kills_; }
  /// Sentences that runs had for whoever started them.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Why the last run came to no end; empty if it did.
  const std::string& stuck() const { return stuck_; }

  /// URLs of the pages in the catalogue.
  std::vector<std::string> Pages() const;
  /// A number that an SQL query gives.
  std::int64_t Value(const std::string& query) const;

  /// Everything that is wrong: promises about requests, the folder's integrity, and an end that did
  /// not come.
  std::vector<std::string> Problems() const;

 private:
  void Snapshot();
  void Restore();

  const SimulatedWeb& web_;
  CrawlOptions options_;
  std::string base_;
  std::unique_ptr<SimulatedNetwork> network_;
  bool begun_ = false;
  std::set<int> kills_;
  std::string stuck_;
  std::vector<std::string> warnings_;
  std::unique_ptr<SimulatedNetwork> network_at_kill_;
};

}  // namespace crawler::sim
