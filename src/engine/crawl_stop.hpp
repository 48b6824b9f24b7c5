#pragma once

#include <atomic>

namespace crawler {

/// Whether a crawl is to end before its frontier is finished, how quickly, and why.
/// Threads: safe from any thread. Threads that wait have to be woken by the caller.
class CrawlStop {
 public:
  /// No request is started any more; those under way may end.
  void Request() { requested_.store(true); }
  /// Requests under way are cancelled, too.
  void RequestNow() {
    at_once_.store(true);
    requested_.store(true);
  }
  /// Stops because a budget is spent. `budget` is its name, a string literal.
  void BudgetIsSpent(const char* budget) {
    spent_budget_.store(budget);
    requested_.store(true);
  }
  /// Somebody has stopped the crawl after a budget had ended it: that counts as the reason.
  void RequestInsteadOfBudget() {
    requested_.store(true);
    spent_budget_.store(nullptr);
  }

  bool requested() const { return requested_.load(std::memory_order_acquire); }
  bool at_once() const { return at_once_.load(std::memory_order_acquire); }
  /// The name of the budget, other than pages, that ended the crawl; null if none did.
  const char* spent_budget() const { return spent_budget_.load(); }
  /// Neither finished nor out of budget: somebody wants it to end.
  bool on_request() const { return requested() && spent_budget() == nullptr; }

 private:
  std::atomic<bool> requested_{false};
  std::atomic<bool> at_once_{false};
  std::atomic<const char*> spent_budget_{nullptr};
};

}  // namespace crawler
