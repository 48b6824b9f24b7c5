// The sitemap protocol (https://www.sitemaps.org/protocol.html), RSS 2.0, RSS 1.0 and Atom
// (RFC 4287), and what hostile files must not achieve.
#include "parse/sitemap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "parse/sitemap_builder.hpp"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Sitemap Parse(std::string_view bytes, const SitemapLimits& limits = {},
              std::string_view content_type = "", std::string_view url = "http://e.com/d/s.xml") {
  Url base;
  ParseUrl(url, nullptr, &base);
  return ParseSitemap(bytes, content_type, base, limits);
}

std::vector<std::string> Urls(const Sitemap& sitemap) {
  std::vector<std::string> urls;
  for (const SitemapEntry& entry : sitemap.entries) urls.push_back(entry.url);
  return urls;
}

std::vector<std::string> Urls(std::string_view bytes) { return Urls(Parse(bytes)); }

std::string Urlset(std::string_view inside) {
  return "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">" +
         std::string(inside) + "</urlset>";
}

std::string Gzip(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(Sitemap, UrlsetWithAllItsFields) {
  const Sitemap sitemap = Parse(Urlset(
      "<url><loc> http://e.com/a?x=1&amp;y=2\n</loc><lastmod>2005-01-01</lastmod>"
      "<changefreq> Monthly </changefreq><priority>0.8</priority></url><url><loc>http://e.com/b"
      "</loc></url>"));
  EXPECT_EQ(sitemap.kind, SitemapKind::kUrlset);
  EXPECT_EQ(sitemap.end, SitemapEnd::kComplete);
  EXPECT_THAT(sitemap.problem, IsEmpty());
  ASSERT_EQ(sitemap.entries.size(), 2u);
  EXPECT_EQ(sitemap.entries[0].url, "http://e.com/a?x=1&y=2");
  EXPECT_EQ(sitemap.entries[0].lastmod, "2005-01-01");
  EXPECT_EQ(sitemap.entries[0].change_frequency, ChangeFrequency::kMonthly);
  EXPECT_EQ(sitemap.entries[0].priority, 0.8);
  EXPECT_EQ(sitemap.entries[1].lastmod, "");
  EXPECT_EQ(sitemap.entries[1].change_frequency, ChangeFrequency::kUnknown);
  EXPECT_EQ(sitemap.entries[1].priority, 0.5);
}

TEST(Sitemap, WrongFieldsAreLeftOut) {
  const auto entry = [](std::string_view fields) {
    return Parse(Urlset("<url><loc>http://e.com/</loc>" + std::string(fields) + "</url>"))
        .entries.at(0);
  };
  EXPECT_EQ(entry("<lastmod>not a date</lastmod>").lastmod, "");
  EXPECT_EQ(entry("<lastmod>2020-02-30</lastmod>").lastmod, "");
  EXPECT_EQ(entry("<changefreq>sometimes</changefreq>").change_frequency,
            ChangeFrequency::kUnknown);
  for (const char* priority : {"1.5", "-1", "abc", "", "nan", "inf", "0.5x", "1e999", "+0.7"}) {
    EXPECT_EQ(entry("<priority>" + std::string(priority) + "</priority>").priority, 0.5)
        << priority;
  }
  EXPECT_EQ(entry("<priority>1.0</priority>").priority, 1.0);
  EXPECT_EQ(entry("<priority>0</priority>").priority, 0.0);
}

TEST(Sitemap, Index) {
  const Sitemap sitemap = Parse(
      "<sitemapindex><sitemap><loc>http://e.com/1.xml</loc><lastmod>2004-10-01T18:23:17+00:00"
      "</lastmod></sitemap><sitemap><loc>http://e.com/2.xml</loc></sitemap></sitemapindex>");
  EXPECT_EQ(sitemap.kind, SitemapKind::kIndex);
  EXPECT_THAT(Urls(sitemap), ElementsAre("http://e.com/1.xml", "http://e.com/2.xml"));
  EXPECT_EQ(sitemap.entries[0].lastmod, "2004-10-01T18:23:17+00:00");
}

TEST(Sitemap, IndexWithoutLoc) {
  EXPECT_THAT(Urls("<sitemapindex><sitemap>\nhttp://e.com/1.xml\n</sitemap></sitemapindex>"),
              ElementsAre("http://e.com/1.xml"));
}

TEST(Sitemap, UrlsAreWholeAndFollowable) {
  const Sitemap sitemap = Parse(Urlset(
      "<url><loc>/relative</loc></url><url><loc>www.e.com/a</loc></url><url><loc/></url><url/>"
      "<url><loc>ftp://e.com/</loc></url><url><loc>javascript:alert(1)</loc></url>"
      "<url><loc>HTTPS://E.com:443/\xC3\xBC</loc></url>"));
  EXPECT_THAT(Urls(sitemap), ElementsAre("https://e.com/%C3%BC"));
  EXPECT_EQ(sitemap.skipped, 6u);
}

TEST(Sitemap, UnicodeSpaceRoundAUrl) {
  EXPECT_THAT(Urls(Urlset("<url><loc>&#160;\u3000http://e.com/\u2003\uFEFF</loc></url>")),
              ElementsAre("http://e.com/"));
}

TEST(Sitemap, CdataAndReferences) {
  EXPECT_THAT(Urls(Urlset("<url><loc><![CDATA[http://e.com/?a&b]]>&#x2F;&quot;</loc></url>")),
              ElementsAre("http://e.com/?a&b/%22"));
}

TEST(Sitemap, PrefixesAreThoseOfTheRoot) {
  EXPECT_THAT(Urls("<sm:urlset xmlns:sm='x'><sm:url><sm:loc>http://e.com/</sm:loc></sm:url>"
                   "</sm:urlset>"),
              ElementsAre("http://e.com/"));
  EXPECT_THAT(Urls(Urlset("<url><image:image><image:loc>http://e.com/i.png</image:loc>"
                          "</image:image><loc>http://e.com/</loc></url>")),
              ElementsAre("http://e.com/"))
      << "an extension, though its prefix is not declared";
}

TEST(Sitemap, MarkupInsideLoc) {
  EXPECT_THAT(Urls(Urlset("<url><loc><url>http://e.com/</url></loc></url>")),
              ElementsAre("http://e.com/"));
  EXPECT_THAT(Urls(Urlset("<url><loc><xi:include href='f.txt' parse='text'/></loc></url>")),
              IsEmpty());
}

TEST(Sitemap, LocElsewhereIsNone) {
  EXPECT_THAT(Urls(Urlset("<loc>http://e.com/1</loc><url><x><loc>http://e.com/2</loc></x></url>")),
              IsEmpty());
}

TEST(Sitemap, Rss) {
  const Sitemap sitemap = Parse(
      "<rss version='2.0'><channel><link>http://e.com/</link><item><link>http://e.com/1</link>"
      "<guid>http://e.com/guid</guid><pubDate>Tue, 10 Jun 2003 04:00:00 GMT</pubDate></item>"
      "<item><guid>http://e.com/2</guid></item><item><guid isPermaLink='false'>http://e.com/x"
      "</guid></item><item><guid>17</guid></item><item><link>../3</link></item>"
      "<item><link>http://e.com/4</link><atom:link "
      "href='http://e.com/no'/></item></channel></rss>");
  EXPECT_EQ(sitemap.kind, SitemapKind::kRss);
  EXPECT_THAT(Urls(sitemap),
              ElementsAre("http://e.com/1", "http://e.com/2", "http://e.com/3", "http://e.com/4"));
  EXPECT_EQ(sitemap.entries[0].lastmod, "Tue, 10 Jun 2003 04:00:00 GMT");
  EXPECT_EQ(sitemap.skipped, 2u);
}

TEST(Sitemap, Rdf) {
  const Sitemap sitemap = Parse(
      "<rdf:RDF xmlns:rdf='r' xmlns='http://purl.org/rss/1.0/'><channel><link>http://e.com/</link>"
      "</channel><item rdf:about='http://e.com/i'><link>http://e.com/i</link></item></rdf:RDF>");
  EXPECT_EQ(sitemap.kind, SitemapKind::kRss);
  EXPECT_THAT(Urls(sitemap), ElementsAre("http://e.com/i"));
}

TEST(Sitemap, Atom) {
  const Sitemap sitemap = Parse(
      "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://b.com/x/'>"
      "<link href='http://e.com/'/><entry><link rel='self' href='s'/><link rel='alternate' "
      "href='a'/><link href='/b' hreflang='de'/><updated>2003-12-13T18:30:02.25Z</updated>"
      "<content><div><link href='no'/></div></content></entry></feed>");
  EXPECT_EQ(sitemap.kind, SitemapKind::kAtom);
  EXPECT_THAT(Urls(sitemap), ElementsAre("http://b.com/x/a", "http://b.com/b"));
  EXPECT_EQ(sitemap.entries[1].lastmod, "2003-12-13T18:30:02.25Z");
}

TEST(Sitemap, Text) {
  const Sitemap sitemap =
      Parse("\xEF\xBB\xBFhttp://e.com/1\r\n\r\n  http://e.com/2  \rrubbish\n/3");
  EXPECT_EQ(sitemap.kind, SitemapKind::kText);
  EXPECT_THAT(Urls(sitemap), ElementsAre("http://e.com/1", "http://e.com/2"));
  EXPECT_EQ(sitemap.skipped, 2u);
}

TEST(Sitemap, WhatIsNone) {
  for (const std::string_view bytes :
       {std::string_view(""), std::string_view(" \n"), std::string_view("not found"),
        std::string_view("\0\0", 2), std::string_view("\xFF\xFE"), std::string_view("\x1F\x8B")}) {
    EXPECT_EQ(Parse(bytes).kind, SitemapKind::kUnknown);
    EXPECT_THAT(Urls(bytes), IsEmpty());
  }
  const Sitemap page = Parse("<!DOCTYPE html><html><a href='http://e.com/'>x</a></html>");
  EXPECT_EQ(page.kind, SitemapKind::kUnknown);
  EXPECT_EQ(page.end, SitemapEnd::kBroken);
  EXPECT_THAT(page.problem, HasSubstr("<html> begins neither"));
}

TEST(Sitemap, SpaceBeforeTheDeclarationIsForgiven) {
  EXPECT_EQ(Parse("\n " + Urlset("")).end, SitemapEnd::kComplete);
}

TEST(Sitemap, Charsets) {
  const std::string latin1 =
      "<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>http://e.com/\xFC</loc></url>"
      "</urlset>";
  EXPECT_THAT(Urls(latin1), ElementsAre("http://e.com/%C3%BC"));
  std::string utf16 = "\xFF\xFE";
  for (const char c : Urlset("<url><loc>http://e.com/u16</loc></url>")) {
    utf16.push_back(c);
    utf16.push_back('\0');
  }
  EXPECT_THAT(Urls(utf16), ElementsAre("http://e.com/u16"));
  EXPECT_THAT(Urls(utf16.substr(2)), ElementsAre("http://e.com/u16"));
  EXPECT_THAT(Urls(Parse("http://e.com/\xE9", {}, "text/plain; charset=latin1")),
              ElementsAre("http://e.com/%C3%A9"));
}

TEST(Sitemap, CutOffAnywhereGivesWholeUrlsOnly) {
  const std::string whole = Urlset(
      "<url><loc>http://e.com/1</loc></url><url><lastmod>2020-01-01</lastmod><loc>http://e.com/22"
      "</loc></url><url><loc>http://e.com/333</loc><priority>1</priority></url>");
  size_t most = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const Sitemap sitemap = Parse(whole.substr(0, size));
    for (const SitemapEntry& entry : sitemap.entries) {
      EXPECT_THAT(entry.url,
                  testing::AnyOf("http://e.com/1", "http://e.com/22", "http://e.com/333"));
    }
    if (sitemap.kind == SitemapKind::kUrlset) {
      EXPECT_EQ(sitemap.end, SitemapEnd::kBroken) << size;
    }
    EXPECT_GE(sitemap.entries.size(), most);
    most = sitemap.entries.size();
  }
  EXPECT_EQ(most, 3u);
}

TEST(Sitemap, BrokenFilesSayWhereAndKeepWhatWasRead) {
  const Sitemap sitemap =
      Parse("<urlset>\n<url><loc>http://e.com/1</loc></url>\n<url><loc>http://e.com/2</wrong>");
  EXPECT_EQ(sitemap.end, SitemapEnd::kBroken);
  EXPECT_THAT(Urls(sitemap), ElementsAre("http://e.com/1"));
  EXPECT_THAT(sitemap.problem, HasSubstr("line 3: mismatched tag"));
}

TEST(Sitemap, EntriesThatAreNotClosed) {
  EXPECT_THAT(Urls("<sitemapindex><sitemap><loc>http://e.com/1</loc><sitemap><loc>http://e.com/2"
                   "</loc></sitemap></sitemapindex>"),
              ElementsAre("http://e.com/1", "http://e.com/2"));
}

TEST(Sitemap, BareAmpersandsAndControlsAreMended) {
  const Sitemap sitemap = Parse(Urlset(
      "<url><loc>http://e.com/?a&b=1&copy;&amp;</loc></url><url><loc>\x01http://e.com/2</loc></url>"
      "<url><loc><![CDATA[http://e.com/?x&y]]></loc></url><!-- a & b -->"));
  EXPECT_EQ(sitemap.end, SitemapEnd::kBroken);
  EXPECT_THAT(sitemap.problem, HasSubstr("(mended)"));
  EXPECT_THAT(Urls(sitemap),
              ElementsAre("http://e.com/?a&b=1&copy;&", "http://e.com/2", "http://e.com/?x&y"));
}

TEST(Sitemap, RepairOfXml) {
  EXPECT_EQ(RepairXml("a&b &amp;&#38;&#x26;&lt;&;& <![CDATA[&]]><!--&-->&"),
            "a&amp;b &amp;&#38;&#x26;&lt;&amp;;&amp; <![CDATA[&]]><!--&-->&amp;");
  EXPECT_EQ(RepairXml("&nbsp;&#;&#x;&#12&#xg;"), "&amp;nbsp;&amp;#;&amp;#x;&amp;#12&amp;#xg;");
  EXPECT_EQ(RepairXml("a\x01\t\x1F"), "a \t ");
  EXPECT_EQ(RepairXml("<![CDATA[&"), "<![CDATA[&");
  EXPECT_EQ(RepairXml(""), "");
}

TEST(SitemapHostile, ExternalEntitiesAreRefused) {
  const Sitemap sitemap = Parse(
      "<!DOCTYPE urlset [<!ENTITY xxe SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>"
      "http://e.com/&xxe;</loc></url></urlset>");
  EXPECT_EQ(sitemap.end, SitemapEnd::kRefused);
  EXPECT_THAT(sitemap.entries, IsEmpty());
}

TEST(SitemapHostile, EntityBombsAreRefusedBeforeTheyGoOff) {
  std::string bomb = "<!DOCTYPE urlset [<!ENTITY a0 'http://e.com/'>";
  for (int i = 1; i < 100; ++i) {
    const std::string before = "&a" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY a" + std::to_string(i) + " '" + before + before + "'>";
  }
  const Sitemap sitemap = Parse(bomb + "]><urlset><url><loc>&a99;</loc></url></urlset>");
  EXPECT_EQ(sitemap.end, SitemapEnd::kRefused);
  EXPECT_THAT(sitemap.entries, IsEmpty());
  EXPECT_EQ(Parse("<!DOCTYPE urlset [<!ENTITY % p 'x'> %p;]><urlset/>").end, SitemapEnd::kRefused);
}

// expat compares each declared attribute with all before it, and gives each element all of them:
// time in the square of the size, 2 s for 400 KB.
TEST(SitemapHostile, DeclaredAttributesAreRefused) {
  std::string declarations = "<!DOCTYPE urlset [<!ATTLIST x";
  for (int i = 0; i < 300'000; ++i) declarations += " a" + std::to_string(i) + " CDATA ''";
  const Sitemap sitemap =
      Parse(declarations + ">]><urlset><url><loc>http://e.com/</loc></url></urlset>");
  EXPECT_EQ(sitemap.end, SitemapEnd::kRefused);
  EXPECT_THAT(sitemap.problem, testing::HasSubstr("attributes"));
  EXPECT_THAT(sitemap.entries, IsEmpty());
}

TEST(SitemapHostile, ExternalDtdsAreNotReadAndTheirEntitiesSpoilAUrl) {
  const Sitemap sitemap = Parse(
      "<!DOCTYPE urlset SYSTEM 'http://127.0.0.1/evil.dtd'><urlset><url><loc>http://e.com/a</loc>"
      "</url><url><loc>http://e.com/&b;</loc></url></urlset>");
  EXPECT_EQ(sitemap.kind, SitemapKind::kUrlset);
  EXPECT_THAT(Urls(sitemap), ElementsAre("http://e.com/a"));
}

TEST(SitemapHostile, Depth) {
  std::string deep = "<urlset><url><loc>http://e.com/</loc>";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  const Sitemap sitemap = Parse(deep);
  EXPECT_EQ(sitemap.end, SitemapEnd::kTooDeep);
  EXPECT_THAT(Urls(sitemap), ElementsAre("http://e.com/"));
}

TEST(SitemapLimit, Count) {
  SitemapLimits limits;
  limits.max_urls = 2;
  const std::string_view url = "<url><loc>http://e.com/</loc></url>";
  const auto urls = [&](int count) {
    std::string inside;
    for (int i = 0; i < count; ++i) inside += url;
    return Urlset(inside);
  };
  EXPECT_EQ(Parse(urls(2), limits).end, SitemapEnd::kComplete);
  const Sitemap three = Parse(urls(3), limits);
  EXPECT_EQ(three.end, SitemapEnd::kTooManyUrls);
  EXPECT_EQ(three.entries.size(), 2u);
  const Sitemap text = Parse("http://e.com/\nhttp://e.com/\nhttp://e.com/", limits);
  EXPECT_EQ(text.end, SitemapEnd::kTooManyUrls);
  EXPECT_EQ(text.entries.size(), 2u);
}

TEST(SitemapLimit, Bytes) {
  const std::string file = Urlset("<url><loc>http://e.com/1</loc></url>" + std::string(1000, ' ') +
                                  "<url><loc>http://e.com/2</loc></url>");
  SitemapLimits limits;
  limits.max_bytes = 500;
  for (const std::string& bytes : {file, Gzip(file)}) {
    const Sitemap sitemap = Parse(bytes, limits);
    EXPECT_EQ(sitemap.end, SitemapEnd::kTooLarge);
    EXPECT_THAT(Urls(sitemap), ElementsAre("http://e.com/1"));
    EXPECT_THAT(sitemap.problem, HasSubstr("500 bytes"));
  }
  limits.max_bytes = file.size();
  EXPECT_EQ(Parse(file, limits).end, SitemapEnd::kComplete) << "exactly as much as is allowed";
  EXPECT_EQ(Parse(Gzip(file), limits).end, SitemapEnd::kComplete);
  limits.max_bytes = SIZE_MAX;
  EXPECT_EQ(Parse(Gzip(file), limits).end, SitemapEnd::kComplete);
}

// A fuzzer's find: the line was cut to the limit, and the space at the cut made it a shorter URL.
TEST(Sitemap, LineOfTextThatIsTooLongIsNoShorterUrl) {
  SitemapLimits limits;
  limits.max_url_bytes = 16;
  const Sitemap sitemap = Parse("http://e.com/abc and more words", limits);
  EXPECT_THAT(sitemap.entries, IsEmpty());
  EXPECT_EQ(sitemap.kind, SitemapKind::kUnknown);
  EXPECT_EQ(sitemap.skipped, 1u);
}

TEST(SitemapLimit, UrlLength) {
  const auto file = [](size_t size) {
    const std::string start = "http://e.com/";
    return Urlset("<url><loc> " + start + std::string(size - start.size(), 'x') + " </loc></url>");
  };
  EXPECT_EQ(Parse(file(2048)).entries.size(), 1u);
  for (const size_t size : {2049u, 3071u, 3072u, 3073u, 100000u}) {
    EXPECT_EQ(Parse(file(size)).entries.size(), 0u) << size;
    EXPECT_EQ(Parse(file(size)).skipped, 1u) << size;
  }
  SitemapLimits limits;
  limits.max_url_bytes = SIZE_MAX;
  EXPECT_EQ(Parse(file(100000), limits).entries.size(), 1u);
}

TEST(SitemapLimit, SpaceDoesNotMakeHalfAUrl) {
  const std::string space(3060, ' ');
  EXPECT_THAT(Urls("<sitemapindex><sitemap>" + space +
                   "http://e.com/long-name</sitemap>"
                   "</sitemapindex>"),
              IsEmpty());
  EXPECT_THAT(Urls(Urlset("<url><loc>" + space + "http://e.com/long-name</loc></url>")), IsEmpty());
}

TEST(SitemapGzip, IsSeenFromItsFirstBytes) {
  const std::string file = Urlset("<url><loc>http://e.com/</loc></url>");
  EXPECT_THAT(Urls(Gzip(file)), ElementsAre("http://e.com/"));
  EXPECT_THAT(Urls(Gzip("http://e.com/t")), ElementsAre("http://e.com/t"));
  EXPECT_THAT(Urls(Gzip(file.substr(0, 40)) + Gzip(file.substr(40))), ElementsAre("http://e.com/"))
      << "several members";
  EXPECT_THAT(Urls(Gzip(file) + std::string(100, '\0')), ElementsAre("http://e.com/")) << "padding";
}

TEST(SitemapGzip, DamagedFilesGiveWhatCameBefore) {
  std::string inside;
  for (int i = 0; i < 20000; ++i) {
    inside += "<url><loc>http://e.com/" + std::to_string(i * 7919 % 100003) + "</loc></url>";
  }
  const std::string packed = Gzip(Urlset(inside));
  const Sitemap cut = Parse(packed.substr(0, packed.size() / 2));
  EXPECT_EQ(cut.end, SitemapEnd::kBroken);
  EXPECT_THAT(cut.problem, HasSubstr("gzip"));
  EXPECT_GT(cut.entries.size(), 5000u);
  EXPECT_LT(cut.entries.size(), 20000u);
  std::string wrong_sum = packed;
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_EQ(Parse(wrong_sum).end, SitemapEnd::kBroken);
  EXPECT_EQ(Parse(wrong_sum).entries.size(), 20000u);
}

TEST(SitemapGzip, BombsStopAtTheLimit) {
  const std::string bomb = Gzip(std::string(20 << 20, ' '));
  SitemapLimits limits;
  limits.max_bytes = 1 << 20;
  EXPECT_EQ(Parse(bomb, limits).end, SitemapEnd::kTooLarge);
}

// https://www.w3.org/TR/NOTE-datetime
TEST(SitemapDate, W3c) {
  EXPECT_EQ(ParseSitemapDate("1970"), 0);
  EXPECT_EQ(ParseSitemapDate("1970-02"), 31 * 86400);
  EXPECT_EQ(ParseSitemapDate("2005-01-01"), 1104537600);
  EXPECT_EQ(ParseSitemapDate("2004-12-23T18:00:15+00:00"), 1103824815);
  EXPECT_EQ(ParseSitemapDate("2004-10-01T18:23:17Z"), 1096654997);
  EXPECT_EQ(ParseSitemapDate("2005-01-01T10:00+01:00"), 1104570000);
  EXPECT_EQ(ParseSitemapDate("2005-01-01T10:00:00.123456789-0130"), 1104579000);
  EXPECT_EQ(ParseSitemapDate("2005-01-01 10:00:00"), 1104573600);
  EXPECT_EQ(ParseSitemapDate("1969-12-31T23:59:59Z"), -1);
  EXPECT_EQ(ParseSitemapDate("2016-12-31T23:59:60Z"), 1483228800) << "a leap second";
}

TEST(SitemapDate, Rfc822) {
  EXPECT_EQ(ParseSitemapDate("Tue, 10 Jun 2003 04:00:00 GMT"), 1055217600);
  EXPECT_EQ(ParseSitemapDate("Thu, 05 Jan 17 13:34:52 +0100"), 1483619692);
  EXPECT_EQ(ParseSitemapDate("05 Jan 2017 13:34:53 +0100"), 1483619693);
  EXPECT_EQ(ParseSitemapDate("5 January 2017 8:34 EST"), 1483623240);
  EXPECT_EQ(ParseSitemapDate("1 Jan 1970"), 0);
  EXPECT_EQ(ParseSitemapDate("1 Jan 99 00:00 UT"), 915148800);
}

TEST(SitemapDate, NoDates) {
  for (const char* text : {"",
                           "x",
                           "20050101",
                           "2005-1-1",
                           "2005-13-01",
                           "2005-00-10",
                           "2005-02-29",
                           "2005-01-32",
                           "2005-01-01T",
                           "2005-01-01T10",
                           "2005-01-01T25:00Z",
                           "2005-01-01T24:01Z",
                           "2005-01-01T10:60Z",
                           "2005-01-01T10:00+1",
                           "2005-01-01T10:00Zx",
                           "2005-01-01T10:00:00.Z",
                           "10 Jun",
                           "10 Foo 2003",
                           "32 Jan 2003",
                           "10 Jun 2003 04:00 XYZ",
                           "Tue, ",
                           "10 Jun 2003 x",
                           "99999999999999999999"}) {
    EXPECT_EQ(ParseSitemapDate(text), std::nullopt) << text;
  }
}

TEST(SitemapNames, ForLogs) { EXPECT_EQ(SitemapKindName(SitemapKind::kAtom), "atom"); }

}  // namespace
}  // namespace crawler
