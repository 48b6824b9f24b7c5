// The only source that includes cpp-httplib: its header takes long to compile.
#include "serve/http_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "serve/request_guard.hpp"

namespace crawler {
namespace {

constexpr std::chrono::milliseconds kSlice{50};  ///< How often a waiting thread looks around.
/// While others wait, a connection without a request gives its worker away after this time, and one
/// whose request does not come to its end after that time.
constexpr std::chrono::milliseconds kShortIdle{100};
constexpr std::chrono::milliseconds kShortRequest{1'000};
constexpr int kNiceness = 10;
constexpr std::size_t kLongestPath = 1'024;
constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
    "Content-Type: application/json\r\nContent-Length: 34\r\n\r\n"
    "{\"error\": \"too many connections\"}\n";

/// Waits for `events` in slices. False at the deadline, or when `stopping` is set.
bool WaitFor(int socket, short events, TimePoint deadline, const std::atomic<bool>& stopping) {
  while (!stopping.load(std::memory_order_relaxed)) {
    const TimePoint now = std::chrono::steady_clock::now();
    if (now >= deadline) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now);
    pollfd poll_socket{socket, events, 0};
    const int ready = poll(&poll_socket, 1, static_cast<int>(std::min(left, kSlice).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

/// A connection as httplib reads and writes it, with limits per request instead of per call.
class Connection final : public httplib::Stream {
 public:
  /// `crowded` is not 0 while other connections wait for a worker.
  Connection(int socket, const HttpLimits& limits, const std::atomic<bool>& stopping,
             const std::atomic<std::size_t>& crowded)
      : socket_(socket), limits_(limits), stopping_(stopping), crowded_(crowded) {}

  bool has_input() const { return next_ < end_; }
  void BeginRequest() {
    room_ = limits_.head;
    began_ = std::chrono::steady_clock::now();
    close_after = false;
  }
  void BeginBody() { room_ = limits_.body; }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return !failed_; }
  ssize_t read(char* to, size_t size) override {
    if (room_ == 0) return -1;
    if (!has_input() && !Fill()) return -1;
    const std::size_t taken = std::min({size, end_ - next_, room_});
    std::memcpy(to, buffer_.data() + next_, taken);
    next_ += taken;
    room_ -= taken;
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* from, size_t size) override {
    const TimePoint deadline = std::chrono::steady_clock::now() + limits_.write_time;
    std::size_t sent = 0;
    failed_ = failed_ || stopping_.load(std::memory_order_relaxed);
    while (!failed_ && sent < size) {
      const ssize_t taken = send(socket_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (taken > 0) {
        sent += static_cast<std::size_t>(taken);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        failed_ = !WaitFor(socket_, POLLOUT, deadline, stopping_);
      } else if (errno != EINTR) {
        failed_ = true;
      }
    }
    return failed_ ? -1 : static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  // httplib refuses large descriptors if it was built with select(); none is needed here.
  socket_t socket() const override { return 0; }

  bool close_after = false;  ///< The rest of the request is not read.

 private:
  bool Fill() {
    for (TimePoint now = began_; now < began_ + TimeForRequest();
         now = std::chrono::steady_clock::now()) {
      if (stopping_.load()) break;
      if (!WaitFor(socket_, POLLIN, std::chrono::steady_clock::now() + kSlice, stopping_)) continue;
      const ssize_t received = recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (received > 0) {
        next_ = 0;
        end_ = static_cast<std::size_t>(received);
        return true;
      }
      if (received == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) break;
    }
    close_after = true;
    return false;
  }

  std::chrono::milliseconds TimeForRequest() const {
    const bool crowded = crowded_.load(std::memory_order_relaxed) > 0;
    return crowded ? kShortRequest : std::chrono::milliseconds(limits_.request_time);
  }

  const int socket_;
  const HttpLimits& limits_;
  const std::atomic<bool>& stopping_;
  const std::atomic<std::size_t>& crowded_;
  TimePoint began_;
  std::size_t room_ = 0;
  std::array<char, 4096> buffer_;
  std::size_t next_ = 0, end_ = 0;
  bool failed_ = false;
};

/// The connection that this thread serves, for the handlers of httplib.
thread_local Connection* current_connection = nullptr;

HttpRequest ToRequest(const httplib::Request& from) {
  HttpRequest to;
  to.method = from.method == "HEAD" ? "GET" : from.method;
  to.path = from.path;
  to.parameters = from.params;
  for (const auto& [name, value] : from.headers) {
    std::string small = name;
    for (char& c : small) c = Lower(c);
    to.headers.emplace(std::move(small), value);
  }
  to.body = from.body;
  return to;
}

void SetHeader(const std::string& name, const std::string& value, httplib::Response* to) {
  to->headers.erase(name);
  to->set_header(name, value);
}

void Fill(HttpResponse from, httplib::Response* to) {
  to->status = from.status;
  for (const auto& [name, value] : from.headers) SetHeader(name, value, to);
  if (!from.stream) {
    to->set_content(from.body, from.type);
    return;
  }
  to->set_chunked_content_provider(
      from.type, [stream = std::move(from.stream)](std::size_t, httplib::DataSink& sink) {
        stream([&sink](std::string_view text) {
          return sink.write(text.data(), text.size()) && sink.is_writable();
        });
        sink.done();
        return true;
      });
}

}  // namespace

/// The HTTP of httplib: its parser and writer, called for one request of a connection.
class HttpEngine final : public httplib::Server {
 public:
  HttpEngine(HttpServer::Check check, HttpServer::Handler handler, const HttpLimits& limits)
      : check_(std::move(check)), handler_(std::move(handler)) {
    set_payload_max_length(limits.body);
    set_keep_alive_max_count(limits.requests);
    set_keep_alive_timeout(limits.idle_time.count());
    httplib::Headers defaults;
    for (const auto& [name, value] : DefaultHeaders()) defaults.emplace(name, value);
    set_default_headers(std::move(defaults));
    set_pre_routing_handler([this](const auto& request, auto& response) {
      return Begin(request, &response) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
    });
    Post(".*", [this](const auto& request, auto& response) {
      crawler::Fill(handler_(ToRequest(request)), &response);
    });
    set_error_handler([](const auto&, auto& response) {
      if (!response.body.empty() || response.content_provider_) return;
      const char* const what = response.status == 413   ? "the body is too large"
                               : response.status == 414 ? "the URL is too long"
                                                        : "the request makes no sense";
      crawler::Fill(ErrorResponse(response.status, what), &response);
    });
    set_exception_handler([](const auto&, auto& response, auto) {
      crawler::Fill(ErrorResponse(500, "the request could not be answered"), &response);
    });
  }

  /// False if the connection is over.
  bool Process(Connection& connection, bool last) {
    bool closed = false;
    const bool answered = process_request(connection, last, closed, [](httplib::Request& request) {
      request.ranges.clear();  // A range of ranges would be an amplifier.
      request.headers.erase("Range");
    });
    return answered && !closed && !connection.close_after;
  }

  /// Streams end when the socket is invalid.
  void SetSocket(int socket) { svr_sock_ = socket; }

 private:
  // True if the request is answered without its body.
  bool Begin(const httplib::Request& from, httplib::Response* response) {
    const HttpRequest request = ToRequest(from);
    std::optional<HttpResponse> refused = check_(request);
    if (!refused && request.path.size() > kLongestPath) {
      refused = ErrorResponse(414, "the path is too long");
    }
    const bool is_post = request.method == "POST";
    if (!refused && is_post && request.Header("content-length").empty() &&
        request.Header("transfer-encoding").empty()) {
      refused = ErrorResponse(411, "a body needs a Content-Length");
    }
    if (refused) {
      if (is_post || !request.Header("content-length").empty()) {
        current_connection->close_after = true;
        SetHeader("Connection", "close", response);
      }
      crawler::Fill(std::move(*refused), response);
      return true;
    }
    if (is_post) {
      current_connection->BeginBody();
      return false;
    }
    // A GET with a body: the body would be taken for the next request.
    current_connection->close_after =
        !request.Header("content-length").empty() || !request.Header("transfer-encoding").empty();
    crawler::Fill(handler_(request), response);
    return true;
  }

  const HttpServer::Check check_;
  const HttpServer::Handler handler_;
};

class HttpServer::Impl {
 public:
  Impl(Check check, Handler handler, const HttpLimits& limits)
      : limits_(limits), engine_(std::move(check), std::move(handler), limits) {}
  ~Impl() { Stop(); }

  Status Listen(const std::string& address, int port) {
    sockaddr_storage where{};
    socklen_t size = 0;
    if (!ToAddress(address, port, &where, &size)) {
      return Status(StatusCode::kInvalidArgument, address + " is not an IP address");
    }
    listener_ = socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    auto* const any = reinterpret_cast<sockaddr*>(&where);
    if (listener_ < 0 || bind(listener_, any, size) != 0 || listen(listener_, SOMAXCONN) != 0 ||
        getsockname(listener_, any, &size) != 0) {
      const std::string why = std::generic_category().message(errno);
      if (listener_ >= 0) close(std::exchange(listener_, -1));
      return Status(StatusCode::kIoError,
                    "cannot listen at " + address + " port " + std::to_string(port) + ": " + why);
    }
    port_ = ntohs(where.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&where)->sin6_port
                                              : reinterpret_cast<sockaddr_in*>(&where)->sin_port);
    engine_.SetSocket(listener_);
    threads_.emplace_back([this] { AcceptAll(); });
    for (std::size_t i = 0; i < limits_.workers; ++i) threads_.emplace_back([this] { Work(); });
    return Status::Ok();
  }

  int port() const { return port_; }

  void Stop() {
    stopping_.store(true);
    engine_.SetSocket(-1);
    {
      MutexLock lock(mutex_);
      come_.SignalAll();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    MutexLock lock(mutex_);
    for (const int waiting : waiting_) close(waiting);
    waiting_.clear();
    if (listener_ >= 0) close(std::exchange(listener_, -1));
  }

 private:
  static bool ToAddress(const std::string& text, int port, sockaddr_storage* to, socklen_t* size) {
    auto* const v4 = reinterpret_cast<sockaddr_in*>(to);
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(to);
    if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
      v4->sin_family = AF_INET;
      v4->sin_port = htons(static_cast<std::uint16_t>(port));
      *size = sizeof *v4;
      return true;
    }
    if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) != 1) return false;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<std::uint16_t>(port));
    *size = sizeof *v6;
    return true;
  }

  void AcceptAll() {
    while (WaitFor(listener_, POLLIN, TimePoint::max(), stopping_)) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (connection < 0) {
        // Out of descriptors: those of others come back.
        if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(kSlice);
        continue;
      }
      const int on = 1;
      setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      MutexLock lock(mutex_);
      if (waiting_.size() < limits_.queue) {
        waiting_.push_back(connection);
        crowd_.store(waiting_.size());
        come_.Signal();
        continue;
      }
      (void)send(connection, kBusy.data(), kBusy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      close(connection);
    }
  }

  void Work() {
    // On Linux the priority of a thread: a request must not slow the crawl.
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
    while (true) {
      int connection = -1;
      {
        MutexLock lock(mutex_);
        while (waiting_.empty() && !stopping_.load()) come_.Wait(mutex_);
        if (stopping_.load()) return;
        connection = waiting_.front();
        waiting_.pop_front();
        crowd_.store(waiting_.size());
      }
      Serve(connection);
    }
  }

  void Serve(int socket) {
    Connection connection(socket, limits_, stopping_, crowd_);
    current_connection = &connection;
    for (std::size_t i = 1; i <= limits_.requests; ++i) {
      if (!connection.has_input() && !WaitForRequest(socket)) break;
      connection.BeginRequest();
      if (!engine_.Process(connection, i == limits_.requests)) break;
    }
    current_connection = nullptr;
    Close(socket);
  }

  bool WaitForRequest(int socket) {
    const TimePoint began = std::chrono::steady_clock::now();
    for (TimePoint now = began; now < began + limits_.idle_time;
         now = std::chrono::steady_clock::now()) {
      if (WaitFor(socket, POLLIN, now + kSlice, stopping_)) return true;
      if (stopping_.load() || (now >= began + kShortIdle && crowd_.load() > 0)) return false;
    }
    return false;
  }

  // Unread input would reset the connection, and the client might not see the response.
  void Close(int socket) {
    constexpr std::size_t kMostDrained = 1 << 20;
    shutdown(socket, SHUT_WR);
    std::array<char, 4096> rest;
    std::size_t drained = 0;
    const TimePoint deadline = std::chrono::steady_clock::now() + kShortIdle;
    while (drained < kMostDrained && WaitFor(socket, POLLIN, deadline, stopping_)) {
      const ssize_t received = recv(socket, rest.data(), rest.size(), MSG_DONTWAIT);
      if (received <= 0) break;
      drained += static_cast<std::size_t>(received);
    }
    close(socket);
  }

  const HttpLimits limits_;
  HttpEngine engine_;
  std::atomic<bool> stopping_{false};
  int listener_ = -1;
  int port_ = 0;
  std::vector<std::thread> threads_;
  Mutex mutex_;
  CondVar come_;
  std::deque<int> waiting_ CRAWLER_GUARDED_BY(mutex_);
  std::atomic<std::size_t> crowd_{0};  // The size of waiting_, for those who only look.
};

HttpServer::HttpServer(Check check, Handler handler, const HttpLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(check), std::move(handler), limits)) {}
HttpServer::~HttpServer() = default;
Status HttpServer::Listen(const std::string& address, int port) {
  return impl_->Listen(address, port);
}
int HttpServer::port() const { return impl_->port(); }
void HttpServer::Stop() { impl_->Stop(); }

}  // namespace crawler
