#include "web/synthetic/server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "web/synthetic/render.hpp"
#include "web/synthetic/request_head.hpp"

namespace synthetic {
namespace {

constexpr std::size_t kMostUnread = 1 << 17;  // Bytes of pipelined requests held for a client.

std::int64_t Now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000LL + time.tv_nsec / 1'000;
}

std::string Complaint(const std::string& what) {
  return what + ": " + std::error_code(errno, std::generic_category()).message();
}

sigset_t OurSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&set, number);
  return set;
}

void Watch(int epoll, int fd, std::uint32_t events, int operation = EPOLL_CTL_ADD) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll, operation, fd, &event);
}

// A listening socket for `port` of 127.0.0.0 + `address`; -1 and errno if there can be none.
int OpenListener(std::uint32_t address, std::uint16_t& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl((127U << 24) + address);
  socklen_t size = sizeof(name);
  auto* generic = reinterpret_cast<sockaddr*>(&name);
  if (bind(fd, generic, size) != 0 || listen(fd, 4096) != 0 ||
      getsockname(fd, generic, &size) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  port = ntohs(name.sin_port);
  return fd;
}

}  // namespace

struct Server::Connection {
  enum class State : std::uint8_t { kReading, kWaiting, kWriting, kHanging };

  int fd = -1;
  std::uint32_t host = 0;
  State state = State::kReading;
  bool close_after = false;
  bool wants_write = false;
  std::string in, out;
  std::size_t sent = 0;
  std::int64_t first_byte = 0;  // When the request that is being read began to arrive.
  int status = 0;               // Of the answer, once it is being sent.
  Request request;
};

Server::Server(Web& web, AccessLog& log) : web_(web), log_(log) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const sigset_t signals = OurSignals();
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  signals_ = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  for (const int fd : {timer_, signals_, wake_}) Watch(epoll_, fd, EPOLLIN);
}

Server::~Server() {
  for (const auto& connection : connections_) {
    if (connection) close(connection->fd);
  }
  CloseListeners();
  for (const int fd : {epoll_, timer_, signals_, wake_}) close(fd);
}

void Server::BlockSignals() {
  const sigset_t signals = OurSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::string Server::Listen(std::uint16_t port) {
  if (web_.hosts.empty()) return "there are no hosts";
  std::string complaint;
  // A port that is free on one address may be taken on the next: then another one is tried.
  for (int attempt = 0; attempt < 20; ++attempt) {
    complaint = ListenAll(port);
    if (complaint.empty()) break;
    CloseListeners();
    if (port != 0) break;
  }
  for (std::size_t i = 0; i < web_.hosts.size(); ++i) authorities_.push_back(web_.Authority(i));
  responder_ = std::make_unique<Responder>(web_);
  return complaint;
}

std::string Server::ListenAll(std::uint16_t port) {
  web_.ports.assign(web_.PortCount(), 0);
  for (std::size_t i = 0; i < web_.hosts.size(); ++i) {
    const Host& host = web_.hosts[i];
    std::uint16_t own = port == 0 ? 0 : static_cast<std::uint16_t>(port + host.port);
    const int fd = OpenListener(host.address, own);
    if (fd < 0)
      return Complaint("cannot listen on host " + std::to_string(host.address) + ":" +
                       std::to_string(own));
    if (port == 0) port = static_cast<std::uint16_t>(own - host.port);
    web_.ports[host.port] = own;
    if (host.dead == Dead::kRefuse) {  // Known to be free, so that nothing else answers there.
      close(fd);
      continue;
    }
    if (listener_host_.size() <= static_cast<std::size_t>(fd)) listener_host_.resize(fd + 1, -1);
    listener_host_[fd] = static_cast<std::int64_t>(i);
    Watch(epoll_, fd, EPOLLIN);
  }
  return {};
}

void Server::CloseListeners() {
  for (std::size_t fd = 0; fd < listener_host_.size(); ++fd) {
    if (listener_host_[fd] >= 0) close(static_cast<int>(fd));
  }
  listener_host_.clear();
}

void Server::Run(double seconds) {
  const std::int64_t end = Now() + static_cast<std::int64_t>(seconds * 1e6);
  epoll_event events[256];
  while (!stopping_ && Now() < end) {
    ArmTimer(end);
    const int count = epoll_wait(epoll_, events, 256, -1);
    if (count < 0 && errno != EINTR) break;
    for (int i = 0; i < count; ++i) HandleEvent(events[i].data.fd, events[i].events);
    SendDue();
  }
  // What has no answer yet will get none; the log says so.
  for (auto& connection : connections_) {
    if (connection) Close(*connection);
  }
  log_.Flush();
}

void Server::Stop() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
}

void Server::HandleEvent(int fd, std::uint32_t events) {
  const auto index = static_cast<std::size_t>(fd);
  if (fd == timer_) {
    std::uint64_t expirations = 0;
    [[maybe_unused]] const ssize_t size = read(timer_, &expirations, sizeof(expirations));
    armed_ = 0;
  } else if (fd == signals_) {
    ReadSignals();
  } else if (fd == wake_) {
    stopping_ = true;
  } else if (index < listener_host_.size() && listener_host_[index] >= 0) {
    AcceptAll(fd);
  } else if (index < connections_.size() && connections_[index]) {
    if ((events & EPOLLOUT) != 0) {
      Write(*connections_[index]);
      TakeRequests(fd);
    }
    if ((events & ~std::uint32_t{EPOLLOUT}) != 0 && connections_[index]) Read(*connections_[index]);
  }
}

void Server::ReadSignals() {
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGUSR1) {
      log_.FlushOnRequest();
    } else {
      stopping_ = true;
    }
  }
}

void Server::AcceptAll(int listener) {
  while (true) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connections_.size() <= static_cast<std::size_t>(fd)) connections_.resize(fd + 1);
    auto connection = std::make_unique<Connection>();
    connection->fd = fd;
    connection->host = static_cast<std::uint32_t>(listener_host_[listener]);
    connection->request.connection = ++accepted_;
    connection->request.host = authorities_[connection->host];
    connections_[fd] = std::move(connection);
    Watch(epoll_, fd, EPOLLIN);
  }
}

void Server::Read(Connection& connection) {
  char buffer[16'384];
  const ssize_t size = recv(connection.fd, buffer, sizeof(buffer), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0 || connection.in.size() > kMostUnread) return Close(connection);
  if (connection.in.empty()) connection.first_byte = Now();
  connection.in.append(buffer, static_cast<std::size_t>(size));
  TakeRequests(connection.fd);
}

// A loop, not a recursion: a client may send thousands of requests at once.
void Server::TakeRequests(int fd) {
  while (connections_[fd] && connections_[fd]->state == Connection::State::kReading) {
    const RequestHead head = ParseRequestHead(connections_[fd]->in);
    if (head.state == RequestHead::State::kIncomplete) return;
    TakeRequest(*connections_[fd], head);
  }
}

void Server::TakeRequest(Connection& connection, const RequestHead& head) {
  Request& request = connection.request;
  request.begin = connection.first_byte;
  request.bytes = 0;
  request.status = 0;
  request.retry_after = -1;
  request.method = head.method;
  request.path = head.path;
  connection.out.clear();
  connection.sent = 0;
  if (head.state == RequestHead::State::kBad) return Refuse(connection);

  connection.close_after = head.close;
  const Responder::Answer answer = responder_->Respond(
      {connection.host, request.method, request.path, head.close, head.gzip}, connection.out);
  connection.in.erase(0, head.size);
  connection.first_byte = Now();
  connection.status = answer.status;
  request.retry_after = answer.retry_after;
  if (answer.kind == Responder::Answer::Kind::kClose) return Close(connection);
  if (answer.kind == Responder::Answer::Kind::kNever) {
    connection.state = Connection::State::kHanging;
    return;
  }
  SendWhenDue(connection, answer.latency);
}

// What is no request ends the connection, since nobody can say where the next one would begin.
void Server::Refuse(Connection& connection) {
  connection.in.clear();
  connection.close_after = true;
  connection.status = 400;
  AppendHead(connection.out, {400, "text/plain", 0, true, false, {}});
  SendWhenDue(connection, 0);
}

void Server::SendWhenDue(Connection& connection, std::uint64_t latency) {
  if (latency == 0) {
    connection.state = Connection::State::kWriting;
    return Write(connection);
  }
  connection.state = Connection::State::kWaiting;
  const std::int64_t at = connection.request.begin +
                          static_cast<std::int64_t>(std::min<std::uint64_t>(latency, 1e9)) * 1'000;
  due_.push({at, connection.fd, connection.request.connection});
}

void Server::SendDue() {
  const std::int64_t now = due_.empty() ? 0 : Now();
  while (!due_.empty() && due_.top().at <= now) {
    const Due due = due_.top();
    due_.pop();
    Connection* connection = connections_[due.fd].get();
    if (connection == nullptr || connection->request.connection != due.connection) continue;
    connection->state = Connection::State::kWriting;
    Write(*connection);
    TakeRequests(due.fd);
  }
}

void Server::Write(Connection& connection) {
  if (connection.state != Connection::State::kWriting) return;
  Request& request = connection.request;
  while (connection.sent < connection.out.size()) {
    const ssize_t size = send(connection.fd, connection.out.data() + connection.sent,
                              connection.out.size() - connection.sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      if (!connection.wants_write) Watch(epoll_, connection.fd, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
      connection.wants_write = true;
      return;
    }
    if (size < 0) return Close(connection);
    request.status = connection.status;
    connection.sent += static_cast<std::size_t>(size);
    request.bytes = connection.sent;
  }
  FinishRequest(connection);
}

void Server::FinishRequest(Connection& connection) {
  connection.request.end = Now();
  log_.Write(connection.request);
  connection.request.begin = 0;
  if (connection.wants_write) Watch(epoll_, connection.fd, EPOLLIN, EPOLL_CTL_MOD);
  connection.wants_write = false;
  connection.state = Connection::State::kReading;
  if (connection.close_after) Close(connection);
}

void Server::Close(Connection& connection) {
  if (connection.request.begin != 0) {  // A request that was never answered to its end.
    connection.request.end = Now();
    log_.Write(connection.request);
  }
  const int fd = connection.fd;
  close(fd);
  connections_[fd].reset();
}

// One timer for what is due first and for the end of it all.
void Server::ArmTimer(std::int64_t end) {
  const std::int64_t at = due_.empty() ? end : std::min(end, due_.top().at);
  if (at == armed_) return;
  armed_ = at;
  itimerspec when{};
  when.it_value.tv_sec = at / 1'000'000;
  when.it_value.tv_nsec = at % 1'000'000 * 1'000;
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace synthetic
