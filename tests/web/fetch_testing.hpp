#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "fetch/fetch_following.hpp"
#include "fetch/http_fetcher.hpp"

namespace crawler {

/// Knows the names it is told and no others.
class TableResolver final : public HostResolver {
 public:
  void Add(const std::string& host, std::vector<std::string> addresses);
  /// Lookups of this name never come to an end.
  void NeverAnswer(const std::string& host);
  /// How often `host` was looked up.
  int lookups(const std::string& host);

  void Resolve(std::string_view host, Callback done) override;

 private:
  Mutex mutex_;
  std::map<std::string, std::vector<IpAddress>> hosts_ CRAWLER_GUARDED_BY(mutex_);
  std::map<std::string, int> lookups_ CRAWLER_GUARDED_BY(mutex_);
  std::vector<std::string> silent_ CRAWLER_GUARDED_BY(mutex_);
};

/// For fetches from servers of a test: loopback allowed, short limits, no system resolver.
FetchOptions TestOptions();

/// A resolver that knows `host` to be at 127.0.0.1.
std::shared_ptr<TableResolver> LocalHost(const std::string& host);

FetchRequest RequestFor(std::string_view url);

/// Fetches one URL, following up to `max_redirects`.
FetchResult Fetch(std::string_view url, const FetchOptions& options = TestOptions(),
                  std::size_t max_redirects = 0);
FetchResult Fetch(FetchRequest request, const FetchOptions& options = TestOptions(),
                  std::size_t max_redirects = 0);
FetchResult Fetch(std::shared_ptr<const FetchContext> context, FetchRequest request,
                  std::size_t max_redirects = 0);

/// What is made of `reply`, sent by a server as it stands.
FetchResult FetchReply(std::string reply, const FetchOptions& options = TestOptions());

/// Several fetches by one fetcher, one after the other, e.g. to see connections reused.
class Session {
 public:
  explicit Session(const FetchOptions& options = TestOptions());
  /// A further fetcher of `context`, as another thread of a crawl has one.
  explicit Session(std::shared_ptr<const FetchContext> context);
  FetchResult Fetch(std::string_view url);
  FetchResult Fetch(FetchRequest request);
  HttpFetcher& fetcher() { return *fetcher_; }

 private:
  std::unique_ptr<HttpFetcher> fetcher_;
};

/// So that a failed expectation names the failure and its message.
std::ostream& operator<<(std::ostream& out, FetchFailure failure);

}  // namespace crawler
