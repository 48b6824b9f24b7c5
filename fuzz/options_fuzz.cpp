// The options of a crawl as crawl_state may hold them: any bytes give options or a refusal, and
// options that were read are written and read again the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/options_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const crawler::Result<crawler::CrawlOptions> options = crawler::OptionsFromJson(text);
  if (!options.ok()) return 0;
  const std::string written = crawler::ToJson(*options);
  const crawler::Result<crawler::CrawlOptions> again = crawler::OptionsFromJson(written);
  if (!again.ok() || crawler::ToJson(*again) != written) std::abort();
  return 0;
}
