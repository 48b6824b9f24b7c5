#include "fetch/tls.hpp"

#include <curl/curl.h>
#include <openssl/err.h>
#include <openssl/x509.h>

#include <new>
#include <utility>

namespace crawler {
namespace {

std::string LastError() {
  char text[256];
  ERR_error_string_n(ERR_peek_last_error(), text, sizeof(text));
  ERR_clear_error();
  return text;
}

// Links an SSL context to its cache. Lives as long as the context.
struct Attachment {
  std::shared_ptr<TlsSessionCache> cache;
  std::string key;
  std::shared_ptr<bool> close_notify;
};

void FreeAttachment(void*, void* attachment, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<Attachment*>(attachment);
}

int AttachmentIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, FreeAttachment);
  return index;
}

Attachment* AttachmentOf(const SSL* ssl) {
  return static_cast<Attachment*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), AttachmentIndex()));
}

void OnInfo(const SSL* ssl, int where, int value) {
  const Attachment* attachment = AttachmentOf(ssl);
  if (attachment == nullptr) return;
  if (where == SSL_CB_READ_ALERT && (value & 0xff) == SSL_AD_CLOSE_NOTIFY) {
    *attachment->close_notify = true;
  }
  if ((where & SSL_CB_HANDSHAKE_START) == 0 || SSL_get_state(ssl) != TLS_ST_BEFORE) return;
  // The start of the handshake is the last moment to offer a session, and the only one between
  // libcurl making the SSL object and using it.
  const TlsSessionCache::Session session = attachment->cache->Find(attachment->key);
  if (session != nullptr) SSL_set_session(const_cast<SSL*>(ssl), session.get());
}

int OnNewSession(SSL* ssl, SSL_SESSION* session) {
  const Attachment* attachment = AttachmentOf(ssl);
  if (attachment == nullptr) return 0;
  try {
    attachment->cache->Put(attachment->key, session);
  } catch (const std::bad_alloc&) {
    return 0;  // OpenSSL must not see it; the next connection makes a session of its own.
  }
  return 1;  // The reference is ours now.
}

}  // namespace

Result<std::shared_ptr<const TrustStore>> TrustStore::Load(const std::string& extra_file) {
  auto trust = std::make_shared<TrustStore>();
  trust->store_.reset(X509_STORE_new());
  if (trust->store_ == nullptr) throw std::bad_alloc();
  X509_STORE* store = trust->store_.get();

  const char* bundle = curl_version_info(CURLVERSION_NOW)->cainfo;
  trust->has_system_authorities_ =
      (bundle != nullptr && X509_STORE_load_file(store, bundle) == 1) ||
      X509_STORE_set_default_paths(store) == 1;
  ERR_clear_error();
  if (!extra_file.empty() && X509_STORE_load_file(store, extra_file.c_str()) != 1) {
    return Status(StatusCode::kInvalidArgument,
                  extra_file + ": no certificate authorities in PEM form (" + LastError() + ")");
  }
  return std::shared_ptr<const TrustStore>(std::move(trust));
}

bool TlsSessionCache::Attach(SSL_CTX* context, const std::shared_ptr<TlsSessionCache>& cache,
                             std::string key) {
  auto attachment = std::make_unique<Attachment>(
      Attachment{cache, std::move(key), std::make_shared<bool>(false)});
  if (SSL_CTX_set_ex_data(context, AttachmentIndex(), attachment.get()) != 1) return false;
  (void)attachment.release();  // FreeAttachment() has it now.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, OnNewSession);
  SSL_CTX_set_info_callback(context, OnInfo);
  return true;
}

std::shared_ptr<const bool> TlsSessionCache::CloseNotifyReceived(const SSL* ssl) {
  const Attachment* attachment = AttachmentOf(ssl);
  return attachment == nullptr ? nullptr : attachment->close_notify;
}

std::size_t TlsSessionCache::size() const {
  const MutexLock lock(mutex_);
  return order_.size();
}

void TlsSessionCache::Put(const std::string& key, SSL_SESSION* session) {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    const auto entry = found->second;
    by_key_.erase(found);
    order_.erase(entry);
  } else if (order_.size() >= capacity_ && !order_.empty()) {
    by_key_.erase(order_.front().key);
    order_.pop_front();
  }
  order_.push_back({key, nullptr});
  try {
    by_key_.emplace(order_.back().key, std::prev(order_.end()));
  } catch (...) {
    order_.pop_back();
    throw;
  }
  order_.back().session.reset(session);
}

TlsSessionCache::Session TlsSessionCache::Find(const std::string& key) const {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  SSL_SESSION* const session = found->second->session.get();
  SSL_SESSION_up_ref(session);
  return Session(session);
}

}  // namespace crawler
