#pragma once

#include "crawler/crawler.hpp"
#include "engine/web_crawl.hpp"

namespace crawler {

class Crawl::Impl : public WebCrawl {
 public:
  using WebCrawl::WebCrawl;
};

}  // namespace crawler
