#include "fetch/fetch_following.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawler {
namespace {

// The state of one chain. Owned by the callback of the hop under way.
struct Chain {
  Fetcher& fetcher;
  FetchRequest request;
  Fetcher::Done done;
  std::size_t max_redirects;
  std::vector<std::string> asked;
};

// Why the redirect of `result` is not followed; empty if it is.
std::string_view Obstacle(const Chain& chain, const FetchResult& result) {
  if (!result.redirect->followable()) return "redirected to a scheme that is not fetched";
  if (chain.asked.size() > chain.max_redirects) return "too many redirects";
  const std::string_view next = result.redirect->href_without_fragment();
  if (std::find(chain.asked.begin(), chain.asked.end(), next) != chain.asked.end()) {
    return "redirected in a circle";
  }
  return {};
}

void Ask(std::shared_ptr<Chain> chain);

void Answered(const std::shared_ptr<Chain>& chain, FetchResult result) {
  if (chain->max_redirects > 0 && result.ok() && result.redirect) {
    const std::string_view obstacle = Obstacle(*chain, result);
    if (obstacle.empty()) {
      chain->request.url = std::move(*result.redirect);
      chain->request.url.RemoveFragment();
      Ask(chain);
      return;
    }
    result.message = obstacle;
  }
  chain->asked.pop_back();
  result.redirected_from = std::move(chain->asked);
  chain->done(std::move(result));
}

void Ask(std::shared_ptr<Chain> chain) {
  chain->asked.emplace_back(chain->request.url.href_without_fragment());
  Fetcher& fetcher = chain->fetcher;
  FetchRequest request = chain->request;
  fetcher.Start(std::move(request), [chain = std::move(chain)](FetchResult result) {
    Answered(chain, std::move(result));
  });
}

}  // namespace

void FetchFollowing(Fetcher& fetcher, FetchRequest request, Fetcher::Done done,
                    std::size_t max_redirects) {
  Ask(std::make_shared<Chain>(
      Chain{fetcher, std::move(request), std::move(done), max_redirects, {}}));
}

}  // namespace crawler
