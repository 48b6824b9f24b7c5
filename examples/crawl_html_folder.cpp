// Crawls a folder of HTML files with a parser of its own, and prints the graph and the statistics.
//
//     crawl_html_folder FOLDER START      e.g. crawl_html_folder examples/html_site index.html
//
// An address is a path in the folder. The parser finds href="…" and resolves it against the page;
// a real one would use an HTML parser.
#include <crawler/crawler.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path root;
};

std::string_view View(crawl_address address) { return {address.data, address.length}; }

char* Fetch(void* user, crawl_address address, size_t* length) {
  const fs::path path = static_cast<Folder*>(user)->root / View(address);
  std::error_code error;  // A callback must not throw, and reading a folder would.
  if (!fs::is_regular_file(path, error)) return nullptr;
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return nullptr;
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  char* const content = static_cast<char*>(std::malloc(text.size() + 1));
  if (content == nullptr) return nullptr;
  std::copy(text.begin(), text.end(), content);
  *length = text.size();
  return content;
}

void Parse(void*, const crawl_page* page, crawl_links* links) {
  const std::string_view html(page->content, page->content_length);
  constexpr std::string_view kMarker = "href=\"";
  for (size_t at = html.find(kMarker); at != html.npos; at = html.find(kMarker, at)) {
    at += kMarker.size();
    const std::string_view href = html.substr(at, html.find_first_of("\"#", at) - at);
    if (href.empty() || href.find(':') != href.npos) continue;  // Leads out of the folder.
    const fs::path to = (fs::path(View(page->address)).parent_path() / href).lexically_normal();
    const std::string address = to.string();
    if (address.starts_with("..") || to.is_absolute()) continue;
    if (crawl_emit(links, address.data(), address.size()) != 0) return;
  }
}

void Edge(void*, crawl_address from, crawl_address to) {
  std::printf("%s -> %s\n", from.data, to.data);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " FOLDER START\n";
    return 2;
  }
  Folder folder{argv[1]};
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = argv[2];
  options.user = &folder;
  options.fetch = Fetch;
  options.parse = Parse;
  options.edge = Edge;

  crawl_job* const job = crawl_open(&options);
  if (job == nullptr || crawl_run(job) != CRAWL_DONE) {
    std::cerr << argv[0] << ": the crawl failed: " << crawl_error() << '\n';
    crawl_close(job);
    return 1;
  }
  crawl_stats stats;
  crawl_get_stats(job, &stats, sizeof stats);
  std::cerr << stats.pages_fetched << " pages, " << stats.pages_broken << " broken, " << stats.edges
            << " links, " << stats.duplicates << " of them to pages known already\n";
  crawl_close(job);
  return 0;
}
