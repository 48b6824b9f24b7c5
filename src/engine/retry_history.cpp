#include "engine/retry_history.hpp"

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

}  // namespace crawler
