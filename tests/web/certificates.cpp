#include "web/certificates.hpp"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace crawler {
namespace {

void RequireCertificate(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("certificate: ") + what);
}

void AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  RequireCertificate(extension != nullptr, "extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

template <typename Write>
std::string ToPem(Write write) {
  BIO* bio = BIO_new(BIO_s_mem());
  RequireCertificate(bio != nullptr && write(bio) == 1, "PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return pem;
}

std::string AlternativeNames(const Certificate::Options& options) {
  std::string names;
  for (const std::string& name : options.dns_names) names += ",DNS:" + name;
  for (const std::string& address : options.ip_addresses) names += ",IP:" + address;
  return names.empty() ? names : names.substr(1);
}

}  // namespace

Certificate::Certificate(const Options& options, const Certificate* issuer) {
  key_.reset(options.rsa_bits > 0 ? EVP_RSA_gen(static_cast<unsigned>(options.rsa_bits))
                                  : EVP_EC_gen(options.curve.c_str()));
  x509_.reset(X509_new());
  RequireCertificate(key_ != nullptr && x509_ != nullptr, "key");
  X509* certificate = x509_.get();
  static std::atomic<long> serial{1};
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  constexpr long kDay = 24 * 3600;
  X509_gmtime_adj(X509_getm_notBefore(certificate), options.valid_from_days * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate), options.valid_to_days * kDay);
  X509_set_pubkey(certificate, key_.get());
  if (!options.common_name.empty()) {
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(options.common_name.c_str()),
                               -1, -1, 0);
  }
  X509* issuer_x509 = issuer == nullptr ? certificate : issuer->x509();
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer_x509));
  AddExtension(certificate, issuer_x509, NID_basic_constraints,
               options.authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  if (const std::string names = AlternativeNames(options); !names.empty()) {
    AddExtension(certificate, issuer_x509, NID_subject_alt_name, names);
  }
  EVP_PKEY* signer = issuer == nullptr ? key_.get() : issuer->key();
  RequireCertificate(
      X509_sign(certificate, signer, EVP_get_digestbyname(options.digest.c_str())) > 0, "sign");
}

std::string Certificate::CertificatePem() const {
  return ToPem([this](BIO* bio) { return PEM_write_bio_X509(bio, x509_.get()); });
}

std::string Certificate::KeyPem() const {
  return ToPem([this](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "crawler-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(const std::string& name, const std::string& content) const {
  const std::string file = path_ + "/" + name;
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

}  // namespace crawler
