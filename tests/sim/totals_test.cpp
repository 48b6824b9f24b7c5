// Totals: those of a run and of the whole crawl, after stops, kills and retries; and the reasons of
// crawls without a page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/inspect.hpp"
#include "sim/crawl_testing.hpp"

namespace crawler::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = SimulatedCrawl::Interruption::Kind;
using Outcome = CrawlResult::Outcome;

CrawlOptions WholeWeb() {
  CrawlOptions options = OptionsFor("http://a.one.example/", seconds(1));
  options.scope = CrawlScope::kWeb;
  options.max_per_domain = 0;
  options.sitemaps = true;
  options.warc = true;
  return options;
}

/// The totals that the rows of the catalogue give.
CrawlCounts CountRows(const SimulatedCrawl& crawl) {
  const auto count = [&crawl](const std::string& rows) {
    return static_cast<std::uint64_t>(crawl.Value("SELECT count(*) FROM " + rows));
  };
  CrawlCounts counts;
  counts.pages = count("pages");
  counts.requests = count("visits WHERE outcome NOT IN ('refused', 'given up', 'lost')");
  counts.bytes = static_cast<std::uint64_t>(crawl.Value("SELECT sum(bytes) FROM visits"));
  counts.redirects = count("visits WHERE outcome = 'redirect'");
  counts.http_errors = count("visits WHERE outcome = 'http error'");
  counts.failures =
      count("visits WHERE outcome = 'failed' OR (outcome = 'robots' AND failure IS NOT NULL)");
  counts.throttled = count("visits WHERE outcome = 'throttled'");
  counts.refused = count("visits WHERE outcome = 'refused' AND final");
  counts.dead_letters = count("dead_letters");
  counts.duplicates = count("pages WHERE duplicate_of IS NOT NULL");
  counts.links = count("edges");
  counts.urls_known = count("urls");
  counts.urls_done = count("fates WHERE fate NOT IN ('waiting', 'skipped')");
  counts.hosts_known = count("hosts");
  counts.hosts_asked =
      static_cast<std::uint64_t>(crawl.Value("SELECT count(DISTINCT coalesce(v.host_id, "
                                             "u.host_id)) FROM visits v LEFT JOIN urls u ON u.id "
                                             "= v.url_id WHERE total_us > 0"));
  return counts;
}

void ExpectEqual(const CrawlCounts& counts, const CrawlCounts& expected) {
  for (const auto& [name, value] : kCrawlRunCounts) {
    EXPECT_EQ(counts.*value, expected.*value) << name;
  }
}

TEST(Totals, AreThoseOfTheRows) {
  const SimulatedWeb web = MixedWeb();
  SimulatedCrawl crawl(web, WholeWeb());
  const CrawlResult result = *crawl.Run();
  EXPECT_EQ(result.outcome, Outcome::kFinished);
  EXPECT_EQ(result.statistics.pages, 13u);
  EXPECT_EQ(result.statistics.hosts_asked, 3u);
  EXPECT_EQ(result.statistics.redirects, 1u);
  EXPECT_EQ(result.statistics.refused, 1u);
  ExpectEqual(result.statistics, CountRows(crawl));
  ExpectEqual(result.statistics.this_run, result.statistics);
}

class TotalsOfRuns : public ::testing::TestWithParam<Kind> {};

TEST_P(TotalsOfRuns, AreRightAfterAnyInterruption) {
  const SimulatedWeb web = MixedWeb();
  for (std::uint64_t step = 0;; step += 3) {
    ASSERT_LT(step, 200u);
    SimulatedCrawl crawl(web, WholeWeb());
    const std::optional<CrawlResult> first =
        crawl.Run(SimulatedCrawl::Interruption{GetParam(), step});
    if (first && first->outcome == Outcome::kFinished) break;
    // A kill loses what was not committed, so that this has to be asked of the rows.
    const CrawlCounts before = CountRows(crawl);
    if (first) ExpectEqual(first->statistics, before);
    const CrawlResult second = *crawl.Run();
    EXPECT_EQ(second.outcome, Outcome::kFinished);
    ExpectEqual(second.statistics, CountRows(crawl));
    for (const auto& [name, value] : kCrawlRunCounts) {
      EXPECT_EQ(second.statistics.this_run.*value, second.statistics.*value - before.*value)
          << name << " at " << step;
    }
    EXPECT_GE(second.statistics.elapsed_all, second.statistics.elapsed) << step;
    if (first) {
      EXPECT_GT(second.statistics.elapsed_all, second.statistics.elapsed) << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, TotalsOfRuns,
                         ::testing::Values(Kind::kStop, Kind::kStopNow, Kind::kKill));

TEST(Totals, ByCodeAndByDomain) {
  const SimulatedWeb web = MixedWeb();
  std::vector<CrawlBreakdown> breakdowns;
  for (const bool interrupted : {false, true}) {
    SimulatedCrawl crawl(web, WholeWeb());
    if (interrupted) crawl.Run(SimulatedCrawl::Interruption{Kind::kStop, 9});
    const CrawlBreakdown breakdown = crawl.Run()->breakdown;
    for (const CrawlBreakdown::Code& code : breakdown.codes) {
      const std::string rows =
          "SELECT count(*) FROM visits WHERE url_id IS NOT NULL AND outcome NOT "
          "IN ('sitemap', 'no sitemap') AND status_code = " +
          std::to_string(code.status);
      EXPECT_EQ(code.responses, static_cast<std::uint64_t>(crawl.Value(rows))) << code.status;
      EXPECT_EQ(code.urls, static_cast<std::uint64_t>(crawl.Value(rows + " AND final")))
          << code.status;
    }
    ASSERT_EQ(breakdown.domains.size(), 2u);
    EXPECT_EQ(breakdown.domains[0].domain, "one.example");
    EXPECT_EQ(breakdown.domains[0].pages, 9u);
    EXPECT_EQ(breakdown.domains[1].domain, "two.example");
    EXPECT_EQ(breakdown.domains[1].pages, 4u);
    EXPECT_EQ(breakdown.other_domains, 0u);
    const CrawlStatus status = InspectStatus(crawl.folder());
    EXPECT_EQ(status.breakdown.domains.size(), 2u);
    EXPECT_EQ(status.breakdown.codes.size(), breakdown.codes.size());
    EXPECT_EQ(status.statistics.pages, 13u);
  }
}

TEST(Totals, ARetryTakesBackWhatWasGivenUp) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 3, 2);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  EXPECT_EQ(crawl.Run()->statistics.dead_letters, 2u);
  const CrawlResult again = *crawl.Run();  // Nothing is left to do.
  EXPECT_EQ(again.statistics.dead_letters, 2u);
  EXPECT_EQ(again.statistics.this_run.requests, 0u);
  EXPECT_EQ(again.statistics.pages, 4u);
}

// Nobody named /sitemap.xml, so that it is no error, no broken link and no dead letter if it fails.
TEST(Totals, OurOwnQuestionsAreNoErrorsOfTheSite) {
  for (const int status : {404, 403, 500}) {
    SimulatedWeb web;
    Resource missing;
    missing.forever = Fault::Status(status);
    AddStar(&web, "a.example", 2).Add("/sitemap.xml", missing);
    CrawlOptions options = OptionsFor("http://a.example/");
    options.sitemaps = true;
    SimulatedCrawl crawl(web, options);
    const CrawlResult result = *crawl.Run();
    EXPECT_EQ(result.outcome, Outcome::kFinished) << status;
    EXPECT_EQ(result.statistics.http_errors, 0u) << status;
    EXPECT_EQ(result.statistics.dead_letters, 0u) << status;
    EXPECT_EQ(crawl.Value("SELECT count(*) FROM fates WHERE fate = 'no sitemap'"), 1) << status;
    EXPECT_EQ(result.breakdown.codes.size(), 1u) << status;
    EXPECT_THAT(crawl.Problems(), IsEmpty());
  }
}

// A sitemap that robots.txt names has to be there.
TEST(Totals, ANamedSitemapThatIsMissingIsAnError) {
  SimulatedWeb web;
  RobotsRules rules;
  rules.sitemaps = {"http://a.example/sitemap.xml"};
  AddStar(&web, "a.example", 2).SetRobots(rules);
  CrawlOptions options = OptionsFor("http://a.example/");
  options.sitemaps = true;
  SimulatedCrawl crawl(web, options);
  EXPECT_EQ(crawl.Run()->statistics.http_errors, 1u);
}

TEST(Totals, UrlsOnOtherHostsAreCounted) {
  SimulatedWeb web = MixedWeb();
  CrawlOptions options = WholeWeb();
  options.scope = CrawlScope::kHost;
  SimulatedCrawl crawl(web, options);
  const CrawlResult result = *crawl.Run();
  EXPECT_EQ(result.statistics.hosts_asked, 1u);
  EXPECT_EQ(result.statistics.hosts_known, 2u);
  EXPECT_EQ(result.statistics.urls_elsewhere, 1u);
}

struct NoPage {
  Fault fault;
  std::string what, hint;
};

TEST(SeedFailures, HaveAReasonAndAHint) {
  const NoPage cases[] = {
      {Fault::Failure(FetchFailure::kDns), "its host name is not known", "Check the spelling"},
      {Fault::Failure(FetchFailure::kRefused), "the connection was refused",
       "Check that the server"},
      {Fault::Failure(FetchFailure::kConnectTimeout), "connect timeout", "--connect-timeout"},
      {Fault::Failure(FetchFailure::kResponseTimeout), "response timeout", "--timeout"},
      {Fault::Failure(FetchFailure::kTls), "cannot be reached safely", "--ca-file"},
      {Fault::Failure(FetchFailure::kUnwantedType), "not of a type", "--any-type"},
      {Fault::Status(401), "answered 401 (unauthorized)", "--basic-auth-from"},
      {Fault::Status(403), "answered 403 (forbidden)", "--basic-auth-from"},
      {Fault::Status(404), "answered 404 (not found)", "Check the URL"},
      {Fault::Status(500), "answered 500 (internal server error)", "try again later"},
  };
  for (const NoPage& failing : cases) {
    SimulatedWeb web;
    SimulatedHost& host = web.AddHost("a.example");
    host.AddPage("/").forever = failing.fault;
    SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
    const CrawlResult result = *crawl.Run();
    ASSERT_EQ(result.seed_failures.size(), 1u) << failing.what;
    EXPECT_EQ(result.seed_failures[0].url, "http://a.example/");
    EXPECT_THAT(result.seed_failures[0].what, HasSubstr(failing.what));
    EXPECT_THAT(result.seed_failures[0].hint, HasSubstr(failing.hint));
    EXPECT_THAT(result.message, HasSubstr("No page could be crawled. http://a.example/ "));
    EXPECT_THAT(result.message, HasSubstr(failing.what));
    EXPECT_THAT(result.message, HasSubstr(failing.hint));
  }
}

// The person who started the crawl learns at once why nothing comes, and does not wait for long.
TEST(SeedFailures, AreToldAtTheFirstAttempt) {
  for (const FetchFailure failure : {FetchFailure::kDns, FetchFailure::kRefused}) {
    SimulatedWeb web;
    web.AddHost("a.example").outages = {
        {Moment(0), std::chrono::hours(24), Fault::Failure(failure)}};
    SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
    const CrawlResult result = *crawl.Run();
    EXPECT_THAT(result.message, HasSubstr("No page could be crawled. http://a.example/ cannot"));
    EXPECT_LE(result.statistics.elapsed, std::chrono::seconds(10));
    EXPECT_EQ(crawl.network().record().size(), 3u);
    ASSERT_EQ(crawl.warnings().size(), 1u);
    EXPECT_THAT(crawl.warnings()[0], HasSubstr("http://a.example/ cannot be reached: "));
    EXPECT_THAT(crawl.warnings()[0], HasSubstr(". It is tried again in 1 s. Check "));
  }
}

TEST(SeedFailures, ThatAreNotRepeatedAreToldAtTheEndOnly) {
  SimulatedWeb web;
  web.AddHost("a.example").AddPage("/").forever = Fault::Status(403);
  SimulatedCrawl crawl(web, OptionsFor("http://a.example/"));
  EXPECT_THAT(crawl.Run()->message, HasSubstr("answered 403"));
  EXPECT_TRUE(crawl.warnings().empty());
}

TEST(SeedFailures, OneOfSeveralIsNamedToo) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 1);
  CrawlOptions options = OptionsFor("http://a.example/");
  options.seeds.push_back("http://a.example/missing");
  SimulatedCrawl crawl(web, options);
  for (int run = 0; run < 2; ++run) {  // A resume still knows.
    const CrawlResult result = *crawl.Run();
    EXPECT_EQ(result.outcome, Outcome::kFinished);
    ASSERT_EQ(result.seed_failures.size(), 1u) << run;
    EXPECT_EQ(result.message, "http://a.example/missing answered 404 (not found). Check the URL.");
  }
}

TEST(SeedFailures, RedirectsThatLeadNowhere) {
  SimulatedWeb web;
  SimulatedHost& host = AddStar(&web, "a.example", 0);
  const auto redirect = [&host](const std::string& from, const std::string& to) {
    Resource resource;
    resource.kind = Resource::Kind::kRedirect;
    resource.location = to;
    host.Add(from, resource);
  };
  redirect("/away", "http://b.example/");
  redirect("/x", "http://a.example/y");
  redirect("/y", "http://a.example/x");
  CrawlOptions options = OptionsFor("http://a.example/away");
  options.seeds.push_back("http://a.example/x");
  SimulatedCrawl crawl(web, options);
  const CrawlResult result = *crawl.Run();
  ASSERT_EQ(result.seed_failures.size(), 2u);
  EXPECT_THAT(result.seed_failures[0].what, HasSubstr("outside the scope"));
  EXPECT_THAT(result.seed_failures[0].hint, HasSubstr("--scope"));
  EXPECT_THAT(result.seed_failures[1].what, HasSubstr("redirects in a circle"));
}

TEST(SeedFailures, RobotsTxtRefusesTheSeedOrIsNotThere) {
  SimulatedWeb web;
  RobotsRules rules;
  rules.disallow = {"/"};
  AddStar(&web, "a.example", 1).SetRobots(rules);
  SimulatedCrawl refused(web, OptionsFor("http://a.example/"));
  EXPECT_THAT(refused.Run()->message, HasSubstr("is refused by robots.txt line"));
}

TEST(SeedFailures, ACrawlThatIsStoppedEarlySaysWhatItHasMet) {
  SimulatedWeb web;
  AddStar(&web, "a.example", 1).outages = {
      {seconds(0), seconds(1'000), Fault::Failure(FetchFailure::kRefused)}};
  CrawlOptions options = OptionsFor("http://a.example/");
  options.network.obey_robots = false;
  SimulatedCrawl crawl(web, options);
  const CrawlResult result = *crawl.Run(SimulatedCrawl::Interruption{Kind::kStop, 2});
  EXPECT_EQ(result.outcome, Outcome::kStopped);
  ASSERT_EQ(result.seed_failures.size(), 1u);
  EXPECT_THAT(result.seed_failures[0].what, HasSubstr("the connection was refused"));
}

}  // namespace
}  // namespace crawler::sim
