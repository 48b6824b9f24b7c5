#include "frontier/memory_frontier.hpp"
#include "unit/frontier/frontier_conformance.hpp"

namespace crawler {

std::vector<FrontierImplementation> AllFrontiers() {
  return {{"Memory", [](const FrontierOptions& options) {
             return std::make_unique<MemoryFrontier>(options);
           }}};
}

}  // namespace crawler
