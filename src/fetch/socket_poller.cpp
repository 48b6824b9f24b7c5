#include "fetch/socket_poller.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace crawler {
namespace {

constexpr std::size_t kEventsAtATime = 256;

std::uint32_t EpollEvents(int what) {
  switch (what) {
    case CURL_POLL_IN:
      return EPOLLIN | EPOLLRDHUP;
    case CURL_POLL_OUT:
      return EPOLLOUT;
    case CURL_POLL_INOUT:
      return EPOLLIN | EPOLLOUT | EPOLLRDHUP;
    default:
      return 0;
  }
}

int CurlAction(std::uint32_t events) {
  int action = 0;
  if (events & (EPOLLIN | EPOLLHUP)) action |= CURL_CSELECT_IN;
  if (events & EPOLLOUT) action |= CURL_CSELECT_OUT;
  if (events & EPOLLERR) action |= CURL_CSELECT_ERR;
  return action;
}

}  // namespace

SocketPoller::SocketPoller()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), wakeup_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!ok()) return;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wakeup_;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, wakeup_, &event) != 0) {
    close(epoll_);
    epoll_ = -1;
  }
}

SocketPoller::~SocketPoller() {
  if (epoll_ >= 0) close(epoll_);
  if (wakeup_ >= 0) close(wakeup_);
}

SocketPoller::Watched& SocketPoller::At(curl_socket_t socket) {
  const auto index = static_cast<std::size_t>(socket);
  if (index >= watched_.size()) watched_.resize(index + 64);
  return watched_[index];
}

void SocketPoller::Watch(curl_socket_t socket, int what, bool in_use) {
  Watched& watched = At(socket);
  watched.idle = watched.ours && what == CURL_POLL_REMOVE && !in_use;
  // The same events as while a response is read: then the kernel need not be told.
  watched.wanted = EpollEvents(watched.idle ? CURL_POLL_IN : what);
  if (!watched.ours) {
    // libcurl's own, to wait for its name lookups. Noted, it might be closed and its number given
    // to another one before the kernel heard of the change.
    Apply(socket, watched);
  } else {
    Note(socket, watched);
  }
}

void SocketPoller::Note(curl_socket_t socket, Watched& watched) {
  if (watched.noted) return;
  watched.noted = true;
  changed_.push_back(socket);
}

void SocketPoller::Opened(curl_socket_t socket, bool plain, SocketOwner* owner) {
  Watched& watched = At(socket);
  watched.wanted = watched.known = 0;
  watched.ours = true;
  watched.plain = plain;
  watched.idle = false;
  watched.owner = owner;
  if (owner != nullptr) ++owner->sockets_;
  ++open_;
}

void SocketPoller::Closed(curl_socket_t socket) {
  Watched& watched = At(socket);
  if (watched.owner != nullptr) --watched.owner->sockets_;
  if (watched.ours) --open_;
  watched.owner = nullptr;
  watched.wanted = watched.known = 0;
  watched.ours = watched.plain = watched.idle = false;
}

// Something came on a connection that no request uses.
void SocketPoller::HandleIdle(curl_socket_t socket, std::uint32_t events) {
  Watched& watched = At(socket);
  const bool ended = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  if (!ended && !watched.plain) {
    // TLS and HTTP/2 have news of their own, which wait for the next request.
    watched.wanted = EPOLLRDHUP;
    Note(socket, watched);
    return;
  }
  if (watched.plain) shutdown(socket, SHUT_RDWR);
  watched.wanted = 0;
  watched.idle = false;
  Note(socket, watched);
  events_.push_back({socket, 0, true});
}

void SocketPoller::Apply(curl_socket_t socket, Watched& watched) {
  if (watched.wanted == watched.known) return;
  epoll_event event{};
  event.events = watched.wanted;
  event.data.fd = socket;
  int operation = EPOLL_CTL_MOD;
  if (watched.known == 0) operation = EPOLL_CTL_ADD;
  if (watched.wanted == 0) operation = EPOLL_CTL_DEL;
  if (epoll_ctl(epoll_, operation, socket, &event) != 0) {
    if (errno == ENOENT && operation == EPOLL_CTL_MOD) {
      epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
    } else if (errno == EEXIST) {
      epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event);
    }
  }
  watched.known = watched.wanted;
}

std::span<const SocketPoller::Event> SocketPoller::Wait(Duration timeout) {
  for (const curl_socket_t socket : changed_) {
    Watched& watched = watched_[static_cast<std::size_t>(socket)];
    watched.noted = false;
    Apply(socket, watched);
  }
  changed_.clear();
  events_.clear();

  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  const int wait =
      static_cast<int>(std::clamp<std::int64_t>(rounded, 0, std::numeric_limits<int>::max()));
  std::array<epoll_event, kEventsAtATime> ready;
  const int count = epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), wait);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<std::size_t>(i)];
    if (event.data.fd == wakeup_) {
      std::uint64_t wakeups = 0;
      [[maybe_unused]] const ssize_t read_bytes = read(wakeup_, &wakeups, sizeof(wakeups));
      continue;
    }
    if (At(event.data.fd).idle) {
      HandleIdle(event.data.fd, event.events);
    } else {
      events_.push_back({event.data.fd, CurlAction(event.events), false});
    }
  }
  return events_;
}

void SocketPoller::Wakeup() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wakeup_, &one, sizeof(one));
}

}  // namespace crawler
