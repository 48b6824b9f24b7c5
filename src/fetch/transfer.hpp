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
#include "fetch/host_table.hpp"
#include "fetch/http_fields.hpp"
#include "fetch/socket_poller.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// One request under way, and its libcurl easy handle. Transfers are reused, because setting up a
/// handle costs more than a request.
///
///     Begin -> (libcurl calls back: socket, connected, head lines, body) -> End
///
/// The callbacks check addresses, enforce limits, and decide at the end of the head whether the
/// body is read.
/// Ownership: owned by a fetcher; borrows the context and the poller.
/// Threads: that of its fetcher.
class Transfer {
 public:
  using Done = std::function<void(FetchResult)>;

  /// Null if libcurl is out of memory.
  static std::unique_ptr<Transfer> Create(const FetchContext& context, SocketPoller& poller);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Takes over `request`. Prepare() must follow before the handle is given to libcurl.
  void Begin(FetchRequest request, Done done, TimePoint now);
  /// Hands the request to the easy handle. `resolve_lines`: for CURLOPT_RESOLVE. `connections`: the
  /// connections to use, until End(); null for those of the multi handle.
  void Prepare(std::vector<std::string> resolve_lines, HostConnections* connections, TimePoint now);
  /// The result of the request, given the code of libcurl. The body is as received.
  FetchResult End(CURLcode code, TimePoint now);

  /// Records a failure; the first one counts.
  void Fail(FetchFailure failure, std::string message);
  /// Bodies of this size and more wait, or are given up, when there is no memory for them.
  static constexpr std::size_t kLargeBody = std::size_t{256} << 10;

  /// The gain of giving the transfer up: bytes held, times seconds without progress. 0 if it
  /// holds no body.
  double Burden(TimePoint now) const;
  /// Holds a large body, and has received less than kProgress bytes for kStallTime.
  bool Stalled(TimePoint now) const;
  /// Whether it waits for memory. It receives nothing, and its deadlines wait, until Resume().
  bool paused() const { return paused_; }
  /// `overdraws`: it does not wait again. Requires: paused(), and not within a callback of libcurl.
  void Resume(bool overdraws);
  bool overdraws() const { return overdraws_; }
  std::size_t held() const { return result_.memory.bytes(); }
  /// The time without progress.
  Duration IdleTime(TimePoint now) const;
  /// `time` in which nothing could be received does not count as time without progress.
  void ExcuseStall(Duration time) {
    if (!paused_) progress_at_ += time;
  }
  /// Fails for want of memory, and drops the body.
  void GiveUp();
  /// Fails if a deadline has passed, or the body has been too slow.
  bool CheckTime(TimePoint now);

  CURL* easy() const { return easy_; }
  const FetchRequest& request() const { return request_; }
  Done& done() { return done_; }
  /// Whether memory ran out in libcurl or its callbacks: then the result means nothing. `code` is
  /// how the transfer ended. libcurl says CURLE_OUT_OF_MEMORY also for a line of the
  /// response head over 100 kB, which is the server's doing: that is a failure like others.
  bool out_of_memory(CURLcode code) const {
    return out_of_memory_ || (code == CURLE_OUT_OF_MEMORY && phase_ != Phase::kWaiting);
  }
  /// Whether libcurl has read the lines given to Prepare().
  bool reached_network() const { return reached_network_; }

  // State that the fetcher keeps per transfer.
  HostTable::Host* host = nullptr;  ///< That it is a request to.
  std::size_t position = 0;         ///< Index in the fetcher's list of active transfers.
  std::string resolve_key;          ///< "host:port" whose addresses it passes; or empty.
  std::uint64_t lookup = 0;         ///< Number of its name lookup.

 private:
  enum class Phase : std::uint8_t { kIdle, kResolving, kConnecting, kWaiting, kReading };
  enum class HeadState : std::uint8_t { kReading, kBetween, kComplete };

  Transfer(const FetchContext& context, SocketPoller& poller, CURL* easy);
  void SetUpOnce();
  template <typename Value>
  void Set(CURLoption option, Value value);

  bool AddHeadLine(std::string_view line);
  bool FinishHead();
  bool AcceptHead(int status);
  bool WantsBody(const BodyFraming& framing);
  // Whether the body goes on. False without a failure: the bytes were not taken, see paused_.
  bool AddBody(std::string_view bytes);
  void NoteProgress();
  bool MustPause();
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
  CURL* const easy_;
  char error_[CURL_ERROR_SIZE];

  FetchRequest request_;
  Done done_;
  FetchResult result_;
  Phase phase_ = Phase::kIdle;
  static constexpr std::size_t kProgress = std::size_t{64} << 10;
  static constexpr std::chrono::seconds kStallTime{2};

  TimePoint begun_, launched_, deadline_, phase_deadline_;
  TimePoint progress_at_;           // When the phase began, or kProgress bytes more had come.
  std::size_t progress_bytes_ = 0;  // Received by then.
  bool paused_ = false, overdraws_ = false;
  TimePoint paused_at_;
  std::size_t window_bytes_ = 0;  // Bytes received when the speed window began.

  std::string head_;
  HeadState head_state_ = HeadState::kReading;
  std::size_t head_bytes_ = 0, head_lines_ = 0, informational_ = 0;
  std::size_t body_limit_ = 0, received_ = 0;
  bool discard_ = false;  // The body is read only to keep the connection.
  bool reached_network_ = false;
  bool out_of_memory_ = false;
  int socket_error_ = 0;
  bool until_close_ = false;                  // The body ends with the connection.
  std::shared_ptr<const bool> close_notify_;  // See TlsSessionCache::CloseNotifyReceived().
  std::string refused_;                       // Why the guard refused an address; or empty.

  // What Prepare() lent to libcurl.
  HostConnections* connections_ = nullptr;
  std::unique_ptr<HeaderList> own_headers_;
  std::unique_ptr<HeaderList> resolve_;
  // Options set after SetUpOnce(), so that only changes are set.
  const curl_slist* headers_set_ = nullptr;
  bool head_method_set_ = false, no_reuse_set_ = false, pipewait_set_ = false;
};

}  // namespace crawler
