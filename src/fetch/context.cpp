#include "fetch/context.hpp"

#include <openssl/crypto.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "fetch/dns_resolver.hpp"
#include "model/headers.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMaxCookies = 20'000;
constexpr std::size_t kTlsSessions = 4'096;

bool IsHeaderText(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string_view FieldName(std::string_view line) { return line.substr(0, line.find(':')); }

// The lines of `lines` that `replacements` do not replace.
std::vector<std::string> Without(std::vector<std::string> lines,
                                 const std::vector<std::string>& replacements) {
  std::erase_if(lines, [&](const std::string& line) {
    return std::any_of(replacements.begin(), replacements.end(), [&](const std::string& other) {
      return EqualsIgnoringCase(FieldName(line), FieldName(other));
    });
  });
  return lines;
}

// The lines that libcurl sends besides its own: a line without a value suppresses the line, and
// Host is written separately.
std::string Archived(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    const std::string_view name = FieldName(line);
    const std::string_view value = TrimBlanks(std::string_view(line).substr(name.size() + 1));
    if (!value.empty() && !EqualsIgnoringCase(name, "host")) text.append(line).append("\r\n");
  }
  return text;
}

// Whether a header of this name usually holds a secret: it belongs to one origin.
bool IsNameOfSecret(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  if (lower == "authorization" || lower == "proxy-authorization") return true;
  constexpr std::string_view kParts[] = {"cookie",   "api-key", "apikey",   "api_key", "token",
                                         "password", "secret",  "auth-key", "session"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

Status BadOption(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

Status CheckLimits(const FetchLimits& limits) {
  if (limits.connect.count() <= 0 || limits.response.count() <= 0 || limits.total.count() <= 0 ||
      limits.speed_window.count() <= 0) {
    return BadOption("time limits must be larger than 0");
  }
  constexpr std::size_t kMaxBody = std::size_t{2} << 30;  // Offsets into bodies have 32 bits.
  if (limits.max_body > kMaxBody || limits.max_decoded > kMaxBody) {
    return BadOption("body limits must not be larger than 2 GiB");
  }
  if (limits.max_transfers == 0 || limits.max_transfers_per_host == 0 || limits.max_ratio == 0) {
    return BadOption("limits on transfers and the ratio must be larger than 0");
  }
  return Status::Ok();
}

struct ProxyKind {
  std::string_view scheme;
  bool resolves;
};

// The kinds of proxies, and whether they resolve host names.
constexpr ProxyKind kProxies[] = {{"http://", true},    {"https://", true},   {"socks4a://", true},
                                  {"socks5h://", true}, {"socks4://", false}, {"socks5://", false}};

// The part of a proxy's URL that may be shown: without user and password.
std::string Showable(const std::string& proxy) {
  const std::size_t host = proxy.find("://") + 3;
  const std::size_t at = proxy.rfind('@');
  if (at == std::string::npos || at < host) return proxy;
  return proxy.substr(0, host) + proxy.substr(at + 1);
}

}  // namespace

HeaderList::HeaderList(std::vector<std::string> lines, const HeaderList* tail)
    : lines_(std::move(lines)), nodes_(lines_.size()) {
  head_ = tail == nullptr ? nullptr : tail->head_;
  for (std::size_t i = lines_.size(); i-- > 0;) {
    nodes_[i] = {lines_[i].data(), head_};
    head_ = &nodes_[i];
  }
}

FetchContext::FetchContext(FetchOptions options, Logger logger)
    : options_(std::move(options)),
      logger_(std::move(logger)),
      guard_(options_.allowed_nets),
      sessions_(std::make_shared<TlsSessionCache>(kTlsSessions)) {}

FetchContext::~FetchContext() = default;

Result<std::shared_ptr<const FetchContext>> FetchContext::Create(FetchOptions options,
                                                                 Logger logger) {
  // Once for the process, before any thread; never undone, as other users of libcurl may exist.
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) return Status(StatusCode::kOutOfMemory, "libcurl does not start");
  // libcurl does not look whether OpenSSL could start, and OpenSSL crashes later if it could not.
  if (OSSL_LIB_CTX_get0_global_default() == nullptr) {
    return Status(StatusCode::kOutOfMemory, "OpenSSL does not start");
  }
  if (std::string_view(curl_version_info(CURLVERSION_NOW)->ssl_version).find("OpenSSL") ==
      std::string_view::npos) {
    return Status(StatusCode::kInternal, "this libcurl is not built with OpenSSL");
  }
  std::shared_ptr<FetchContext> context(new FetchContext(std::move(options), std::move(logger)));
  Status status = context->Prepare();
  if (!status.ok()) return status;
  return std::shared_ptr<const FetchContext>(std::move(context));
}

Status FetchContext::Prepare() {
  if (Status status = CheckLimits(options_.limits); !status.ok()) return status;
  if (Status status = PrepareHeaders(); !status.ok()) return status;
  if (!options_.proxy.empty()) {
    const auto kind = std::find_if(
        std::begin(kProxies), std::end(kProxies),
        [this](const ProxyKind& proxy) { return options_.proxy.starts_with(proxy.scheme); });
    if (kind == std::end(kProxies)) {
      return BadOption("a proxy must begin with http://, https://, socks4a:// or socks5h://");
    }
    proxy_resolves_ = kind->resolves;
    logger_.Warn("Fetch",
                 proxy_resolves_
                     ? "A proxy connects in our place: addresses behind it are not checked"
                     : "A proxy connects in our place: only the addresses it is given are checked",
                 {{"proxy", Showable(options_.proxy)}});
  }

  if (options_.insecure) {
    logger_.Warn("Fetch", "Certificates are not checked: anybody may answer for any https site");
  } else if (!options_.ca_file.empty()) {
    Result<std::shared_ptr<const TrustStore>> trust = TrustStore::Load(options_.ca_file);
    if (!trust.ok()) return trust.status();
    trust_ = *trust;
  }

  if (options_.cookies) cookies_ = std::make_unique<CookieJar>(kMaxCookies);
  return PrepareResolver();
}

Status FetchContext::PrepareResolver() {
  resolver_ = options_.resolver;
  if (resolver_ != nullptr) return Status::Ok();
  if (options_.system_resolver) {
    if (!options_.dns_servers.empty()) {
      return BadOption("the system's resolver asks the name servers of the system only");
    }
    SystemResolver::Options system;
    system.ip_version = options_.ip_version;
    resolver_ = std::make_shared<SystemResolver>(system);
    return Status::Ok();
  }
  DnsResolver::Options dns;
  dns.ip_version = options_.ip_version;
  dns.servers = options_.dns_servers;
  Result<std::shared_ptr<DnsResolver>> resolver = DnsResolver::Create(std::move(dns));
  if (!resolver.ok()) return resolver.status();
  resolver_ = std::move(resolver).value();
  return Status::Ok();
}

Status FetchContext::PrepareHeaders() {
  if (options_.user_agent.empty() || !IsHeaderText(options_.user_agent) ||
      !IsHeaderText(options_.contact)) {
    return BadOption("the user agent and contact must be one line of text");
  }
  for (const std::string& line : options_.extra_headers) {
    if (!IsHeaderText(line) || line.find(':') == std::string::npos || line.front() == ':') {
      return BadOption("an extra header must look like 'Name: value', not '" + line + "'");
    }
    if (IsNameOfSecret(FieldName(line))) {
      return BadOption("the header " + std::string(FieldName(line)) +
                       " is a secret, but would be sent to every host and stored; put the whole "
                       "line into an environment variable and name it with --header-from");
    }
  }

  const std::string agent = options_.contact.empty()
                                ? options_.user_agent
                                : options_.user_agent + " (+" + options_.contact + ")";
  std::vector<std::string> lines = {"User-Agent: " + agent,
                                    // No longer than it has to be: libcurl formats headers letter
                                    // by letter, 80 instructions each.
                                    "Accept: text/html,*/*;q=0.8",
                                    "Accept-Encoding: gzip, deflate, br, zstd"};
  lines = Without(std::move(lines), options_.extra_headers);
  lines.insert(lines.end(), options_.extra_headers.begin(), options_.extra_headers.end());
  if (Status status = PrepareCredentials(lines); !status.ok()) return status;
  headers_.archived = Archived(lines);
  headers_.lines = std::make_unique<HeaderList>(std::move(lines));
  for (const std::string& line : options_.extra_headers) {
    if (custom_host_line_ || !EqualsIgnoringCase(FieldName(line), "host")) continue;
    // libcurl writes the name itself, and with no value it writes nothing.
    const std::string_view value = std::string_view(line).substr(FieldName(line).size() + 1);
    custom_host_line_ = value.empty() ? "" : "Host:" + std::string(value) + "\r\n";
  }
  return Status::Ok();
}

// For each origin with credentials: these, and the `lines` for every host that they do not replace.
Status FetchContext::PrepareCredentials(const std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> secrets;
  for (const Credential& credential : options_.credentials) {
    if (!IsHeaderText(credential.header) || credential.header.find(':') == std::string::npos ||
        EqualsIgnoringCase(FieldName(credential.header), "host")) {
      return BadOption("the credentials for " + credential.origin +
                       " are not one line of the form 'Name: value'");
    }
    std::vector<std::string>& of_origin = secrets[credential.origin];
    of_origin = Without(std::move(of_origin), {credential.header});
    of_origin.push_back(credential.header);
  }
  for (auto& [origin, sent] : secrets) {
    const std::vector<std::string> others = Without(lines, sent);
    RequestHeaders headers;
    for (const std::string& line : sent) {
      headers.archived.append(FieldName(line)).append(": [withheld]\r\n");
    }
    headers.archived += Archived(others);
    sent.insert(sent.end(), others.begin(), others.end());
    headers.lines = std::make_unique<HeaderList>(std::move(sent));
    headers_by_origin_.emplace(origin, std::move(headers));
  }
  return Status::Ok();
}

const TrustStore* FetchContext::trust() const {
  if (options_.insecure) return nullptr;
  std::call_once(trust_once_, [this] {
    if (trust_ == nullptr) trust_ = TrustStore::Load("").value();  // No file, so it cannot fail.
    if (!trust_->has_system_authorities()) {
      logger_.Warn("Fetch", "No certificate authorities found: install ca-certificates");
    }
  });
  return trust_.get();
}

const RequestHeaders& FetchContext::HeadersFor(const Url& url) const {
  if (headers_by_origin_.empty()) return headers_;
  const auto found = headers_by_origin_.find(url.Origin());
  return found == headers_by_origin_.end() ? headers_ : found->second;
}

bool FetchContext::Wants(std::string_view media_type) const {
  const std::vector<std::string>& wanted = options_.wanted_types;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), media_type) != wanted.end();
}

}  // namespace crawler
