#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "fetch/transfer.hpp"

namespace crawler {
namespace {

// Unwanted bodies up to this size are read anyway: that is cheaper than a new connection.
constexpr std::uint64_t kWorthReading = 16 << 10;

// Most bytes that are reserved because of an announced length.
constexpr std::uint64_t kMaxReserve = 256 << 10;

// libcurl does not understand a greater length, and would not notice that the body is incomplete.
constexpr std::uint64_t kLongest = 0x7FFFFFFFFFFFFFFF;

}  // namespace

bool Transfer::AddHeadLine(std::string_view line) {
  if (head_bytes_ == 0) {
    // Not the time that libcurl says: libcurl begins later than launched_.
    result_.timings.first_byte =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::System().Now() - launched_);
  }
  head_bytes_ += line.size();
  if (head_bytes_ > limits_.max_head || ++head_lines_ > limits_.max_head_lines) {
    Fail(FetchFailure::kTooLarge, "the response head is over the limit");
    return false;
  }
  if (head_state_ == HeadState::kComplete) return true;  // Trailers are ignored.
  if (head_state_ == HeadState::kBetween) head_.clear();
  head_state_ = HeadState::kReading;
  head_ += line;
  return line == "\r\n" || line == "\n" ? FinishHead() : true;
}

bool Transfer::FinishHead() {
  const int status = ParseStatusLine(std::string_view(head_).substr(0, head_.find('\n')));
  if (status == 0) {
    Fail(FetchFailure::kProtocol, "the status line is none of HTTP's");
    return false;
  }
  if (status == 101) {
    Fail(FetchFailure::kProtocol, "the server switches to a protocol nobody asked for");
    return false;
  }
  if (status / 100 == 1) {
    if (++informational_ > limits_.max_informational) {
      Fail(FetchFailure::kProtocol, "too many 1xx responses");
      return false;
    }
    head_state_ = HeadState::kBetween;
    return true;
  }
  head_state_ = HeadState::kComplete;
  result_.status = status;
  result_.headers = HeaderBlock(std::exchange(head_, std::string()));
  EnterPhase(Phase::kReading, Clock::System().Now());
  return AcceptHead(status);
}

bool Transfer::AcceptHead(int status) {
  if (const std::optional<std::string_view> flaw = result_.headers.Check()) {
    Fail(FetchFailure::kProtocol, std::string(*flaw));
    return false;
  }
  const BodyFraming framing = ReadFraming(result_.headers, status, request_.method);
  if (framing.kind == BodyFraming::Kind::kBad) {
    Fail(FetchFailure::kProtocol, std::string(framing.flaw));
    return false;
  }
  long version = 0;
  curl_easy_getinfo(easy_, CURLINFO_HTTP_VERSION, &version);
  // HTTP/2 has frames of its own; libcurl leaves out a Transfer-Encoding it must not have.
  result_.chunked = framing.kind == BodyFraming::Kind::kChunked &&
                    (version == CURL_HTTP_VERSION_1_1 || version == CURL_HTTP_VERSION_1_0);
  until_close_ = framing.kind == BodyFraming::Kind::kUntilClose &&
                 (version == CURL_HTTP_VERSION_1_1 || version == CURL_HTTP_VERSION_1_0);
  if (framing.ambiguous) {
    curl_easy_setopt(easy_, CURLOPT_FORBID_REUSE,
                     1L);  // RFC 9112, 6.3: somebody may be smuggling responses.
    no_reuse_set_ = true;
  }
  RedirectTarget target = ReadRedirect(result_.headers, status, request_.url);
  if (!target.flaw.empty()) {
    Fail(FetchFailure::kProtocol, std::string(target.flaw));
    return false;
  }
  result_.redirect = std::move(target.url);
  return framing.kind == BodyFraming::Kind::kNone || WantsBody(framing);
}

bool Transfer::WantsBody(const BodyFraming& framing) {
  const bool has_length = framing.kind == BodyFraming::Kind::kLength;
  if (result_.redirect) body_limit_ = std::min(body_limit_, limits_.max_redirect_body);
  if (has_length && framing.length > kLongest) {
    Fail(FetchFailure::kTooLarge, "the announced length is beyond all numbers");
    return false;
  }
  if (result_.redirect && has_length && framing.length > body_limit_) {
    result_.truncated = Truncation::kLength;
    return false;
  }
  if (result_.status / 100 == 2 && !request_.any_type) {
    const std::optional<std::string_view> type = result_.headers.Find("content-type");
    const std::string essence = MediaTypeEssence(type.value_or(std::string_view()));
    if (!essence.empty() && !context_.Wants(essence)) {
      Fail(FetchFailure::kUnwantedType, essence + " is not wanted");
      discard_ = has_length && framing.length <= kWorthReading;
      return discard_;
    }
  }
  if (has_length) {
    result_.raw_body.reserve(static_cast<std::size_t>(
        std::min({framing.length, std::uint64_t{body_limit_}, kMaxReserve})));
  }
  return true;
}

// libcurl may read from many connections before the fetcher can choose which to give up. So a large
// body waits, and loses nothing, until the fetcher has made room.
bool Transfer::MustPause() {
  const MemoryBudget* const memory = context_.options().memory.get();
  if (memory == nullptr || overdraws_ || !memory->exceeded()) return false;
  if (result_.raw_body.size() < kLargeBody) return false;
  paused_ = true;
  paused_at_ = Clock::System().Now();
  return true;
}

void Transfer::NoteProgress() {
  if (received_ - progress_bytes_ < kProgress) return;
  progress_bytes_ = received_;
  progress_at_ = Clock::System().Now();
}

bool Transfer::AddBody(std::string_view bytes) {
  if (!discard_ && MustPause()) return false;
  received_ += bytes.size();
  NoteProgress();
  if (discard_) return true;
  const std::size_t room = body_limit_ - result_.raw_body.size();
  if (bytes.size() <= room) {
    result_.raw_body += bytes;
    result_.memory.Resize(result_.raw_body.capacity());
    return true;
  }
  result_.raw_body += bytes.substr(0, room);
  result_.truncated = Truncation::kLength;
  if (!result_.redirect) Fail(FetchFailure::kTooLarge, "the body is over the limit");
  return false;
}

curl_socket_t Transfer::OpenSocket(curlsocktype purpose, const curl_sockaddr& address) {
  reached_network_ = true;
  if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
  const std::optional<IpAddress> ip = IpAddress::FromSockaddr(&address.addr, address.addrlen);
  if (!ip) return CURL_SOCKET_BAD;
  if (context_.options().proxy.empty()) {
    if (std::optional<std::string> refusal = context_.guard().Refuse(*ip)) {
      refused_ = std::move(*refusal);
      return CURL_SOCKET_BAD;
    }
  }
  result_.remote_address = ip;
  const int fd = socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (fd < 0) {
    socket_error_ = errno;
    return CURL_SOCKET_BAD;
  }
  try {
    poller_.Opened(fd, request_.url.scheme() == "http", connections_);
  } catch (const std::bad_alloc&) {
    close(fd);
    throw;
  }
  return fd;
}

bool Transfer::CheckPeer(const char* address, int port) {
  reached_network_ = true;
  const std::optional<IpAddress> ip = IpAddress::FromText(address);
  if (!ip) {
    Fail(FetchFailure::kBlockedAddress, "connected to no address that can be checked");
    return false;
  }
  result_.remote_address = ip;
  result_.remote_port = static_cast<std::uint16_t>(port);
  if (!result_.via_proxy) {
    if (std::optional<std::string> refusal = context_.guard().Refuse(*ip)) {
      Fail(FetchFailure::kBlockedAddress, std::move(*refusal));
      return false;
    }
  }
  if (request_.url.scheme() == "https") {
    curl_tlssessioninfo* info = nullptr;
    if (curl_easy_getinfo(easy_, CURLINFO_TLS_SSL_PTR, &info) == CURLE_OK && info != nullptr &&
        info->backend == CURLSSLBACKEND_OPENSSL && info->internals != nullptr) {
      const auto* ssl = static_cast<const SSL*>(info->internals);
      result_.tls_version = SSL_get_version(ssl);
      close_notify_ = TlsSessionCache::CloseNotifyReceived(ssl);
    }
  }
  EnterPhase(Phase::kWaiting, Clock::System().Now());
  return true;
}

// Callbacks of libcurl. No exception may leave them; only memory can run out, and then the fetcher
// throws when libcurl has returned.

std::size_t Transfer::OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
  auto* transfer = static_cast<Transfer*>(self);
  try {
    return transfer->AddHeadLine({data, size * count}) ? size * count : 0;
  } catch (const std::bad_alloc&) {
    transfer->out_of_memory_ = true;
    return 0;
  }
}

std::size_t Transfer::OnBody(char* data, std::size_t size, std::size_t count, void* self) {
  auto* transfer = static_cast<Transfer*>(self);
  try {
    if (transfer->AddBody({data, size * count})) return size * count;
    return transfer->paused_ ? CURL_WRITEFUNC_PAUSE : 0;
  } catch (const std::bad_alloc&) {
    transfer->out_of_memory_ = true;
    return 0;
  }
}

curl_socket_t Transfer::OnOpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address) {
  auto* transfer = static_cast<Transfer*>(self);
  try {
    return transfer->OpenSocket(purpose, *address);
  } catch (const std::bad_alloc&) {
    transfer->out_of_memory_ = true;
    return CURL_SOCKET_BAD;
  }
}

int Transfer::OnCloseSocket(void* poller, curl_socket_t socket) {
  static_cast<SocketPoller*>(poller)->Closed(socket);
  return close(socket);
}

int Transfer::OnConnected(void* self, char* address, char*, int port, int) {
  auto* transfer = static_cast<Transfer*>(self);
  try {
    return transfer->CheckPeer(address, port) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
  } catch (const std::bad_alloc&) {
    transfer->out_of_memory_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
}

CURLcode Transfer::OnTlsContext(CURL*, void* context, void* self) {
  auto* transfer = static_cast<Transfer*>(self);
  auto* ssl_context = static_cast<SSL_CTX*>(context);
  try {
    if (const TrustStore* trust = transfer->context_.trust()) {
      SSL_CTX_set1_cert_store(ssl_context, trust->get());
    }
    // With a proxy it may be the proxy's certificate and session.
    if (!transfer->context_.options().proxy.empty()) return CURLE_OK;
    const Url& url = transfer->request_.url;
    std::string key(url.host());
    key.append(":").append(std::to_string(url.port()));
    return TlsSessionCache::Attach(ssl_context, transfer->context_.sessions(), std::move(key))
               ? CURLE_OK
               : CURLE_OUT_OF_MEMORY;
  } catch (const std::bad_alloc&) {
    return CURLE_OUT_OF_MEMORY;
  }
}

}  // namespace crawler
