#include "fetch/transfer.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "base/release.hpp"
#include "fetch/request_head.hpp"

namespace crawler {
namespace {

HttpVersion ToHttpVersion(long curl_version) {
  switch (curl_version) {
    case CURL_HTTP_VERSION_1_0:
      return HttpVersion::kHttp10;
    case CURL_HTTP_VERSION_1_1:
      return HttpVersion::kHttp11;
    case CURL_HTTP_VERSION_2_0:
      return HttpVersion::kHttp2;
    case CURL_HTTP_VERSION_3:
      return HttpVersion::kHttp3;
    default:
      return HttpVersion::kNone;
  }
}

std::string_view TimeoutMessage(FetchFailure failure) {
  switch (failure) {
    case FetchFailure::kDns:
      return "the name lookup took too long";
    case FetchFailure::kConnectTimeout:
      return "no connection in time";
    case FetchFailure::kResponseTimeout:
      return "connected, but no complete response head in time";
    default:
      return "the body came too slowly";
  }
}

}  // namespace

std::unique_ptr<Transfer> Transfer::Create(const FetchContext& context, SocketPoller& poller) {
  CURL* easy = curl_easy_init();
  if (easy == nullptr) return nullptr;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> owner(easy, &curl_easy_cleanup);
  std::unique_ptr<Transfer> transfer(new Transfer(context, poller, easy));
  (void)owner.release();
  transfer->SetUpOnce();
  return transfer;
}

Transfer::Transfer(const FetchContext& context, SocketPoller& poller, CURL* easy)
    : context_(context), limits_(context.options().limits), poller_(poller), easy_(easy) {
  error_[0] = '\0';
}

Transfer::~Transfer() { curl_easy_cleanup(easy_); }

template <typename Value>
void Transfer::Set(CURLoption option, Value value) {
  // The options are all known to the libcurl we are built with; what can fail is memory.
  if (curl_easy_setopt(easy_, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

void Transfer::SetUpOnce() {
  const FetchOptions& options = context_.options();
  Set(CURLOPT_PRIVATE, static_cast<void*>(this));
  Set(CURLOPT_ERRORBUFFER, error_);
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  Set(CURLOPT_FOLLOWLOCATION, 0L);
  Set(CURLOPT_PATH_AS_IS, 1L);
  Set(CURLOPT_BUFFERSIZE, 64L << 10);

  // The body is wanted as it came: chunked framing and content codings are undone by us.
  Set(CURLOPT_HTTP_TRANSFER_DECODING, 0L);
  Set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
  Set(CURLOPT_HTTP09_ALLOWED, 0L);
  Set(CURLOPT_HTTP_VERSION,
      options.http2 ? long{CURL_HTTP_VERSION_2TLS} : long{CURL_HTTP_VERSION_1_1});
  Set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits_.connect.count()));
  // Addresses come from our resolver (CURLOPT_RESOLVE), which also knows when they expire.
  Set(CURLOPT_DNS_CACHE_TIMEOUT, -1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  // The name of a proxy is libcurl's to look up; giving up must not wait for that.
  Set(CURLOPT_QUICK_EXIT, 1L);
#endif

  Set(CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
  Set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  Set(CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  Set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  Set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::OnOpenSocket);
  Set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  Set(CURLOPT_CLOSESOCKETFUNCTION, &Transfer::OnCloseSocket);
  Set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(&poller_));
  Set(CURLOPT_PREREQFUNCTION, &Transfer::OnConnected);
  Set(CURLOPT_PREREQDATA, static_cast<void*>(this));

  Set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  Set(CURLOPT_SSL_VERIFYPEER, options.insecure ? 0L : 1L);
  Set(CURLOPT_SSL_VERIFYHOST, options.insecure ? 0L : 2L);
  Set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));  // OnTlsContext() brings them.
  Set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  Set(CURLOPT_SSL_SESSIONID_CACHE, 0L);
  Set(CURLOPT_SSL_CTX_FUNCTION, &Transfer::OnTlsContext);
  Set(CURLOPT_SSL_CTX_DATA, static_cast<void*>(this));

  // Set even when empty: otherwise libcurl looks into the environment.
  Set(CURLOPT_PROXY, options.proxy.c_str());
  Set(CURLOPT_NOPROXY, "");
  if (!options.local_address.empty()) {
    Set(CURLOPT_INTERFACE, ("host!" + options.local_address).c_str());
  }
  if (options.ip_version == IpVersion::kV4) Set(CURLOPT_IPRESOLVE, long{CURL_IPRESOLVE_V4});
  if (options.ip_version == IpVersion::kV6) Set(CURLOPT_IPRESOLVE, long{CURL_IPRESOLVE_V6});
  if (context_.cookies() != nullptr) context_.cookies()->Attach(easy_);
}

void Transfer::Begin(FetchRequest request, Done done, TimePoint now) {
  request_ = std::move(request);
  done_ = std::move(done);
  result_ = FetchResult();
  result_.memory = MemoryShare(context_.options().memory);
  result_.via_proxy = !context_.options().proxy.empty();
  result_.started = Clock::System().WallNow();
  error_[0] = '\0';
  head_.clear();
  head_state_ = HeadState::kReading;
  head_bytes_ = head_lines_ = informational_ = received_ = 0;
  body_limit_ = request_.max_body > 0 ? request_.max_body : limits_.max_body;
  discard_ = reached_network_ = paused_ = overdraws_ = false;
  progress_bytes_ = 0;
  socket_error_ = 0;
  until_close_ = false;
  close_notify_.reset();
  refused_.clear();
  begun_ = launched_ = progress_at_ = now;
  deadline_ = now + limits_.total;
  EnterPhase(Phase::kResolving, now);
}

void Transfer::Prepare(std::vector<std::string> resolve_lines, HostConnections* connections,
                       TimePoint now) {
  connections_ = connections;
  if (connections != nullptr) Set(CURLOPT_SHARE, connections->share());
  Set(CURLOPT_URL, RequestUrl(request_.url).c_str());

  const HeaderList* headers = context_.HeadersFor(request_.url).lines.get();
  own_headers_.reset();
  if (!request_.etag.empty() || !request_.last_modified.empty()) {
    own_headers_ = std::make_unique<HeaderList>(ConditionLines(request_), headers);
    headers = own_headers_.get();
  }
  if (own_headers_ != nullptr || headers_set_ != headers->get()) {
    Set(CURLOPT_HTTPHEADER, headers->get());
    headers_set_ = own_headers_ == nullptr ? headers->get() : nullptr;
  }

  const bool had_resolve = resolve_ != nullptr;
  resolve_.reset();
  if (!resolve_lines.empty()) resolve_ = std::make_unique<HeaderList>(std::move(resolve_lines));
  if (resolve_ != nullptr || had_resolve) {
    Set(CURLOPT_RESOLVE, resolve_ == nullptr ? nullptr : resolve_->get());
  }

  const bool head_method = request_.method == FetchRequest::Method::kHead;
  if (head_method != head_method_set_) {
    if (head_method) {
      Set(CURLOPT_NOBODY, 1L);
    } else {
      Set(CURLOPT_HTTPGET, 1L);
    }
    head_method_set_ = head_method;
  }
  // A second request to a server waits to learn whether it can share the first one's connection.
  const bool pipewait = context_.options().http2 && request_.url.scheme() == "https";
  if (pipewait != pipewait_set_) {
    Set(CURLOPT_PIPEWAIT, pipewait ? 1L : 0L);
    pipewait_set_ = pipewait;
  }
  if (no_reuse_set_) {
    Set(CURLOPT_FORBID_REUSE, 0L);
    no_reuse_set_ = false;
  }
  result_.timings.resolved = std::chrono::duration_cast<std::chrono::microseconds>(now - begun_);
  launched_ = now;
  EnterPhase(Phase::kConnecting, now);
}

void Transfer::EnterPhase(Phase phase, TimePoint now) {
  if (phase != phase_) progress_at_ = now;
  phase_ = phase;
  switch (phase) {
    case Phase::kIdle:
      break;
    case Phase::kResolving:
    case Phase::kConnecting:
      phase_deadline_ = now + limits_.connect;
      break;
    case Phase::kWaiting:
      phase_deadline_ = now + (request_.response_timeout.count() > 0
                                   ? std::min(request_.response_timeout, limits_.response)
                                   : limits_.response);
      break;
    case Phase::kReading:
      phase_deadline_ = now + limits_.speed_window;
      window_bytes_ = received_;
      break;
  }
}

bool Transfer::CheckTime(TimePoint now) {
  if (paused_) return false;  // Its time stands still; see Resume().
  if (now < deadline_ && now < phase_deadline_) return false;
  FetchFailure failure = FetchFailure::kReadTimeout;
  if (phase_ == Phase::kResolving) failure = FetchFailure::kDns;
  if (phase_ == Phase::kConnecting) failure = FetchFailure::kConnectTimeout;
  if (phase_ == Phase::kWaiting) failure = FetchFailure::kResponseTimeout;
  if (phase_ == Phase::kReading && now < deadline_ &&
      received_ - window_bytes_ >= limits_.min_bytes_per_window) {
    EnterPhase(Phase::kReading, now);
    return false;
  }
  Fail(failure, std::string(TimeoutMessage(failure)));
  if (failure == FetchFailure::kReadTimeout) result_.truncated = Truncation::kTime;
  return true;
}

Duration Transfer::IdleTime(TimePoint now) const {
  return (paused_ ? paused_at_ : now) - progress_at_;
}

double Transfer::Burden(TimePoint now) const {
  constexpr double kLeastTime = 0.1;  // Of two that are quick the larger one weighs more.
  const std::chrono::duration<double> idle = IdleTime(now);
  return static_cast<double>(result_.memory.bytes()) * (idle.count() + kLeastTime);
}

bool Transfer::Stalled(TimePoint now) const {
  return result_.memory.bytes() >= kLargeBody && IdleTime(now) > kStallTime;
}

void Transfer::Resume(bool overdraws) {
  overdraws_ = overdraws;
  const Duration pause = Clock::System().Now() - paused_at_;
  paused_ = false;  // libcurl calls back now, and the body may have to wait again.
  deadline_ += pause;
  phase_deadline_ += pause;
  progress_at_ += pause;
  curl_easy_pause(easy_, CURLPAUSE_CONT);  // A failure shows in the transfer.
}

void Transfer::GiveUp() {
  Fail(FetchFailure::kNoRoom, "large and slow while the memory was used up");
  Release(result_.raw_body);
  result_.memory.Resize(0);
}

void Transfer::Fail(FetchFailure failure, std::string message) {
  if (result_.failure != FetchFailure::kNone) return;
  result_.failure = failure;
  result_.message = std::move(message);
}

FetchResult Transfer::End(CURLcode code, TimePoint now) {
  if (connections_ != nullptr) Set(CURLOPT_SHARE, static_cast<CURLSH*>(nullptr));
  connections_ = nullptr;
  if (code != CURLE_OK && result_.failure == FetchFailure::kNone &&
      !(code == CURLE_WRITE_ERROR && result_.truncated == Truncation::kLength)) {
    const FetchFailure failure = Classify(code);
    if (failure == FetchFailure::kBlockedAddress) {
      Fail(failure, refused_);
    } else if (failure == FetchFailure::kLocal && socket_error_ != 0) {
      Fail(failure, std::generic_category().message(socket_error_));
    } else {
      Fail(failure, error_[0] != '\0' ? error_ : curl_easy_strerror(code));
    }
    if (failure == FetchFailure::kReadTimeout) result_.truncated = Truncation::kTime;
    if (failure == FetchFailure::kDisconnected && head_state_ == HeadState::kComplete) {
      result_.truncated = Truncation::kDisconnect;
    }
  }
  if (code == CURLE_OK && phase_ >= Phase::kConnecting && head_state_ != HeadState::kComplete) {
    Fail(FetchFailure::kDisconnected, "closed before the end of the response head");
  }
  if (code == CURLE_OK && until_close_ && close_notify_ != nullptr && !*close_notify_ &&
      result_.truncated == Truncation::kNone) {
    // Not called a failure: many servers are just as rude when the body is complete.
    result_.truncated = Truncation::kDisconnect;
  }
  if (phase_ >= Phase::kConnecting) CollectFacts(&result_, now);
  if (context_.cookies() != nullptr && !result_.headers.empty()) {
    context_.cookies()->Count(easy_, result_.headers.FindAll("set-cookie").size());
  }
  if (result_.failure == FetchFailure::kUnwantedType) result_.raw_body.clear();
  if (context_.options().keep_request_head && phase_ >= Phase::kWaiting) {
    const bool http10 = result_.reused_connection && result_.protocol == HttpVersion::kHttp10;
    result_.request_head = RequestHead(context_, request_, http10);
  }
  result_.url = std::move(request_.url);
  phase_ = Phase::kIdle;
  return std::move(result_);
}

void Transfer::CollectFacts(FetchResult* result, TimePoint now) {
  const auto time = [this](CURLINFO info) {
    curl_off_t microseconds = 0;
    curl_easy_getinfo(easy_, info, &microseconds);
    return std::chrono::microseconds(microseconds);
  };
  long connects = 0, version = 0;
  curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &connects);
  curl_easy_getinfo(easy_, CURLINFO_HTTP_VERSION, &version);
  result->reused_connection = connects == 0 && result->status != 0;
  if (result->status != 0) result->protocol = ToHttpVersion(version);
  if (!result->reused_connection) {
    result->timings.connected = time(CURLINFO_CONNECT_TIME_T);
    result->timings.secured = time(CURLINFO_APPCONNECT_TIME_T);
  }
  result->timings.total = std::chrono::duration_cast<std::chrono::microseconds>(now - launched_);
}

FetchFailure Transfer::Classify(CURLcode code) const {
  switch (code) {
    case CURLE_URL_MALFORMAT:
      return FetchFailure::kBadUrl;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return FetchFailure::kDns;
    case CURLE_COULDNT_CONNECT:
      if (!refused_.empty()) return FetchFailure::kBlockedAddress;
      if (socket_error_ != 0) return FetchFailure::kLocal;
      return FetchFailure::kRefused;
    case CURLE_PROXY:
      return FetchFailure::kRefused;
    case CURLE_OPERATION_TIMEDOUT:
      if (phase_ == Phase::kConnecting) return FetchFailure::kConnectTimeout;
      return phase_ == Phase::kWaiting ? FetchFailure::kResponseTimeout
                                       : FetchFailure::kReadTimeout;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return FetchFailure::kDisconnected;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED:
      return FetchFailure::kTls;
    case CURLE_OUT_OF_MEMORY:
    case CURLE_INTERFACE_FAILED:
    case CURLE_FAILED_INIT:
      return FetchFailure::kLocal;
    default:
      return FetchFailure::kProtocol;
  }
}

}  // namespace crawler
