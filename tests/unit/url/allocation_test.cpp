// The hot path allocates nothing once its memory is warm: counted, by replacing operator new. The
// sanitizers replace it themselves, and a build with them has nothing to count.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "url/domain.hpp"
#include "url/link_resolver.hpp"
#include "url/normalize.hpp"
#include "url/url.hpp"

namespace {
std::atomic<long> allocations{0};
std::atomic<long> bytes_held{0};

void Release(void* memory) {
  bytes_held.fetch_sub(static_cast<long>(malloc_usable_size(memory)), std::memory_order_relaxed);
  std::free(memory);
}
}  // namespace

// g++ inlines one of the pair and then misses the other.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  bytes_held.fetch_add(static_cast<long>(malloc_usable_size(memory)), std::memory_order_relaxed);
  return memory;
}
void operator delete(void* memory) noexcept { Release(memory); }
void operator delete(void* memory, std::size_t) noexcept { Release(memory); }

namespace crawler {
namespace {

constexpr std::string_view kHrefs[] = {"page.html",          "../a/./b.html#top",
                                       "/root?x=%7e1&y=2",   "//other.example/p",
                                       "https://h.example/", "?q=a b",
                                       "caf\xc3\xa9/x.png",  "mailto:a@b",
                                       "javascript:void(0)", "http://u:p@HOST:8080/%2e",
                                       "#fragment",          "http://0x7f.1/"};

template <typename Work>
long AllocationsOf(Work work) {
  work();  // Warms up.
  const long before = allocations.load();
  work();
  return allocations.load() - before;
}

TEST(Allocations, NoneForALinkOnceWarm) {
  Url base, url;
  ParseUrl("https://docs.example.org/folder/of/some/length/index.html", nullptr, &base);
  EXPECT_EQ(AllocationsOf([&] {
              for (const std::string_view href : kHrefs) {
                ParseUrl(href, &base, &url);
                NormalizeUrl(&url);
              }
            }),
            0);
  LinkResolver links;
  EXPECT_EQ(AllocationsOf([&] {
              links.Reset(base);
              for (const std::string_view href : kHrefs) links.Resolve(href);
              for (const std::string_view href : kHrefs) links.Resolve(href);
            }),
            0);
  EXPECT_EQ(AllocationsOf([&] { EXPECT_EQ(SiteOf(base), "example.org"); }), 0);
}

// Pages whose long URLs are never the same ones in order: each entry meets one in the end.
TEST(Allocations, LongUrlsHoldNoMemoryBeyondTheirPage) {
  Url base;
  ParseUrl("https://docs.example.org/", nullptr, &base);
  LinkResolver links;
  const std::string long_name(20'000, 'x');
  const long before = bytes_held.load();
  for (int page = 0; page < 10; ++page) {
    links.Reset(base);
    for (int i = 0; i < 2000; ++i) {
      links.Resolve((i / 200 == page ? long_name : "page") + std::to_string(i));
    }
  }
  links.Reset(base);
  EXPECT_LT(bytes_held.load() - before, 4'000'000);
}

}  // namespace
}  // namespace crawler

#endif
