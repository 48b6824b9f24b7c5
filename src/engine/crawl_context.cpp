#include "engine/crawl_context.hpp"

#include <chrono>

#include "base/json.hpp"

namespace crawler {

void RetryHistory::Add(UrlId url, std::int64_t at, std::string_view what) {
  std::string attempt = "{\"at\":" + std::to_string(at) + ",\"what\":";
  AppendJson(what, &attempt);
  attempt.push_back('}');
  MutexLock lock(mutex_);
  std::string& attempts = attempts_[url];
  if (!attempts.empty()) attempts.push_back(',');
  attempts.append(attempt);
}

std::string RetryHistory::Take(UrlId url) {
  MutexLock lock(mutex_);
  const auto node = attempts_.extract(url);
  return node.empty() ? "[]" : "[" + node.mapped() + "]";
}

void RetryHistory::Forget(UrlId url) {
  MutexLock lock(mutex_);
  attempts_.erase(url);
}

void CrawlContext::Warn(std::string_view sentence) const {
  if (callbacks.on_warning) {
    callbacks.on_warning(sentence);
  } else {
    logger.Warn("Engine", sentence);
  }
}

std::int64_t ToMilliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::int64_t CrawlContext::NowMilliseconds() const {
  return ToMilliseconds(environment.clock->WallNow());
}

}  // namespace crawler
