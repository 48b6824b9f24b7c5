#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace crawler {

/// A moment of the steady clock, which only moves forward. For delays and deadlines.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;
/// A moment of the calendar, as people and servers read it.
using WallTime = std::chrono::system_clock::time_point;

/// Milliseconds since 1970.
inline std::int64_t ToMilliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

/// The source of time; tests use one that they move by hand.
/// Threads: safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint Now() const = 0;
  virtual WallTime WallNow() const = 0;

  /// The machine's own clock. Lives as long as the process.
  static const Clock& System();
};

/// A clock that stands still until Advance() is called.
class ManualClock final : public Clock {
 public:
  /// Starts at the epoch of both clocks, or at `wall`.
  explicit ManualClock(WallTime wall = WallTime()) : wall_start_(wall) {}

  TimePoint Now() const override { return TimePoint(elapsed_.load()); }
  WallTime WallNow() const override {
    return wall_start_ + std::chrono::duration_cast<WallTime::duration>(elapsed_.load());
  }
  void Advance(Duration by) { elapsed_.store(elapsed_.load() + by); }

 private:
  const WallTime wall_start_;
  std::atomic<Duration> elapsed_{Duration::zero()};
};

}  // namespace crawler
