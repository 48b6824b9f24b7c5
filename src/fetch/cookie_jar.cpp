#include "fetch/cookie_jar.hpp"

#include <new>

namespace crawler {

CookieJar::CookieJar(std::size_t max_cookies)
    : share_(curl_share_init()), max_cookies_(max_cookies) {
  if (share_ == nullptr) throw std::bad_alloc();
  curl_share_setopt(share_, CURLSHOPT_LOCKFUNC, &CookieJar::Lock);
  curl_share_setopt(share_, CURLSHOPT_UNLOCKFUNC, &CookieJar::Unlock);
  curl_share_setopt(share_, CURLSHOPT_USERDATA, this);
  curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
  curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_PSL);
}

CookieJar::~CookieJar() { curl_share_cleanup(share_); }

void CookieJar::Attach(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_SHARE, share_);
  curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");  // No file: only switches cookies on.
}

void CookieJar::Count(CURL* easy, std::size_t received) {
  if (received == 0 || received_.fetch_add(received) + received < max_cookies_) return;
  received_ = 0;
  curl_easy_setopt(easy, CURLOPT_COOKIELIST, "ALL");
}

// The analysis cannot follow a lock that is taken and given back in two functions.
void CookieJar::Lock(CURL*, curl_lock_data data, curl_lock_access,
                     void* self) CRAWLER_NO_THREAD_SAFETY_ANALYSIS {
  static_cast<CookieJar*>(self)->mutexes_[data].Lock();
}

void CookieJar::Unlock(CURL*, curl_lock_data data, void* self) CRAWLER_NO_THREAD_SAFETY_ANALYSIS {
  static_cast<CookieJar*>(self)->mutexes_[data].Unlock();
}

}  // namespace crawler
