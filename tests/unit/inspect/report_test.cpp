#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "engine/options_json.hpp"
#include "inspect/inspect.hpp"
#include "inspect/report_parts.hpp"
#include "store/schema.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

class ReportTest : public testing::Test {
 protected:
  ReportTest() : folder_((std::filesystem::temp_directory_path() / "report-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~ReportTest() override { std::filesystem::remove_all(folder_); }

  /// A catalogue that `sql` fills, of a crawl with `options`.
  void Make(const std::string& sql, const CrawlOptions& options = {}) {
    Result<Database> db = Database::Open(folder_ + "/crawl.db", Database::Mode::kCreate);
    ASSERT_TRUE(db.ok());
    Status status = Migrate(*db, CatalogueSchema());
    ASSERT_TRUE(status.ok()) << status.message();
    Result<Statement> insert = db->Prepare("INSERT INTO crawl_state VALUES ('options', ?)");
    ASSERT_TRUE(insert.ok());
    const std::string json = ToJson(options);
    ASSERT_TRUE(insert->Bind(1, std::string_view(json)).Run().ok());
    status = db->Execute(sql);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  CrawlReport Report(std::size_t rows = 100) {
    ReportSettings settings;
    settings.rows = rows;
    CrawlReport report = ReportFolder(folder_, settings);
    EXPECT_EQ(report.outcome.error, "");
    return report;
  }

  std::string folder_;
};

// Two hosts and two runs, the second an hour after the first.
constexpr const char* kVisits = R"sql(
INSERT INTO hosts VALUES (1, 'http://a', 'a'), (2, 'http://b', 'b');
INSERT INTO events(at, kind) VALUES (1000, 'started'), (9000, 'stopped'), (3600000, 'resumed');
INSERT INTO urls(id, url, host_id, depth, redirects, via) VALUES
  (1, 'http://a/', 1, 0, 0, 0), (2, 'http://a/2', 1, 1, 0, 1), (3, 'http://b/', 2, 1, 0, 1),
  (4, 'http://a/no', 1, 1, 0, 1);
INSERT INTO visits(url_id, host_id, at, final, outcome, status_code, failures, priority, bytes,
                   total_us, retry_after_ms, detail) VALUES
  (NULL, 1, 1000, 1, 'robots', 200, 0, 0, 50, 1000, NULL, NULL),
  (2, NULL, 4500, 1, 'page', 200, 0, 0, 200, 3000, NULL, NULL),
  (1, NULL, 3000, 1, 'page', 200, 0, 0, 100, 2000, NULL, NULL),
  (4, NULL, 4600, 1, 'refused', NULL, 0, 0, 0, NULL, NULL, 'robots.txt line 2: Disallow: /no'),
  (3, NULL, 3600000, 0, 'throttled', 429, 0, 0, 10, 2000000, 7000, NULL),
  (3, NULL, 3602000, 1, 'http error', 500, 0, 0, 10, 4000000, NULL, NULL);
INSERT INTO robots_cache VALUES ('http://a', 'User-agent: *' || char(10) || 'Disallow: /no', 200,
                                 'rules', 1.5, 1000, 2000);
)sql";

TEST_F(ReportTest, ReceiptsOfHosts) {
  CrawlOptions options;
  options.delay = milliseconds(1'000);
  options.host_delays = {{"b", milliseconds(3'000)}};
  Make(kVisits, options);
  const CrawlReport report = Report();
  ASSERT_EQ(report.hosts.total, 2u);
  const HostReceipt& a = report.hosts.rows[0];
  EXPECT_EQ(a.origin, "http://a");
  EXPECT_EQ(a.requests, 3u);
  EXPECT_EQ(a.pages, 2u);
  EXPECT_EQ(a.refused, 1u);
  EXPECT_EQ(a.shortest_gap, milliseconds(1'500)) << "in the order of starts, not of commits";
  EXPECT_EQ(a.asked_gap, milliseconds(1'500)) << "the Crawl-delay is longer";
  EXPECT_DOUBLE_EQ(a.rate(), 2 / 3.5);
  ASSERT_EQ(a.robots.rules.rows.size(), 1u);
  EXPECT_EQ(a.robots.rules.rows[0].line, 2);
  EXPECT_EQ(a.robots.rules.rows[0].refused, 1u);
  EXPECT_EQ(a.robots.sha256.size(), 64u);
  const HostReceipt& b = report.hosts.rows[1];
  EXPECT_EQ(b.backoffs, 1u);
  EXPECT_EQ(b.longest_retry_after, milliseconds(7'000));
  EXPECT_EQ(b.asked_gap, milliseconds(3'000));
  EXPECT_EQ(b.shortest_gap, milliseconds(2'000));
  EXPECT_EQ(b.mean_time, std::chrono::seconds(3));
  EXPECT_FALSE(b.robots.known);
  ASSERT_EQ(report.slow_hosts.total, 1u);
  EXPECT_EQ(report.slow_hosts.rows[0].origin, "http://b");
  ASSERT_EQ(report.failing_hosts.total, 1u);
  EXPECT_EQ(report.failing_hosts.rows[0].origin, "http://b");
}

TEST_F(ReportTest, TimeWithoutPauses) {
  Make(kVisits);
  const CrawlReport report = Report();
  // From the start of the first request of a run to the end of its last, which took 3 ms and 4 s.
  EXPECT_EQ(report.throughput.total, milliseconds(3'503 + 6'000));
  EXPECT_EQ(report.throughput.resumed_at, std::vector<milliseconds>{milliseconds(3'503)});
  std::uint64_t requests = 0, pages = 0;
  for (const CrawlThroughput::Slot& slot : report.throughput.slots) {
    requests += slot.requests;
    pages += slot.pages;
  }
  EXPECT_EQ(requests, 5u);
  EXPECT_EQ(pages, 2u);
  EXPECT_LE(report.throughput.slots.size(), 101u);
  ASSERT_EQ(report.codes.size(), 3u);
  EXPECT_EQ(report.codes[0].status, 200);
  EXPECT_EQ(report.codes[0].responses, 2u) << "robots.txt is not counted";
}

TEST_F(ReportTest, OnlyTheLastRound) {
  Make(std::string(kVisits) + "INSERT INTO rounds VALUES (1, 3500000, 4, 4);");
  const CrawlReport report = Report();
  EXPECT_EQ(report.rounds, 2u);
  ASSERT_EQ(report.hosts.total, 1u);
  EXPECT_EQ(report.hosts.rows[0].origin, "http://b");
  EXPECT_EQ(report.throughput.total, milliseconds(6'000));
}

constexpr const char* kPages = R"sql(
INSERT INTO urls(id, url, host_id, depth, redirects, via) VALUES
  (1, 'http://a/1', 1, 0, 0, 0), (2, 'http://a/2', 1, 1, 0, 1), (3, 'http://a/3', 1, 1, 0, 1),
  (4, 'http://a/4', 1, 40, 0, 1);
INSERT INTO pages(id, url_id, visit_id, url, domain, title, content_hash, status_code, crawled_at,
                  depth, priority, size, content_type, noindex, nofollow, duplicate_of) VALUES
  (1, 1, 1, 'http://a/1', 'a', 'T', 'x', 200, 0, 0, 0, 999, 'text/html', 0, 0, NULL),
  (2, 2, 2, 'http://a/2', 'a', NULL, 'x', 200, 0, 1, 0, 1000, 'text/html', 0, 0, 1),
  (3, 3, 3, 'http://a/3', 'a', 'T', 'y', 200, 0, 1, 0, 20000000, 'text/plain', 0, 0, NULL),
  (4, 4, 4, 'http://a/4', 'a', NULL, 'z', 200, 0, 40, 0, 5, NULL, 0, 0, 1);
)sql";

TEST_F(ReportTest, ShapesOfPages) {
  Make(kPages);
  const CrawlReport report = Report();
  ASSERT_EQ(report.types.total, 3u);
  EXPECT_EQ(report.types.rows[0].type, "text/html");
  EXPECT_EQ(report.types.rows[0].pages, 2u);
  EXPECT_EQ(report.types.rows[0].bytes, 1'999u);
  ASSERT_EQ(report.depths.size(), 3u);
  EXPECT_EQ(report.depths[2].depth, 30u) << "all deeper ones";
  EXPECT_EQ(report.sizes.front().pages, 2u) << "below 1 kB";
  EXPECT_EQ(report.sizes[1].pages, 1u);
  EXPECT_EQ(report.sizes.back().pages, 1u);
  ASSERT_EQ(report.duplicates.total, 1u);
  EXPECT_EQ(report.duplicates.rows[0].url, "http://a/1");
  EXPECT_EQ(report.duplicates.rows[0].others,
            (std::vector<std::string>{"http://a/2", "http://a/4"}));
  EXPECT_EQ(report.duplicate_pages, 2u);
  EXPECT_EQ(report.missing_titles.rows, std::vector<std::string>{"http://a/2"});
  ASSERT_EQ(report.shared_titles.total, 1u);
  EXPECT_EQ(report.shared_titles.rows[0].pages, 2u);
}

TEST_F(ReportTest, ListsAreCut) {
  std::string sql = kPages;
  for (int i = 5; i < 50; ++i) {
    const std::string id = std::to_string(i);
    sql +=
        "INSERT INTO urls(id, url, host_id, depth, redirects, via) VALUES (" + id + ", 'http://a/" +
        id + "', 1, 1, 0, 1);" +
        "INSERT INTO visits(url_id, at, final, outcome, status_code, failures, priority, bytes)" +
        " VALUES (" + id + ", 0, 1, 'http error', 404, 0, 0, 0);";
  }
  sql += "INSERT INTO page_links VALUES (1, '[7,8,9]'), (2, '[8]');";
  Make(sql);
  const CrawlReport report = Report(2);
  EXPECT_EQ(report.broken.total, 3u);
  EXPECT_EQ(report.broken_links, 4u);
  ASSERT_EQ(report.broken.rows.size(), 2u);
  EXPECT_EQ(report.broken.rows[0].url, "http://a/8") << "most links first";
  EXPECT_EQ(report.broken.rows[0].links, 2u);
  EXPECT_EQ(report.broken.rows[0].sources[1].url, "http://a/2");
  EXPECT_EQ(report.broken.left_out(), 1u);
}

TEST_F(ReportTest, DamageIsAnErrorOfTheFolder) {
  Make("INSERT INTO page_links VALUES (1, 'no json');");
  const CrawlReport report = ReportFolder(folder_, {});
  EXPECT_EQ(report.outcome.kind, ReadOutcome::Kind::kStorage);
  EXPECT_NE(report.outcome.error, "");
}

TEST_F(ReportTest, NothingStored) {
  EXPECT_EQ(ReportFolder(folder_, {}).outcome.kind, ReadOutcome::Kind::kNotFound);
  Make("");
  const CrawlReport report = Report();
  EXPECT_EQ(report.hosts.total, 0u);
  EXPECT_TRUE(report.throughput.slots.empty());
}

TEST(BestRows, TheBestInOrder) {
  const auto more = [](int a, int b) { return a / 10 > b / 10; };
  BestRows<int, decltype(more)> best(3, more);
  for (const int value : {11, 21, 12, 35, 22, 13, 36}) best.Offer(value);
  EXPECT_EQ(best.total(), 7u);
  EXPECT_EQ(best.Take(), (std::vector<int>{35, 36, 21}));
}

}  // namespace
}  // namespace crawler
