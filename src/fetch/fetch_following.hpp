#pragma once

#include <cstddef>

#include "fetch/fetcher.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// Redirects that are followed for robots.txt and sitemaps (RFC 9309, 2.3.1.2).
inline constexpr std::size_t kMaxRedirects = 5;

/// Fetches `request` and follows its redirects, at most `max_redirects` of them. Every hop is a
/// separate request with the same checks. `done` gets the last response. A redirect that is not
/// followed (too many, a loop, not http) is the last response, and its `message` says why.
/// `fetcher` must outlive the call of `done`, which comes from its Poll().
void FetchFollowing(Fetcher& fetcher, FetchRequest request, Fetcher::Done done,
                    std::size_t max_redirects = kMaxRedirects);

}  // namespace crawler
