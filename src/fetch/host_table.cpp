#include "fetch/host_table.hpp"

#include <cassert>
#include <iterator>
#include <new>

namespace crawler {

CURLSH* HostConnections::MakeShare() {
  CURLSH* const share = curl_share_init();
  if (share == nullptr) throw std::bad_alloc();
  if (curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) != CURLSHE_OK ||
      curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) != CURLSHE_OK) {
    curl_share_cleanup(share);
    throw std::bad_alloc();
  }
  return share;
}

HostConnections::~HostConnections() {
  [[maybe_unused]] const CURLSHcode code = curl_share_cleanup(share_);
  assert(code == CURLSHE_OK);  // Otherwise a transfer still uses it.
}

void HostTable::Add(const std::string& origin, Queued queued) {
  const auto [entry, added] = hosts_.try_emplace(origin);
  Host& host = entry->second;
  host.origin = &entry->first;
  host.waiting.push_back(std::move(queued));
  ++waiting_;
  if (host.idle) {
    idle_.erase(host.rest);
    host.idle = false;
  }
  MakeRunnable(host);
}

void HostTable::MakeRunnable(Host& host) {
  if (host.runnable || host.waiting.empty() || host.active >= per_host_) return;
  runnable_.push_back(&host);
  host.runnable = true;
}

std::pair<HostTable::Host*, HostTable::Queued> HostTable::Take() {
  Host& host = *runnable_.front();
  if (own_caches_ && host.connections == nullptr) {
    host.connections = std::make_unique<HostConnections>(&host);
  }
  Queued queued = std::move(host.waiting.front());
  runnable_.pop_front();
  host.runnable = false;
  host.waiting.pop_front();
  --waiting_;
  ++host.active;
  MakeRunnable(host);
  return {&host, std::move(queued)};
}

void HostTable::Ended(Host& host) {
  --host.active;
  MakeRunnable(host);
  if (host.active > 0 || !host.waiting.empty()) return;
  if (host.connections == nullptr || host.connections->sockets() == 0) {
    hosts_.erase(hosts_.find(*host.origin));
    return;
  }
  host.rest = idle_.insert(idle_.end(), &host);
  host.idle = true;
}

std::list<HostTable::Queued> HostTable::TakeWaiting() {
  std::list<Queued> all;
  for (auto host = hosts_.begin(); host != hosts_.end();) {
    all.splice(all.end(), host->second.waiting);
    host->second.runnable = false;
    const bool over = host->second.active == 0 && !host->second.idle;
    host = over ? hosts_.erase(host) : std::next(host);
  }
  runnable_.clear();
  waiting_ = 0;
  return all;
}

bool HostTable::CloseOldest() {
  if (idle_.empty()) return false;
  CloseIdle(*idle_.front());
  return true;
}

void HostTable::CloseIdle(Host& host) {
  if (!host.idle) return;
  idle_.erase(host.rest);
  hosts_.erase(hosts_.find(*host.origin));
}

}  // namespace crawler
