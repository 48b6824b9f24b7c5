#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/status.hpp"
#include "fetch/context.hpp"
#include "fetch/fetcher.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// What robots.txt and sitemaps may do (RFC 9309, 2.3.1.2).
inline constexpr std::size_t kMaxRedirects = 5;

/// Fetches `request` and follows its redirects, at most `max_redirects` of them. Every hop is
/// a request of its own, vetted like any other. `done` gets the last response; a redirect that is
/// not followed any more (too many, back to a URL already asked, not http) is that last response,
/// and its `message` says why.
/// `fetcher` must outlive the call of `done`, which comes from its Poll().
void FetchFollowing(Fetcher& fetcher, FetchRequest request, Fetcher::Done done,
                    std::size_t max_redirects = kMaxRedirects);

/// Fetches one URL and waits for it, following up to `max_redirects` redirects. A Status only for
/// what is wrong on our side.
Result<FetchResult> FetchOnce(std::shared_ptr<const FetchContext> context, FetchRequest request,
                              std::size_t max_redirects = 0);

}  // namespace crawler
