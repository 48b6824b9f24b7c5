#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// The rules for failed requests: which are repeated, how often and after how long, and when a host
/// counts as down. All of them are in this file.
///
/// Two things can be at fault. A URL is, if its host answered: with a status of 5xx or 408, or with
/// a body that broke off. It is tried again after `first_delay`, twice that, four times that, …, at
/// most `retries` times and behind the URLs of its host that were never tried. Then it is a dead
/// letter. A host is at fault, if it cannot be resolved, connected to, or shaken hands with. Its
/// URLs lose no retry by that: the host rests, twice as long each time, and after `host_failures`
/// failures in a row without one answer it is given up for `down_time`, with all URLs that wait for
/// it. A request that was sent and never answered counts against both.
///
/// Before any host has answered, `first_failures` are enough: a name is mistyped, a server does not
/// run, or this machine has no network, and the person who started the crawl waits to hear of it.
/// A name that does not exist is no better sign, since the system says the same without a network.
///
/// A host that asks to wait (429, 503 with Retry-After) is not at fault, and neither is the URL. It
/// rests for 1 s, 2 s, 4 s, …, or for as long as it asks if that is longer, but never longer than
/// `max_backoff`. After `throttles` such answers in a row it is given up.
///
/// A URL whose host asked to wait comes behind the others of the host. If one of these gets a good
/// answer, and the host then asks to wait for the same URL again, that counts against the URL.
///
/// A host that failed or asked to wait gets one request at a time until it answers; each answer
/// then adds one more, up to FrontierOptions::per_host.
struct RetryPolicy {
  /// The number of retries is kept in four bits per URL.
  static constexpr int kMostRetries = 15;

  /// Attempts after the first one. Default: 3.
  int retries = 3;
  /// Before the first retry of a URL; doubles with each one, give or take a quarter. Default: 1 s.
  std::chrono::milliseconds first_delay{1'000};
  /// Failures of a host in a row before it is given up. Failures of requests that were under way
  /// side by side count as one. 0: never. Default: 8, which takes about two minutes.
  int host_failures = 8;
  /// The same as long as no host at all has answered; 0: `host_failures`. Default: 3, which takes
  /// 3 s if the failures come at once.
  int first_failures = 3;
  /// Requests to wait (429, 503 with Retry-After) in a row before a host is given up. 0: never.
  /// Default: 10, which takes 8.5 minutes, or at most nine times `max_backoff` (45 minutes) if the
  /// host asks for longer rests.
  int throttles = 10;
  /// The longest rest of a host after a failure or a request to wait. Default: 5 min.
  std::chrono::milliseconds max_backoff{300'000};
  /// How long a host that was given up is left alone. Default: 10 min.
  std::chrono::milliseconds down_time{600'000};
};

/// The cause of a failed request, as far as retries are concerned.
enum class Fault : std::uint8_t {
  kNone,      ///< No retry would change the result: an unwanted type, a blocked address, …
  kUrl,       ///< The host answered, but not with the URL.
  kHost,      ///< No request was sent: no address, no connection, no handshake.
  kNoAnswer,  ///< The request was sent, and nothing came back.
  kUs,        ///< This machine lacks something. Counts against the URL, so that it ends.
};

/// `status` is that of the response head; 0 if none came.
Fault FaultOf(FetchFailure failure, int status);

/// Whether an HTTP status is worth another attempt: 408 and 5xx.
constexpr bool IsRetriedStatus(int status) { return status == 408 || status >= 500; }

/// How many failures in a row make a host down; 0: none does. `answered`: some host has answered.
constexpr int FailuresUntilDown(const RetryPolicy& policy, bool answered) {
  const bool first = !answered && policy.first_failures > 0;
  return first && policy.first_failures < policy.host_failures ? policy.first_failures
                                                               : policy.host_failures;
}

/// How long a host rests after the `failures`th failure in a row, from 1: `delay`, at least one
/// second, doubled each time.
Duration FailureRest(const RetryPolicy& policy, std::chrono::milliseconds delay, int failures);

/// How long a host rests when it asks to wait for the `throttles`th time in a row, from 1: the
/// longer of `retry_after` and one second doubled each time.
Duration ThrottleRest(const RetryPolicy& policy, int throttles,
                      std::optional<Duration> retry_after);

/// How long a URL waits after its `failures`th failure, from 1. The jitter is a function of `id`
/// and `hash_key`, so that the same crawl makes the same choices.
/// `patient`: 16 times as long, for causes that often last a minute: limits of servers, memory.
Duration RetryDelay(const RetryPolicy& policy, std::uint64_t hash_key, std::uint32_t id,
                    int failures, bool patient = false);

/// By how much the interval between requests to a host grows after `errors` answers of 5xx in a
/// row: twice, never more than four times. The first good answer ends it.
constexpr int SlowDown(int errors) { return 1 << (errors < 2 ? errors : 2); }

}  // namespace crawler
