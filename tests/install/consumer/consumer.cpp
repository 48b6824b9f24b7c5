// The larger interface from C++: a chain of three pages; exits 0 if all three were fetched.
#include <crawler/crawler.h>

#include <string>

int main() {
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "1";
  options.fetch = [](void*, crawl_address, size_t* length) {
    *length = 0;
    static char nothing[1];
    return nothing;
  };
  options.free_content = [](void*, char*, size_t) {};
  options.parse = [](void*, const crawl_page* page, crawl_links* links) {
    const std::string next = std::to_string(std::stoi(page->address.data) + 1);
    if (page->depth < 2) crawl_emit(links, next.data(), next.size());
  };
  crawl_job* job = crawl_open(&options);
  const bool done = job != nullptr && crawl_run(job) == CRAWL_DONE;
  crawl_stats stats{};
  crawl_get_stats(job, &stats, sizeof stats);
  crawl_close(job);
  return done && stats.pages_fetched == 3 ? 0 : 1;
}
