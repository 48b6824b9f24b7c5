#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "fetch/fetcher.hpp"
#include "sim/simulated_web.hpp"

namespace crawler::sim {

/// One request as the simulated network saw it.
struct RecordedRequest {
  int process = 0;  ///< Number of the process that made it, from 0.
  Moment started{0};
  /// When its answer was there, or when it was given up.
  Moment ended{0};
  std::string origin, path, url, site;
  IpAddress address = IpAddress::V4(0);
  bool is_robots = false;  ///< The path is /robots.txt.
  bool reached = false;    ///< It reached the resource.
  int status = 0;
  FetchFailure failure = FetchFailure::kNone;
  std::string redirect;  ///< Where the answer points to, if it does.
  std::optional<Fault> fault;
  std::size_t body_bytes = 0;
  /// The callback has been called with the answer. False for requests under way when the process
  /// was killed.
  bool delivered = false;
};

/// Everything outside of the crawler: the web, its time, and a record of all requests. It outlives
/// the crawler's processes: a crawl that is killed and resumed meets the same network again.
/// Time moves only when a fetcher waits, or by Sleep().
class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(const SimulatedWeb& web);

  /// A copy of everything as of now, with a clock of its own and without hooks.
  SimulatedNetwork(const SimulatedNetwork& other);
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  /// A new process begins: a steady clock that begins anew, and a calendar that goes on. Requests
  /// under way end undelivered.
  void BeginProcess();
  int process() const { return process_; }

  const SimulatedWeb& web() const { return *web_; }
  /// The clock of the process; gone with the next BeginProcess().
  const Clock& clock() const { return *clock_; }
  Moment now() const { return clock_->WallNow() - WallTime(kBegin); }
  void Sleep(Duration time) { clock_->Advance(time); }

  const std::vector<RecordedRequest>& record() const { return record_; }

  /// Called before every answer is delivered, with the number of answers delivered before in all
  /// processes. May stop the crawl or copy the network; must not call a fetcher.
  std::function<void(std::uint64_t step)> on_step;

  /// The simulation came to no end: the crawler asked for too many polls without any event, or more
  /// simulated time passed than `longest`. Called once, from Poll().
  std::function<void(const std::string& why)> on_stuck;
  Duration longest = std::chrono::hours(24 * 30);

 private:
  friend class SimulatedFetcher;
  static constexpr std::chrono::seconds kBegin{1'800'000'000};  // A day in 2027.

  /// Makes a request: returns its place in the record, and its answer.
  std::pair<std::size_t, SimulatedWeb::Answer> Begin(const FetchRequest& request);
  void CheckProgress(bool idle);

  const SimulatedWeb* web_;
  std::unique_ptr<ManualClock> clock_;
  int process_ = 0;
  std::map<std::string, int> reached_;  // By URL.
  std::vector<RecordedRequest> record_;
  std::uint64_t delivered_ = 0;
  std::uint64_t idle_polls_ = 0;
  bool stuck_ = false;
};

/// A Fetcher for the simulated network. Start() asks the web and schedules the answer; Poll() moves
/// the network's clock to the next answer, or by its timeout if that is sooner.
/// Ownership: borrows the network.
class SimulatedFetcher final : public Fetcher {
 public:
  explicit SimulatedFetcher(SimulatedNetwork& network) : network_(network) {}

  void Start(FetchRequest request, Done done) override;
  void Poll(Duration timeout) override;
  void CancelAll() override;
  void Wakeup() override { woken_.store(true); }
  std::size_t pending() const override { return requests_.size(); }

 private:
  struct Request {
    std::size_t record = 0;  // Its place in the network's record.
    FetchResult result;
    Done done;
  };
  /// Requests under way by the time of their answers, then in order of Start().
  using Key = std::pair<Moment, std::uint64_t>;

  std::size_t DeliverDue();

  SimulatedNetwork& network_;
  std::map<Key, Request> requests_;
  std::uint64_t started_ = 0;
  std::atomic<bool> woken_{false};
};

}  // namespace crawler::sim
