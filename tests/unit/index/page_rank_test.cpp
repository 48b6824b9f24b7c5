#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "index/link_graph.hpp"
#include "index/test_crawl.hpp"

namespace crawler {
namespace {

TEST(LinkList, ReadsWhatPagesWrite) {
  LinkListReader reader(R"([7,[12,1,"a \"b\" \u00e9\n\\"],9,[3,0,""]])");
  LinkListReader::Link link;
  ASSERT_TRUE(reader.Next(&link));
  EXPECT_EQ(link.to, 7u);
  EXPECT_FALSE(link.nofollow);
  EXPECT_EQ(link.text, "");
  ASSERT_TRUE(reader.Next(&link));
  EXPECT_EQ(link.to, 12u);
  EXPECT_TRUE(link.nofollow);
  EXPECT_EQ(link.text, "a \"b\" é\n\\");
  ASSERT_TRUE(reader.Next(&link));
  EXPECT_EQ(link.to, 9u);
  ASSERT_TRUE(reader.Next(&link));
  EXPECT_EQ(link.to, 3u);
  EXPECT_FALSE(reader.damaged());
  EXPECT_FALSE(reader.Next(&link));
  EXPECT_FALSE(reader.damaged());
}

// docs/formats.md, page_links: with --order relevance a number stands behind the text.
TEST(LinkList, ReadsWhatALinkPromises) {
  LinkListReader reader(R"([[7,0,"a",250],[8,1,"",10000],9])");
  LinkListReader::Link link;
  ASSERT_TRUE(reader.Next(&link));
  EXPECT_EQ(link.to, 7u);
  EXPECT_EQ(link.text, "a");
  EXPECT_EQ(link.worth, 250u);
  ASSERT_TRUE(reader.Next(&link));
  EXPECT_EQ(link.to, 8u);
  EXPECT_TRUE(link.nofollow);
  EXPECT_EQ(link.worth, 10'000u);
  ASSERT_TRUE(reader.Next(&link));
  EXPECT_EQ(link.to, 9u);
  EXPECT_EQ(link.worth, 0u);
  EXPECT_FALSE(reader.Next(&link));
  EXPECT_FALSE(reader.damaged());
}

TEST(LinkList, KnowsWhenItIsDamaged) {
  for (const char* bytes :
       {"", "7", "[7", "[7,", "[7,]", "[-7]", "[4294967296]", "[[7]]", "[[7,1]]", "[[7,0,\"a]]",
        "[[7,0,\"a\"]", "[[7,0,\"a\",]]", "[[7,0,\"a\",70000]]", "[7]]", "[7] ", "[a]", "[7 ,8]"}) {
    LinkListReader reader(bytes);
    LinkListReader::Link link;
    while (reader.Next(&link)) {
    }
    EXPECT_TRUE(reader.damaged()) << bytes;
  }
}

// As a crawl by relevance writes them.
TEST(LinkList, ReadsWhatLinksPromised) {
  LinkListReader reader(R"([[5,0,"a b",789],[6,1,"",12],8])");
  LinkListReader::Link link;
  std::vector<std::uint64_t> to;
  while (reader.Next(&link)) to.push_back(link.to);
  EXPECT_EQ(to, (std::vector<std::uint64_t>{5, 6, 8}));
}

TEST(LinkList, AnyBytesEnd) {
  std::mt19937 random(1);
  const std::string good = R"([7,[12,1,"a \"b\" \u00e9\n\\"],9,[3,0,""]])";
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = good;
    for (unsigned n = random() % 5; n > 0; --n)
      bytes[random() % bytes.size()] = "[],\"\\u019x"[random() % 10];
    bytes.resize(random() % (bytes.size() + 1));
    LinkListReader reader(bytes);
    LinkListReader::Link link;
    int links = 0;
    while (reader.Next(&link)) ASSERT_LT(++links, 100);
  }
}

/// PageRank by the book: the whole matrix, multiplied until nothing changes.
std::vector<double> BruteForce(const std::vector<std::set<int>>& links,
                               const std::set<int>& nodes) {
  const std::size_t size = links.size();
  const double count = static_cast<double>(nodes.size());
  std::vector<std::vector<double>> matrix(size, std::vector<double>(size, 0));
  for (const int from : nodes) {
    for (const int to : nodes) {
      const auto& out = links[static_cast<std::size_t>(from)];
      double share = 1 / count;
      if (!out.empty()) share = out.contains(to) ? 1.0 / static_cast<double>(out.size()) : 0;
      matrix[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)] =
          0.15 / count + 0.85 * share;
    }
  }
  std::vector<double> ranks(size, 0);
  for (const int node : nodes) ranks[static_cast<std::size_t>(node)] = 1 / count;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> next(size, 0);
    for (std::size_t to = 0; to < size; ++to) {
      for (std::size_t from = 0; from < size; ++from) next[to] += matrix[to][from] * ranks[from];
    }
    ranks = next;
  }
  return ranks;
}

TEST(PageRank, IsThatOfTheWholeMatrix) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    std::mt19937 random(seed);
    TestCrawl crawl;
    const int pages = 2 + static_cast<int>(random() % 30);
    // What each URL leads to, as the test knows it: pages first, then redirects.
    std::vector<int> leads_to(1, 0);
    std::set<int> nodes;
    std::vector<std::int64_t> duplicate_of(static_cast<std::size_t>(pages) + 1, 0);
    for (int page = 1; page <= pages; ++page) {
      if (page > 2 && random() % 6 == 0) {
        duplicate_of[static_cast<std::size_t>(page)] = 1 + static_cast<int>(random() % 2);
      }
      const auto original = static_cast<int>(duplicate_of[static_cast<std::size_t>(page)]);
      leads_to.push_back(original == 0 ? page : leads_to[static_cast<std::size_t>(original)]);
      if (original == 0) nodes.insert(page);
    }
    const int redirects = static_cast<int>(random() % 6);
    std::vector<int> redirect_to;
    for (int i = 0; i < redirects; ++i) {
      const int to = 1 + static_cast<int>(random() % (pages + i));
      redirect_to.push_back(to);
      leads_to.push_back(leads_to[static_cast<std::size_t>(to)]);
    }
    const int dead = pages + redirects + 1;  // A URL that was never fetched.
    leads_to.push_back(0);

    std::vector<std::set<int>> links(static_cast<std::size_t>(pages) + 1);
    for (int page = 1; page <= pages; ++page) {
      TestPage test_page;
      test_page.url = "http://h.example/" + std::to_string(page);
      test_page.duplicate_of = duplicate_of[static_cast<std::size_t>(page)];
      test_page.noindex = random() % 5 == 0;
      std::string json;
      for (unsigned n = random() % 6; n > 0; --n) {
        const int url = 1 + static_cast<int>(random() % dead);
        const bool nofollow = random() % 4 == 0;
        json.append(json.empty() ? "[" : ",");
        json.append("[" + std::to_string(url) + (nofollow ? ",1" : ",0") + ",\"x\"]");
        const int to = leads_to[static_cast<std::size_t>(url)];
        if (!nofollow && to != 0 && to != page && test_page.duplicate_of == 0) {
          links[static_cast<std::size_t>(page)].insert(to);
        }
      }
      if (!json.empty()) test_page.links = json + "]";
      crawl.Add(test_page);
    }
    for (int i = 0; i < redirects; ++i) {
      crawl.AddRedirect("http://h.example/r" + std::to_string(i),
                        redirect_to[static_cast<std::size_t>(i)]);
    }
    const IndexReport report = crawl.Index();
    EXPECT_TRUE(report.converged);
    EXPECT_GT(report.iterations, 0);
    EXPECT_LT(report.change, kRankPrecision);
    const std::vector<double> expected = BruteForce(links, nodes);
    double highest = 0;
    for (const double rank : expected) highest = std::max(highest, rank);
    Result<Statement> select = crawl.db().Prepare(
        "SELECT w.page_id, w.page_rank, w.static_rank, p.relevance_score"
        " FROM page_weights w JOIN pages p ON p.id = w.page_id ORDER BY 1");
    ASSERT_TRUE(select.ok());
    int rows = 0;
    while (*select->Step()) {
      const auto node = static_cast<std::size_t>(leads_to[static_cast<std::size_t>(++rows)]);
      EXPECT_EQ(select->Int(0), rows);
      EXPECT_NEAR(select->Real(1), expected[node], 1e-8) << "seed " << seed << " page " << rows;
      const double n = static_cast<double>(nodes.size());
      const double scaled = std::log(1 + expected[node] * n) / std::log(1 + highest * n);
      EXPECT_NEAR(select->Real(2), scaled, 1e-6);
      // Without a topic pages are as relevant as their rank.
      EXPECT_NEAR(select->Real(3), scaled, 1e-6);
    }
    EXPECT_EQ(rows, pages);
  }
}

TEST(PageRank, RedirectsInACircleLeadNowhere) {
  TestCrawl crawl;
  TestPage page;
  page.url = "http://h.example/1";
  page.links = "[2,3]";
  crawl.Add(page);
  crawl.AddRedirect("http://h.example/2", 3);
  crawl.AddRedirect("http://h.example/3", 2);
  const Result<UrlPages> urls = UrlPages::Load(crawl.db());
  ASSERT_TRUE(urls.ok());
  EXPECT_EQ(urls->PageOf(2), 0u);
  EXPECT_EQ(urls->PageOf(1), 1u);
  EXPECT_EQ(urls->PageOf(1u << 30), 0u);
  EXPECT_TRUE(crawl.Index().converged);
}

TEST(PageRank, ACrawlWithoutPagesHasNone) {
  TestCrawl crawl;
  const IndexReport report = crawl.Index();
  EXPECT_EQ(report.pages, 0u);
  EXPECT_EQ(report.terms, 0u);
  EXPECT_TRUE(report.converged);
}

}  // namespace
}  // namespace crawler
