// TLS as hostile servers speak it: H110 to H133 of the checklist.
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/param_build.h>

#include "web/certificates.hpp"
#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

using namespace std::literals;

using std::chrono::milliseconds;

constexpr char kHost[] = "site.test";

const Certificate& Authority() {
  static const Certificate authority([] {
    Certificate::Options options;
    options.common_name = "test authority";
    options.authority = true;
    return options;
  }());
  return authority;
}

Certificate::Options ForSite() {
  Certificate::Options options;
  options.dns_names = {kHost};
  return options;
}

// Options that trust Authority() and know the site.
FetchOptions TrustingOptions(const TemporaryFolder& folder) {
  FetchOptions options = TestOptions();
  options.ca_file = folder.Write("ca.pem", Authority().CertificatePem());
  options.resolver = LocalHost(kHost);
  return options;
}

HostileServer::Options Serving(const Certificate& certificate, const std::string& chain = "") {
  HostileServer::Options options;
  options.certificate_pem = certificate.CertificatePem() + chain;
  options.key_pem = certificate.KeyPem();
  return options;
}

FetchResult FetchFrom(const HostileServer::Options& server_options, const char* host = kHost) {
  HostileServer server(HostileServer::Reply(OkResponse("secure")), server_options);
  TemporaryFolder folder;
  return Fetch(server.UrlFor(host), TrustingOptions(folder));
}

void ExpectRefused(const Certificate& certificate, const std::string& chain = "") {
  const FetchResult result = FetchFrom(Serving(certificate, chain));
  EXPECT_EQ(result.failure, FetchFailure::kTls) << result.message;
  EXPECT_EQ(result.status, 0);
}

void ExpectAccepted(const Certificate& certificate, const std::string& chain = "") {
  const FetchResult result = FetchFrom(Serving(certificate, chain));
  EXPECT_EQ(result.body(), "secure") << result.message;
}

TEST(HostileTls, H110ExpiredCertificate) {
  Certificate::Options options = ForSite();
  options.valid_from_days = -10;
  options.valid_to_days = -1;
  ExpectRefused(Certificate(options, &Authority()));
  options.valid_from_days = 1;
  options.valid_to_days = 10;
  ExpectRefused(Certificate(options, &Authority()));
}

TEST(HostileTls, H111WrongHostName) {
  Certificate::Options options = ForSite();
  options.dns_names = {"other.test", "*.site.test"};
  ExpectRefused(Certificate(options, &Authority()));
}

TEST(HostileTls, H112SelfSigned) { ExpectRefused(Certificate(ForSite())); }

TEST(HostileTls, H113UntrustedRoot) {
  Certificate::Options options;
  options.common_name = "somebody else's authority";
  options.authority = true;
  const Certificate stranger(options);
  ExpectRefused(Certificate(ForSite(), &stranger), stranger.CertificatePem());
}

Certificate Intermediate(const std::string& digest = "SHA256") {
  Certificate::Options options;
  options.common_name = "intermediate";
  options.authority = true;
  options.digest = digest;
  return Certificate(options, &Authority());
}

TEST(HostileTls, H115IncompleteChain) {
  const Certificate intermediate = Intermediate();
  const Certificate site(ForSite(), &intermediate);
  ExpectRefused(site);
  ExpectAccepted(site, intermediate.CertificatePem());
}

TEST(HostileTls, H116ReversedChain) {
  const Certificate intermediate = Intermediate();
  const Certificate site(ForSite(), &intermediate);
  ExpectAccepted(site, Authority().CertificatePem() + intermediate.CertificatePem());
}

TEST(HostileTls, H117NoCommonName) {
  Certificate::Options options = ForSite();
  options.common_name.clear();
  ExpectAccepted(Certificate(options, &Authority()));
  options.dns_names.clear();
  ExpectRefused(Certificate(options, &Authority()));
}

TEST(HostileTls, H118ManyNames) {
  Certificate::Options options = ForSite();
  for (int i = 0; i < 1'000; ++i) options.dns_names.push_back("n" + std::to_string(i) + ".test");
  ExpectAccepted(Certificate(options, &Authority()));
}

TEST(HostileTls, H119TooManyNames) {
  Certificate::Options options = ForSite();
  for (int i = 0; i < 10'000; ++i) options.dns_names.push_back("n" + std::to_string(i) + ".test");
  ExpectRefused(Certificate(options, &Authority()));
}

TEST(HostileTls, H120Sha1) {
  Certificate::Options options = ForSite();
  options.digest = "SHA1";
  ExpectRefused(Certificate(options, &Authority()));
  const Certificate intermediate = Intermediate("SHA1");
  ExpectRefused(Certificate(ForSite(), &intermediate), intermediate.CertificatePem());
}

TEST(HostileTls, H122UsualKeys) {
  Certificate::Options options = ForSite();
  ExpectAccepted(Certificate(options, &Authority()));
  options.curve = "P-384";
  ExpectAccepted(Certificate(options, &Authority()));
  options.rsa_bits = 2048;
  ExpectAccepted(Certificate(options, &Authority()));
  options.rsa_bits = 1024;  // Too short.
  ExpectRefused(Certificate(options, &Authority()));
}

void ExpectTuned(const std::function<void(SSL_CTX*)>& tune, bool accepted) {
  Certificate::Options certificate = ForSite();
  certificate.rsa_bits = 2048;
  HostileServer::Options options = Serving(Certificate(certificate, &Authority()));
  options.tune_tls = tune;
  const FetchResult result = FetchFrom(options);
  EXPECT_EQ(result.failure, accepted ? FetchFailure::kNone : FetchFailure::kTls) << result.message;
}

TEST(HostileTls, H123WeakCiphers) {
  ExpectTuned(
      [](SSL_CTX* context) {
        SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
        SSL_CTX_set_cipher_list(context, "NULL-SHA256:NULL-SHA:eNULL:@SECLEVEL=0");
      },
      false);
}

TEST(HostileTls, H124WeakDiffieHellman) {
  ExpectTuned(
      [](SSL_CTX* context) {
        SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
        SSL_CTX_set_cipher_list(context, "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0");
        BIGNUM* prime = BN_get_rfc2409_prime_1024(nullptr);
        BIGNUM* generator = BN_new();
        BN_set_word(generator, 2);
        EVP_PKEY_CTX* maker = EVP_PKEY_CTX_new_from_name(nullptr, "DH", nullptr);
        OSSL_PARAM_BLD* builder = OSSL_PARAM_BLD_new();
        OSSL_PARAM_BLD_push_BN(builder, "p", prime);
        OSSL_PARAM_BLD_push_BN(builder, "g", generator);
        OSSL_PARAM* params = OSSL_PARAM_BLD_to_param(builder);
        EVP_PKEY* weak = nullptr;
        EVP_PKEY_fromdata_init(maker);
        EVP_PKEY_fromdata(maker, &weak, EVP_PKEY_KEY_PARAMETERS, params);
        SSL_CTX_set0_tmp_dh_pkey(context, weak);
        OSSL_PARAM_free(params);
        OSSL_PARAM_BLD_free(builder);
        EVP_PKEY_CTX_free(maker);
        BN_free(generator);
        BN_free(prime);
      },
      false);
}

TEST(HostileTls, H125OldVersions) {
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    ExpectTuned([=](SSL_CTX* context) { SSL_CTX_set_max_proto_version(context, version); }, false);
  }
}

TEST(HostileTls, H126CurrentVersions) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    HostileServer::Options options = Serving(Certificate(ForSite(), &Authority()));
    options.tune_tls = [=](SSL_CTX* context) {
      SSL_CTX_set_min_proto_version(context, version);
      SSL_CTX_set_max_proto_version(context, version);
    };
    const FetchResult result = FetchFrom(options);
    EXPECT_EQ(result.body(), "secure") << result.message;
    EXPECT_EQ(result.tls_version, version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3");
    EXPECT_GT(result.timings.secured.count(), 0);
  }
}

TEST(HostileTls, H127ClientCertificateWanted) {
  HostileServer::Options options = Serving(Certificate(ForSite(), &Authority()));
  options.tune_tls = [](SSL_CTX* context) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  };
  EXPECT_FALSE(FetchFrom(options).ok());
}

TEST(HostileTls, H130HandshakeThatNeverEnds) {
  HostileServer::Options options = Serving(Certificate(ForSite(), &Authority()));
  options.handshake = false;
  HostileServer server([](HostileConnection& connection) { connection.Stall(); }, options);
  TemporaryFolder folder;
  FetchOptions fetch_options = TrustingOptions(folder);
  fetch_options.limits.connect = milliseconds(200);
  const FetchResult result = Fetch(server.UrlFor(kHost), fetch_options);
  EXPECT_EQ(result.failure, FetchFailure::kConnectTimeout) << result.message;
}

TEST(HostileTls, H131GarbageInTheHandshake) {
  HostileServer::Options options = Serving(Certificate(ForSite(), &Authority()));
  options.handshake = false;
  for (const std::string& bytes :
       {"\x16\x03\x03\xff\xff"s + std::string(70'000, 'x'),  // Oversized record.
        "\x15\x03\x03\x00\x02\x02\x28"s,                     // An alert.
        "\x16\x03\x03\x00\x04\x00\x00\x00\x00"s}) {          // HelloRequest.
    HostileServer server(
        [&](HostileConnection& connection) {
          connection.Sleep(milliseconds(20));
          connection.Send(bytes);
          connection.Sleep(milliseconds(50));
        },
        options);
    TemporaryFolder folder;
    const FetchResult result = Fetch(server.UrlFor(kHost), TrustingOptions(folder));
    EXPECT_EQ(result.failure, FetchFailure::kTls) << result.message;
  }
}

TEST(HostileTls, H132NoCloseNotifyIsATruncation) {
  HostileServer server(
      [](HostileConnection& connection) {
        connection.ReadRequest();
        connection.Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nmaybe all, maybe not");
        connection.DropTls();
      },
      Serving(Certificate(ForSite(), &Authority())));
  TemporaryFolder folder;
  const FetchResult result = Fetch(server.UrlFor(kHost), TrustingOptions(folder));
  EXPECT_EQ(result.truncated, Truncation::kDisconnect) << result.message;
  EXPECT_EQ(result.body(), "maybe all, maybe not");

  HostileServer polite(
      HostileServer::Reply("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nall of it"),
      Serving(Certificate(ForSite(), &Authority())));
  const FetchResult whole = Fetch(polite.UrlFor(kHost), TrustingOptions(folder));
  EXPECT_EQ(whole.truncated, Truncation::kNone) << whole.message;
  EXPECT_EQ(whole.body(), "all of it");
}

TEST(HostileTls, H133InternationalHostNames) {
  Certificate::Options certificate;
  certificate.dns_names = {"xn--bcher-kva.test"};
  HostileServer server(HostileServer::Reply(OkResponse("secure")),
                       Serving(Certificate(certificate, &Authority())));
  TemporaryFolder folder;
  FetchOptions options = TrustingOptions(folder);
  options.resolver = LocalHost("xn--bcher-kva.test");
  const FetchResult result = Fetch(server.UrlFor("b\xc3\xbc"
                                                 "cher.test"),
                                   options);
  EXPECT_EQ(result.body(), "secure") << result.message;
}

TEST(Tls, AddressesInCertificates) {
  Certificate::Options certificate;
  certificate.ip_addresses = {"127.0.0.1"};
  const HostileServer::Options serving = Serving(Certificate(certificate, &Authority()));
  const FetchResult result = FetchFrom(serving, "127.0.0.1");
  EXPECT_EQ(result.body(), "secure") << result.message;
}

TEST(Tls, InsecureAcceptsAnything) {
  HostileServer server(HostileServer::Reply(OkResponse("whatever")),
                       Serving(Certificate(ForSite())));
  FetchOptions options = TestOptions();
  options.insecure = true;
  std::string log;
  Result<std::shared_ptr<const FetchContext>> context =
      FetchContext::Create(options, Logger([&](LogLevel, std::string_view line) { log += line; }));
  const FetchResult result = Fetch(*context, RequestFor(server.Url()));
  EXPECT_EQ(result.body(), "whatever") << result.message;
  EXPECT_NE(log.find("not checked"), std::string::npos);
}

TEST(Tls, SessionsAreResumed) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    HostileServer::Options serving = Serving(Certificate(ForSite(), &Authority()));
    SSL_CTX* server_context = nullptr;
    serving.tune_tls = [&](SSL_CTX* context) {
      server_context = context;
      SSL_CTX_set_max_proto_version(context, version);
      SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>("t"), 1);
    };
    HostileServer server(HostileServer::Reply(OkResponse("secure", "Connection: close\r\n")),
                         serving);
    TemporaryFolder folder;
    Session session(TrustingOptions(folder));
    for (int i = 0; i < 3; ++i) {
      const FetchResult result = session.Fetch(server.UrlFor(kHost));
      EXPECT_EQ(result.body(), "secure") << result.message;
      EXPECT_FALSE(result.reused_connection);
    }
    EXPECT_EQ(SSL_CTX_sess_hits(server_context), 2) << version;
  }
}

TEST(Tls, SessionsAreSharedByFetchers) {
  HostileServer::Options serving = Serving(Certificate(ForSite(), &Authority()));
  SSL_CTX* server_context = nullptr;
  serving.tune_tls = [&](SSL_CTX* context) {
    server_context = context;
    SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>("t"), 1);
  };
  HostileServer server(HostileServer::Always(OkResponse("secure")), serving);
  TemporaryFolder folder;
  const auto context = FetchContext::Create(TrustingOptions(folder)).value();
  Session one(context), two(context);
  EXPECT_EQ(one.Fetch(server.UrlFor(kHost)).body(), "secure");
  EXPECT_EQ(two.Fetch(server.UrlFor(kHost)).body(), "secure");
  EXPECT_EQ(SSL_CTX_sess_hits(server_context), 1);
}

TEST(Tls, ABadAuthorityFileIsAnError) {
  TemporaryFolder folder;
  FetchOptions options = TestOptions();
  options.ca_file = folder.path() + "/missing.pem";
  EXPECT_EQ(FetchContext::Create(options).status().code(), StatusCode::kInvalidArgument);
  options.ca_file = folder.Write("empty.pem", "nothing");
  EXPECT_EQ(FetchContext::Create(options).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace crawler
