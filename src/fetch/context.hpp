#pragma once

#include <curl/curl.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/status.hpp"
#include "fetch/cookie_jar.hpp"
#include "fetch/guard.hpp"
#include "fetch/options.hpp"
#include "fetch/tls.hpp"

namespace crawler {

/// Request header lines as a list for libcurl. Owns its nodes; its tail may belong to another list.
class HeaderList {
 public:
  /// `lines`, followed by the lines of `tail`, which must outlive this list.
  explicit HeaderList(std::vector<std::string> lines, const HeaderList* tail = nullptr);
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;

  curl_slist* get() const { return head_; }

 private:
  std::vector<std::string> lines_;
  std::vector<curl_slist> nodes_;
  curl_slist* head_ = nullptr;
};

/// The header lines of requests: for libcurl, and for archives.
struct RequestHeaders {
  std::unique_ptr<HeaderList> lines;
  /// The lines that are sent, each with its CRLF; secret values are "[withheld]".
  std::string archived;
};

/// Shared by all fetchers of a crawl: the options, checked and prepared, the resolver, the
/// certificate authorities, the TLS sessions and the cookies.
/// Threads: safe from any thread.
class FetchContext {
 public:
  /// kInvalidArgument, naming the option and the reason, if an option is invalid. Logs a warning
  /// for a proxy and for switched-off certificate checks.
  static Result<std::shared_ptr<const FetchContext>> Create(FetchOptions options,
                                                            Logger logger = Logger());
  ~FetchContext();
  FetchContext(const FetchContext&) = delete;
  FetchContext& operator=(const FetchContext&) = delete;

  const FetchOptions& options() const { return options_; }
  const AddressGuard& guard() const { return guard_; }
  HostResolver& resolver() const { return *resolver_; }
  /// The certificate authorities; loaded by the first call. Null if certificates are not checked.
  const TrustStore* trust() const;
  const std::shared_ptr<TlsSessionCache>& sessions() const { return sessions_; }
  /// Null if cookies are off.
  CookieJar* cookies() const { return cookies_.get(); }

  /// Whether the proxy resolves host names, so that the fetcher need not.
  bool proxy_resolves() const { return proxy_resolves_; }
  /// The header lines for requests to `url`.
  const RequestHeaders& HeadersFor(const Url& url) const;
  /// The Host line, with its CRLF, that replaces the one the URL asks for; empty to send none.
  const std::optional<std::string>& custom_host_line() const { return custom_host_line_; }
  bool Wants(std::string_view media_type) const;

 private:
  FetchContext(FetchOptions options, Logger logger);
  Status Prepare();
  Status PrepareHeaders();
  Status PrepareResolver();
  Status PrepareCredentials(const std::vector<std::string>& lines);

  FetchOptions options_;
  const Logger logger_;
  const AddressGuard guard_;
  bool proxy_resolves_ = false;
  std::shared_ptr<HostResolver> resolver_;
  mutable std::once_flag trust_once_;
  mutable std::shared_ptr<const TrustStore> trust_;
  const std::shared_ptr<TlsSessionCache> sessions_;
  std::unique_ptr<CookieJar> cookies_;
  RequestHeaders headers_;
  std::map<std::string, RequestHeaders> headers_by_origin_;
  std::optional<std::string> custom_host_line_;
};

}  // namespace crawler
