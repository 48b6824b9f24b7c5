#pragma once

#include <functional>
#include <string>

#include "crawler/crawler.hpp"

namespace crawler {

/// The same callbacks, none of which throws: `failed` is called with the name of the callback and
/// the message of the exception, on the thread that called it.
CrawlCallbacks GuardCallbacks(CrawlCallbacks callbacks,
                              const std::function<void(std::string)>& failed);

}  // namespace crawler
