#include "service_notifier.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

ServiceNotifier::ServiceNotifier() {
  // Nothing changes the environment.
  const char* const path = std::getenv("NOTIFY_SOCKET");      // NOLINT(concurrency-mt-unsafe)
  const char* const interval = std::getenv("WATCHDOG_USEC");  // NOLINT(concurrency-mt-unsafe)
  const char* const process = std::getenv("WATCHDOG_PID");    // NOLINT(concurrency-mt-unsafe)
  if (path != nullptr) socket_ = path;
  const bool ours = process == nullptr || std::atol(process) == getpid();
  // Twice as often as asked for: a late message must not be a dead service.
  if (interval != nullptr && ours) {
    interval_ = std::chrono::microseconds(std::max(std::atoll(interval), 0LL) / 2);
  }
}

void ServiceNotifier::Alive() {
  const auto now = std::chrono::steady_clock::now();
  if (interval_.count() == 0 || now < next_) return;
  next_ = now + interval_;
  Send("WATCHDOG=1");
}

void ServiceNotifier::Send(std::string_view state) const {
  sockaddr_un to{};
  if (socket_.empty() || socket_.size() >= sizeof to.sun_path) return;
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, socket_.data(), socket_.size());
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';  // An abstract name.
  const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (sender < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  (void)sendto(sender, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
               reinterpret_cast<const sockaddr*>(&to), size);
  close(sender);
}
