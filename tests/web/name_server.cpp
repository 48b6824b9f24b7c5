#include "web/name_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "web/free_port.hpp"

namespace crawler {
namespace {

constexpr const char* kKnot = "/usr/sbin/knotd";

}  // namespace

std::unique_ptr<NameServer> NameServer::Start(const std::string& records) {
  if (access(kKnot, X_OK) != 0) return nullptr;
  return std::unique_ptr<NameServer>(new NameServer(records));
}

NameServer::NameServer(const std::string& records) {
  const std::string& p = folder_.path();
  folder_.Write("test.zone",
                "$ORIGIN test.\n@ 60 IN SOA ns.test. root.test. 1 3600 600 86400 60\n"
                "@ 60 IN NS ns.test.\nns 60 IN A 127.0.0.1\n" +
                    records);
  for (int attempt = 0; attempt < 5; ++attempt) {  // Somebody else may take a free port first.
    port_ = FreePort();
    const std::string config =
        folder_.Write("knot.conf", "server:\n  rundir: \"" + p + "\"\n  listen: 127.0.0.1@" +
                                       std::to_string(port_) +
                                       "\n  udp-workers: 1\n  tcp-workers: 1\n"
                                       "  background-workers: 1\ndatabase:\n  storage: \"" +
                                       p + "\"\nzone:\n  - domain: test\n    storage: \"" + p +
                                       "\"\n    file: \"test.zone\"\n    zonefile-sync: -1\n"
                                       "    journal-content: none\n");
    pid_ = fork();
    if (pid_ == 0) {
      const int log = open((p + "/log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      dup2(log, STDOUT_FILENO);
      dup2(log, STDERR_FILENO);
      execl(kKnot, kKnot, "-c", config.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    // It listens before it has read its zones, but answers questions only afterwards.
    for (int i = 0; i < 1'000; ++i) {
      if (Listens(port_)) return;
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  throw std::runtime_error("knotd does not start");
}

NameServer::~NameServer() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

}  // namespace crawler
