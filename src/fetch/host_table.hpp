#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "fetch/fetcher.hpp"
#include "fetch/host_addresses.hpp"
#include "fetch/socket_poller.hpp"

namespace crawler {

/// The connections of one host, and its addresses, as libcurl keeps them.
///
/// libcurl walks over all connections of a cache for every request, and once more to find the
/// oldest one when it is full. So every host has a cache of its own (a share object), and a cache
/// is closed as a whole.
/// Threads: one.
class HostConnections final : public SocketOwner {
 public:
  /// Of `host`, for SocketOwner. Throws std::bad_alloc.
  explicit HostConnections(void* host) : SocketOwner(host), share_(MakeShare()) {}
  /// Closes the connections. Requires: no easy handle uses the share.
  ~HostConnections();
  HostConnections(const HostConnections&) = delete;
  HostConnections& operator=(const HostConnections&) = delete;

  CURLSH* share() const { return share_; }
  HostAddresses& addresses() { return addresses_; }

 private:
  static CURLSH* MakeShare();

  CURLSH* const share_;
  HostAddresses addresses_{1};
};

/// The hosts (scheme, host and port) with requests or with idle connections: which requests wait,
/// which host may start the next one, and which connections have been idle for longest.
///
/// Ownership: owns the waiting requests and the connections. Hosts stay where they are until
/// Ended() or CloseOldest() removes them.
/// Threads: one.
class HostTable {
 public:
  struct Queued {
    FetchRequest request;
    Fetcher::Done done;
  };
  struct Host {
    std::size_t active = 0;
    std::list<Queued> waiting;
    /// Null before the first request, and always if hosts share one cache.
    std::unique_ptr<HostConnections> connections;
    const std::string* origin = nullptr;
    bool runnable = false;            ///< In the list of hosts that may start a request.
    bool idle = false;                ///< In the list of hosts without requests.
    std::list<Host*>::iterator rest;  ///< Its place in that list.
  };

  /// At most `per_host` requests of a host are active. `own_caches`: each host has HostConnections.
  HostTable(std::size_t per_host, bool own_caches) : per_host_(per_host), own_caches_(own_caches) {}

  void Add(const std::string& origin, Queued queued);
  bool has_runnable() const { return !runnable_.empty(); }
  /// The next request that may be started, and its host. Counts it as active. Requires:
  /// has_runnable().
  std::pair<Host*, Queued> Take();
  /// An active request of the host has ended. The host is removed if nothing is left of it.
  void Ended(Host& host);
  /// Takes all waiting requests.
  std::list<Queued> TakeWaiting();

  /// Closes the connections that have been idle for longest, those of one host. False if no host
  /// is idle.
  bool CloseOldest();
  /// Closes the connections of `host` if it is idle.
  void CloseIdle(Host& host);

  std::size_t waiting() const { return waiting_; }
  void clear() {
    runnable_.clear();
    idle_.clear();
    hosts_.clear();
  }

 private:
  void MakeRunnable(Host& host);

  const std::size_t per_host_;
  const bool own_caches_;
  std::unordered_map<std::string, Host> hosts_;
  std::list<Host*> runnable_;
  std::list<Host*> idle_;  // Least recently used first.
  std::size_t waiting_ = 0;
};

}  // namespace crawler
