// search_crawl FOLDER QUERY: asks a crawl, with the C++ interface. What the query may hold is in
// docs/search.md. For the first page it also says what it is about, and which pages are like it.

#include <crawler/search.hpp>
#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: search_crawl FOLDER QUERY\n");
    return 2;
  }
  crawler::Search search(argv[1]);
  crawler::SearchOptions options;
  options.limit = 5;
  options.why = true;
  const crawler::SearchAnswer answer = search.Find(argv[2], options);
  if (!answer.error.empty()) {
    std::fprintf(stderr, "%s\n", answer.error.c_str());
    return answer.outcome == crawler::ReadOutcome::Kind::kBadRequest ? 2 : 1;
  }
  for (const crawler::SearchResult& result : answer.results) {
    // Highlights are offsets, so that they can be shown in bold, in HTML, or not at all.
    std::string marked = result.snippet;
    for (auto at = result.highlights.rbegin(); at != result.highlights.rend(); ++at) {
      marked.insert(at->first + at->second, "]").insert(at->first, "[");
    }
    std::printf("%.3f  %s  \"%s\"\n  %s\n", result.score, result.url.c_str(), result.title.c_str(),
                marked.c_str());
    for (const auto& word : result.why.words) {
      std::printf("  %s: %.3f\n", word.word.c_str(), word.score);
    }
  }
  std::printf("%llu of %llu pages\n", static_cast<unsigned long long>(answer.total),
              static_cast<unsigned long long>(search.pages()));
  if (!answer.did_you_mean.empty()) std::printf("did you mean %s?\n", answer.did_you_mean.c_str());
  if (answer.results.empty()) return 1;

  const std::string& best = answer.results.front().url;
  std::printf("about:");
  for (const auto& keyword : search.Keywords(best, 3).keywords) {
    std::printf(" %s", keyword.shown.c_str());
  }
  options.limit = 1;
  for (const crawler::SearchResult& result : search.Similar(best, options).results) {
    std::printf("\nlike it: %s", result.url.c_str());
  }
  std::printf("\n");
}
