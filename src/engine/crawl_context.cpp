#include "engine/crawl_context.hpp"

namespace crawler {

void CrawlContext::Warn(std::string_view sentence) const {
  logger.Warn("Engine", sentence);
  if (callbacks.on_warning) callbacks.on_warning(sentence);
}

std::int64_t CrawlContext::NowMilliseconds() const {
  return ToMilliseconds(environment.clock->WallNow());
}

}  // namespace crawler
