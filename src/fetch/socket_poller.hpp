#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"

namespace crawler {

/// Counts the open sockets of one host.
class SocketOwner {
 public:
  /// `host` is whatever the fetcher wants to know it by.
  explicit SocketOwner(void* host) : host_(host) {}
  void* host() const { return host_; }
  std::size_t sockets() const { return sockets_; }

 private:
  friend class SocketPoller;
  void* const host_;
  std::size_t sockets_ = 0;
};

/// Waits for the sockets of one libcurl multi handle with epoll, so that the cost of a wait depends
/// on the number of events, not of open sockets.
///
/// libcurl starts and stops watching a socket for every request; most of these changes cancel out
/// before the next wait. They are therefore only noted, and passed to the kernel in Wait().
/// Threads: one, except Wakeup().
class SocketPoller {
 public:
  struct Event {
    curl_socket_t socket;
    int action;   ///< CURL_CSELECT_IN and the like.
    bool broken;  ///< Not for libcurl: the connection was idle, and the server has ended it.
  };

  SocketPoller();
  ~SocketPoller();
  SocketPoller(const SocketPoller&) = delete;
  SocketPoller& operator=(const SocketPoller&) = delete;

  /// Whether epoll could be set up.
  bool ok() const { return epoll_ >= 0 && wakeup_ >= 0; }

  /// Sets the events that libcurl waits for on `socket`: CURL_POLL_IN, …, CURL_POLL_REMOVE.
  /// `in_use`: a socket that is waited for no more belongs to a paused transfer, not to an idle
  /// connection.
  void Watch(curl_socket_t socket, int what, bool in_use = false);
  /// The fetcher has opened or closed a socket: older state of this number is dropped. `plain`:
  /// without TLS. If the server sends something or closes while such a connection is idle, the
  /// connection is shut down, so that libcurl does not take those bytes for the next response.
  /// `owner` may be null; otherwise it must live until the socket is closed.
  void Opened(curl_socket_t socket, bool plain, SocketOwner* owner);
  void Closed(curl_socket_t socket);
  /// Null if the socket is closed.
  SocketOwner* OwnerOf(curl_socket_t socket) { return At(socket).owner; }
  /// Sockets between Opened() and Closed().
  std::size_t open() const { return open_; }

  /// Waits for events, Wakeup(), or the end of `timeout`, rounded up to milliseconds. The events
  /// are valid until the next call.
  std::span<const Event> Wait(Duration timeout);

  /// Ends the running or the next Wait(). Safe from any thread.
  void Wakeup();

 private:
  struct Watched {
    std::uint32_t wanted = 0;  // Events that libcurl wants.
    std::uint32_t known = 0;   // Events that the kernel watches.
    bool noted = false;        // Listed in changed_.
    bool ours = false;         // Announced by Opened(); other sockets may be closed without notice.
    bool plain = false;
    bool idle = false;  // Watched by the poller, not for libcurl.
    SocketOwner* owner = nullptr;
  };

  Watched& At(curl_socket_t socket);
  void Apply(curl_socket_t socket, Watched& watched);
  void Note(curl_socket_t socket, Watched& watched);
  void HandleIdle(curl_socket_t socket, std::uint32_t events);

  int epoll_ = -1;
  int wakeup_ = -1;
  std::vector<Watched> watched_;  // Indexed by socket.
  std::vector<curl_socket_t> changed_;
  std::vector<Event> events_;
  std::size_t open_ = 0;
};

}  // namespace crawler
