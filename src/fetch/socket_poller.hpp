#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"

namespace crawler {

/// Waits for the sockets of one libcurl multi handle with epoll, so that a wait costs as much as
/// there is to do and not as much as there is open.
///
/// libcurl asks for a socket to be watched, and no longer, for every request; most of that cancels
/// out before the next wait. Wishes are therefore only noted, and told to the kernel in Wait().
/// Threads: one, except Wakeup().
class SocketPoller {
 public:
  struct Event {
    curl_socket_t socket;
    int action;  ///< CURL_CSELECT_IN and the like.
  };

  SocketPoller();
  ~SocketPoller();
  SocketPoller(const SocketPoller&) = delete;
  SocketPoller& operator=(const SocketPoller&) = delete;

  /// Whether the kernel gave us what we need.
  bool ok() const { return epoll_ >= 0 && wakeup_ >= 0; }

  /// What libcurl wants to know of `socket`: CURL_POLL_IN, …, CURL_POLL_REMOVE.
  void Watch(curl_socket_t socket, int what);
  /// A socket was opened or closed by the fetcher: what was known of that number is void. `plain`:
  /// without TLS. The server of such a connection has nothing to say while it is idle; if it does,
  /// or closes, the connection is shut down, so that libcurl finds it dead and not in a state that
  /// it takes for the next response.
  void Opened(curl_socket_t socket, bool plain);
  void Closed(curl_socket_t socket);

  /// Waits for events, Wakeup(), or the end of `timeout`, rounded up to milliseconds. The events
  /// are valid until the next call.
  std::span<const Event> Wait(Duration timeout);

  /// Ends a Wait(), this one or the next. Safe from any thread.
  void Wakeup();

 private:
  struct Watched {
    std::uint32_t wanted = 0;  // Of epoll.
    std::uint32_t known = 0;   // To the kernel.
    bool noted = false;        // In changed_.
    bool ours = false;         // Announced by Opened(); others may be closed without a word.
    bool plain = false;
    bool idle = false;  // Watched for us, not for libcurl.
  };

  Watched& At(curl_socket_t socket);
  void Apply(curl_socket_t socket, Watched& watched);
  void Note(curl_socket_t socket, Watched& watched);

  int epoll_ = -1;
  int wakeup_ = -1;
  std::vector<Watched> watched_;  // By socket.
  std::vector<curl_socket_t> changed_;
  std::vector<Event> events_;
};

}  // namespace crawler
