#pragma once

#include <chrono>
#include <string>
#include <string_view>

/// Tells systemd how the service gets on, if systemd has started it (Type=notify): datagrams to
/// $NOTIFY_SOCKET. Does nothing elsewhere.
/// Threads: one at a time.
class ServiceNotifier {
 public:
  ServiceNotifier();

  void Ready() const { Send("READY=1"); }
  void Stopping() const { Send("STOPPING=1"); }
  /// To be called several times per interval of the watchdog (WatchdogSec=); sends what is due.
  void Alive();

 private:
  void Send(std::string_view state) const;

  std::string socket_;
  std::chrono::microseconds interval_{0};  ///< Zero: no watchdog.
  std::chrono::steady_clock::time_point next_;
};
