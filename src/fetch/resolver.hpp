#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "url/address.hpp"

namespace crawler {

/// The address families to use.
enum class IpVersion : std::uint8_t { kAny, kV4, kV6 };

/// The result of a name lookup.
struct ResolvedHost {
  std::vector<IpAddress> addresses;  ///< In order of preference; empty if it failed.
  std::string error;                 ///< Why the lookup failed, for people.
  TimePoint expires;                 ///< Expiry of the addresses.
  bool out_of_memory = false;        ///< There was no memory for the lookup.
};

/// Turns host names into addresses, for any number of fetchers.
/// Threads: safe from any thread.
class HostResolver {
 public:
  using Callback = std::function<void(std::shared_ptr<const ResolvedHost>)>;

  virtual ~HostResolver() = default;

  /// Calls `done` once: at once if the answer is known, otherwise later and from another thread.
  /// `done` must not block. Failures are answers too. After the resolver is destroyed, `done` may
  /// never be called.
  virtual void Resolve(std::string_view host, Callback done) = 0;
};

/// Resolves with getaddrinfo() on a few threads of its own, and caches answers, failures included.
/// Simultaneous requests for one name share a lookup. getaddrinfo() does not report lifetimes, so
/// all answers are cached equally long.
class SystemResolver final : public HostResolver {
 public:
  struct Options {
    IpVersion ip_version = IpVersion::kAny;
    std::size_t threads = 16;                ///< Lookups at a time; started when needed.
    std::chrono::seconds keep{300};          ///< How long an answer is cached.
    std::chrono::seconds keep_failures{30};  ///< How long a failure is cached.
    std::size_t max_entries = 100'000;       ///< Cached names.
    std::size_t max_addresses = 8;           ///< Addresses used per name.
  };

  explicit SystemResolver(Options options);
  /// Does not wait for lookups under way, which nothing can interrupt: their threads end later.
  ~SystemResolver() override;

  void Resolve(std::string_view host, Callback done) override;

  struct State;  // Shared with the threads; see resolver.cpp.

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace crawler
