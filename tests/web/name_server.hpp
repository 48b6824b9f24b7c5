#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "web/certificates.hpp"

namespace crawler {

/// A real name server (knotd) on 127.0.0.1 that is the authority for the zone "test".
class NameServer {
 public:
  /// `records`: lines of a zone file, e.g. "www 60 IN A 192.0.2.1". Null if there is no knotd.
  static std::unique_ptr<NameServer> Start(const std::string& records);
  ~NameServer();
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  /// "127.0.0.1:port".
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  explicit NameServer(const std::string& records);

  TemporaryFolder folder_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace crawler
