#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "web/certificates.hpp"

namespace crawler {

/// A real nginx on loopback for the time of a test: plain HTTP on one port, TLS with HTTP/2 on
/// another, gzip on, serving the files of a folder. The certificate is for "site.test" and
/// 127.0.0.1.
class Nginx {
 public:
  /// Null if nginx is not installed.
  static std::unique_ptr<Nginx> Start();
  ~Nginx();
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  /// Puts a file where "/name" finds it.
  void Add(const std::string& name, const std::string& content) const;
  std::string PlainUrl(const std::string& path) const;
  std::string TlsUrl(const std::string& path) const;
  /// The PEM file of the authority that signed its certificate.
  const std::string& ca_file() const { return ca_file_; }

 private:
  Nginx();
  TemporaryFolder folder_;
  std::string ca_file_;
  std::uint16_t plain_port_ = 0, tls_port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace crawler
