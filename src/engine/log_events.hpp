#pragma once

#include "base/log.hpp"

/// The events that the engine logs, with their levels: logger.Log(log_events::kUrlFetched, {…}).
/// Debug: one line per URL or per commit. Info: the course of the crawl, and hosts that change.
/// Warn: something is left out of the crawl. Error: the crawl ends because of it.
///
/// The fields of each event are in its comment; a field that does not apply is left out.
namespace crawler::log_events {

inline constexpr std::string_view kEngine = "Engine";

// URLs.
/// url, status, outcome, bytes, ms, depth
inline constexpr LogEvent kUrlFetched{LogLevel::kDebug, kEngine, "URL fetched"};
/// url, rule, line
inline constexpr LogEvent kUrlRefused{LogLevel::kDebug, kEngine, "URL refused by robots.txt"};
/// url, status, to
inline constexpr LogEvent kUrlRedirected{LogLevel::kDebug, kEngine, "URL redirected"};
/// url, status, why
inline constexpr LogEvent kUrlFailed{LogLevel::kInfo, kEngine, "URL failed"};
/// url, attempt, delay_ms, why
inline constexpr LogEvent kRetryScheduled{LogLevel::kInfo, kEngine, "Retry scheduled"};
/// url, attempts, why
inline constexpr LogEvent kRetriesExhausted{LogLevel::kWarn, kEngine, "Retries exhausted"};

// Hosts.
/// host, status, policy, crawl_delay_ms, ms
inline constexpr LogEvent kRobotsFetched{LogLevel::kDebug, kEngine, "robots.txt fetched"};
/// host, status, why
inline constexpr LogEvent kRobotsFailed{LogLevel::kInfo, kEngine, "robots.txt failed"};
/// host, reason, attempts, why
inline constexpr LogEvent kHostGivenUp{LogLevel::kWarn, kEngine, "Host given up"};
/// url, down_ms
inline constexpr LogEvent kHostBack{LogLevel::kInfo, kEngine, "Host back"};
/// url, status, retry_after_ms
inline constexpr LogEvent kHostThrottled{LogLevel::kInfo, kEngine, "Host throttles the crawl"};

/// url, limit
inline constexpr LogEvent kSitemapLimit{LogLevel::kInfo, kEngine, "Limit of sitemaps reached"};

// The crawl.
/// phase
inline constexpr LogEvent kPhaseBegins{LogLevel::kInfo, kEngine, "Phase begins"};
/// phase, ms, pages, requests
inline constexpr LogEvent kPhaseEnds{LogLevel::kInfo, kEngine, "Phase ends"};
/// pages, urls, links, ms
inline constexpr LogEvent kCommitted{LogLevel::kDebug, kEngine, "Batch committed"};
/// why
inline constexpr LogEvent kStorageFailed{LogLevel::kError, kEngine, "Storage failed"};
/// budget
inline constexpr LogEvent kBudgetReached{LogLevel::kInfo, kEngine, "Budget reached"};

}  // namespace crawler::log_events
