#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "base/status.hpp"
#include "fetch/context.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// Fetches, thousands of URLs at a time, on one thread: an event loop over libcurl.
///
///     Start(request, done) … Poll(timeout) … done(result)
///
/// Every request started gets exactly one result; what the web does wrong is in it. Connections and
/// TLS sessions are kept for the next request, HTTP/2 is used where it is offered. Requests over
/// the limits of FetchLimits wait their turn, per host first in, first out. Redirects are not
/// followed (see fetch_following.hpp).
/// Ownership: shares the context. A request and its callback are the fetcher's until the callback
/// has been called.
/// Threads: one thread makes all calls, except Wakeup().
class Fetcher {
 public:
  using Done = std::function<void(FetchResult)>;

  /// kResourceExhausted if the system or libcurl has nothing left to give.
  static Result<std::unique_ptr<Fetcher>> Create(std::shared_ptr<const FetchContext> context);
  /// Drops what is under way; callbacks that have not been called are not called any more.
  ~Fetcher();

  /// Takes on a request. `done` is called from Poll(), never from here; it may call Start().
  void Start(FetchRequest request, Done done);

  /// Does what there is to do, waiting at most `timeout` for something, and calls the callbacks of
  /// what is finished. Returns early after Wakeup().
  void Poll(Duration timeout);

  /// Polls until nothing is under way.
  void RunUntilIdle();

  /// Ends everything under way and waiting with FetchFailure::kCancelled; the callbacks are called
  /// by the next Poll().
  void CancelAll();

  /// Makes Poll(), running or next, return. Safe from any thread.
  void Wakeup();

  /// Requests whose callbacks have not been called: waiting, under way, or finished.
  std::size_t pending() const;
  /// Those of them that are under way.
  std::size_t active() const;

  const FetchContext& context() const;

 private:
  class Impl;
  explicit Fetcher(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace crawler
