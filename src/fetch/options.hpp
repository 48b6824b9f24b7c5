#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.hpp"
#include "base/status.hpp"
#include "fetch/resolver.hpp"
#include "url/address.hpp"

namespace crawler {

/// Limits of one transfer, for every kind of fetch.
struct FetchLimits {
  std::chrono::milliseconds connect{10'000};  ///< Name lookup, then TCP and TLS.
  std::chrono::milliseconds response{
      20'000};                              ///< From the request to the end of the response head.
  std::chrono::milliseconds total{30'000};  ///< The whole transfer.
  /// The body must bring at least this many bytes in every `speed_window`; 0: no minimum.
  std::size_t min_bytes_per_window = 10'000;
  std::chrono::milliseconds speed_window{10'000};
  std::size_t max_body = 10'000'000;         ///< Bytes as received.
  std::size_t max_decoded = 10'000'000;      ///< Bytes after decoding.
  std::size_t max_ratio = 300;               ///< Decoded bytes per received byte, over 1 MiB.
  std::size_t max_redirect_body = 64 << 10;  ///< Bytes read of the body of a redirect.
  std::size_t max_head = 128 << 10;          ///< Bytes of response heads, 1xx ones included.
  std::size_t max_head_lines = 1'000;
  std::size_t max_informational = 8;         ///< 1xx responses before the real one.
  std::size_t max_transfers = 4'096;         ///< At a time, in one fetcher.
  std::size_t max_transfers_per_host = 6;    ///< At a time, per scheme, host and port.
  std::size_t max_idle_connections = 1'024;  ///< Kept open for the next request.
};

/// A secret for one origin. It is never sent elsewhere: not after a redirect, and not over http
/// when it was given for https.
struct Credential {
  std::string origin;  ///< "https://host" or "https://host:port"; see Url::Origin().
  std::string header;  ///< The line to send, e.g. "Authorization: Bearer …".

  /// A credential for the origin of `url`, with "user:password" from the environment variable
  /// `variable`.
  static Result<Credential> BasicFromEnvironment(std::string_view url, const std::string& variable);
  /// BasicFromEnvironment() with a bearer token.
  static Result<Credential> BearerFromEnvironment(std::string_view url,
                                                  const std::string& variable);
  /// BasicFromEnvironment() with a whole header line, "Name: value".
  static Result<Credential> HeaderFromEnvironment(std::string_view url,
                                                  const std::string& variable);
};

/// How to fetch. Plain values; the defaults are polite and safe.
struct FetchOptions {
  /// Name of the crawler. Site owners need a way to reach you: set `contact`.
  std::string user_agent = "crawler/0.1";
  /// A page or mail address, put behind the user agent as "(+contact)".
  std::string contact;
  /// "Name: value" each, sent with every request to every host; replaces the default line of that
  /// name. Not for secrets: those are credentials. Names of secrets are refused.
  std::vector<std::string> extra_headers;
  std::vector<Credential> credentials;

  /// Accepted media types; other pages are dropped at the headers. Empty: all. A response without a
  /// type is accepted if it looks like text.
  std::vector<std::string> wanted_types = {
      "text/html",       "application/xhtml+xml", "text/plain",          "text/xml",
      "application/xml", "application/rss+xml",   "application/atom+xml"};

  FetchLimits limits;
  /// Counts the bodies of all fetchers that share it, until their results are destroyed. When it is
  /// exceeded, large bodies wait, and those that hold most for longest without progress are given
  /// up (FetchFailure::kNoRoom); while it is scarce, those that have stalled are. Null: no limit.
  std::shared_ptr<MemoryBudget> memory;

  /// Special-purpose addresses that the crawl may connect to.
  AllowedNets allowed_nets;
  IpVersion ip_version = IpVersion::kAny;
  /// Address to connect from; empty: the system chooses.
  std::string local_address;
  /// Null: a DnsResolver, or a SystemResolver if `system_resolver` is set.
  std::shared_ptr<HostResolver> resolver;
  bool system_resolver = false;
  /// See DnsResolver::Options::servers.
  std::vector<std::string> dns_servers;

  /// "http://host:port", "socks5h://host:port", …; empty: none. The environment's http_proxy and
  /// the like are never used. The proxy makes the connections, so the address guard checks only the
  /// proxy.
  std::string proxy;

  /// PEM file of certificate authorities trusted besides the system's.
  std::string ca_file;
  bool insecure = false;  ///< Accepts any certificate.
  bool http2 = true;

  /// Keeps cookies for the time of the crawl and sends them back.
  bool cookies = false;

  /// Puts the head of each request, secrets withheld, into FetchResult::request_head.
  bool keep_request_head = false;

  /// Leaves decoding to the caller (see FinishBody()), e.g. to do it on another thread.
  bool decode = true;
};

}  // namespace crawler
