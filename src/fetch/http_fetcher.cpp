#include "fetch/http_fetcher.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "fetch/host_addresses.hpp"
#include "fetch/host_table.hpp"
#include "fetch/response_body.hpp"
#include "fetch/socket_poller.hpp"
#include "fetch/transfer.hpp"

namespace crawler {
namespace {

constexpr std::size_t kToldHosts = 512;
constexpr Duration kAway = std::chrono::milliseconds(1);
constexpr Duration kLongAway = std::chrono::milliseconds(100);

// How often deadlines are checked: a fraction of the shortest one, within bounds.
Duration TickFor(const FetchLimits& limits) {
  const std::chrono::milliseconds shortest =
      std::min({limits.connect, limits.response, limits.total, limits.speed_window});
  return std::clamp(shortest / 8, std::chrono::milliseconds(5), std::chrono::milliseconds(100));
}

// A body without progress for this long goes first when memory is used up.
constexpr std::chrono::milliseconds kShortStall{500};

// The longest name and label DNS can carry (RFC 1035, 2.3.4).
bool FitsDns(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty() || host.size() > 253) return false;
  while (true) {
    const std::size_t dot = std::min(host.find('.'), host.size());
    if (dot == 0 || dot > 63) return false;
    if (dot == host.size()) return true;
    host.remove_prefix(dot + 1);
  }
}

// Answers of the resolver, on their way from its threads to the fetcher's.
struct Inbox {
  struct Answer {
    std::uint64_t id;
    std::shared_ptr<const ResolvedHost> host;
  };
  // Called by threads of the resolver, which cannot handle an exception.
  void Put(Answer answer) noexcept {
    try {
      MutexLock lock(mutex);
      answers.push_back(std::move(answer));
    } catch (const std::bad_alloc&) {
      out_of_memory.store(true);
    }
    poller.Wakeup();
  }

  Mutex mutex;
  std::vector<Answer> answers CRAWLER_GUARDED_BY(mutex);
  std::atomic<bool> out_of_memory{false};
  SocketPoller poller;
};

// An easy handle uses one share object, and cookies need it. A connection to a proxy is for all
// hosts.
bool HostsHaveOwnCaches(const FetchContext& context) {
  return context.cookies() == nullptr && context.options().proxy.empty();
}

// Drops the body of a response without a type that does not look like text.
void DropBody(FetchResult* result) {
  result->failure = FetchFailure::kUnwantedType;
  result->message = "it does not say its type, and is no text";
  result->raw_body.clear();
  result->payload_parts.clear();
  result->decoded_body.clear();
}

}  // namespace

class HttpFetcher::Impl {
 public:
  explicit Impl(std::shared_ptr<const FetchContext> context)
      : context_(std::move(context)),
        limits_(context_->options().limits),
        tick_(TickFor(limits_)),
        inbox_(std::make_shared<Inbox>()),
        multi_(curl_multi_init()),
        hosts_(limits_.max_transfers_per_host, HostsHaveOwnCaches(*context_)) {
    if (multi_ == nullptr) return;
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Impl::OnSocket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Impl::OnTimer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    // 0 is no limit: CloseIdle() keeps it.
    curl_multi_setopt(
        multi_, CURLMOPT_MAXCONNECTS,
        HostsHaveOwnCaches(*context_) ? 0L : static_cast<long>(limits_.max_idle_connections));
  }

  ~Impl() {
    if (MemoryBudget* const memory = context_->options().memory.get()) memory->SetBurden(this, 0);
    for (const std::unique_ptr<Transfer>& transfer : active_) {
      curl_multi_remove_handle(multi_, transfer->easy());
    }
    active_.clear();
    idle_.clear();
    hosts_.clear();
    // Last: closing the connections still tells the poller.
    if (multi_ != nullptr) curl_multi_cleanup(multi_);
  }

  bool ok() const { return multi_ != nullptr && inbox_->poller.ok(); }

  void Start(FetchRequest request, Done done);
  void Poll(Duration timeout);
  void CancelAll();
  void Wakeup() { inbox_->poller.Wakeup(); }
  std::size_t pending() const { return active_.size() + hosts_.waiting() + finished_.size(); }

 private:
  using Queued = HostTable::Queued;
  struct Finished {
    FetchResult result;
    Done done;
  };

  // Called by libcurl, so no exception may leave it. The error makes libcurl end the transfers.
  static int OnSocket(CURL* easy, curl_socket_t socket, int what, void* self, void*) {
    auto& fetcher = *static_cast<Impl*>(self);
    void* transfer = nullptr;
    if (easy != nullptr) curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    const bool paused = transfer != nullptr && static_cast<Transfer*>(transfer)->paused();
    try {
      fetcher.inbox_->poller.Watch(socket, what, paused);
      return 0;
    } catch (const std::bad_alloc&) {
      fetcher.out_of_memory_ = true;
      return -1;
    }
  }
  static int OnTimer(CURLM*, long timeout_ms, void* self) {
    auto& timer = static_cast<Impl*>(self)->timer_;
    timer = std::nullopt;
    if (timeout_ms >= 0) timer = Clock::System().Now() + std::chrono::milliseconds(timeout_ms);
    return 0;
  }

  void LaunchWaiting();
  void Launch(Queued queued, HostTable::Host& host);
  // The addresses that libcurl uses for the transfer.
  HostAddresses& ToldFor(const Transfer& transfer) {
    HostConnections* const connections = transfer.host->connections.get();
    return connections == nullptr ? told_ : connections->addresses();
  }
  void Connect(Transfer& transfer);
  void TakeAnswers();
  void UseAnswer(Transfer& transfer, const ResolvedHost& host);
  void GiveToCurl(Transfer& transfer, std::vector<std::string> resolve_lines);
  void RunCurl(Duration timeout);
  void HandleEvents(Duration timeout);
  void CollectFinished();
  void CloseIdle();
  void CheckMemory(CURLMcode code) const;
  void CheckTimes();
  std::pair<Transfer*, double> Heaviest(TimePoint now) const;
  void MakeRoom();
  void ResumePaused(const MemoryBudget& memory);
  void Finish(Transfer& transfer, CURLcode code);
  void Reject(Queued queued, FetchFailure failure, std::string message);
  void CompleteBody(const FetchRequest& request, FetchResult* result);
  void Deliver();
  Duration WaitFor(Duration timeout) const;

  const std::shared_ptr<const FetchContext> context_;
  const FetchLimits& limits_;
  const Duration tick_;
  const std::shared_ptr<Inbox> inbox_;
  CURLM* const multi_;
  Decoder decoder_;
  HostAddresses told_{kToldHosts};  // Of hosts without connections of their own.

  std::vector<std::unique_ptr<Transfer>> active_;
  std::vector<std::unique_ptr<Transfer>> idle_;
  HostTable hosts_;
  std::unordered_map<std::uint64_t, Transfer*> resolving_;
  std::uint64_t last_lookup_ = 0;
  std::vector<Finished> finished_;
  bool out_of_memory_ = false;      // In a callback of libcurl.
  std::optional<TimePoint> timer_;  // When libcurl wants to be called.
  TimePoint next_tick_, last_wait_;
};

void HttpFetcher::Impl::Start(FetchRequest request, Done done) {
  Queued queued{std::move(request), std::move(done)};
  const Url& url = queued.request.url;
  if (!url.followable()) {
    Reject(std::move(queued), FetchFailure::kBadUrl, "only http and https are fetched");
    return;
  }
  if (std::optional<std::string> refusal = context_->guard().RefuseUrl(url)) {
    Reject(std::move(queued), FetchFailure::kBlockedAddress, std::move(*refusal));
    return;
  }
  if (url.host_kind() == Url::HostKind::kName && !FitsDns(url.host())) {
    Reject(std::move(queued), FetchFailure::kDns, "the host name is none that DNS can hold");
    return;
  }
  const std::string origin = url.Origin();
  hosts_.Add(origin, std::move(queued));
}

void HttpFetcher::Impl::LaunchWaiting() {
  while (hosts_.has_runnable() && active_.size() < limits_.max_transfers) {
    auto [host, queued] = hosts_.Take();
    Launch(std::move(queued), *host);
  }
}

void HttpFetcher::Impl::Launch(Queued queued, HostTable::Host& host) {
  std::unique_ptr<Transfer> transfer;
  if (idle_.empty()) {
    transfer = Transfer::Create(*context_, inbox_->poller);
  } else {
    transfer = std::move(idle_.back());
    idle_.pop_back();
  }
  if (transfer == nullptr) throw std::bad_alloc();
  transfer->Begin(std::move(queued.request), std::move(queued.done), Clock::System().Now());
  transfer->host = &host;
  transfer->position = active_.size();
  active_.push_back(std::move(transfer));
  Connect(*active_.back());
}

// Launches the transfer if its addresses are known; otherwise starts a lookup.
void HttpFetcher::Impl::Connect(Transfer& transfer) {
  transfer.resolve_key.clear();
  const Url& url = transfer.request().url;
  if (url.host_kind() != Url::HostKind::kName || context_->proxy_resolves()) {
    GiveToCurl(transfer, {});
    return;
  }
  std::string key(url.host());
  key.append(":").append(std::to_string(url.port()));
  if (ToldFor(transfer).Knows(key, Clock::System().Now())) {
    GiveToCurl(transfer, {});
    return;
  }
  transfer.resolve_key = std::move(key);
  const std::uint64_t id = ++last_lookup_;
  resolving_.emplace(id, &transfer);
  transfer.lookup = id;
  // The answer may come after this fetcher is gone, so it goes through what both own.
  context_->resolver().Resolve(url.host(),
                               [inbox = inbox_, id](std::shared_ptr<const ResolvedHost> host) {
                                 inbox->Put({id, std::move(host)});
                               });
}

void HttpFetcher::Impl::TakeAnswers() {
  if (inbox_->out_of_memory.load()) throw std::bad_alloc();
  std::vector<Inbox::Answer> answers;
  {
    MutexLock lock(inbox_->mutex);
    answers.swap(inbox_->answers);
  }
  for (const Inbox::Answer& answer : answers) {
    const auto found = resolving_.find(answer.id);
    if (found == resolving_.end()) continue;  // Given up in the meantime.
    Transfer& transfer = *found->second;
    resolving_.erase(found);
    UseAnswer(transfer, *answer.host);
  }
}

void HttpFetcher::Impl::UseAnswer(Transfer& transfer, const ResolvedHost& host) {
  if (host.out_of_memory) throw std::bad_alloc();
  std::vector<IpAddress> addresses;
  std::string refused;
  for (const IpAddress& address : host.addresses) {
    if (std::optional<std::string> refusal = context_->guard().Refuse(address)) {
      refused = std::move(*refusal);
    } else {
      addresses.push_back(address);
    }
  }
  if (!addresses.empty()) {
    GiveToCurl(transfer, ToldFor(transfer).Tell(transfer.resolve_key, addresses, host.expires));
    return;
  }
  if (refused.empty()) {
    transfer.Fail(FetchFailure::kDns, host.error);
  } else {
    transfer.Fail(FetchFailure::kBlockedAddress, std::move(refused));
  }
  Finish(transfer, CURLE_OK);
}

void HttpFetcher::Impl::GiveToCurl(Transfer& transfer, std::vector<std::string> resolve_lines) {
  transfer.Prepare(std::move(resolve_lines), transfer.host->connections.get(),
                   Clock::System().Now());
  const CURLMcode code = curl_multi_add_handle(multi_, transfer.easy());
  CheckMemory(code);
  if (code == CURLM_OK) return;
  transfer.Fail(FetchFailure::kLocal, curl_multi_strerror(code));
  Finish(transfer, CURLE_OK);
}

Duration HttpFetcher::Impl::WaitFor(Duration timeout) const {
  if (!finished_.empty()) return Duration::zero();
  const TimePoint now = Clock::System().Now();
  if (timer_) timeout = std::min<Duration>(timeout, *timer_ - now);
  if (!active_.empty()) timeout = std::min<Duration>(timeout, next_tick_ - now);
  return std::max(timeout, Duration::zero());
}

void HttpFetcher::Impl::RunCurl(Duration timeout) {
  int running = 0;
  if (timer_ && *timer_ <= Clock::System().Now()) {
    timer_ = std::nullopt;
    CheckMemory(curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running));
    CollectFinished();
  }
  HandleEvents(WaitFor(timeout));
}

void HttpFetcher::Impl::HandleEvents(Duration timeout) {
  int running = 0;
  for (const SocketPoller::Event& event : inbox_->poller.Wait(timeout)) {
    if (event.broken) {
      const SocketOwner* const owner = inbox_->poller.OwnerOf(event.socket);
      if (owner != nullptr) hosts_.CloseIdle(*static_cast<HostTable::Host*>(owner->host()));
      continue;
    }
    CheckMemory(curl_multi_socket_action(multi_, event.socket, event.action, &running));
    MakeRoom();  // Each event may have brought megabytes.
  }
  last_wait_ = Clock::System().Now();
  CollectFinished();
}

void HttpFetcher::Impl::CollectFinished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;  // The message dies with the handle's removal.
    void* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    auto& ended = *static_cast<Transfer*>(transfer);
    if (ended.out_of_memory(code)) throw std::bad_alloc();
    Finish(ended, code);
  }
}

// Called when libcurl has returned, because no exception may pass through it.
void HttpFetcher::Impl::CheckMemory(CURLMcode code) const {
  if (code == CURLM_OUT_OF_MEMORY || out_of_memory_) throw std::bad_alloc();
}

void HttpFetcher::Impl::CheckTimes() {
  const TimePoint now = Clock::System().Now();
  if (now < next_tick_) return;
  next_tick_ = now + tick_;
  // Backwards, because finishing one moves the last one into its place.
  for (std::size_t i = active_.size(); i-- > 0;) {
    if (active_[i]->CheckTime(now)) Finish(*active_[i], CURLE_OK);
  }
  if (MemoryBudget* const memory = context_->options().memory.get()) {
    memory->SetBurden(this, Heaviest(now).second);
    MakeRoom();
  }
}

// The transfer that is worth most to give up, and how much; null if none holds memory. Those that
// have stalled come before all others: a larger one may still get done.
std::pair<Transfer*, double> HttpFetcher::Impl::Heaviest(TimePoint now) const {
  std::pair<Transfer*, double> heaviest(nullptr, 0);
  bool has_stalled = false;
  for (const std::unique_ptr<Transfer>& transfer : active_) {
    const double burden = transfer->Burden(now);
    const bool stalled = transfer->Stalled(now);
    if (stalled == has_stalled ? burden <= heaviest.second : has_stalled) continue;
    heaviest = {transfer.get(), burden};
    has_stalled = stalled;
  }
  return heaviest;
}

// Gives up large bodies that have stalled while memory is scarce; when there is none left, the
// heaviest one of all fetchers, unless it makes progress. Bodies that were paused then go on.
void HttpFetcher::Impl::MakeRoom() {
  MemoryBudget* const memory = context_->options().memory.get();
  while (memory != nullptr && memory->scarce()) {
    const TimePoint now = Clock::System().Now();
    const auto [heaviest, burden] = Heaviest(now);
    if (heaviest == nullptr) break;  // Others hold it.
    const bool needed =
        memory->exhausted() || (memory->exceeded() && heaviest->IdleTime(now) > kShortStall);
    if (!heaviest->Stalled(now) && !(needed && memory->IsHeaviest(this, burden))) break;
    heaviest->GiveUp();
    Finish(*heaviest, CURLE_OK);
  }
  if (memory != nullptr) ResumePaused(*memory);
}

// While there is no room, the largest of them goes on all the same, so that one gets done.
void HttpFetcher::Impl::ResumePaused(const MemoryBudget& memory) {
  Transfer* largest = nullptr;
  bool overdrawn = false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Transfer& transfer = *active_[i];
    overdrawn = overdrawn || transfer.overdraws();
    if (!transfer.paused()) continue;
    if (!memory.exceeded()) {
      transfer.Resume(false);
    } else if (largest == nullptr || transfer.held() > largest->held()) {
      largest = &transfer;
    }
  }
  if (largest != nullptr && !overdrawn) largest->Resume(true);
}

void HttpFetcher::Impl::Finish(Transfer& transfer, CURLcode code) {
  curl_multi_remove_handle(multi_, transfer.easy());
  resolving_.erase(transfer.lookup);
  if (!transfer.resolve_key.empty() && transfer.reached_network()) {
    ToldFor(transfer).Confirm(transfer.resolve_key);
  }
  const std::size_t position = transfer.position;
  std::unique_ptr<Transfer> ended = std::move(active_[position]);
  if (position + 1 != active_.size()) {
    active_[position] = std::move(active_.back());
    active_[position]->position = position;
  }
  active_.pop_back();

  FetchResult result = ended->End(code, Clock::System().Now());
  hosts_.Ended(*ended->host);
  CloseIdle();
  if (context_->options().decode) CompleteBody(ended->request(), &result);
  result.memory.Resize(result.raw_body.capacity() + result.decoded_body.capacity());
  finished_.push_back({std::move(result), std::move(ended->done())});
  idle_.push_back(std::move(ended));
}

// Requests under way have descriptors beside those of idle connections.
void HttpFetcher::Impl::CloseIdle() {
  const std::size_t most = limits_.max_idle_connections + active_.size();
  while (inbox_->poller.open() > most && hosts_.CloseOldest()) {
  }
}

void HttpFetcher::Impl::CompleteBody(const FetchRequest& request, FetchResult* result) {
  if (result->raw_body.empty() && !result->chunked) return;
  FinishBody(DecodeLimitsFor(request, limits_), decoder_, result);
  if (result->status / 100 == 2 && !request.any_type && !result->headers.Find("content-type") &&
      !context_->options().wanted_types.empty() && LooksBinary(result->body())) {
    DropBody(result);
  }
}

void HttpFetcher::Impl::Reject(Queued queued, FetchFailure failure, std::string message) {
  FetchResult result;
  result.url = std::move(queued.request.url);
  result.failure = failure;
  result.message = std::move(message);
  result.started = Clock::System().WallNow();
  finished_.push_back({std::move(result), std::move(queued.done)});
}

void HttpFetcher::Impl::Deliver() {
  std::vector<Finished> finished;
  finished.swap(finished_);
  for (Finished& one : finished) {
    if (one.done) one.done(std::move(one.result));
  }
}

void HttpFetcher::Impl::Poll(Duration timeout) {
  // Nothing was read while the caller was busy: bodies did not stall because of that.
  const Duration away = Clock::System().Now() - last_wait_;
  if (away > kLongAway) {
    for (const std::unique_ptr<Transfer>& transfer : active_) transfer->ExcuseStall(away);
  }
  // After a while away, first hear which idle connections have died: a new request must not get
  // one.
  if (hosts_.has_runnable() && Clock::System().Now() - last_wait_ > kAway) {
    HandleEvents(Duration::zero());
  }
  LaunchWaiting();
  TakeAnswers();  // Those that were known come at once.
  RunCurl(timeout);
  MakeRoom();
  CheckTimes();
  Deliver();
}

void HttpFetcher::Impl::CancelAll() {
  for (Queued& queued : hosts_.TakeWaiting()) {
    Reject(std::move(queued), FetchFailure::kCancelled, "cancelled");
  }
  while (!active_.empty()) {
    active_.back()->Fail(FetchFailure::kCancelled, "cancelled");
    Finish(*active_.back(), CURLE_OK);
  }
}

Result<std::unique_ptr<HttpFetcher>> HttpFetcher::Create(
    std::shared_ptr<const FetchContext> context) {
  auto impl = std::make_unique<Impl>(std::move(context));
  if (!impl->ok()) {
    return Status(StatusCode::kOutOfMemory,
                  "no event loop: the process is out of file descriptors or memory");
  }
  return std::unique_ptr<HttpFetcher>(new HttpFetcher(std::move(impl)));
}

HttpFetcher::HttpFetcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpFetcher::~HttpFetcher() = default;
void HttpFetcher::Start(FetchRequest request, Done done) {
  impl_->Start(std::move(request), std::move(done));
}
void HttpFetcher::Poll(Duration timeout) { impl_->Poll(timeout); }
void HttpFetcher::CancelAll() { impl_->CancelAll(); }
void HttpFetcher::Wakeup() { impl_->Wakeup(); }
std::size_t HttpFetcher::pending() const { return impl_->pending(); }

}  // namespace crawler
