// The WHATWG's and other outside suites of the conformance folder.
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "conformance_data.hpp"
#include "url/domain.hpp"
#include "url/idna.hpp"
#include "url/normalize.hpp"
#include "url/query_encoder.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

using nlohmann::json;

json ReadCases(const char* file) { return ParseSuiteJson(ReadConformanceFile(file)); }

void RunUrlTests(const char* file) {
  std::size_t count = 0;
  for (const json& c : ReadCases(file)) {
    if (!c.is_object()) continue;
    ++count;
    const std::string input = c.at("input").get<std::string>();
    SCOPED_TRACE(c.dump(-1, ' ', true));
    Url base, url;
    const bool has_base = c.contains("base") && c["base"].is_string();
    if (has_base) ParseUrl(c["base"].get<std::string>(), nullptr, &base);
    // A base that is no URL is a failure of the whole in the suite's terms.
    if (!has_base || base.kind() != UrlKind::kInvalid) {
      ParseUrl(input, has_base ? &base : nullptr, &url);
    }
    if (c.value("failure", false)) {
      EXPECT_EQ(url.kind(), UrlKind::kInvalid) << url.href();
      continue;
    }
    EXPECT_EQ(url.href(), c.at("href").get<std::string>());
    const bool web = url.scheme() == "http" || url.scheme() == "https";
    EXPECT_EQ(url.kind(), web ? UrlKind::kFollowable : UrlKind::kOtherScheme);
    if (!c.contains("protocol")) continue;
    EXPECT_EQ(std::string(url.scheme()) + ":", c.at("protocol").get<std::string>());
    EXPECT_EQ(url.username(), c.at("username").get<std::string>());
    EXPECT_EQ(url.password(), c.at("password").get<std::string>());
    EXPECT_EQ(url.host(), c.at("hostname").get<std::string>());
    EXPECT_EQ(url.host_and_port(), c.at("host").get<std::string>());
    EXPECT_EQ(url.has_port() ? std::to_string(url.port()) : "", c.at("port").get<std::string>());
    EXPECT_EQ(url.path(), c.at("pathname").get<std::string>());
    EXPECT_EQ(url.query().empty() ? "" : "?" + std::string(url.query()),
              c.at("search").get<std::string>());
    EXPECT_EQ(url.fragment().empty() ? "" : "#" + std::string(url.fragment()),
              c.at("hash").get<std::string>());
    if (web && c.contains("origin")) {
      EXPECT_EQ(url.Origin(), c.at("origin").get<std::string>());
    }
  }
  EXPECT_GT(count, 0u);
}

TEST(Conformance, UrlTestData) {
  CRAWLER_REQUIRE_CONFORMANCE("url/urltestdata.json");
  RunUrlTests("url/urltestdata.json");
}

TEST(Conformance, AdaExtraUrlTestData) {
  CRAWLER_REQUIRE_CONFORMANCE("url/ada_extra_urltestdata.json");
  RunUrlTests("url/ada_extra_urltestdata.json");
}

TEST(Conformance, AdaLongUrlTestData) {
  CRAWLER_REQUIRE_CONFORMANCE("url/ada_long_urltestdata.json");
  RunUrlTests("url/ada_long_urltestdata.json");
}

// `known`: inputs whose result waits for a newer Unicode in ICU.
void RunToAsciiTests(const char* file, const std::set<std::string>& known) {
  std::size_t count = 0;
  for (const json& c : ReadCases(file)) {
    if (!c.is_object()) continue;
    const std::string input = c.at("input").get<std::string>();
    if (input.empty() || known.contains(input)) continue;
    ++count;
    Url url;
    ParseUrl("https://" + input + "/x", nullptr, &url);
    const std::string expected =
        c.at("output").is_null() ? "" : "https://" + c["output"].get<std::string>() + "/x";
    EXPECT_EQ(url.href(), expected) << c.dump(-1, ' ', true);
  }
  EXPECT_GT(count, 0u);
}

TEST(Conformance, ToAscii) {
  CRAWLER_REQUIRE_CONFORMANCE("url/toascii.json");
  RunToAsciiTests("url/toascii.json", {});
}

TEST(Conformance, IdnaTestV2) {
  CRAWLER_REQUIRE_CONFORMANCE("url/IdnaTestV2.json");
  // U+32931 and U+32B9A are ideographs of Unicode 17, unassigned to ICU 72 (Unicode 15).
  RunToAsciiTests(
      "url/IdnaTestV2.json",
      {"\U0003293120.\u97f3.\ua8661.", "\U00032b9a9\ua369\u17d3.ss", "\U00032b9a9\ua369\u17d3.SS"});
  RunToAsciiTests("url/IdnaTestV2-removed.json", {});
}

TEST(Conformance, PercentEncoding) {
  CRAWLER_REQUIRE_CONFORMANCE("url/percent-encoding.json");
  for (const json& c : ReadCases("url/percent-encoding.json")) {
    if (!c.is_object()) continue;
    for (const auto& [encoding, expected] : c.at("output").items()) {
      const auto encoder = QueryEncoder::ForEncoding(encoding);
      EXPECT_EQ(encoder == nullptr, encoding == "utf-8") << encoding;
      Url url;
      // As the suite is meant: in the query by the encoding, in the fragment by UTF-8 always.
      const std::string input = c.at("input").get<std::string>();
      ParseUrl("https://h/?" + input + "#" + input, nullptr, &url, encoder.get());
      EXPECT_EQ(url.query(), expected.get<std::string>()) << encoding << " " << c.dump();
      EXPECT_EQ(url.fragment(), c["output"]["utf-8"].get<std::string>());
    }
  }
}

TEST(Conformance, PublicSuffixes) {
  CRAWLER_REQUIRE_CONFORMANCE("psl/test_psl.txt");
  std::istringstream lines(ReadConformanceFile("psl/test_psl.txt"));
  std::size_t count = 0;
  const auto to_ascii = [](const std::string& name) {
    std::string ascii;
    EXPECT_TRUE(AppendDomainToAscii(name, &ascii)) << name;
    return ascii;
  };
  for (std::string line; std::getline(lines, line);) {
    // checkPublicSuffix('host', 'domain' or null);
    if (!line.starts_with("checkPublicSuffix('")) continue;
    ++count;
    std::vector<std::string> quoted;
    for (std::size_t at = 0; (at = line.find('\'', at)) != std::string::npos;) {
      const std::size_t end = line.find('\'', at + 1);
      quoted.push_back(to_ascii(line.substr(at + 1, end - at - 1)));
      at = end + 1;
    }
    EXPECT_EQ(RegistrableDomain(quoted.at(0)), quoted.size() > 1 ? quoted[1] : "") << line;
  }
  EXPECT_GT(count, 50u);
}

// Fields of one CSV line, with quotes undone and blanks around them dropped.
std::vector<std::string> SplitCsv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back().push_back(line[++i]);
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
      while (i + 1 < line.size() && line[i + 1] == ' ') ++i;
    } else {
      fields.back().push_back(line[i]);
    }
  }
  return fields;
}

template <typename Use>
void ForEachCsvLine(const char* file, Use use) {
  std::istringstream lines(ReadConformanceFile(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    use(SplitCsv(line));
  }
}

TEST(Conformance, CrawlerCommonsResolve) {
  CRAWLER_REQUIRE_CONFORMANCE("url/crawlercommons_url-resolve.csv");
  ForEachCsvLine("url/crawlercommons_url-resolve.csv", [](const std::vector<std::string>& c) {
    Url base, url;
    ParseUrl(c.at(1), nullptr, &base);
    ParseUrl(c.at(0), &base, &url);
    EXPECT_EQ(url.href(), c.at(2)) << c[0] << " on " << c[1];
  });
}

// Why theirs and ours are not the same; docs/urls.md tells it at length. "" if no reason is known.
std::string WhyDifferent(const std::string& input, const std::string& theirs) {
  const auto has = [&input](std::string_view part) {
    return input.find(part) != std::string::npos;
  };
  if (input.starts_with("file:")) return "not http: left as it is";
  if (!has("://") || has("////")) return "no URL by the standard";
  if (input.find("//", 8) != std::string::npos) return "empty segments are segments";
  if (input.ends_with("?")) return "an empty query is a query";
  if (has("./") && theirs.find("org/") != std::string::npos) return "a root dot is another name";
  if (theirs.find("%25") != std::string::npos) return "a stray '%' is sent as it stands";
  if (has("[") || has("^") || has("`") || has("|")) return "sent as browsers send it";
  if (has("?&") || has("=&") || has("?=") || input.ends_with("&") || input.ends_with("=")) {
    return "parameters without name or value are parameters";
  }
  return "";
}

TEST(Conformance, CrawlerCommonsNormalForm) {
  CRAWLER_REQUIRE_CONFORMANCE("url/crawlercommons_weirdToNormalizedUrls.csv");
  int same = 0;
  ForEachCsvLine("url/crawlercommons_weirdToNormalizedUrls.csv",
                 [&same](const std::vector<std::string>& c) {
                   Url url;
                   ParseUrl(c.at(0), nullptr, &url);
                   NormalizeUrl(&url, {.sort_query = true});
                   same += url.href() == c.at(1);
                   if (url.href() == c[1]) return;
                   EXPECT_NE(WhyDifferent(c[0], c[1]), "")
                       << c[0] << "\n  ours   " << url.href() << "\n  theirs " << c[1];
                 });
  EXPECT_GE(same, 80);
}

TEST(Conformance, CrawlerCommonsInvalid) {
  CRAWLER_REQUIRE_CONFORMANCE("url/crawlercommons_invalidUrls.csv");
  ForEachCsvLine("url/crawlercommons_invalidUrls.csv", [](const std::vector<std::string>& c) {
    Url url;
    EXPECT_EQ(ParseUrl(c.at(0), nullptr, &url), UrlKind::kInvalid) << c[0];
  });
}

}  // namespace
}  // namespace crawler
