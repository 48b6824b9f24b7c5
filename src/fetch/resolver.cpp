#include "fetch/resolver.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "fetch/lookup_cache.hpp"

namespace crawler {
namespace {

int AddressFamily(IpVersion version) {
  switch (version) {
    case IpVersion::kAny:
      return AF_UNSPEC;
    case IpVersion::kV4:
      return AF_INET;
    case IpVersion::kV6:
      return AF_INET6;
  }
  return AF_UNSPEC;
}

ResolvedHost AskSystem(const std::string& host, const SystemResolver::Options& options) {
  ResolvedHost answer;
  addrinfo hints{};
  hints.ai_family = AddressFamily(options.ip_version);
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (error != 0) {
    answer.error = error == EAI_SYSTEM ? std::generic_category().message(errno)
                                       : std::string(gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  if (error == EAI_MEMORY) throw std::bad_alloc();
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    const std::optional<IpAddress> address =
        IpAddress::FromSockaddr(entry->ai_addr, entry->ai_addrlen);
    if (!address || answer.addresses.size() == options.max_addresses) continue;
    if (std::find(answer.addresses.begin(), answer.addresses.end(), *address) ==
        answer.addresses.end()) {
      answer.addresses.push_back(*address);
    }
  }
  if (answer.addresses.empty() && answer.error.empty()) answer.error = "it has no address";
  answer.expires =
      Clock::System().Now() + (answer.addresses.empty() ? options.keep_failures : options.keep);
  return answer;
}

}  // namespace

struct SystemResolver::State {
  explicit State(Options o) : options(o), cache(o.max_entries) {}

  // Made before it is needed.
  static std::shared_ptr<const ResolvedHost> OutOfMemory() {
    auto answer = std::make_shared<ResolvedHost>();
    answer->out_of_memory = true;
    return answer;
  }

  const Options options;
  const std::shared_ptr<const ResolvedHost> out_of_memory = OutOfMemory();
  Mutex mutex;
  CondVar work;
  LookupCache cache CRAWLER_GUARDED_BY(mutex);
  std::deque<std::string> queue CRAWLER_GUARDED_BY(mutex);
  std::size_t threads CRAWLER_GUARDED_BY(mutex) = 0;
  std::size_t idle CRAWLER_GUARDED_BY(mutex) = 0;
  bool closed CRAWLER_GUARDED_BY(mutex) = false;
};

namespace {

// The next name to look up, waiting for one; nothing when the resolver is gone.
std::optional<std::string> TakeJob(SystemResolver::State& state) {
  MutexLock lock(state.mutex);
  while (!state.closed && state.queue.empty()) {
    ++state.idle;
    state.work.Wait(state.mutex);
    --state.idle;
  }
  if (state.closed) return std::nullopt;
  std::string host = std::move(state.queue.front());
  state.queue.pop_front();
  return host;
}

// Caches the answer and returns the callbacks that wait for it.
std::vector<HostResolver::Callback> Publish(SystemResolver::State& state, const std::string& host,
                                            const std::shared_ptr<const ResolvedHost>& answer) {
  MutexLock lock(state.mutex);
  if (state.closed) return {};
  return state.cache.Put(host, answer);
}

void RunLookups(const std::shared_ptr<SystemResolver::State>& state) {
  SetThreadName("resolver");
  while (const std::optional<std::string> host = TakeJob(*state)) {
    std::shared_ptr<const ResolvedHost> answer = state->out_of_memory;
    try {
      answer = std::make_shared<const ResolvedHost>(AskSystem(*host, state->options));
    } catch (const std::bad_alloc&) {
      // Those who ask are told so.
    }
    for (const HostResolver::Callback& done : Publish(*state, *host, answer)) done(answer);
  }
}

}  // namespace

SystemResolver::SystemResolver(Options options) : state_(std::make_shared<State>(options)) {}

SystemResolver::~SystemResolver() {
  MutexLock lock(state_->mutex);
  state_->closed = true;
  state_->cache.clear();
  state_->queue.clear();
  state_->work.SignalAll();
}

void SystemResolver::Resolve(std::string_view host, Callback done) {
  std::shared_ptr<const ResolvedHost> known;
  {
    MutexLock lock(state_->mutex);
    bool look_up = false;
    known = state_->cache.Find(host, done, &look_up);
    if (known == nullptr) {
      if (!look_up) return;
      state_->queue.emplace_back(host);
      if (state_->queue.size() <= state_->idle || state_->threads == state_->options.threads) {
        state_->work.Signal();
        return;
      }
      ++state_->threads;
    }
  }
  if (known != nullptr) {
    done(known);  // NOLINT(bugprone-use-after-move): not moved if it was known.
    return;
  }
  // Detached, because a lookup cannot be interrupted and nobody should have to wait for it.
  try {
    std::thread([state = state_] { RunLookups(state); }).detach();
  } catch (...) {
    MutexLock lock(state_->mutex);
    if (--state_->threads == 0) throw;  // Nobody else would answer.
  }
}

}  // namespace crawler
