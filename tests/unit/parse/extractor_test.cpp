#include "parse/extractor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "parse/html_extractor.hpp"
#include "parse/meta_fields.hpp"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

template <typename T>
ExtractOptions With() {
  ExtractOptions options;
  options.extractors.push_back([] { return std::make_unique<T>(); });
  return options;
}

Page ExtractPage(std::string_view html, const ExtractOptions& options) {
  Url url;
  ParseUrl("http://e.com/d/p.html", nullptr, &url);
  Page page;
  HtmlExtractor(options).Extract(html, url, &page);
  return page;
}

std::vector<std::pair<std::string, std::string>> Fields(const Page& page) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const PageField& field : page.fields) fields.emplace_back(field.name, field.value);
  return fields;
}

/// Writes down every call as a field.
class Recorder final : public Extractor {
 public:
  void Begin() override { text_.clear(); }
  void OnStartTag(const StartTag& tag, ExtractorOutput& out) override {
    Flush(out);
    out.AddField("start", tag.name());
  }
  void OnText(std::string_view text, ExtractorOutput&) override { text_ += text; }
  void OnEndTag(TagId id, ExtractorOutput& out) override {
    Flush(out);
    out.AddField("end", TagName(id));
  }
  void Finish(ExtractorOutput& out) override {
    Flush(out);
    out.AddField("finish", "");
  }

 private:
  void Flush(ExtractorOutput& out) {
    if (!text_.empty()) out.AddField("text", text_);
    text_.clear();
  }
  std::string text_;
};

TEST(Extractor, SeesTheTokensOfTheStandard) {
  EXPECT_THAT(
      Fields(ExtractPage("<title>T&amp;t</title><style>a>b</style><p>x<!-- c --><b>y</b></html>"
                         "<template><p>hidden</p></template><image><td>z<x-y>",
                         With<Recorder>())),
      ElementsAre(Pair("start", "title"), Pair("text", "T&t"), Pair("end", "title"),
                  Pair("start", "style"), Pair("text", "a>b"), Pair("end", "style"),
                  Pair("start", "p"), Pair("text", "x"), Pair("start", "b"), Pair("text", "y"),
                  Pair("end", "b"), Pair("end", "html"), Pair("start", "img"), Pair("text", "z"),
                  Pair("start", "x-y"), Pair("finish", "")));
}

TEST(Extractor, StartsAfreshWithEachDocument) {
  Url url;
  ParseUrl("http://e.com/", nullptr, &url);
  HtmlExtractor extractor(With<Recorder>());
  Page page;
  for (int i = 0; i < 2; ++i) {
    extractor.Extract("<i>", url, &page);
    EXPECT_THAT(Fields(page), ElementsAre(Pair("start", "i"), Pair("finish", "")));
  }
}

/// TagAttributes by id and by name.
class TagAttributes final : public Extractor {
 public:
  void OnStartTag(const StartTag& tag, ExtractorOutput& out) override {
    out.AddField("href", tag.Attribute(AttrId::kHref).value_or("none"));
    out.AddField("data-x", tag.Attribute("data-x").value_or("none"));
    out.AddField("svg", tag.name_space() == Namespace::kSvg ? "yes" : "no");
  }
};

TEST(Extractor, AttributesAreDecoded) {
  EXPECT_THAT(Fields(ExtractPage("<a href='?a&amp;b' DATA-X=\"1&lt;2\" data-x=second>",
                                 With<TagAttributes>())),
              ElementsAre(Pair("href", "?a&b"), Pair("data-x", "1<2"), Pair("svg", "no")));
  EXPECT_THAT(Fields(ExtractPage("<svg data-x>", With<TagAttributes>())),
              ElementsAre(Pair("href", "none"), Pair("data-x", ""), Pair("svg", "yes")));
}

/// Links in data-href, for the order and the base of added links.
class DataLinks final : public Extractor {
 public:
  void OnStartTag(const StartTag& tag, ExtractorOutput& out) override {
    if (const auto href = tag.Attribute("data-href")) out.AddLink(*href, LinkSource::kImgSrc);
  }
};

TEST(Extractor, LinksTakePartInOrderBaseAndLimits) {
  const std::string html =
      "<base href=/base/><a href=1 data-href=2>x</a><p data-href='http://o.com/3'><a href=4>y</a>";
  const auto urls = [&](ExtractOptions options) {
    const Page page = ExtractPage(html, options);
    std::vector<std::string> all;
    for (const Link& link : page.links) all.emplace_back(page.UrlOf(link));
    EXPECT_EQ(page.links_truncated, options.max_links < 4);
    return all;
  };
  ExtractOptions options = With<DataLinks>();
  EXPECT_THAT(urls(options), ElementsAre("http://e.com/base/1", "http://e.com/base/2",
                                         "http://o.com/3", "http://e.com/base/4"));
  options.max_links = 2;
  EXPECT_THAT(urls(options), ElementsAre("http://e.com/base/1", "http://e.com/base/2"));
}

TEST(Extractor, FieldsAreLimited) {
  ExtractOptions options = With<MetaFields>();
  options.max_fields = 2;
  options.max_field_bytes = 4;
  EXPECT_THAT(Fields(ExtractPage("<meta name=abcdef content='12\xC3\xA4\xC3\xA4'>"
                                 "<meta name=b content=2><meta name=c content=3>",
                                 options)),
              ElementsAre(Pair("abcd", "12\xC3\xA4"), Pair("b", "2")));
}

// An extractor sees the document; it does not change what the page is without it.
TEST(Extractor, ChangesNothingElse) {
  const std::vector<std::string> pieces = {
      "<p>",         "</p>",      "<b>",      "</b>",        "<a href=x>",   "</a>",
      "text ",       "<table>",   "<tr>",     "<td>",        "</table>",     "<script>",
      "if(a<b)",     "</script>", "<svg>",    "</svg>",      "<title>",      "</title>",
      "<template>",  "<h1>",      "</h1>",    "</template>", "&amp;",        "<!-- c -->",
      "<frameset>",  "<style>",   "</style>", "<i>",         "<img src=y>",  "<noscript>",
      "</noscript>", "<select>",  "<option>", "</select>",   "\r\n",         "<textarea>",
      "</textarea>", "<body>",    "</body>",  "<math><mi>",  "<![CDATA[x]]>"};
  std::mt19937 random(7);
  ExtractOptions observed = With<Recorder>();
  observed.extractors.push_back([] { return std::make_unique<MetaFields>(); });
  for (int round = 0; round < 3000; ++round) {
    std::string html;
    for (unsigned n = random() % 30; n > 0; --n) html += pieces[random() % pieces.size()];
    const Page with = ExtractPage(html, observed);
    const Page without = ExtractPage(html, {});
    EXPECT_THAT(without.fields, IsEmpty());
    ASSERT_EQ(with.text, without.text) << html;
    ASSERT_EQ(with.title, without.title) << html;
    ASSERT_EQ(with.strings, without.strings) << html;
    ASSERT_EQ(with.links.size(), without.links.size()) << html;
    for (std::size_t i = 0; i < with.links.size(); ++i) {
      ASSERT_EQ(with.TextOf(with.links[i]), without.TextOf(without.links[i])) << html;
    }
    ASSERT_EQ(with.headings.size(), without.headings.size()) << html;
  }
}

TEST(MetaFields, CollectsPropertiesAndNames) {
  EXPECT_THAT(
      Fields(ExtractPage(
          "<meta property=og:title content=' The &lt;Rock&gt; '>"
          "<meta name=Author content='A. Writer'><meta charset=utf-8>"
          "<meta name=empty content=' '><meta name='' content=x><meta content=x>"
          "<meta property=og:image content=/1.png><meta property=og:image content=/2.png>"
          "<template><meta name=hidden content=x></template>"
          "<svg><meta name=svg content=x></svg>",
          With<MetaFields>())),
      ElementsAre(Pair("og:title", "The <Rock>"), Pair("author", "A. Writer"),
                  Pair("og:image", "/1.png"), Pair("og:image", "/2.png"), Pair("svg", "x")));
}

}  // namespace
}  // namespace crawler
