// Crawl and the functions on its folder: passes calls on to engine/ and inspect/. No logic.
#include <utility>

#include "api/crawl_impl.hpp"
#include "crawler/crawler.hpp"
#include "engine/seed_finder.hpp"
#include "inspect/inspect.hpp"

namespace crawler {

Crawl::Crawl(CrawlOptions options, CrawlCallbacks callbacks)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(callbacks))) {}
Crawl::~Crawl() = default;

CrawlResult Crawl::Check() { return impl_->Check(); }
CrawlResult Crawl::Run() { return impl_->Run(); }
CrawlResult Crawl::Resume(const std::function<void(CrawlOptions&)>& changes) {
  return impl_->Resume(changes);
}
CrawlResult Crawl::Retry(const RetrySelection& selection,
                         const std::function<void(CrawlOptions&)>& changes) {
  return impl_->Retry(selection, changes);
}
CrawlResult Crawl::Recrawl(const std::function<void(CrawlOptions&)>& changes) {
  return impl_->Recrawl(changes);
}
void Crawl::Stop() { impl_->Stop(); }
void Crawl::StopNow() { impl_->StopNow(); }
void Crawl::Pause() { impl_->Pause(); }
void Crawl::Continue() { impl_->Continue(); }
std::string Crawl::AddSeeds(const std::vector<std::string>& seeds) {
  return impl_->AddSeeds(seeds).status().message();
}
CrawlStatistics Crawl::statistics() const { return impl_->statistics(); }
CrawlActivity Crawl::activity() const { return impl_->activity(); }

FoundSeeds FindSeeds(const SeedSources& sources, const CrawlOptions& options) {
  return SeedFinder(sources, options).Find();
}
CrawlStatus ReadCrawlStatus(const std::string& folder) { return InspectStatus(folder); }
UrlExplanation ExplainUrl(const std::string& folder, std::string_view url) {
  return InspectUrl(folder, url);
}
CrawlVerification VerifyCrawl(const std::string& folder) { return InspectAll(folder); }

}  // namespace crawler
