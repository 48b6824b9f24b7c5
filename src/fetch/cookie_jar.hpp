#pragma once

#include <curl/curl.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "base/mutex.hpp"

namespace crawler {

/// The cookies of one crawl, shared by all its fetchers and kept in memory only. libcurl keeps and
/// matches them: by host and path, none for public suffixes, at most 50 per response.
/// Threads: safe from any thread.
class CookieJar {
 public:
  /// `max_cookies`: about how many Set-Cookie lines are taken before the jar is emptied, so that
  /// a hostile site cannot fill the memory.
  explicit CookieJar(std::size_t max_cookies);
  ~CookieJar();
  CookieJar(const CookieJar&) = delete;
  CookieJar& operator=(const CookieJar&) = delete;

  /// Makes `easy` read and write this jar. `easy` must be cleaned up before the jar is destroyed.
  void Attach(CURL* easy);
  /// Counts the Set-Cookie lines that `easy` has received. Called after its transfer.
  void Count(CURL* easy, std::size_t received);

 private:
  static void Lock(CURL*, curl_lock_data data, curl_lock_access, void* self);
  static void Unlock(CURL*, curl_lock_data data, void* self);

  CURLSH* const share_;
  const std::size_t max_cookies_;
  std::atomic<std::size_t> received_{0};
  std::array<Mutex, CURL_LOCK_DATA_LAST> mutexes_;
};

}  // namespace crawler
