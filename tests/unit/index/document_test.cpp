#include "index/document.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "index/page_text.hpp"
#include "index/test_crawl.hpp"
#include "index/varint.hpp"

namespace crawler {
namespace {

std::map<std::string, DocumentTerm> TermsOf(const IndexedDocument& document) {
  std::map<std::string, DocumentTerm> terms;
  for (const DocumentTerm& term : document.terms) {
    EXPECT_TRUE(terms.emplace(document.Term(term), term).second);
  }
  return terms;
}

TEST(Document, CountsTermsByFieldAndKeepsTheirPositions) {
  DocumentSource source;
  source.url = "https://www.example.org/kbox/kdox%20kfox";
  source.title = "Kbox the kdox";
  source.text = "kfox\nkbox and kbox kgox\nkdox\nkbox and kmox";
  const PageSlice heading{0, 4}, menu{29, 13};
  source.headings = {&heading, 1};
  source.link_blocks = {&menu, 1};
  source.language_hint = "en";
  DocumentBuilder builder;
  IndexedDocument document;
  builder.Build(source, &document);
  EXPECT_EQ(document.words, 9u);
  EXPECT_EQ(document.lengths[Ordinal(Field::kTitle)], 3u);
  EXPECT_EQ(document.lengths[Ordinal(Field::kHeading)], 1u);
  EXPECT_EQ(document.lengths[Ordinal(Field::kBody)], 5u);
  const auto terms = TermsOf(document);
  EXPECT_EQ(terms.at("kbox").counts, (FieldCounts{2, 0, 1, 1, 1}));
  EXPECT_EQ(terms.at("kfox").counts, (FieldCounts{0, 1, 0, 1, 0}));
  // A stop word is a term of the title, not of the body.
  EXPECT_EQ(terms.at("the").counts, (FieldCounts{0, 0, 1, 0, 0}));
  EXPECT_FALSE(terms.contains("and"));
  // Words of the navigation have places, but are none of the page's own.
  EXPECT_EQ(terms.at("kmox").counts, (FieldCounts{0, 0, 0, 0, 1}));
  const auto json = nlohmann::json::parse(document.vector);
  EXPECT_EQ(json.at("kbox"), 3);
  EXPECT_EQ(json.at("kdox"), 2);
  EXPECT_FALSE(json.contains("example"));  // Only in the URL.
  EXPECT_FALSE(json.contains("kmox"));
  VarintReader reader(document.Positions(terms.at("kbox")));
  EXPECT_EQ(reader.Next(), 0u);
  const std::uint32_t text = 3 + kFieldGap;
  EXPECT_EQ(reader.Next(), text + 1);
  EXPECT_EQ(reader.Next(), 2u);
}

TEST(Document, TextAndHeadingsComeBack) {
  std::mt19937 random(1);
  WordSource words(1, 500);
  TextCompressor compressor;
  for (const int count : {0, 1, 5000}) {
    const std::string text = words.Words(count);
    std::string stored, back;
    compressor.Compress(text, &stored);
    EXPECT_TRUE(DecompressText(stored, &back).ok());
    EXPECT_EQ(back, text);
    if (count > 100) {
      EXPECT_LT(stored.size(), text.size());
    }
    // Damage is an error.
    if (stored.size() > 20) {
      stored.resize(stored.size() / 2);
      EXPECT_EQ(DecompressText(stored, &back).code(), StatusCode::kCorruption);
    }
  }
  std::string none;
  EXPECT_EQ(DecompressText("not compressed", &none).code(), StatusCode::kCorruption);
  const std::vector<PageSlice> slices = {{0, 4}, {4, 1}, {300, 12}};
  std::string coded;
  EncodeSlices(slices, &coded);
  std::vector<PageSlice> back;
  DecodeSlices(coded, 1000, &back);
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[2].offset, 300u);
  EXPECT_EQ(back[2].size, 12u);
  DecodeSlices(coded, 310, &back);  // The last one does not fit into this text.
  EXPECT_EQ(back.size(), 2u);
}

TEST(Document, AnyBytesGiveADocument) {
  std::mt19937 random(5);
  DocumentBuilder builder;
  IndexedDocument document;
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (unsigned n = random() % 3000; n > 0; --n) text.push_back(static_cast<char>(random()));
    std::vector<PageSlice> headings = {{static_cast<std::uint32_t>(random() % 100), 50},
                                       {200, 0xffffffff}};
    DocumentSource source;
    source.url = source.title = std::string_view(text).substr(0, 50);
    source.text = text;
    source.headings = headings;
    builder.Build(source, &document);
    std::string back;
    EXPECT_TRUE(DecompressText(document.text, &back).ok());
    EXPECT_EQ(back, text);
    EXPECT_NO_THROW({
      const auto json = nlohmann::json::parse(document.vector);
      (void)json;
    }) << document.vector;
  }
}

IndexedDocument Sketched(DocumentBuilder& builder, const std::string& text) {
  DocumentSource source;
  source.text = text;
  source.language_hint = "en";
  IndexedDocument document;
  builder.Build(source, &document);
  return document;
}

// The words of a page that has too many different ones are counted all the same.
TEST(Document, HasSoManyTermsAtMost) {
  std::string text;
  constexpr int kWords = 300'000;
  for (int i = 0; i < kWords; ++i) text += "w" + std::to_string(i) + " ";
  text += "w7";
  DocumentSource source;
  source.url = "http://a.example/";
  source.text = text;
  DocumentBuilder builder;
  IndexedDocument document;
  builder.Build(source, &document);
  EXPECT_EQ(document.terms.size(), 200'000u);
  EXPECT_EQ(document.words, kWords + 1u);
}

TEST(Document, SketchesTellNearDuplicatesFromOthers) {
  DocumentBuilder builder;
  WordSource words(9, 3000);
  for (int round = 0; round < 20; ++round) {
    const std::string text = words.Words(800);
    const std::string sketch = Sketched(builder, text).sketch;
    EXPECT_EQ(SketchBytesInCommon(sketch, sketch), kSketchBytes);
    // A date in the foot changes three of eight hundred runs of words.
    EXPECT_GE(SketchBytesInCommon(sketch, Sketched(builder, text + " 2024").sketch),
              kSketchBytesAlike);
    EXPECT_LT(SketchBytesInCommon(sketch, Sketched(builder, words.Words(800)).sketch), 16u);
    // Half of it other words.
    const std::string half = text.substr(0, text.size() / 2) + words.Words(400);
    EXPECT_LT(SketchBytesInCommon(sketch, Sketched(builder, half).sketch), kSketchBytesAlike);
  }
  EXPECT_TRUE(Sketched(builder, "").sketch.empty());
  EXPECT_EQ(SketchBytesInCommon("", ""), 0u);
  EXPECT_EQ(Sketched(builder, "one").sketch.size(), kSketchBytes);
  EXPECT_LT(SketchBytesInCommon(Sketched(builder, "kbox").sketch, Sketched(builder, "kdox").sketch),
            16u);
}

}  // namespace
}  // namespace crawler
