// crawl_options: its defaults, its growth, and what each of them changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>

#include "c_api/graph_site.hpp"

namespace crawler_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::string Text(crawl_address address) {
  EXPECT_EQ(address.data[address.length], '\0');  // "`data` is NUL-terminated"
  return std::string(address.data, address.length);
}

TEST(Options, DefaultsAreAsDocumented) {
  crawl_options options;
  std::memset(&options, 0xff, sizeof options);
  crawl_options_init(&options, sizeof options);
  EXPECT_EQ(options.size, sizeof options);
  EXPECT_EQ(options.start_url, nullptr);
  EXPECT_EQ(options.user, nullptr);
  EXPECT_EQ(options.fetch, nullptr);
  EXPECT_EQ(options.parse, nullptr);
  EXPECT_EQ(options.edge, nullptr);
  EXPECT_EQ(options.log, nullptr);
  EXPECT_EQ(options.download_workers, 4);
  EXPECT_EQ(options.parse_workers, 2);
  EXPECT_EQ(options.queue_size, 1000);
  EXPECT_EQ(options.max_pages, CRAWL_UNLIMITED);
  EXPECT_EQ(options.max_depth, CRAWL_UNLIMITED);
}

TEST(Options, BadOnesAreRefusedWithAReason) {
  GraphSite site(Pages{});
  const auto expect_refused = [&](const std::function<void(crawl_options&)>& spoil) {
    crawl_options options = site.Options("a");
    ASSERT_EQ(RunJob(options), CRAWL_DONE);
    EXPECT_STREQ(crawl_error(), "");  // "'' if it did not [fail]"
    spoil(options);
    EXPECT_EQ(crawl_open(&options), nullptr);
    EXPECT_STRNE(crawl_error(), "");
  };
  expect_refused([](crawl_options& o) { o.start_url = nullptr; });
  expect_refused([](crawl_options& o) { o.start_url = ""; });
  expect_refused([](crawl_options& o) { o.fetch = nullptr; });
  expect_refused([](crawl_options& o) { o.size = 0; });
  expect_refused([](crawl_options& o) { o.size = offsetof(crawl_options, fetch); });
  for (const int bad : {0, -1, INT_MIN}) {
    expect_refused([=](crawl_options& o) { o.download_workers = bad; });
    expect_refused([=](crawl_options& o) { o.parse_workers = bad; });
    expect_refused([=](crawl_options& o) { o.queue_size = bad; });
  }
  // More threads than a system can number: refused before anything is set aside for them.
  for (const int many : {5'000'000, INT_MAX}) {
    expect_refused([=](crawl_options& o) { o.download_workers = many; });
    expect_refused([=](crawl_options& o) { o.parse_workers = many; });
  }
  EXPECT_EQ(crawl_open(nullptr), nullptr);
  EXPECT_STRNE(crawl_error(), "");
}

TEST(Options, ReasonBelongsToItsThread) {
  EXPECT_EQ(crawl_open(nullptr), nullptr);
  std::thread([] { EXPECT_STREQ(crawl_error(), ""); }).join();
  EXPECT_STRNE(crawl_error(), "");
}

// "required, and copied by crawl_open()"
TEST(Options, AreCopiedByOpen) {
  GraphSite site(Pages{{"a", "link:b"}});
  std::string start = "a";
  crawl_options options = site.Options(start.c_str());
  crawl_job* const job = crawl_open(&options);
  ASSERT_NE(job, nullptr);
  start = "z";
  std::memset(&options, 0, sizeof options);
  EXPECT_EQ(crawl_run(job), CRAWL_DONE);
  crawl_close(job);
  EXPECT_THAT(site.Fetches(), ElementsAre("a", "b"));
}

// -- Growth: "Structures grow at the end only, and whoever passes one says how large" -------------

/// A program of yesterday: it knows the structure up to `queue_size` only.
TEST(Growth, OlderProgramGetsDefaultsForTheRest) {
  constexpr std::size_t kOlder = offsetof(crawl_options, max_pages);
  alignas(crawl_options) unsigned char memory[sizeof(crawl_options)];
  std::memset(memory, 0xa5, sizeof memory);
  auto* const options = reinterpret_cast<crawl_options*>(memory);
  crawl_options_init(options, kOlder);
  EXPECT_EQ(options->size, kOlder);
  for (std::size_t i = kOlder; i < sizeof memory; ++i) {
    ASSERT_EQ(memory[i], 0xa5) << "byte " << i << " is not the program's to give";
  }
  std::memset(memory + kOlder, 0, sizeof memory - kOlder);  // Would be max_pages = max_depth = 0.

  GraphSite site(Star(5));
  const crawl_options filled = site.Options("p0");
  options->start_url = filled.start_url;
  options->user = filled.user;
  options->fetch = filled.fetch;
  options->edge = filled.edge;
  EXPECT_EQ(RunJob(*options), CRAWL_DONE);
  EXPECT_EQ(site.FetchCount(), 6u);
}

/// A program of tomorrow: its structure has more members than this library knows.
TEST(Growth, NewerProgramMayLeaveTheRestUnset) {
  struct Newer {
    crawl_options options;
    std::uint64_t more[4];
  } newer;
  std::memset(&newer, 0xa5, sizeof newer);
  crawl_options_init(&newer.options, sizeof newer);
  EXPECT_EQ(newer.options.size, sizeof newer);
  EXPECT_THAT(newer.more, ElementsAre(0u, 0u, 0u, 0u));
  GraphSite site(Star(5));
  newer.options = site.Options("p0");
  newer.options.size = sizeof newer;
  EXPECT_EQ(RunJob(newer.options), CRAWL_DONE);
  EXPECT_EQ(site.FetchCount(), 6u);

  // It asks for something that this library cannot do: better refused than ignored.
  newer.more[3] = 1;
  EXPECT_EQ(crawl_open(&newer.options), nullptr);
  EXPECT_STRNE(crawl_error(), "");
}

TEST(Growth, StatsFitTheirCaller) {
  GraphSite site(Star(5));
  const auto check = [](crawl_job* job) {
    constexpr std::size_t kOlder = offsetof(crawl_stats, bytes_fetched);
    alignas(crawl_stats) unsigned char memory[sizeof(crawl_stats) + 16];
    auto* const stats = reinterpret_cast<crawl_stats*>(memory);
    std::memset(memory, 0xa5, sizeof memory);
    crawl_get_stats(job, stats, kOlder);
    EXPECT_EQ(stats->pages_fetched, 6u);
    for (std::size_t i = kOlder; i < sizeof memory; ++i) ASSERT_EQ(memory[i], 0xa5) << i;
    crawl_get_stats(job, stats, sizeof memory);
    EXPECT_EQ(stats->edges, 5u);
    for (std::size_t i = sizeof(crawl_stats); i < sizeof memory; ++i) ASSERT_EQ(memory[i], 0) << i;
  };
  EXPECT_EQ(RunJob(site.Options("p0"), check), CRAWL_DONE);
}

// -- Callbacks ------------------------------------------------------------------------------------

TEST(Options, NobodyNeedBeToldOfEdges) {
  GraphSite site(Star(5));
  crawl_options options = site.Options("p0");
  options.edge = nullptr;
  const auto check = [](crawl_job* job) { EXPECT_EQ(StatsOf(job).edges, 5u); };
  EXPECT_EQ(RunJob(options, check), CRAWL_DONE);
  EXPECT_EQ(site.FetchCount(), 6u);
}

// Two jobs whose callbacks differ in nothing but their user pointer.
TEST(Options, UserPointerReachesEveryCallback) {
  struct User {
    std::atomic<int> fetched{0}, freed{0}, parsed{0}, edges{0}, logged{0};
  };
  const auto as_user = [](void* user) -> User& { return *static_cast<User*>(user); };
  static const auto of = as_user;
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "a";
  options.fetch = [](void* user, crawl_address, std::size_t*) {
    ++of(user).fetched;
    return static_cast<char*>(std::calloc(1, 1));
  };
  options.free_content = [](void* user, char* content, std::size_t) {
    ++of(user).freed;
    std::free(content);
  };
  options.parse = [](void* user, const crawl_page*, crawl_links* links) {
    ++of(user).parsed;
    crawl_emit(links, "b", 1);
  };
  options.edge = [](void* user, crawl_address, crawl_address) { ++of(user).edges; };
  options.log = [](void* user, int, const char*) { ++of(user).logged; };
  User users[2];
  for (User& user : users) {
    options.user = &user;
    EXPECT_EQ(RunJob(options), CRAWL_DONE);
  }
  for (User& user : users) {
    EXPECT_EQ(user.fetched, 2);
    EXPECT_EQ(user.freed, 2);
    EXPECT_EQ(user.parsed, 2);
    EXPECT_EQ(user.edges, 2);
    EXPECT_GT(user.logged, 0);
  }
}

TEST(Options, ContentIsFreedOnceWithItsLength) {
  // Even and odd lengths, broken ones, empty ones: see GraphSite::Options().
  Pages pages = MakePages(
      200, [](int i) { return i % 7; }, [](int i, int k) { return i * 2 + k; });
  pages["p3"] = "";
  GraphSite site(pages);
  EXPECT_EQ(RunJob(site.Options("p1")), CRAWL_DONE);
  const Truth truth = Oracle(pages, "p1");
  EXPECT_GT(truth.broken, 0u);
  EXPECT_EQ(site.freed, truth.fetched);
  EXPECT_EQ(site.freed_bytes, truth.bytes);
}

// Not only in the end: a crawl that keeps up holds a few pages, however many there are.
TEST(Options, ContentIsFreedWhenParsed) {
  GraphSite site(MakePages(
      300, [](int i) { return i < 299 ? 1 : 0; }, [](int i, int) { return i + 1; }));
  site.on_fetch = [&](const std::string&) {
    // Before this page only its predecessor can still be in a parser.
    EXPECT_TRUE(Eventually([&] { return site.freed + 1 >= site.FetchCount() - 1; }));
  };
  EXPECT_EQ(RunJob(site.Options("p0")), CRAWL_DONE);
  EXPECT_EQ(site.freed, 300u);
}

TEST(Options, LengthIsPresetToNulTerminated) {
  struct Seen {
    std::atomic<int> wrong{0};
  } seen;
  GraphSite site(Pages{});
  crawl_options options = site.Options("a");
  options.user = &seen;
  options.edge = nullptr;
  options.free_content = nullptr;  // Default: free().
  options.fetch = [](void* user, crawl_address address, std::size_t* length) -> char* {
    if (*length != CRAWL_NUL_TERMINATED) ++static_cast<Seen*>(user)->wrong;
    if (address.data[0] == 'b') {
      *length = 12345;  // Broken all the same.
      return nullptr;
    }
    char* const content = static_cast<char*>(std::malloc(7));
    std::memcpy(content, "link:b", 7);
    return content;
  };
  const auto check = [](crawl_job* job) {
    EXPECT_EQ(StatsOf(job).bytes_fetched, 6u);
    EXPECT_EQ(StatsOf(job).pages_broken, 1u);
  };
  EXPECT_EQ(RunJob(options, check), CRAWL_DONE);
  EXPECT_EQ(seen.wrong, 0);
}

// "lengths for content with zero bytes": they may be in addresses too, which then differ by them.
TEST(Options, ContentAndAddressesMayHoldNuls) {
  using std::string_literals::operator""s;
  const Pages pages{{"a", "x\0y link:b\0c link:b link:b\0d\nlink:b\0c \0link:no"s},
                    {"b\0c"s, "link:a link:\0"s},
                    {"b", "link:c\0link:d"s}};
  GraphSite site(pages);
  EXPECT_EQ(RunJob(site.Options("a")), CRAWL_DONE);
  EXPECT_THAT(site.Fetches(),
              UnorderedElementsAre("a", "b\0c"s, "b", "b\0d"s, "\0"s, "c\0link:d"s));
  site.ExpectReported(Oracle(pages, "a"));
}

// The content needs no terminator when its length is given.
TEST(Options, ReadsNoByteBeyondTheLength) {
  struct World {
    std::atomic<int> edges{0};
  } world;
  crawl_options options;
  crawl_options_init(&options, sizeof options);
  options.start_url = "a";
  options.user = &world;
  options.fetch = [](void*, crawl_address address, std::size_t* length) -> char* {
    if (address.data[0] != 'a') return nullptr;
    *length = 6;
    char* const content = static_cast<char*>(std::malloc(6));  // asan watches its end.
    std::memcpy(content, "link:b", 6);
    return content;
  };
  options.edge = [](void* user, crawl_address, crawl_address to) {
    EXPECT_EQ(Text(to), "b");
    ++static_cast<World*>(user)->edges;
  };
  EXPECT_EQ(RunJob(options), CRAWL_DONE);
  EXPECT_EQ(world.edges, 1);
}

// -- A parser of the caller's ---------------------------------------------------------------------

/// Reads addresses separated by commas.
void ParseCommas(void*, const crawl_page* page, crawl_links* links) {
  std::string_view rest(page->content, page->content_length);
  while (!rest.empty()) {
    const std::string_view link = rest.substr(0, rest.find(','));
    EXPECT_EQ(crawl_emit(links, link.data(), link.size()), 0);
    rest.remove_prefix(std::min(rest.size(), link.size() + 1));
  }
}

TEST(Parser, CallbackFindsTheLinks) {
  using std::string_literals::operator""s;
  GraphSite site(Pages{{"a", "b,c d,,b,link:e,x\0y,"s}, {"b", "a"}, {"c d", "b"}});
  crawl_options options = site.Options("a");
  options.download_workers = options.parse_workers = options.queue_size = 1;
  options.parse = ParseCommas;
  EXPECT_EQ(RunJob(options), CRAWL_DONE);
  // "An empty address is no link."
  EXPECT_THAT(site.Edges(),
              ElementsAre(Edge("a", "b"), Edge("a", "c d"), Edge("a", "b"), Edge("a", "link:e"),
                          Edge("a", "x\0y"s), Edge("b", "a"), Edge("c d", "b")));
  EXPECT_THAT(site.Fetches(), ElementsAre("a", "b", "c d", "link:e", "x\0y"s));
}

TEST(Parser, EmptyAddressIsNoLink) {
  GraphSite site(Pages{{"a", ""}});
  crawl_options options = site.Options("a");
  options.parse = [](void*, const crawl_page*, crawl_links* links) {
    EXPECT_EQ(crawl_emit(links, "", 0), 0);
    EXPECT_EQ(crawl_emit(links, nullptr, 0), 0);
  };
  EXPECT_EQ(RunJob(options), CRAWL_DONE);
  EXPECT_THAT(site.Edges(), IsEmpty());
}

TEST(Parser, SeesAddressContentAndDepth) {
  static std::mutex mutex;
  static std::map<std::string, std::string> seen;
  seen.clear();
  GraphSite site(Pages{{"a", "b"}, {"b", "c"}, {"c", "a"}});
  crawl_options options = site.Options("a");
  options.parse = [](void* user, const crawl_page* page, crawl_links* links) {
    {
      const std::lock_guard lock(mutex);
      seen[Text(page->address)] =
          std::string(page->content, page->content_length) + std::to_string(page->depth);
    }
    ParseCommas(user, page, links);
  };
  EXPECT_EQ(RunJob(options), CRAWL_DONE);
  EXPECT_THAT(seen, ElementsAre(std::pair("a", "b0"), std::pair("b", "c1"), std::pair("c", "a2")));
}

// An address is copied: the parser's buffer may change as soon as crawl_emit() is back.
TEST(Parser, AddressIsCopied) {
  GraphSite site(Pages{{"a", ""}});
  crawl_options options = site.Options("a");
  options.parse = [](void*, const crawl_page*, crawl_links* links) {
    char buffer[8] = "x0";
    for (char c = '0'; c <= '9'; ++c) {
      buffer[1] = c;
      crawl_emit(links, buffer, 2);
    }
    std::memset(buffer, 'z', sizeof buffer);
  };
  EXPECT_EQ(RunJob(options), CRAWL_DONE);
  EXPECT_THAT(site.Fetches(), UnorderedElementsAre("a", "x0", "x1", "x2", "x3", "x4", "x5", "x6",
                                                   "x7", "x8", "x9"));
}

TEST(Version, IsNumbers) {
  EXPECT_THAT(crawl_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace crawler_test
