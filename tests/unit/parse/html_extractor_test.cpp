#include "parse/html_extractor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "url/domain.hpp"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Page Parse(std::string_view html, ExtractOptions options = {}, std::string_view headers = {}) {
  Url url;
  ParseUrl("http://e.com/d/p.html?q", nullptr, &url);
  const HeaderBlock block("HTTP/1.1 200 OK\r\n" + std::string(headers) + "\r\n");
  HtmlExtractor::Context context;
  context.headers = &block;
  Page page;
  HtmlExtractor(std::move(options)).Extract(html, url, context, &page);
  return page;
}

std::vector<std::string> Links(const Page& page) {
  std::vector<std::string> links;
  for (const Link& link : page.links) {
    links.push_back(std::string(LinkTag(link.source)) + "@" +
                    std::string(LinkAttribute(link.source)) + " " + std::string(page.UrlOf(link)));
  }
  return links;
}

std::string Text(std::string_view html) { return Parse(html).text; }

TEST(Links, KeepTheReferenceAsWritten) {
  const Page page = Parse("<a href=x.html>1</a><a href=x.html#a>2</a><a href=x.html>3</a>");
  ASSERT_EQ(page.links.size(), 3u);
  EXPECT_EQ(page.Href(page.links[0]), "x.html");
  EXPECT_EQ(page.Href(page.links[1]), "x.html#a");
  EXPECT_EQ(page.Href(page.links[2]), "x.html");
  EXPECT_EQ(page.UrlOf(page.links[1]), "http://e.com/d/x.html");
}

TEST(Links, OfEveryKind) {
  EXPECT_THAT(
      Links(Parse("<html manifest=m><body background=b>"
                  "<a href=1></a><area href=2><link href=3><img src=4 srcset='5, 6 2x'>"
                  "<source src=7 srcset=8><iframe src=9></iframe><script src=10></script>"
                  "<form action=11><input src=12 formaction=13><button formaction=14></button>"
                  "</form><embed src=15><object data=16></object><video src=17 poster=18></video>"
                  "<audio src=19></audio><track src=20><q cite=21></q><image src=22>"
                  "<svg><a href=23 xlink:href=24></a><image xlink:href=25 /></svg>"
                  "<table background=26><tr><td background=27></table>"
                  "<meta http-equiv=refresh content='1;url=28'>")),
      ElementsAre("html@manifest http://e.com/d/m", "body@background http://e.com/d/b",
                  "a@href http://e.com/d/1", "area@href http://e.com/d/2",
                  "link@href http://e.com/d/3", "img@src http://e.com/d/4",
                  "img@srcset http://e.com/d/5", "img@srcset http://e.com/d/6",
                  "source@src http://e.com/d/7", "source@srcset http://e.com/d/8",
                  "iframe@src http://e.com/d/9", "script@src http://e.com/d/10",
                  "form@action http://e.com/d/11", "input@src http://e.com/d/12",
                  "input@formaction http://e.com/d/13", "button@formaction http://e.com/d/14",
                  "embed@src http://e.com/d/15", "object@data http://e.com/d/16",
                  "video@src http://e.com/d/17", "video@poster http://e.com/d/18",
                  "audio@src http://e.com/d/19", "track@src http://e.com/d/20",
                  "q@cite http://e.com/d/21", "img@src http://e.com/d/22",
                  "svg:a@href http://e.com/d/23", "svg:a@xlink:href http://e.com/d/24",
                  "svg:image@xlink:href http://e.com/d/25", "table@background http://e.com/d/26",
                  "td@background http://e.com/d/27", "meta@content http://e.com/d/28"));
}

TEST(Links, FramesOfAFrameset) {
  EXPECT_THAT(Links(Parse("<frameset><frame src=a longdesc=b><a href=no></frameset>")),
              ElementsAre("frame@src http://e.com/d/a", "frame@longdesc http://e.com/d/b"));
  // A frameset takes the place of a body that has shown nothing (HTML 13.2.6.4.7).
  EXPECT_THAT(Links(Parse("<link href=l><p><a href=gone></a><frameset><frame src=a>")),
              ElementsAre("link@href http://e.com/d/l", "frame@src http://e.com/d/a"));
  EXPECT_THAT(Links(Parse("<p>seen<a href=a></a><frameset><frame src=no>")),
              ElementsAre("a@href http://e.com/d/a"));
}

TEST(Links, TemplatesAndCommentsHoldNone) {
  EXPECT_THAT(Links(Parse("<template><a href=no></a><base href=/no/></template>"
                          "<!-- <a href=no> --><a href=x>")),
              ElementsAre("a@href http://e.com/d/x"));
}

TEST(Links, NoscriptCountsUnlessScriptsAreOn) {
  const std::string html = "<body><noscript><a href=x>y</a></noscript>";
  EXPECT_THAT(Links(Parse(html)), ElementsAre("a@href http://e.com/d/x"));
  EXPECT_EQ(Parse(html).text, "y");
  ExtractOptions options;
  options.scripting = true;
  EXPECT_THAT(Links(Parse(html, options)), IsEmpty());
  EXPECT_EQ(Parse(html, options).text, "");
}

TEST(Links, FirstBaseWithHrefCountsWhereverItStands) {
  const auto base = [](std::string_view html) { return Parse(html).base_url; };
  EXPECT_THAT(Links(Parse("<a href=x><base target=y><base href=/b/><base href=/c/>")),
              ElementsAre("a@href http://e.com/b/x"));
  EXPECT_EQ(base("<base href='http://[bad'><base href=/b/>"), "http://e.com/d/p.html?q");
  EXPECT_EQ(base("<base href='data:x'>"), "http://e.com/d/p.html?q");
  EXPECT_EQ(base("<base href='javascript:x'>"), "http://e.com/d/p.html?q");
  EXPECT_EQ(base("<svg><base href=/no/></svg>"), "http://e.com/d/p.html?q");
  EXPECT_EQ(base("<base href='/a&amp;b/'>"), "http://e.com/a&b/");
}

TEST(Links, NormalFormAndTheReferenceAsWritten) {
  const Page page = Parse("<a href='/%7Ex#y'>");
  ASSERT_EQ(page.links.size(), 1u);
  EXPECT_EQ(page.UrlOf(page.links[0]), "http://e.com/~x");
  EXPECT_EQ(page.Href(page.links[0]), "/%7Ex#y");
  EXPECT_EQ(page.links[0].kind, UrlKind::kFollowable);
}

TEST(Links, TheReferenceKeepsItsOwnFragment) {
  const Page page = Parse("<a href=x></a><a href='x#a'></a><a href='x#b'></a>");
  ASSERT_EQ(page.links.size(), 3u);
  EXPECT_EQ(page.Href(page.links[0]), "x");
  EXPECT_EQ(page.Href(page.links[1]), "x#a");
  EXPECT_EQ(page.Href(page.links[2]), "x#b");
  EXPECT_EQ(page.UrlOf(page.links[2]), page.UrlOf(page.links[0]));
}

TEST(Links, OtherSchemesAreMarkedAndBrokenOnesDropped) {
  const Page page = Parse("<a href='mailto:x@y'></a><a href='http://[x'></a><a href=x></a>");
  ASSERT_EQ(page.links.size(), 2u);
  EXPECT_EQ(page.links[0].kind, UrlKind::kOtherScheme);
  EXPECT_EQ(page.UrlOf(page.links[0]), "mailto:x@y");
  EXPECT_EQ(page.links[1].kind, UrlKind::kFollowable);
}

// What an engine asks of each link is asked once for each URL, and without parsing it again.
TEST(Links, LeadToTargetsThatAreNumberedByUrl) {
  const Page page = Parse(
      "<a href=x></a><a href='http://[x'></a><a href='./x#y'></a><a href='mailto:a@b'></a>"
      "<a href='https://u:p@www.sub.example.co.uk:8443/p/%7eq?r'></a><a href=/d/x></a>",
      {}, "Link: <x>; rel=next, <//w.org>\r\n");
  ASSERT_EQ(page.links.size(), 7u);
  ASSERT_EQ(page.targets.size(), 4u);
  std::vector<std::uint32_t> numbers;
  for (const Link& link : page.links) {
    numbers.push_back(link.target);
    EXPECT_EQ(page.View(page.targets[link.target]).href(), page.UrlOf(link));
    EXPECT_EQ(page.View(page.targets[link.target]).kind(), link.kind);
  }
  EXPECT_THAT(numbers, ElementsAre(0, 0, 1, 2, 0, 0, 3));
  const UrlView url = page.View(page.targets[2]);
  EXPECT_EQ(url.href(), "https://www.sub.example.co.uk:8443/p/~q?r");
  EXPECT_EQ(url.host(), "www.sub.example.co.uk");
  EXPECT_EQ(url.path_and_query(), "/p/~q?r");
  EXPECT_EQ(url.Origin(), "https://www.sub.example.co.uk:8443");
  EXPECT_EQ(SiteOf(url), "example.co.uk");
  EXPECT_EQ(page.View(page.targets[3]).before_path(), "http://w.org");
  // They live in the page, not in the view.
  EXPECT_GE(SiteOf(url).data(), page.strings.data());
  EXPECT_LT(SiteOf(url).data(), page.strings.data() + page.strings.size());
}

// Found by fuzzing: bytes that continue no character made the cut go back behind an anchor's begin.
TEST(Links, KeepTheirTextWhereThePagesTextIsCut) {
  ExtractOptions options;
  options.max_text_bytes = 4;
  const Page page = Parse("<a href=x>abcd</a><a href=y>\x8a\x8a</a>", options);
  EXPECT_EQ(page.text, "abcd");
  EXPECT_TRUE(page.text_truncated);
  ASSERT_EQ(page.links.size(), 2u);
  EXPECT_EQ(page.TextOf(page.links[0]), "abcd");
  EXPECT_EQ(page.TextOf(page.links[1]), "");
}

TEST(Links, RepeatedReferencesShareTheirBytes) {
  const Page page = Parse("<a href=x>1</a><a href=x>2</a>");
  ASSERT_EQ(page.links.size(), 2u);
  EXPECT_EQ(page.links[0].target, page.links[1].target);
  EXPECT_EQ(page.links[0].href.offset, page.links[1].href.offset);
  EXPECT_EQ(page.TextOf(page.links[1]), "2");
}

TEST(Links, RelAndNofollow) {
  const Page page = Parse(
      "<a href=1 rel=nofollow><a href=2 rel='ugc x'><a href=3 rel=me>"
      "<area href=4 REL=SPONSORED>");
  ASSERT_EQ(page.links.size(), 4u);
  EXPECT_TRUE(page.links[0].nofollow());
  EXPECT_EQ(page.links[1].rel, kRelUgc | kRelOther);
  EXPECT_TRUE(page.links[1].nofollow());
  EXPECT_FALSE(page.links[2].nofollow());
  EXPECT_TRUE(page.links[3].nofollow());
}

TEST(Links, AnchorTextIsWhatTheReaderSees) {
  const Page page = Parse(
      "before <a href=1> one <b>two</b>\n three</a> after "
      "<a href=2></a><a href=3>x<a href=4>y</a><p><a href=5>in p</p>out");
  ASSERT_EQ(page.links.size(), 5u);
  EXPECT_EQ(page.TextOf(page.links[0]), "one two three");
  EXPECT_EQ(page.TextOf(page.links[1]), "");
  EXPECT_EQ(page.TextOf(page.links[2]), "x");
  EXPECT_EQ(page.TextOf(page.links[3]), "y");
  EXPECT_EQ(page.TextOf(page.links[4]), "in p");
  ExtractOptions options;
  options.max_anchor_bytes = 3;
  const Page cut = Parse("<a href=1>aé€</a>", options);
  EXPECT_EQ(cut.TextOf(cut.links.at(0)), "aé");  // Never half a character.
}

TEST(Links, OfTheLinkHeader) {
  const Page page = Parse("<base href=/b/>", {},
                          "Link: <x>; rel=\"canonical\", <y>; rel=alternate; hreflang=fr\r\n"
                          "Link: <z>; rel=canonical; anchor=\"/other\"\r\n");
  EXPECT_THAT(Links(page),
              ElementsAre("header@Link http://e.com/d/x", "header@Link http://e.com/d/y",
                          "header@Link http://e.com/d/z"));
  EXPECT_EQ(page.canonical, "http://e.com/d/x");
  ASSERT_EQ(page.alternates.size(), 1u);
  EXPECT_EQ(page.alternates[0].hreflang, "fr");
}

TEST(Relations, CanonicalOfTheHeadAndAlternates) {
  const Page page = Parse(
      "<link rel='canonical' href='/c#f'><link rel=canonical href=/c2>"
      "<link rel=alternate hreflang=de href=/de>"
      "<link rel='alternate' type='application/rss+xml' href=/rss>"
      "<link rel='alternate stylesheet' href=/css>");
  EXPECT_EQ(page.canonical, "http://e.com/c");
  ASSERT_EQ(page.alternates.size(), 2u);
  EXPECT_EQ(page.alternates[0].hreflang, "de");
  EXPECT_EQ(page.alternates[0].url, "http://e.com/de");
  EXPECT_EQ(page.alternates[1].type, "application/rss+xml");
  EXPECT_EQ(Parse("<p>x<link rel=canonical href=/c>").canonical, "");
}

TEST(Directives, OfTheMetaElementAndTheHeader) {
  ExtractOptions options;
  options.robots_agent = "MyBot";
  EXPECT_TRUE(Parse("<meta name=ROBOTS content='noindex'>").robots.noindex);
  EXPECT_TRUE(Parse("<meta name=mybot content='nofollow'>", options).robots.nofollow);
  EXPECT_FALSE(Parse("<meta name=otherbot content='nofollow'>", options).robots.nofollow);
  EXPECT_FALSE(Parse("<template><meta name=robots content=none></template>").robots.noindex);
  EXPECT_TRUE(Parse("", options, "X-Robots-Tag: mybot: noindex\r\n").robots.noindex);
  EXPECT_EQ(Parse("<meta name=robots content=noindex>", {}, "X-Robots-Tag: nofollow\r\n").robots,
            (RobotsDirectives{.noindex = true, .nofollow = true}));
}

TEST(Title, IsTheFirstAndCollapsed) {
  EXPECT_EQ(Parse("<title> A &amp;\n <b>  </title><title>no</title>").title, "A & <b>");
  EXPECT_EQ(Parse("<svg><title>no</title></svg><title>yes</title>").title, "yes");
  EXPECT_EQ(Parse("<template><title>no</title></template><title>yes</title>").title, "yes");
  EXPECT_EQ(Parse("<title>unclosed").title, "unclosed");
  ExtractOptions options;
  options.max_title_bytes = 4;
  EXPECT_EQ(Parse("<title>abc\u00E9</title>", options).title, "abc");
}

TEST(Description, PrefersThePlainOne) {
  EXPECT_EQ(
      Parse("<meta property=og:description content=og><meta name=Description content=' a  b '>"
            "<meta name=description content=second>")
          .description,
      "a b");
  EXPECT_EQ(Parse("<meta property=og:description content=og>").description, "og");
}

TEST(Language, OfTheRootElementThenTheHeader) {
  EXPECT_EQ(Parse("<html lang=de>", {}, "Content-Language: fr\r\n").language, "de");
  EXPECT_EQ(Parse("<html xml:lang=de>").language, "de");
  EXPECT_EQ(Parse("<p>", {}, "Content-Language: fr\r\n").language, "fr");
  EXPECT_EQ(Parse("<meta http-equiv=content-language content=it><html lang=de>").language, "de");
}

TEST(VisibleText, BlanksAndBlocks) {
  EXPECT_EQ(Text("  a \n\t b<b>c</b> d  "), "a bc d");
  EXPECT_EQ(Text("<p>one</p>\n<p>two<br>three<div>four</div>five"), "one\ntwo\nthree\nfour\nfive");
  EXPECT_EQ(Text("<table><tr><td>a<td>b<tr><td>c</table>"), "a b\nc");
  EXPECT_EQ(Text("<ul><li>a<li>b</ul>"), "a\nb");
  EXPECT_EQ(Text("a<span> </span>b<i>c</i>"), "a bc");
  EXPECT_EQ(Text("x&nbsp;&lt;y&#x3e;"), "x\u00A0<y>");
  EXPECT_EQ(Text("a\r\nb\rc"), "a b c");
}

TEST(VisibleText, LeavesOutWhatNobodySees) {
  EXPECT_EQ(Text("<head><title>t</title><style>s</style></head>a<script>b</script>"
                 "<style>c</style><template>d<p>e</p></template><iframe>f</iframe>"
                 "<noembed>g</noembed><!-- h -->i<svg><title>j</title><style>k</style>"
                 "<text>l</text></svg><textarea>m</textarea><xmp>n<b></xmp>"),
            "a il\nm\nn<b>");
  EXPECT_EQ(Text("<plaintext>a<b>"), "a<b>");
}

TEST(VisibleText, IsCutBetweenCharacters) {
  ExtractOptions options;
  options.max_text_bytes = 5;
  const Page page = Parse("<p>abc<p>\u20ACd<p>more", options);
  EXPECT_EQ(page.text, "abc");
  EXPECT_TRUE(page.text_truncated);
  EXPECT_FALSE(Parse("<p>abc", options).text_truncated);
}

std::vector<std::string> Headings(std::string_view html, ExtractOptions options = {}) {
  const Page page = Parse(html, std::move(options));
  std::vector<std::string> headings;
  for (const PageSlice heading : page.headings) headings.emplace_back(page.TextOf(heading));
  return headings;
}

TEST(Headings, AreSlicesOfTheText) {
  EXPECT_THAT(Headings("<h1> One <b>big</b>\n step</h1><p>text<h2>Two</h2>more<h6>Six</h6>"),
              ElementsAre("One big step", "Two", "Six"));
  EXPECT_THAT(Headings("<h1><a href=x>In a link</a></h1>after"), ElementsAre("In a link"));
  EXPECT_THAT(Headings("<h1></h1><h2> </h2><h3><img src=x></h3><p>text"), ElementsAre());
  EXPECT_THAT(Headings("<header><h7>none</h7></header>"), ElementsAre());
}

// The end tag of any heading closes whichever is open; so does the next heading's start.
TEST(Headings, EndWhereTheyAreSaidTo) {
  EXPECT_THAT(Headings("<h1>One</h2>text"), ElementsAre("One"));
  EXPECT_THAT(Headings("<h1>One<h2>Two</h2>text"), ElementsAre("One", "Two"));
  EXPECT_THAT(Headings("<H1 class=x>One</H1 >text"), ElementsAre("One"));
  EXPECT_THAT(Headings("<svg><g></g><h1>Out of it</h1></svg>text"), ElementsAre("Out of it"));
  EXPECT_THAT(Headings("<template><h1>unseen</h1></template><h1>seen"), ElementsAre("seen"));
  EXPECT_THAT(Headings("<h1>body</h1><frameset><frame src=x>"), ElementsAre("body"));
}

TEST(Headings, TheFirstH1WithText) {
  const auto h1 = [](std::string_view html) {
    const Page page = Parse(html, {});
    return std::string(page.TextOf(page.h1));
  };
  EXPECT_EQ(h1("<h2>Two</h2><h1> </h1><h1>One <i>more</i></h1><h1>Other</h1>"), "One more");
  EXPECT_EQ(h1("<h2>Two</h2><dl><dt>term</dl>"), "");
  EXPECT_EQ(h1("<template><h1>unseen</h1></template><h1>seen"), "seen");
}

TEST(Headings, AreTermsThatAreExplainedToo) {
  EXPECT_THAT(Headings("<dl><dt>one</dt><dd>the first</dd><dt>two<dd>the second<dt>three</dl>."),
              ElementsAre("one", "two", "three"));
  EXPECT_THAT(Headings("<h2>Terms</h2><dl><dt><code>f(x)</code></dt><dd>a function</dl>"),
              ElementsAre("Terms", "f(x)"));
}

TEST(LinkBlocks, AreLinesOfLinks) {
  const auto blocks = [](std::string_view html) {
    const Page page = Parse(html, {});
    std::vector<std::string> texts;
    for (const PageSlice block : page.link_blocks) texts.emplace_back(page.TextOf(block));
    return texts;
  };
  const std::string menu =
      "<ul><li><a href=1>One</a><li><a href=2>Two</a><li>More<li><a href=3>Three</a>"
      "<li><a href=4>Four</a></ul>";
  // A short line between links is a caption; a page may have several blocks.
  EXPECT_THAT(blocks(menu + "<p>Text about two things, with a <a href=2>link</a> in it.<p>" + menu),
              ElementsAre("One\nTwo\nMore\nThree\nFour", "One\nTwo\nMore\nThree\nFour"));
  EXPECT_THAT(blocks("<p><a href=1>a</a> | <a href=2>b</a> | <a href=3>c</a> | <a href=4>d</a>"),
              ElementsAre());  // More between the links than in them.
  EXPECT_THAT(blocks("<p><a href=1>home</a> | <a href=2>news</a> | <a href=3>about</a> | "
                     "<a href=4>contact</a><p>Text."),
              ElementsAre("home | news | about | contact"));
  EXPECT_THAT(blocks("<h2><a href=1>An article</a></h2><p>Its beginning.<h2><a href=2>Another"
                     "</a></h2><p>Its beginning, which is a good deal longer than a caption."),
              ElementsAre());
  EXPECT_THAT(blocks("<a href=1>One link<p>over two lines</a><p>text"), ElementsAre());
}

TEST(Headings, AreBounded) {
  std::string html = "<h1>";
  for (int i = 0; i < 1000; ++i) html += "w\u00F6rd ";
  const std::vector<std::string> headings = Headings(html);
  ASSERT_EQ(headings.size(), 1u);
  EXPECT_LE(headings[0].size(), 512u);
  ExtractOptions options;
  options.max_text_bytes = 5;
  EXPECT_THAT(Headings("<h1>abc</h1><h2>defgh</h2><h3>x</h3>", options), ElementsAre("abc", "d"));
}

TEST(Limits, LinksAreBounded) {
  ExtractOptions options;
  options.max_links = 2;
  options.max_href_bytes = 4;
  const Page page =
      Parse("<a href=abcde></a><a href=1></a><img srcset='2 1x, 3 2x, 4 3x'>", options);
  EXPECT_EQ(page.links.size(), 2u);
  EXPECT_TRUE(page.links_truncated);
  EXPECT_FALSE(Parse("<img src=data:,x>", options).links_truncated);
}

// Each short link of a page with a long base is a long URL.
TEST(Limits, ALongBaseIsNotMultipliedByTheLinks) {
  std::string links;
  for (int i = 0; i < 2000; ++i) links += "<a href=" + std::to_string(i) + "></a>";
  ExtractOptions options;
  options.max_links_bytes = 100'000;
  const std::string long_base = "<base href='/" + std::string(8000, 'b') + "/'>";
  const Page page = Parse(long_base + links, options);
  EXPECT_TRUE(page.links_truncated);
  EXPECT_EQ(page.links.size(), 13u);
  EXPECT_LT(page.strings.size(), 110'000u);
  // Canonicals and the Link header are links too.
  std::string canonicals;
  for (int i = 0; i < 2000; ++i) {
    canonicals += "<link rel=canonical href=" + std::to_string(i) + ">";
  }
  EXPECT_LT(Parse(long_base + canonicals, options).strings.size(), 110'000u);
  EXPECT_EQ(Parse(long_base + links, options, "Link: </x>; rel=next\r\n").links.size(), 13u);
}

TEST(Limits, WithABaseBeyondTheLimitNothingIsRelative) {
  const Page page = Parse("<base href='/" + std::string(9000, 'b') +
                          "/'><a href=1></a><a href=//e.com/2></a><a href=https://e.com/3></a>");
  EXPECT_THAT(Links(page), ElementsAre("a@href https://e.com/3"));
  EXPECT_TRUE(page.links_truncated);
}

TEST(HtmlExtractor, ForgetsThePageBefore) {
  Url url;
  ParseUrl("http://e.com/", nullptr, &url);
  HtmlExtractor extractor;
  Page page;
  extractor.Extract("<title>t<script><svg><base href=/b/><a href=x>unclosed", url, &page);
  extractor.Extract("<h1>unclosed", url, &page);
  extractor.Extract("<frameset><title>u</title><a href=y>", url, &page);
  extractor.Extract("<template><svg><a href=y><table>", url, &page);
  extractor.Extract("text <a href=x>y</a>", url, &page);
  EXPECT_EQ(page.title, "");
  EXPECT_EQ(page.text, "text y");
  EXPECT_TRUE(page.headings.empty());
  EXPECT_THAT(Links(page), ElementsAre("a@href http://e.com/x"));
}

// CPU time, which a busy machine does not stretch.
double ThreadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string Written(const Page& page) {
  std::string out = page.base_url + "|" + page.title + "|" + page.description + "|" + page.text;
  for (const std::string& link : Links(page)) out += "\n" + link;
  for (const Link& link : page.links) out.append("\n").append(page.TextOf(link));
  for (const PageSlice heading : page.headings) out.append("\n#").append(page.TextOf(heading));
  return out;
}

// Documents put together from pieces that mean something, in buffers of exactly their size.
TEST(HtmlExtractor, InstructionSetsAgree) {
  const std::vector<std::string> pieces = {"<a href=\"x\">",
                                           "</a>",
                                           "<p>",
                                           "</p>",
                                           "<b>",
                                           "</b>",
                                           "<div class='a b'>",
                                           "</div>",
                                           " ",
                                           "\n  \t",
                                           "word",
                                           "two  words",
                                           "<svg>",
                                           "</svg>",
                                           "<foreignObject>",
                                           "<math><mi>",
                                           "<table>",
                                           "<tr><td>",
                                           "</table>",
                                           "<script>",
                                           "</script>",
                                           "<title>",
                                           "</title>",
                                           "<!--",
                                           "-->",
                                           "<template>",
                                           "</template>",
                                           "&amp;",
                                           "&notin",
                                           "&#x41;",
                                           "\r\n",
                                           std::string("\0", 1),
                                           "<IMG SRC=y alt=\"&lt;\">",
                                           "<img srcset='a 1x, b 2x'>",
                                           "<![CDATA[",
                                           "]]>",
                                           "<",
                                           ">",
                                           "=",
                                           "\"",
                                           "'",
                                           "/",
                                           "<li>",
                                           "<select><option>",
                                           "<a-rather-long-name and-attribute=1>",
                                           "\u20AC",
                                           "<base href=/b/>",
                                           "<textarea>",
                                           "</textarea>",
                                           "a text of more than thirty-two bytes, yes"};
  std::mt19937 random(3);
  Url url;
  ParseUrl("http://e.com/", nullptr, &url);
  std::vector<HtmlExtractor> extractors;
  for (const Isa isa : {Isa::kPortable, Isa::kSse2, Isa::kAvx2}) {
    ExtractOptions options;
    options.isa = isa;
    extractors.emplace_back(options);
  }
  for (int round = 0; round < 2000; ++round) {
    std::string html;
    for (unsigned count = random() % 40; count > 0; --count) {
      html += pieces[random() % pieces.size()];
    }
    const std::unique_ptr<char[]> exact(new char[html.size()]);
    std::copy(html.begin(), html.end(), exact.get());
    std::string expected;
    for (HtmlExtractor& extractor : extractors) {
      Page page;
      extractor.Extract(std::string_view(exact.get(), html.size()), url, &page);
      if (&extractor == &extractors.front()) expected = Written(page);
      ASSERT_EQ(Written(page), expected) << html;
    }
  }
}

// Hostile pages: time must stay in proportion to the size. One megabyte of each, where anything
// quadratic would take minutes.
TEST(HtmlExtractor, HostilePagesTakeLinearTime) {
  const auto repeat = [](std::string_view piece, std::size_t size) {
    std::string text;
    while (text.size() < size) text += piece;
    return text;
  };
  std::string distinct_attributes = "<a ";
  for (int i = 0; i < 150000; ++i) distinct_attributes += "a" + std::to_string(i) + " ";
  std::string distinct_formatting;
  for (int i = 0; distinct_formatting.size() < 500000; ++i) {
    distinct_formatting += "<b x=" + std::to_string(i) + ">";
  }
  constexpr std::size_t kSize = 1000000;
  std::string long_base_links = "<base href='/" + repeat("b", kSize) + "/'>";
  for (int i = 0; i < 50000; ++i) long_base_links += "<a href=" + std::to_string(i) + ">";
  std::vector<std::string> pages = {
      distinct_attributes + ">",
      distinct_formatting + repeat("<p>x", kSize / 2),
      repeat("<div>", 3000) + repeat("</span>", kSize),
      repeat("<i><b>", 600) + repeat("<div>", 2600) + repeat("</b>", kSize),
      "<script>" + repeat("<!--<script>", kSize),
      "<title>" + repeat("</titl", kSize),
      "<!--" + repeat("-- >", kSize),
      "<img srcset='" + repeat(",(", kSize),
      long_base_links};
  for (const std::string_view piece : {"<",
                                       "&",
                                       "<a ",
                                       "<a x",
                                       "<svg>",
                                       "<svg><desc>",
                                       "<math><mi>",
                                       "</",
                                       "<!",
                                       "<!--",
                                       "<a x=\"",
                                       "<template>",
                                       "<table>",
                                       "<table><tr><td>",
                                       "<select>",
                                       "<select><option>",
                                       "<b>",
                                       "<b></p>",
                                       "<a><p>",
                                       "<a href=x><p></a>",
                                       "<p><b>",
                                       "<nobr>",
                                       "<button>",
                                       "<form>",
                                       "</form><form>",
                                       "<li>",
                                       "<ul><li>",
                                       "<dd><div>",
                                       "<h1>",
                                       "</p>",
                                       "</br>",
                                       "<x>",
                                       "<x></y>",
                                       "&#1",
                                       "&notin",
                                       "<object>",
                                       "<frameset>",
                                       "<ruby><rt>",
                                       "\r",
                                       "a=\"",
                                       "<i><b></i></b>",
                                       "<![CDATA["}) {
    pages.push_back(repeat(piece, kSize));
  }
  HtmlExtractor extractor;
  Url url;
  ParseUrl("http://e.com/", nullptr, &url);
  Page page;
  for (const std::string& html : pages) {
    const double begin = ThreadSeconds();
    extractor.Extract(html, url, &page);
    EXPECT_LT(ThreadSeconds() - begin, 10.0) << html.substr(0, 40);
  }
}

}  // namespace
}  // namespace crawler
