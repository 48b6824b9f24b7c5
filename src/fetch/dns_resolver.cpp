#include "fetch/dns_resolver.hpp"

#include <ares.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <limits>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "fetch/lookup_cache.hpp"

namespace crawler {
namespace {

// A name server loses the questions that its socket has no room for, some hundred of them. So not
// more than kBurst names are asked for per kDnsTick. Questions without an answer are looked at as
// often, for the same reason: they are asked again.
constexpr std::chrono::milliseconds kDnsTick{5};
constexpr std::size_t kBurst = 50;
// The size of answers over UDP that networks do not break into pieces (DNS Flag Day 2020).
constexpr int kUdpPayload = 1'232;
constexpr int kReceiveBuffer = 1 << 20;  // For the answers to thousands of questions.

// "address:port" as c-ares reads it; nothing if `server` is no address.
std::optional<std::string> ServerText(std::string_view server) {
  std::string_view port = "53";
  const bool bracket = server.starts_with('[');
  const std::size_t end = bracket ? server.find(']') : std::string_view::npos;
  if (bracket && end == std::string_view::npos) return std::nullopt;
  std::string_view address = bracket ? server.substr(1, end - 1) : server;
  std::string_view rest = bracket ? server.substr(end + 1) : std::string_view();
  if (!bracket && std::count(server.begin(), server.end(), ':') == 1) {
    address = server.substr(0, server.find(':'));
    rest = server.substr(address.size());
  }
  if (!rest.empty()) {
    port = rest.substr(1);
    const bool digits = !port.empty() && port.size() <= 5 &&
                        port.find_first_not_of("0123456789") == std::string_view::npos;
    if (rest.front() != ':' || !digits) return std::nullopt;
  }
  const std::optional<IpAddress> ip = IpAddress::FromText(address);
  const int number = std::stoi(std::string(port));
  if (!ip || number < 1 || number > 65'535) return std::nullopt;
  return (ip->is_v4() ? ip->ToString() : "[" + ip->ToString() + "]") + ":" + std::string(port);
}

ResolvedHost ToAnswer(int status, const ares_addrinfo* info, const DnsResolver::Options& options) {
  ResolvedHost answer;
  auto keep = std::chrono::seconds::max();
  const auto shorten = [&keep](int seconds) {
    keep = std::min(keep, std::chrono::seconds(std::max(seconds, 0)));
  };
  for (const ares_addrinfo_cname* name = info == nullptr ? nullptr : info->cnames; name != nullptr;
       name = name->next) {
    shorten(name->ttl);
  }
  for (const ares_addrinfo_node* node = info == nullptr ? nullptr : info->nodes; node != nullptr;
       node = node->ai_next) {
    const std::optional<IpAddress> address =
        IpAddress::FromSockaddr(node->ai_addr, static_cast<socklen_t>(node->ai_addrlen));
    if (!address || answer.addresses.size() == options.max_addresses) continue;
    shorten(node->ai_ttl);
    const auto& known = answer.addresses;
    if (std::find(known.begin(), known.end(), *address) == known.end()) {
      answer.addresses.push_back(*address);
    }
  }
  keep = std::clamp(keep, options.keep_least, options.keep_most);
  if (answer.addresses.empty()) {
    answer.error = status == ARES_SUCCESS ? "it has no address" : ares_strerror(status);
    const bool missing =
        status == ARES_SUCCESS || status == ARES_ENOTFOUND || status == ARES_ENODATA;
    keep = missing ? options.keep_missing : options.keep_failures;
  }
  answer.expires = Clock::System().Now() + keep;
  return answer;
}

}  // namespace

class DnsResolver::Loop {
 public:
  explicit Loop(Options options) : options_(std::move(options)), cache_(options_.max_entries) {}
  ~Loop();

  Status Open();
  void Resolve(std::string_view host, Callback done) CRAWLER_EXCLUDES(mutex_);

 private:
  struct Lookup {
    Loop& loop;
    const std::string host;
  };

  // Called by c-ares, so no exception may leave them.
  static void OnAnswer(void* lookup, int status, int timeouts, ares_addrinfo* info);
  static void OnSocket(void* loop, ares_socket_t socket, int readable, int writable);

  Status OpenChannel();
  void Run();
  void Ask(const std::string& host);
  void Publish(const std::string& host, const LookupCache::Answer& answer) CRAWLER_EXCLUDES(mutex_);
  std::deque<std::string> TakeQueued() CRAWLER_EXCLUDES(mutex_);
  void WaitForAnswers();

  const Options options_;
  const LookupCache::Answer out_of_memory_ = [] {  // Made before it is needed.
    auto answer = std::make_shared<ResolvedHost>();
    answer->out_of_memory = true;
    return answer;
  }();
  int epoll_ = -1, wakeup_ = -1;
  std::atomic<bool> closed_{false};
  Mutex mutex_;
  LookupCache cache_ CRAWLER_GUARDED_BY(mutex_);
  std::deque<std::string> queue_ CRAWLER_GUARDED_BY(mutex_);

  // The thread's own.
  ares_channel channel_ = nullptr;
  std::size_t under_way_ = 0;
  bool more_queued_ = false;
  TimePoint next_burst_, next_tick_;
  std::thread thread_;  // Begun by the first lookup.
};

DnsResolver::Loop::~Loop() {
  closed_.store(true);
  if (thread_.joinable()) {
    eventfd_write(wakeup_, 1);
    thread_.join();
  }
  if (channel_ != nullptr) ares_destroy(channel_);
  if (epoll_ >= 0) close(epoll_);
  if (wakeup_ >= 0) close(wakeup_);
}

Status DnsResolver::Loop::Open() {
  static const int initialised = ares_library_init(ARES_LIB_INIT_ALL);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wakeup_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wakeup_;
  if (initialised != ARES_SUCCESS || epoll_ < 0 || wakeup_ < 0 ||
      epoll_ctl(epoll_, EPOLL_CTL_ADD, wakeup_, &event) != 0) {
    return Status(StatusCode::kOutOfMemory,
                  "no resolver: the process is out of file descriptors or memory");
  }
  return OpenChannel();
}

Status DnsResolver::Loop::OpenChannel() {
  ares_options settings{};
  settings.timeout = static_cast<int>(options_.timeout.count());
  settings.tries = options_.tries;
  settings.flags = ARES_FLAG_EDNS;
  settings.ednspsz = kUdpPayload;
  settings.socket_receive_buffer_size = kReceiveBuffer;
  settings.sock_state_cb = &Loop::OnSocket;
  settings.sock_state_cb_data = this;
  const int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_FLAGS | ARES_OPT_EDNSPSZ |
                   ARES_OPT_SOCK_RCVBUF | ARES_OPT_SOCK_STATE_CB;
  if (const int code = ares_init_options(&channel_, &settings, mask); code != ARES_SUCCESS) {
    channel_ = nullptr;
    return Status(StatusCode::kOutOfMemory,
                  std::string("the resolver does not start: ") + ares_strerror(code));
  }
  std::string servers;
  for (const std::string& server : options_.servers) {
    const std::optional<std::string> text = ServerText(server);
    if (!text) {
      return Status(StatusCode::kInvalidArgument,
                    "'" + server +
                        "' is no name server: write its address, with a port if it is not 53, as "
                        "in 192.0.2.1, 192.0.2.1:5353 or [2001:db8::1]:5353");
    }
    servers.append(servers.empty() ? "" : ",").append(*text);
  }
  if (!servers.empty() && ares_set_servers_ports_csv(channel_, servers.c_str()) != ARES_SUCCESS) {
    return Status(StatusCode::kInvalidArgument, "name servers cannot be used: " + servers);
  }
  return Status::Ok();
}

void DnsResolver::Loop::Resolve(std::string_view host, Callback done) {
  LookupCache::Answer known;
  {
    const MutexLock lock(mutex_);
    bool look_up = false;
    known = cache_.Find(host, done, &look_up);
    if (known == nullptr) {
      if (!look_up) return;
      queue_.emplace_back(host);
      if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
    }
  }
  if (known != nullptr) {
    done(known);  // NOLINT(bugprone-use-after-move): not moved if it was known.
  } else {
    eventfd_write(wakeup_, 1);
  }
}

void DnsResolver::Loop::Run() {
  SetThreadName("resolver");
  while (!closed_.load()) {
    for (const std::string& host : TakeQueued()) Ask(host);
    WaitForAnswers();
  }
  ares_cancel(channel_);
}

std::deque<std::string> DnsResolver::Loop::TakeQueued() {
  std::deque<std::string> hosts;
  const MutexLock lock(mutex_);
  const TimePoint now = Clock::System().Now();
  if (now >= next_burst_) {
    const std::size_t room = options_.max_lookups - std::min(under_way_, options_.max_lookups);
    while (!queue_.empty() && hosts.size() < std::min(room, kBurst)) {
      hosts.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    next_burst_ = now + kDnsTick;
  }
  more_queued_ = !queue_.empty();
  return hosts;
}

void DnsResolver::Loop::Ask(const std::string& host) {
  ares_addrinfo_hints hints{};
  hints.ai_family = options_.ip_version == IpVersion::kV4   ? AF_INET
                    : options_.ip_version == IpVersion::kV6 ? AF_INET6
                                                            : AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ++under_way_;
  // OnAnswer() takes it, perhaps before the call returns.
  ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &Loop::OnAnswer,
                   new Lookup{*this, host});
}

void DnsResolver::Loop::WaitForAnswers() {
  std::array<epoll_event, 64> events;
  const int wait = under_way_ > 0 || more_queued_ ? static_cast<int>(kDnsTick.count()) : -1;
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == wakeup_) {
      eventfd_t wakeups = 0;
      eventfd_read(wakeup_, &wakeups);
      continue;
    }
    const bool writable = (event.events & EPOLLOUT) != 0;
    const bool readable = (event.events & ~std::uint32_t{EPOLLOUT}) != 0;
    ares_process_fd(channel_, readable ? event.data.fd : ARES_SOCKET_BAD,
                    writable ? event.data.fd : ARES_SOCKET_BAD);
  }
  const TimePoint now = Clock::System().Now();
  if (now < next_tick_) return;
  next_tick_ = now + kDnsTick;
  ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // Only the times.
}

void DnsResolver::Loop::OnAnswer(void* lookup, int status, int, ares_addrinfo* info) {
  const std::unique_ptr<const Lookup> owner(static_cast<const Lookup*>(lookup));
  const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> info_owner(info,
                                                                                &ares_freeaddrinfo);
  Loop& loop = owner->loop;
  --loop.under_way_;
  if (status == ARES_ECANCELLED || status == ARES_EDESTRUCTION) return;
  LookupCache::Answer answer = loop.out_of_memory_;
  try {
    if (status != ARES_ENOMEM) {
      answer = std::make_shared<const ResolvedHost>(ToAnswer(status, info, loop.options_));
    }
  } catch (const std::bad_alloc&) {
    // Those who ask are told so.
  }
  loop.Publish(owner->host, answer);
}

void DnsResolver::Loop::Publish(const std::string& host, const LookupCache::Answer& answer) {
  std::vector<Callback> waiting;
  {
    const MutexLock lock(mutex_);
    waiting = cache_.Put(host, answer);
  }
  for (const Callback& done : waiting) done(answer);
}

void DnsResolver::Loop::OnSocket(void* loop, ares_socket_t socket, int readable, int writable) {
  const int epoll = static_cast<Loop*>(loop)->epoll_;
  epoll_event event{};
  event.events = (readable != 0 ? EPOLLIN : 0u) | (writable != 0 ? EPOLLOUT : 0u);
  event.data.fd = socket;
  if (event.events == 0) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event);
  } else if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST) {
    epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event);
  }
}

Result<std::shared_ptr<DnsResolver>> DnsResolver::Create(Options options) {
  auto loop = std::make_unique<Loop>(std::move(options));
  if (Status status = loop->Open(); !status.ok()) return status;
  return std::shared_ptr<DnsResolver>(new DnsResolver(std::move(loop)));
}

DnsResolver::DnsResolver(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
DnsResolver::~DnsResolver() = default;

void DnsResolver::Resolve(std::string_view host, Callback done) {
  loop_->Resolve(host, std::move(done));
}

}  // namespace crawler
