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

/// Which addresses to use.
enum class IpVersion : std::uint8_t { kAny, kV4, kV6 };

/// What a name lookup found.
struct ResolvedHost {
  std::vector<IpAddress> addresses;  ///< In order of preference; empty if it failed.
  std::string error;                 ///< Why there is none, for people.
  TimePoint expires;                 ///< Not to be used after this.
};

/// Turns host names into addresses, for any number of fetchers.
/// Threads: safe from any thread.
class HostResolver {
 public:
  using Callback = std::function<void(std::shared_ptr<const ResolvedHost>)>;

  virtual ~HostResolver() = default;

  /// Calls `done` once: at once if the answer is known, otherwise later and from another thread.
  /// `done` must not block. Failures are answers too. After the resolver is gone it may never be
  /// called.
  virtual void Resolve(std::string_view host, Callback done) = 0;
};

/// Asks the system (getaddrinfo) on a few threads of its own, and remembers answers, bad ones too.
/// Several requests for one name are one lookup. The system does not tell how long an answer
/// holds, so all good ones hold equally long.
class SystemResolver final : public HostResolver {
 public:
  struct Options {
    IpVersion ip_version = IpVersion::kAny;
    std::size_t threads = 16;                ///< Lookups at a time; started when needed.
    std::chrono::seconds keep{300};          ///< How long a good answer holds.
    std::chrono::seconds keep_failures{30};  ///< How long a bad one does.
    std::size_t max_entries = 100'000;       ///< Names remembered.
    std::size_t max_addresses = 8;           ///< Addresses used of one name.
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
