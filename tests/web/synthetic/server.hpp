#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "web/synthetic/access_log.hpp"
#include "web/synthetic/description.hpp"
#include "web/synthetic/request_head.hpp"
#include "web/synthetic/responder.hpp"

namespace synthetic {

/// Serves a web on loopback: one thread, one listening socket a host, any number of connections.
/// No host delays another: what has to wait waits in a heap of due times.
/// Ownership: borrows `web` and `log`. Threads: one, but Stop() may come from any.
class Server {
 public:
  Server(Web& web, AccessLog& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens on `port`, or a free one if it is 0, and on those that follow it if hosts use several;
  /// puts them into the web. Returns what went wrong, empty if nothing did.
  std::string Listen(std::uint16_t port);

  /// Serves until Stop(), SIGTERM or SIGINT, or `seconds` have passed. SIGUSR1 flushes the log.
  /// Signals are seen only if the caller has blocked them (see BlockSignals()).
  void Run(double seconds);
  void Stop();

  /// Blocks those signals in this thread, so that they wait for Run().
  static void BlockSignals();

 private:
  struct Connection;
  struct Due {
    std::int64_t at = 0;
    int fd = -1;
    std::uint64_t connection = 0;  // What is due is gone if the fd has another by then.
    bool operator>(const Due& other) const { return at > other.at; }
  };

  std::string ListenAll(std::uint16_t port);
  void CloseListeners();
  void HandleEvent(int fd, std::uint32_t events);
  void AcceptAll(int fd);
  void Read(Connection& connection);
  void TakeRequests(int fd);
  void TakeRequest(Connection& connection, const RequestHead& head);
  void Refuse(Connection& connection);
  void SendWhenDue(Connection& connection, std::uint64_t latency);
  void Write(Connection& connection);
  void FinishRequest(Connection& connection);
  void Close(Connection& connection);
  void SendDue();
  void ArmTimer(std::int64_t end);
  void ReadSignals();

  Web& web_;
  AccessLog& log_;
  std::unique_ptr<Responder> responder_;
  int epoll_ = -1, timer_ = -1, signals_ = -1, wake_ = -1;
  std::int64_t armed_ = 0;
  bool stopping_ = false;
  std::uint64_t accepted_ = 0;
  std::vector<std::string> authorities_;
  std::vector<std::int64_t> listener_host_;               // By fd; -1 for what is no listener.
  std::vector<std::unique_ptr<Connection>> connections_;  // By fd.
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace synthetic
