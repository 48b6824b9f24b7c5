// crawl(): what is fetched, what is reported, what is refused. The rules are those of crawler.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <climits>

#include "c_api/graph_site.hpp"

namespace crawler_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Crawls with a few shapes of pools and queue; each must report exactly what the oracle says.
void ExpectExact(const Pages& pages, const std::string& start) {
  const Truth truth = Oracle(pages, start);
  constexpr int kShapes[][3] = {{1, 1, 1}, {5, 4, 15}, {1, 8, 1}, {8, 1, 1}, {2, 2, 1000}};
  for (const auto& [downloaders, parsers, queue_size] : kShapes) {
    SCOPED_TRACE(testing::Message() << downloaders << " " << parsers << " " << queue_size);
    GraphSite site(pages);
    ASSERT_EQ(site.Crawl(start, downloaders, parsers, queue_size), 0);
    site.ExpectReported(truth);
  }
}

std::vector<Edge> EdgesOf(const std::string& page) {
  GraphSite site(Pages{{"a", page}});
  EXPECT_EQ(site.Crawl("a", 1, 1, 1), 0);
  return site.Edges();
}

TEST(Crawl, VisitsWhatCanBeReached) {
  ExpectExact({{"a", "link:b link:c"},
               {"b", "text\nlink:d\n"},
               {"c", "no links"},
               {"d", ""},
               {"island", "link:a"}},
              "a");
}

TEST(Crawl, FollowsLoopsOnce) {
  ExpectExact({{"a", "link:b"}, {"b", "link:a"}}, "a");
  ExpectExact({{"a", "link:b link:c"},
               {"b", "link:d"},
               {"c", "link:d link:a"},
               {"d", "link:d link:a link:b"}},
              "a");
}

// "edge_fn for every occurrence of a link, also to a page already seen, to itself, or to a broken
// page"
TEST(Crawl, ReportsEveryOccurrence) {
  GraphSite site(
      {{"a", "link:a link:b link:b link:gone link:a link:gone link:b"}, {"b", "link:a"}});
  ASSERT_EQ(site.Crawl("a", 1, 1, 1), 0);
  EXPECT_THAT(site.Edges(),
              ElementsAre(Edge("a", "a"), Edge("a", "b"), Edge("a", "b"), Edge("a", "gone"),
                          Edge("a", "a"), Edge("a", "gone"), Edge("a", "b"), Edge("b", "a")));
  EXPECT_THAT(site.Fetches(), ElementsAre("a", "b", "gone"));
  ExpectExact(site.pages, "a");
}

TEST(Crawl, ReportsAPageInItsOrder) {
  std::string page;
  std::vector<std::string> order;
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    order.push_back("p" + std::to_string(random() % 100));
    page += (random() % 2 == 0 ? "\nlink:" : " link:") + order.back();
  }
  GraphSite site(Pages{{"a", page}});
  ASSERT_EQ(site.Crawl("a", 4, 4, 3), 0);
  std::vector<std::string> reported;
  for (const auto& [from, to] : site.Edges()) reported.push_back(to);
  EXPECT_EQ(reported, order);
}

TEST(Crawl, FetchesOnceWhatManyFindAtOnce) { ExpectExact(Complete(40), "p0"); }

TEST(Crawl, OneWorkerEachAndRoomForOneCopesWithAnyGraph) {
  const auto expect_exact = [](const Pages& pages) {
    GraphSite site(pages);
    ASSERT_EQ(site.Crawl("p0", 1, 1, 1), 0);
    site.ExpectReported(Oracle(pages, "p0"));
  };
  expect_exact(Complete(60));
  expect_exact(Star(2000));
  // Every page has more new links than the queue has room; most of them are broken.
  expect_exact(MakePages(
      400, [](int) { return 20; }, [](int i, int k) { return i * 20 + k + 1; }));
}

TEST(Crawl, TwoHundredWorkersShareSevenPages) {
  GraphSite site(Star(6));
  ASSERT_EQ(site.Crawl("p0", 200, 200, 200), 0);
  site.ExpectReported(Oracle(site.pages, "p0"));
  EXPECT_LE(site.FetchThreads(), 7u);
  EXPECT_EQ(site.EdgeThreads(), 1u);  // Only one page has links.
}

TEST(Crawl, OneWorkerIsOneThread) {
  GraphSite site(Complete(20));
  ASSERT_EQ(site.Crawl("p0", 1, 1, 5), 0);
  EXPECT_EQ(site.FetchThreads(), 1u);
  EXPECT_EQ(site.EdgeThreads(), 1u);
}

// -- What a link is -------------------------------------------------------------------------------

TEST(LinkRule, NeedsStartOrWhiteSpaceBefore) {
  EXPECT_THAT(EdgesOf("link:b"), ElementsAre(Edge("a", "b")));
  EXPECT_THAT(EdgesOf("an amazing link:b\n"), ElementsAre(Edge("a", "b")));
  EXPECT_THAT(EdgesOf("invalidlink:x"), IsEmpty());
  EXPECT_THAT(EdgesOf("a link b, link :c, Link:d, .link:e, xlink:f, lin:g"), IsEmpty());
  EXPECT_THAT(EdgesOf("\nlink:b\tlink:c"), ElementsAre(Edge("a", "b\tlink:c")));
  for (const char* white : {" ", "\n", "\t", "\r", "\v", "\f"}) {
    EXPECT_THAT(EdgesOf(std::string("x") + white + "link:b"), ElementsAre(Edge("a", "b")));
  }
  for (int c = 1; c < 256; ++c) {
    if (std::strchr(" \n\t\r\v\f", c) != nullptr) continue;
    EXPECT_THAT(EdgesOf(std::string(1, static_cast<char>(c)) + "link:b"), IsEmpty()) << c;
  }
}

TEST(LinkRule, AddressIsAllBytesUpToSpaceNewlineOrEnd) {
  EXPECT_THAT(EdgesOf("link:b:c/d?e=link:f#g end"), ElementsAre(Edge("a", "b:c/d?e=link:f#g")));
  EXPECT_THAT(EdgesOf("link:link:b"), ElementsAre(Edge("a", "link:b")));
  for (int c = 1; c < 256; ++c) {
    const std::string byte(1, static_cast<char>(c));
    const std::string address = c == ' ' || c == '\n' ? "b" : "b" + byte + "c";
    EXPECT_THAT(EdgesOf("link:b" + byte + "c"), ElementsAre(Edge("a", address))) << c;
  }
}

TEST(LinkRule, EmptyAddressIsNone) {
  EXPECT_THAT(EdgesOf("link:"), IsEmpty());
  EXPECT_THAT(EdgesOf("link: link:\nlink:"), IsEmpty());
  EXPECT_THAT(EdgesOf("link: link:b link:\nlink:c"), ElementsAre(Edge("a", "b"), Edge("a", "c")));
  EXPECT_THAT(EdgesOf("link: b"), IsEmpty());
}

TEST(LinkRule, LongPagesAndAddresses) {
  const std::string address(1 << 20, 'x');
  EXPECT_THAT(EdgesOf("link:" + address), ElementsAre(Edge("a", address)));
  EXPECT_THAT(EdgesOf(address + " link:b " + address), ElementsAre(Edge("a", "b")));
}

// -- Broken links, memory, threads ----------------------------------------------------------------

TEST(Crawl, UnreachableStartEndsAtOnceWithZero) {
  GraphSite site(Pages{});
  EXPECT_EQ(site.Crawl("nowhere", 3, 3, 3), 0);
  EXPECT_THAT(site.Fetches(), ElementsAre("nowhere"));
  EXPECT_THAT(site.Edges(), IsEmpty());
}

TEST(Crawl, BrokenLinksAreReportedAndHoldNothingUp) {
  std::string page;
  for (int i = 0; i < 300; ++i) page += " link:gone" + std::to_string(i);
  ExpectExact({{"a", page + " link:b"}, {"b", page}}, "a");
}

// Content is freed with free(): LeakSanitizer looks in the asan build, the heap's size here.
TEST(Crawl, FreesContent) {
  std::string page(100000, '.');
  for (int i = 1; i < 100; ++i) page += " link:p" + std::to_string(i);
  Pages pages;
  for (int i = 0; i < 100; ++i) pages["p" + std::to_string(i)] = page;
  const auto crawl_once = [&] {
    GraphSite site(pages);
    ASSERT_EQ(site.Crawl("p0", 4, 4, 10), 0);
    ASSERT_EQ(site.FetchCount(), 100u);
  };
  crawl_once();  // Arenas and caches.
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  crawl_once();
  const std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  EXPECT_LT(after, before + 1000000) << "of the 10 MB fetched";
}

TEST(Crawl, LeavesNoThread) {
  const std::size_t before = IdleTaskCount();
  for (int i = 0; i < 20; ++i) {
    GraphSite site(Star(10));
    ASSERT_EQ(site.Crawl("p0", 10, 10, 2), 0);
  }
  EXPECT_TRUE(Eventually([&] { return TaskCount() <= before; })) << TaskCount();
}

// "Strings given to callbacks … stay valid until the call that runs the crawl returns. The same
// address is always the same pointer."
TEST(Crawl, StringsStayValidAndUnique) {
  struct Seen {
    std::mutex mutex;
    std::map<std::string, char*> pointers;
    void See(char* text) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(pointers.emplace(text, text).first->second, text);
    }
    void CheckAll() {
      const std::lock_guard lock(mutex);
      for (const auto& [text, pointer] : pointers) EXPECT_EQ(text, pointer);
    }
  };
  static Seen seen;
  static GraphSite site(Complete(30));
  site.MakeCurrent();
  char start[] = "p0";
  const auto fetch = [](char* link) {
    seen.See(link);
    seen.CheckAll();
    return GraphSite::PlainFetch(link);
  };
  const auto edge = [](char* from, char* to) {
    seen.See(from);
    seen.See(to);
  };
  ASSERT_EQ(crawl(start, 3, 3, 4, fetch, edge), 0);
  EXPECT_EQ(seen.pointers.size(), 30u);
}

// -- What is refused ------------------------------------------------------------------------------

TEST(Crawl, RefusesBadArguments) {
  static int calls = 0;
  const auto fetch = [](char*) -> char* { return ++calls, nullptr; };
  const auto edge = [](char*, char*) { ++calls; };
  char start[] = "a";
  char empty[] = "";
  EXPECT_EQ(crawl(nullptr, 1, 1, 1, fetch, edge), -1);
  EXPECT_EQ(crawl(empty, 1, 1, 1, fetch, edge), -1);
  EXPECT_EQ(crawl(start, 1, 1, 1, nullptr, edge), -1);
  EXPECT_EQ(crawl(start, 1, 1, 1, fetch, nullptr), -1);
  for (const int bad : {0, -1, INT_MIN}) {
    EXPECT_EQ(crawl(start, bad, 1, 1, fetch, edge), -1) << bad;
    EXPECT_EQ(crawl(start, 1, bad, 1, fetch, edge), -1) << bad;
    EXPECT_EQ(crawl(start, 1, 1, bad, fetch, edge), -1) << bad;
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(crawl(start, 1, 1, 1, fetch, edge), 0);
  EXPECT_EQ(calls, 1);
}

TEST(Crawl, LargestQueueCostsNothing) {
  GraphSite site(Star(50));
  EXPECT_EQ(site.Crawl("p0", 2, 2, INT_MAX), 0);
  site.ExpectReported(Oracle(site.pages, "p0"));
}

}  // namespace
}  // namespace crawler_test
