#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "fetch/resolver.hpp"

namespace crawler {

/// Asks name servers itself (c-ares), thousands of names at a time, on one thread of its own.
/// Obeys /etc/hosts and /etc/resolv.conf: name servers, search domains, options. Asks again over
/// TCP when an answer was cut off. Answers are kept as long as they say, within bounds; failures
/// are kept as well.
/// Threads: safe from any thread.
class DnsResolver final : public HostResolver {
 public:
  struct Options {
    IpVersion ip_version = IpVersion::kAny;
    /// Name servers to ask instead of the system's: "192.0.2.1", "192.0.2.1:53",
    /// "[2001:db8::1]:53".
    std::vector<std::string> servers;
    std::chrono::milliseconds timeout{1'500};  ///< Of a question; doubles with each attempt.
    int tries = 3;                             ///< Attempts per name server.
    std::chrono::seconds keep_least{30};       ///< Answers that ask for less are kept so long.
    std::chrono::seconds keep_most{3'600};
    std::chrono::seconds keep_missing{300};  ///< That a name does not exist, or has no address.
    std::chrono::seconds keep_failures{30};  ///< That no name server gave an answer.
    std::size_t max_lookups = 10'000;        ///< At a time; more wait.
    std::size_t max_entries = 100'000;       ///< Cached names.
    std::size_t max_addresses = 8;           ///< Addresses used per name.
  };

  /// kInvalidArgument if a server is none; kOutOfMemory if the system has no resources left.
  static Result<std::shared_ptr<DnsResolver>> Create(Options options);
  /// Ends the lookups under way; their callbacks are not called.
  ~DnsResolver() override;

  void Resolve(std::string_view host, Callback done) override;

 private:
  class Loop;  // The thread and its channel; see dns_resolver.cpp.
  explicit DnsResolver(std::unique_ptr<Loop> loop);

  const std::unique_ptr<Loop> loop_;
};

}  // namespace crawler
