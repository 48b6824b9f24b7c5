// CrawlServer: passes calls on to serve/. No logic.
#include "crawler/serve.hpp"

#include <utility>

#include "api/crawl_impl.hpp"
#include "serve/serve_address.hpp"
#include "serve/service.hpp"

namespace crawler {

std::string ParseServeAddress(std::string_view text, ServeOptions* options) {
  return ReadServeAddress(text, options);
}

class CrawlServer::Impl : public CrawlService {
 public:
  using CrawlService::CrawlService;
};

CrawlServer::CrawlServer(ServeOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
CrawlServer::~CrawlServer() = default;

std::string CrawlServer::Start() { return impl_->Start().message(); }
void CrawlServer::Stop() { impl_->Stop(); }
std::string CrawlServer::url() const { return impl_->url(); }
CrawlCallbacks CrawlServer::Observe(const std::string& folder, CrawlCallbacks callbacks) {
  return impl_->crawls().Add(folder)->Observe(std::move(callbacks));
}
void CrawlServer::Attach(const std::string& folder, Crawl& crawl) {
  impl_->crawls().Add(folder)->Attach(crawl.impl_.get());
}
void CrawlServer::Detach(const std::string& folder) { impl_->crawls().Add(folder)->Detach(); }
std::optional<RetrySelection> CrawlServer::TakeRetry(const std::string& folder) {
  return impl_->crawls().Add(folder)->TakeRetry();
}

}  // namespace crawler
