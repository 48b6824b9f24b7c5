#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "fetch/context.hpp"
#include "fetch/http_fields.hpp"
#include "fetch/socket_poller.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// One request on its way, and the libcurl easy handle it uses. Transfers are used again and
/// again, because setting up a handle costs more than a request.
///
///     Begin -> (libcurl calls back: socket, connected, head lines, body) -> End
///
/// The callbacks do what cannot wait: vet addresses, keep limits, decide at the end of the head
/// whether the body is wanted.
/// Ownership: a fetcher's; borrows the context, the poller and the session cache.
/// Threads: the fetcher's.
class Transfer {
 public:
  using Done = std::function<void(FetchResult)>;
  enum class Phase : std::uint8_t { kIdle, kResolving, kConnecting, kWaiting, kReading };

  /// Null if libcurl is out of memory.
  static std::unique_ptr<Transfer> Create(const FetchContext& context, SocketPoller& poller,
                                          const std::shared_ptr<TlsSessionCache>& sessions);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Takes on `request`. It has to be made ready with Prepare() before it is given to libcurl.
  void Begin(FetchRequest request, Done done, TimePoint now);
  /// Hands the request to the easy handle. `resolve_lines`: for CURLOPT_RESOLVE.
  void Prepare(std::vector<std::string> resolve_lines, TimePoint now);
  /// What became of it, given libcurl's verdict. The body is as received.
  FetchResult End(CURLcode code, TimePoint now);

  /// Records a failure; the first one counts.
  void Fail(FetchFailure failure, std::string message);
  /// Fails if a deadline has passed, or the body has been too slow.
  bool CheckTime(TimePoint now);

  CURL* easy() const { return easy_; }
  const FetchRequest& request() const { return request_; }
  Done& done() { return done_; }
  Phase phase() const { return phase_; }
  /// Whether libcurl has read the lines given to Prepare().
  bool reached_network() const { return reached_network_; }

  // The fetcher's book-keeping.
  std::string origin;        ///< Under which it counts against max_transfers_per_host.
  std::size_t position = 0;  ///< In the fetcher's list of active transfers.
  std::string resolve_key;   ///< "host:port" it brings the addresses of; or empty.
  std::uint64_t lookup = 0;  ///< Which answer of the resolver is its own.

 private:
  enum class HeadState : std::uint8_t { kReading, kBetween, kComplete };

  Transfer(const FetchContext& context, SocketPoller& poller,
           std::shared_ptr<TlsSessionCache> sessions, CURL* easy);
  void SetUpOnce();
  template <typename Value>
  void Set(CURLoption option, Value value);

  bool AddHeadLine(std::string_view line);
  bool FinishHead();
  bool AcceptHead(int status);
  bool WantsBody(const BodyFraming& framing);
  bool AddBody(std::string_view bytes);
  bool CheckPeer(const char* address, int port);
  curl_socket_t OpenSocket(curlsocktype purpose, const curl_sockaddr& address);
  void EnterPhase(Phase phase, TimePoint now);
  FetchFailure Classify(CURLcode code) const;
  void CollectFacts(FetchResult* result, TimePoint now);

  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self);
  static curl_socket_t OnOpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int OnCloseSocket(void* poller, curl_socket_t socket);
  static int OnConnected(void* self, char* address, char* local, int port, int local_port);
  static CURLcode OnTlsContext(CURL* easy, void* context, void* self);

  const FetchContext& context_;
  const FetchLimits& limits_;
  SocketPoller& poller_;
  const std::shared_ptr<TlsSessionCache> sessions_;
  CURL* const easy_;
  char error_[CURL_ERROR_SIZE];

  FetchRequest request_;
  Done done_;
  FetchResult result_;
  Phase phase_ = Phase::kIdle;
  TimePoint begun_, launched_, deadline_, phase_deadline_;
  std::size_t window_bytes_ = 0;  // Received when the present window of time began.

  std::string head_;
  HeadState head_state_ = HeadState::kReading;
  std::size_t head_bytes_ = 0, head_lines_ = 0, informational_ = 0;
  std::size_t body_limit_ = 0, received_ = 0;
  bool discard_ = false;  // The body is read only to keep the connection.
  bool reached_network_ = false;
  int socket_error_ = 0;
  bool until_close_ = false;                  // The body ends with the connection.
  std::shared_ptr<const bool> said_goodbye_;  // See TlsSessionCache::SaidGoodbye().
  std::string refused_;                       // Why the guard refused an address; or empty.

  // What Prepare() lent to libcurl.
  std::unique_ptr<HeaderList> own_headers_;
  std::unique_ptr<HeaderList> resolve_;
  // What the handle is set to beyond SetUpOnce(), to set only what changes.
  const curl_slist* headers_set_ = nullptr;
  bool head_method_set_ = false, no_reuse_set_ = false, pipewait_set_ = false;
};

}  // namespace crawler
