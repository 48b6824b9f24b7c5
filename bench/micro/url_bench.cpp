// URLs a second, on the links of real pages: the hrefs of documentation that Debian packages
// install, page by page as a crawl meets them.
//
//     url_bench --benchmark_enable_random_interleaving=true --benchmark_repetitions=5
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "doc_pages.hpp"
#include "url/domain.hpp"
#include "url/link_resolver.hpp"
#include "url/normalize.hpp"
#include "url/scope.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

struct Page {
  Url url;
  std::vector<std::string> hrefs;
};

// The values of href="…", which these pages all write with double quotes.
std::vector<std::string> FindHrefs(const std::string& html) {
  constexpr std::string_view kStart = " href=\"";
  std::vector<std::string> hrefs;
  for (std::size_t at = 0; (at = html.find(kStart, at)) != std::string::npos;) {
    at += kStart.size();
    const std::size_t end = html.find('"', at);
    if (end == std::string::npos) break;
    hrefs.push_back(html.substr(at, end - at));
  }
  return hrefs;
}

const std::vector<Page>& Pages() {
  static const std::vector<Page> pages = [] {
    std::vector<Page> all;
    for (const DocPage& source : ReadDocPages(200)) {
      Page& page = all.emplace_back();
      page.hrefs = FindHrefs(source.html);
      ParseUrl("https://docs.example.org" + source.path, nullptr, &page.url);
    }
    return all;
  }();
  return pages;
}

// Calls `use(page)`, which returns how many URLs it did, for all pages; reports URLs a second.
template <typename Use>
void RunPages(benchmark::State& state, Use use) {
  if (Pages().empty()) {
    state.SkipWithError(kNoDocPages);
    return;
  }
  std::size_t done = 0;
  for (auto _ : state) {
    for (const Page& page : Pages()) done += use(page);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(done));
}

void BM_ParseResolveNormalize(benchmark::State& state) {
  Url url;
  RunPages(state, [&url](const Page& page) {
    for (const std::string& href : page.hrefs) {
      ParseUrl(href, &page.url, &url);
      NormalizeUrl(&url);
      benchmark::DoNotOptimize(url.href().data());
    }
    return page.hrefs.size();
  });
}
BENCHMARK(BM_ParseResolveNormalize);

void BM_LinkResolver(benchmark::State& state) {
  LinkResolver links;
  RunPages(state, [&links](const Page& page) {
    links.Reset(page.url);
    for (const std::string& href : page.hrefs) {
      benchmark::DoNotOptimize(links.Resolve(href).url);
    }
    return page.hrefs.size();
  });
}
BENCHMARK(BM_LinkResolver);

// The links resolved: what seeds and sitemaps look like.
const std::vector<Url>& Absolute() {
  static const std::vector<Url> all = [] {
    std::vector<Url> urls;
    for (const Page& page : Pages()) {
      for (const std::string& href : page.hrefs) {
        Url url;
        if (ParseUrl(href, &page.url, &url) == UrlKind::kFollowable) urls.push_back(std::move(url));
      }
    }
    return urls;
  }();
  return all;
}

template <typename Use>
void RunAbsolute(benchmark::State& state, Use use) {
  if (Absolute().empty()) {
    state.SkipWithError(kNoDocPages);
    return;
  }
  for (auto _ : state) {
    for (const Url& url : Absolute()) use(url);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(Absolute().size()));
}

void BM_ParseAbsolute(benchmark::State& state) {
  Url out;
  RunAbsolute(state, [&out](const Url& url) {
    ParseUrl(url.href(), nullptr, &out);
    benchmark::DoNotOptimize(out.href().data());
  });
}
BENCHMARK(BM_ParseAbsolute);

void BM_RegistrableDomain(benchmark::State& state) {
  RunAbsolute(state, [](const Url& url) { benchmark::DoNotOptimize(SiteOf(url).data()); });
}
BENCHMARK(BM_RegistrableDomain);

void BM_ScopeCheck(benchmark::State& state) {
  const auto scope = Scope::Create({});
  Url seed;
  ParseUrl("https://docs.example.org/", nullptr, &seed);
  (*scope)->AddSeed(seed);
  RunAbsolute(state,
              [&scope](const Url& url) { benchmark::DoNotOptimize((*scope)->Check(url).allowed); });
}
BENCHMARK(BM_ScopeCheck);

}  // namespace
}  // namespace crawler

BENCHMARK_MAIN();
