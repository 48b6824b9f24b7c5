#pragma once

#include <curl/curl.h>

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

/// Request header lines in the form libcurl takes them. The nodes of `head` belong to the list;
/// its tail may be another list's.
class HeaderList {
 public:
  /// `lines` in front of those of `tail`, which must live longer than this one.
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
  /// Those that are sent, each with its CRLF; secret values are "[withheld]".
  std::string archived;
};

/// What all fetchers of a crawl share: the options, checked and prepared, the resolver, the
/// certificate authorities and the cookies.
/// Threads: safe from any thread.
class FetchContext {
 public:
  /// kInvalidArgument, saying which one and why, if an option makes no sense. A proxy and switched
  /// off certificate checks are said in the log.
  static Result<std::shared_ptr<const FetchContext>> Create(FetchOptions options,
                                                            Logger logger = Logger());
  ~FetchContext();
  FetchContext(const FetchContext&) = delete;
  FetchContext& operator=(const FetchContext&) = delete;

  const FetchOptions& options() const { return options_; }
  const Logger& logger() const { return logger_; }
  const AddressGuard& guard() const { return guard_; }
  HostResolver& resolver() const { return *resolver_; }
  /// The certificate authorities; read when first asked for. Null if certificates are not checked.
  const TrustStore* trust() const;
  /// Null if cookies are off.
  CookieJar* cookies() const { return cookies_.get(); }

  /// The proxy looks names up itself, so we do not.
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

  FetchOptions options_;
  const Logger logger_;
  const AddressGuard guard_;
  bool proxy_resolves_ = false;
  std::shared_ptr<HostResolver> resolver_;
  mutable std::once_flag trust_once_;
  mutable std::shared_ptr<const TrustStore> trust_;
  std::unique_ptr<CookieJar> cookies_;
  RequestHeaders headers_;
  std::vector<std::pair<std::string, RequestHeaders>> headers_by_origin_;
  std::optional<std::string> custom_host_line_;
};

}  // namespace crawler
