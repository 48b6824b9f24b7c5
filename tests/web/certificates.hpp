#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

namespace crawler {

/// A key and a certificate for tests, made on the spot; good and bad ones.
class Certificate {
 public:
  struct Options {
    std::vector<std::string> dns_names;     ///< subjectAltName entries.
    std::vector<std::string> ip_addresses;  ///< The same, in text form.
    std::string common_name = "test";       ///< Empty: a subject without any name.
    int valid_from_days = -1;               ///< Relative to now.
    int valid_to_days = 30;
    bool authority = false;
    int rsa_bits = 0;  ///< 0: an elliptic curve key.
    std::string curve = "P-256";
    std::string digest = "SHA256";
  };

  /// Signed by `issuer`, or by itself if that is null.
  explicit Certificate(const Options& options, const Certificate* issuer = nullptr);

  std::string CertificatePem() const;
  std::string KeyPem() const;
  X509* x509() const { return x509_.get(); }
  EVP_PKEY* key() const { return key_.get(); }

 private:
  struct FreeX509 {
    void operator()(X509* certificate) const { X509_free(certificate); }
  };
  struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  std::unique_ptr<EVP_PKEY, FreeKey> key_;
  std::unique_ptr<X509, FreeX509> x509_;
};

/// A folder for the time of a test, with files in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Writes a file and returns its path.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

}  // namespace crawler
