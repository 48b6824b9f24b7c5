#include "sim/simulated_fetcher.hpp"

#include <algorithm>
#include <utility>

namespace crawler::sim {
namespace {

/// Polls without an event or a tick of the clock after which the crawler counts as spinning.
constexpr std::uint64_t kMostIdlePolls = 100'000;
/// The steady clock of a process begins here, so that no moment of it is zero.
constexpr std::chrono::hours kUptime{1};

std::unique_ptr<ManualClock> ClockAt(WallTime wall) {
  auto clock = std::make_unique<ManualClock>(wall - kUptime);
  clock->Advance(kUptime);
  return clock;
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(const SimulatedWeb& web)
    : web_(&web), clock_(ClockAt(WallTime(kBegin))) {}

SimulatedNetwork::SimulatedNetwork(const SimulatedNetwork& other)
    : longest(other.longest),
      web_(other.web_),
      clock_(ClockAt(other.clock_->WallNow())),
      process_(other.process_),
      reached_(other.reached_),
      record_(other.record_),
      delivered_(other.delivered_) {}

void SimulatedNetwork::BeginProcess() {
  for (RecordedRequest& request : record_) {
    if (!request.delivered) request.ended = std::min(request.ended, now());
  }
  clock_ = ClockAt(clock_->WallNow());
  ++process_;
  idle_polls_ = 0;
}

std::pair<std::size_t, SimulatedWeb::Answer> SimulatedNetwork::Begin(const FetchRequest& request) {
  const std::string url(request.url.href_without_fragment());
  int& reached = reached_[url];
  SimulatedWeb::Answer answer = web_->Ask(request, reached, now());
  reached += answer.reached;
  answer.result.started = clock_->WallNow();

  RecordedRequest& record = record_.emplace_back();
  record.process = process_;
  record.started = now();
  record.ended = now() + answer.latency;
  record.origin = request.url.Origin();
  record.path = request.url.path_and_query();
  record.url = url;
  if (const SimulatedHost* host = web_->FindHost(record.origin)) {
    record.site = host->site;
    record.address = host->address;
  }
  record.is_robots = record.path == "/robots.txt";
  record.reached = answer.reached;
  record.status = answer.result.status;
  record.failure = answer.result.failure;
  if (answer.result.redirect) record.redirect = answer.result.redirect->href_without_fragment();
  record.fault = answer.fault;
  record.body_bytes = answer.result.raw_body.size();
  return {record_.size() - 1, std::move(answer)};
}

void SimulatedNetwork::CheckProgress(bool idle) {
  idle_polls_ = idle ? idle_polls_ + 1 : 0;
  if (stuck_ || (idle_polls_ < kMostIdlePolls && now() < longest)) return;
  stuck_ = true;
  if (!on_stuck) return;
  on_stuck(idle_polls_ >= kMostIdlePolls ? "the crawler polls without waiting for anything"
                                         : "the crawl takes too long");
}

void SimulatedFetcher::Start(FetchRequest request, Done done) {
  auto [record, answer] = network_.Begin(request);
  const Key key(network_.now() + answer.latency, ++started_);
  requests_.emplace(key, Request{record, std::move(answer.result), std::move(done)});
}

void SimulatedFetcher::Poll(Duration timeout) {
  const Moment before = network_.now();
  Moment until = before;
  if (!woken_.exchange(false) && timeout > Duration::zero()) {
    until = before + std::min<Duration>(timeout, std::chrono::hours(24 * 365));
    if (!requests_.empty()) until = std::min(until, requests_.begin()->first.first);
  }
  if (until > before) network_.Sleep(until - before);
  const std::size_t delivered = DeliverDue();
  network_.CheckProgress(delivered == 0 && until <= before);
}

// Only answers that are due now: callbacks may start requests, which the next Poll() looks at.
std::size_t SimulatedFetcher::DeliverDue() {
  const Key last(network_.now(), started_);
  std::size_t delivered = 0;
  while (!requests_.empty() && requests_.begin()->first <= last) {
    if (network_.on_step) network_.on_step(network_.delivered_);
    // The hook may have ended all requests.
    auto node = requests_.extract(requests_.begin());
    Request& request = node.mapped();
    RecordedRequest& record = network_.record_[request.record];
    record.delivered = true;
    ++network_.delivered_;
    ++delivered;
    if (request.done) request.done(std::move(request.result));
  }
  return delivered;
}

void SimulatedFetcher::CancelAll() {
  const Moment now = network_.now();
  std::map<Key, Request> cancelled;
  for (auto& [key, request] : requests_) {
    // An answer that is there already stays what it is.
    if (key.first <= now) {
      cancelled.emplace(key, std::move(request));
      continue;
    }
    RecordedRequest& record = network_.record_[request.record];
    record.ended = now;
    record.status = 0;
    record.failure = FetchFailure::kCancelled;
    record.redirect.clear();
    record.body_bytes = 0;
    FetchResult result;
    result.url = std::move(request.result.url);
    result.started = request.result.started;
    result.remote_address = request.result.remote_address;
    result.failure = FetchFailure::kCancelled;
    result.message = "cancelled";
    result.timings.total =
        std::chrono::duration_cast<std::chrono::microseconds>(now - record.started);
    request.result = std::move(result);
    cancelled.emplace(Key(now, key.second), std::move(request));
  }
  requests_ = std::move(cancelled);
}

}  // namespace crawler::sim
