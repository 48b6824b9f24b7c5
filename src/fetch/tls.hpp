#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.hpp"
#include "base/status.hpp"

namespace crawler {

/// The trusted certificate authorities, loaded once for all fetchers. libcurl would load them for
/// every connection, at a hundred times the cost of the handshake.
/// Threads: safe from any thread; OpenSSL locks the store itself.
class TrustStore {
 public:
  /// The system's authorities, and those of the PEM file `extra_file` unless that is empty.
  static Result<std::shared_ptr<const TrustStore>> Load(const std::string& extra_file);

  X509_STORE* get() const { return store_.get(); }
  /// Whether the system's own authorities were found.
  bool has_system_authorities() const { return has_system_authorities_; }

 private:
  struct Free {
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  };
  std::unique_ptr<X509_STORE, Free> store_;
  bool has_system_authorities_ = false;
};

/// The TLS sessions of all fetchers, by "host:port", so that a second connection to a server skips
/// most of the handshake. (libcurl's own cache holds eight.) A full cache forgets the oldest
/// session.
/// Ownership: connections keep it alive through the shared pointer given to Attach().
/// Threads: safe from any thread.
class TlsSessionCache {
 public:
  explicit TlsSessionCache(std::size_t capacity) : capacity_(capacity) {}

  /// Makes connections of `context` resume and remember sessions under `key`. False if OpenSSL is
  /// out of memory.
  static bool Attach(SSL_CTX* context, const std::shared_ptr<TlsSessionCache>& cache,
                     std::string key);

  /// Becomes true when the server of `ssl` sends close_notify: only then a body that ends with the
  /// connection is known to be complete. Null if the context of `ssl` was not given to Attach().
  static std::shared_ptr<const bool> CloseNotifyReceived(const SSL* ssl);

  struct Free {
    void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
  };
  using Session = std::unique_ptr<SSL_SESSION, Free>;

  std::size_t size() const CRAWLER_EXCLUDES(mutex_);
  /// Takes over one reference to `session`.
  void Put(const std::string& key, SSL_SESSION* session) CRAWLER_EXCLUDES(mutex_);
  /// Null if there is none.
  Session Find(const std::string& key) const CRAWLER_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::string key;
    Session session;
  };

  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::list<Entry> order_ CRAWLER_GUARDED_BY(mutex_);  // Oldest first.
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_
      CRAWLER_GUARDED_BY(mutex_);
};

}  // namespace crawler
