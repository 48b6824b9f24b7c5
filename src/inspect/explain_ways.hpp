#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "db/database.hpp"

namespace crawler {

/// Reads the chain of URLs by which the crawl came from a seed to the URL `id`, into `out->path`.
Status ReadPathFromSeed(Database& db, std::int64_t id, UrlExplanation* out);

/// Reads where the URL `id` redirects to, hop by hop, and which URLs redirect to it.
Status ReadRedirects(Database& db, std::int64_t id, UrlExplanation* out);

}  // namespace crawler
