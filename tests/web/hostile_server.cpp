#include "web/hostile_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <utility>

namespace crawler {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStep{10};  // How quickly the end of the server is noticed.

void Require(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("hostile server: ") + what);
}

void UseCertificates(SSL_CTX* context, const std::string& chain, const std::string& key) {
  BIO* bio = BIO_new_mem_buf(chain.data(), static_cast<int>(chain.size()));
  X509* leaf = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  Require(leaf != nullptr && SSL_CTX_use_certificate(context, leaf) == 1, "certificate");
  X509_free(leaf);
  while (X509* more = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr)) {
    SSL_CTX_add_extra_chain_cert(context, more);  // Takes it over.
  }
  BIO_free(bio);
  bio = BIO_new_mem_buf(key.data(), static_cast<int>(key.size()));
  EVP_PKEY* private_key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  Require(private_key != nullptr && SSL_CTX_use_PrivateKey(context, private_key) == 1, "key");
  EVP_PKEY_free(private_key);
  BIO_free(bio);
  ERR_clear_error();  // The end of the chain is an error to OpenSSL.
}

}  // namespace

HostileConnection::HostileConnection(int fd, SSL* ssl, std::atomic<bool>& stopping)
    : fd_(fd), ssl_(ssl), stopping_(stopping) {}

HostileConnection::~HostileConnection() {
  if (ssl_ != nullptr) {
    if (!gone_ && !reset_ && !quiet_) SSL_shutdown(ssl_);
    SSL_free(ssl_);
  }
  if (reset_) {
    const linger now{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  } else {
    // Unread bytes would turn the close into a reset.
    shutdown(fd_, SHUT_WR);
    char rest[4096];
    for (int i = 0; i < 20 && !stopping_; ++i) {
      pollfd waiting{fd_, POLLIN, 0};
      if (poll(&waiting, 1, 5) == 1 && recv(fd_, rest, sizeof(rest), MSG_DONTWAIT) <= 0) break;
    }
  }
  close(fd_);
  ERR_clear_error();
}

bool HostileConnection::WaitFor(short events, milliseconds longest) {
  for (milliseconds waited{0}; waited < longest && !gone(); waited += kStep) {
    pollfd waiting{fd_, events, 0};
    if (poll(&waiting, 1, static_cast<int>(kStep.count())) == 1) return true;
  }
  return false;
}

std::string HostileConnection::ReadRequest() {
  while (!gone()) {
    const std::size_t end = buffered_.find("\r\n\r\n");
    if (end != std::string::npos) {
      std::string head = buffered_.substr(0, end + 4);
      buffered_.erase(0, end + 4);
      if (on_request) on_request(head);
      return head;
    }
    char bytes[4096];
    int count = 0;
    if (ssl_ != nullptr) {
      if (SSL_pending(ssl_) == 0 && !WaitFor(POLLIN, milliseconds(30'000))) break;
      count = SSL_read(ssl_, bytes, sizeof(bytes));
      if (count <= 0 && SSL_get_error(ssl_, count) == SSL_ERROR_WANT_READ) continue;
    } else {
      if (!WaitFor(POLLIN, milliseconds(30'000))) break;
      count = static_cast<int>(recv(fd_, bytes, sizeof(bytes), 0));
    }
    if (count <= 0) {
      gone_ = true;
      break;
    }
    buffered_.append(bytes, static_cast<std::size_t>(count));
  }
  return {};
}

bool HostileConnection::Send(std::string_view bytes) {
  while (!bytes.empty() && !gone()) {
    long count = 0;
    if (ssl_ != nullptr) {
      count = SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
    } else {
      if (!WaitFor(POLLOUT, milliseconds(30'000))) return false;
      count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    }
    if (count <= 0) {
      gone_ = true;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return !gone();
}

bool HostileConnection::Drip(std::string_view bytes, milliseconds pause) {
  for (const char& byte : bytes) {
    if (!Send({&byte, 1})) return false;
    Sleep(pause);
  }
  return !gone();
}

void HostileConnection::Stall() {
  while (!gone()) {
    if (!WaitFor(POLLIN, milliseconds(1'000))) continue;
    char bytes[4096];
    if (recv(fd_, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0 && errno != EAGAIN) gone_ = true;
  }
}

void HostileConnection::Sleep(milliseconds time) {
  for (milliseconds slept{0}; slept < time && !stopping_;) {
    const milliseconds step = std::min(kStep, time - slept);
    std::this_thread::sleep_for(step);
    slept += step;
  }
}

void HostileConnection::Reset() {
  reset_ = true;
  gone_ = true;
}

HostileServer::HostileServer(Script script) : HostileServer(std::move(script), Options()) {}

HostileServer::HostileServer(Script script, Options options)
    : script_(std::move(script)), options_(std::move(options)) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL.
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (options_.address.find(':') == std::string::npos) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(options_.port);
    Require(inet_pton(AF_INET, options_.address.c_str(), &v4->sin_addr) == 1, "address");
    size = sizeof(sockaddr_in);
  } else {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(options_.port);
    Require(inet_pton(AF_INET6, options_.address.c_str(), &v6->sin6_addr) == 1, "address");
    size = sizeof(sockaddr_in6);
  }
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  listener_ = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Require(listener_ >= 0, "socket");
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  Require(bind(listener_, address, size) == 0, "bind");
  Require(listen(listener_, options_.backlog) == 0, "listen");
  Require(getsockname(listener_, address, &size) == 0, "getsockname");
  port_ =
      ntohs(storage.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&storage)->sin_port
                                         : reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port);
  if (!options_.certificate_pem.empty()) {
    tls_.reset(SSL_CTX_new(TLS_server_method()));
    Require(tls_ != nullptr, "TLS");
    SSL_CTX_set_security_level(tls_.get(), 0);  // Bad certificates are what it is for.
    UseCertificates(tls_.get(), options_.certificate_pem, options_.key_pem);
    if (options_.tune_tls) options_.tune_tls(tls_.get());
  }
  if (options_.accept) acceptor_ = std::thread([this] { Accept(); });
}

HostileServer::~HostileServer() {
  stopping_ = true;
  if (acceptor_.joinable()) acceptor_.join();
  std::list<std::thread> workers;
  {
    MutexLock lock(mutex_);
    workers.swap(workers_);
  }
  for (std::thread& worker : workers) worker.join();
  close(listener_);
}

void HostileServer::Accept() {
  while (!stopping_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(kStep.count())) != 1) continue;
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const int number = ++connections_;
    MutexLock lock(mutex_);
    workers_.emplace_back([this, fd, number] { Serve(fd, number); });
  }
}

void HostileServer::Serve(int fd, int number) {
  SSL* ssl = nullptr;
  if (tls_ != nullptr) {
    // A client that never goes on must not hold up the end of the test.
    const timeval patience{5, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ssl = SSL_new(tls_.get());
    SSL_set_fd(ssl, fd);
    if (options_.handshake && SSL_accept(ssl) != 1) {
      ERR_clear_error();
      SSL_free(ssl);
      close(fd);
      return;
    }
    if (!options_.handshake) {
      SSL_free(ssl);
      ssl = nullptr;
    }
  }
  HostileConnection connection(fd, ssl, stopping_);
  connection.number = number;
  connection.on_request = [this](const std::string& head) {
    MutexLock lock(mutex_);
    requests_.push_back(head);
  };
  script_(connection);
}

std::string HostileServer::Url(std::string_view path) const {
  const bool v6 = options_.address.find(':') != std::string::npos;
  return UrlFor(v6 ? "[" + options_.address + "]" : options_.address, path);
}

std::string HostileServer::UrlFor(std::string_view host, std::string_view path) const {
  const bool https = !options_.certificate_pem.empty();
  return (https ? "https://" : "http://") + std::string(host) + ":" + std::to_string(port_) +
         std::string(path);
}

std::vector<std::string> HostileServer::requests() {
  MutexLock lock(mutex_);
  return requests_;
}

HostileServer::Script HostileServer::Reply(std::string reply) {
  return Replies({std::move(reply)});
}

HostileServer::Script HostileServer::Replies(std::vector<std::string> replies) {
  return [replies = std::move(replies)](HostileConnection& connection) {
    for (const std::string& reply : replies) {
      if (connection.ReadRequest().empty()) return;
      connection.Send(reply);
    }
  };
}

HostileServer::Script HostileServer::Always(std::string reply, std::chrono::milliseconds pause) {
  return [reply = std::move(reply), pause](HostileConnection& connection) {
    while (!connection.ReadRequest().empty()) {
      connection.Sleep(pause);
      connection.Send(reply);
    }
  };
}

std::string OkResponse(std::string_view body, std::string_view extra) {
  std::string response = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ";
  response += std::to_string(body.size());
  response.append("\r\n").append(extra).append("\r\n").append(body);
  return response;
}

}  // namespace crawler
