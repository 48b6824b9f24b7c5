#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "base/clock.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// Interface: fetches many URLs at a time on one thread. Implemented over HTTP (http_fetcher.hpp)
/// and by a simulated network in tests.
///
///     Start(request, done) … Poll(timeout) … done(result)
///
/// Every request started gets exactly one result. Failures of the web are results, too. Redirects
/// are not followed (see fetch_following.hpp). Callbacks are called from Poll() only, so no caller
/// of Start() or CancelAll() is re-entered. A callback may call every function but Poll().
/// Ownership: a request and its callback belong to the fetcher until the callback has been called.
/// The destructor drops the requests under way without calling their callbacks.
/// Threads: one thread makes all calls, except Wakeup().
class Fetcher {
 public:
  using Done = std::function<void(FetchResult)>;

  virtual ~Fetcher() = default;
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  /// Takes a request. `done` may be empty.
  virtual void Start(FetchRequest request, Done done) = 0;

  /// Advances the requests under way and calls the callbacks of those that are finished. Waits at
  /// most `timeout` for the first event. Returns early after Wakeup().
  virtual void Poll(Duration timeout) = 0;

  /// Ends all unfinished requests with FetchFailure::kCancelled. The next Poll() calls their
  /// callbacks.
  virtual void CancelAll() = 0;

  /// Makes the running or the next Poll() return without waiting. Safe from any thread.
  virtual void Wakeup() = 0;

  /// Requests whose callbacks have not been called: waiting, under way, or finished.
  virtual std::size_t pending() const = 0;

  /// Polls until no request is pending.
  void RunUntilIdle() {
    while (pending() > 0) Poll(std::chrono::seconds(1));
  }

 protected:
  Fetcher() = default;
};

}  // namespace crawler
