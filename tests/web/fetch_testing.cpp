#include "web/fetch_testing.hpp"

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "web/hostile_server.hpp"

namespace crawler {

void TableResolver::Add(const std::string& host, std::vector<std::string> addresses) {
  MutexLock lock(mutex_);
  std::vector<IpAddress>& entry = hosts_[host];
  entry.clear();
  for (const std::string& address : addresses) {
    entry.push_back(IpAddress::FromText(address).value());
  }
}

void TableResolver::NeverAnswer(const std::string& host) {
  MutexLock lock(mutex_);
  silent_.push_back(host);
}

int TableResolver::lookups(const std::string& host) {
  MutexLock lock(mutex_);
  return lookups_[host];
}

void TableResolver::Resolve(std::string_view host, Callback done) {
  auto answer = std::make_shared<ResolvedHost>();
  {
    MutexLock lock(mutex_);
    const std::string name(host);
    ++lookups_[name];
    if (std::find(silent_.begin(), silent_.end(), name) != silent_.end()) return;
    const auto found = hosts_.find(name);
    if (found != hosts_.end()) answer->addresses = found->second;
  }
  if (answer->addresses.empty()) answer->error = "no such name";
  answer->expires = Clock::System().Now() + std::chrono::seconds(60);
  done(std::move(answer));
}

FetchOptions TestOptions() {
  FetchOptions options;
  options.user_agent = "crawler-test/1";
  options.contact = "https://crawler.test/about";
  options.resolver = std::make_shared<TableResolver>();
  options.allowed_nets = AllowedNets::Parse(std::vector<std::string>{"127.0.0.0/8", "::1"}).value();
  options.limits.connect = std::chrono::milliseconds(2'000);
  options.limits.response = std::chrono::milliseconds(2'000);
  options.limits.total = std::chrono::milliseconds(5'000);
  options.limits.speed_window = std::chrono::milliseconds(1'000);
  return options;
}

std::shared_ptr<TableResolver> LocalHost(const std::string& host) {
  auto resolver = std::make_shared<TableResolver>();
  resolver->Add(host, {"127.0.0.1"});
  return resolver;
}

FetchRequest RequestFor(std::string_view url) {
  FetchRequest request;
  ParseUrl(url, nullptr, &request.url);
  return request;
}

FetchResult Fetch(std::shared_ptr<const FetchContext> context, FetchRequest request,
                  std::size_t max_redirects) {
  const std::unique_ptr<HttpFetcher> fetcher =
      std::move(HttpFetcher::Create(std::move(context))).value();
  FetchResult answer;
  FetchFollowing(
      *fetcher, std::move(request), [&answer](FetchResult result) { answer = std::move(result); },
      max_redirects);
  fetcher->RunUntilIdle();
  return answer;
}

FetchResult Fetch(FetchRequest request, const FetchOptions& options, std::size_t max_redirects) {
  Result<std::shared_ptr<const FetchContext>> context = FetchContext::Create(options);
  if (!context.ok()) throw std::runtime_error(context.status().ToString());
  return Fetch(*context, std::move(request), max_redirects);
}

FetchResult Fetch(std::string_view url, const FetchOptions& options, std::size_t max_redirects) {
  return Fetch(RequestFor(url), options, max_redirects);
}

FetchResult FetchReply(std::string reply, const FetchOptions& options) {
  HostileServer server(HostileServer::Reply(std::move(reply)));
  return Fetch(server.Url(), options);
}

Session::Session(const FetchOptions& options) {
  Result<std::shared_ptr<const FetchContext>> context = FetchContext::Create(options);
  if (!context.ok()) throw std::runtime_error(context.status().ToString());
  fetcher_ = std::move(HttpFetcher::Create(*context)).value();
}

Session::Session(std::shared_ptr<const FetchContext> context)
    : fetcher_(std::move(HttpFetcher::Create(std::move(context))).value()) {}

FetchResult Session::Fetch(FetchRequest request) {
  FetchResult answer;
  fetcher_->Start(std::move(request), [&](FetchResult result) { answer = std::move(result); });
  fetcher_->RunUntilIdle();
  return answer;
}

FetchResult Session::Fetch(std::string_view url) { return Fetch(RequestFor(url)); }

std::ostream& operator<<(std::ostream& out, FetchFailure failure) {
  return out << FetchFailureName(failure);
}

}  // namespace crawler
