#include "serve/event_log.hpp"

#include <utility>

namespace crawler {

bool EventLog::HasRoom() {
  const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                               std::chrono::steady_clock::now().time_since_epoch())
                               .count();
  if (second_.exchange(now, std::memory_order_relaxed) != now) in_second_.store(0);
  return in_second_.fetch_add(1, std::memory_order_relaxed) < kMostPerSecond;
}

void EventLog::Add(std::string_view kind, std::string data) {
  MutexLock lock(mutex_);
  events_.push_back({++last_, std::string(kind), std::move(data)});
  if (events_.size() > kMost) events_.pop_front();
  changed_.SignalAll();
}

void EventLog::Wake() {
  MutexLock lock(mutex_);
  changed_.SignalAll();
}

std::vector<EventLog::Event> EventLog::WaitBehind(std::uint64_t number,
                                                  std::chrono::steady_clock::time_point deadline) {
  MutexLock lock(mutex_);
  if (last_ <= number) changed_.WaitUntil(mutex_, deadline);
  std::vector<Event> events;
  for (const Event& event : events_) {
    if (event.number > number) events.push_back(event);
  }
  return events;
}

std::uint64_t EventLog::last() const {
  MutexLock lock(mutex_);
  return last_;
}

}  // namespace crawler
