#include "index/postings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "index/accumulator.hpp"
#include "index/document.hpp"
#include "index/term_words.hpp"

namespace crawler {
namespace {

struct Made {
  std::vector<Posting> postings;
  std::vector<std::vector<std::uint32_t>> positions;
  std::string docs, coded_positions;
};

Made MakePostings(std::mt19937& random, std::size_t count) {
  Made made;
  PostingsEncoder encoder;
  std::uint32_t page = 0;
  for (std::size_t i = 0; i < count; ++i) {
    page += 1 + random() % (i % 7 == 0 ? 100'000 : 3);
    Posting posting;
    posting.page = page;
    posting.counts[0] = random() % 3;
    for (std::size_t field = 1; field < kOwnFieldCount; ++field) {
      if (random() % 8 == 0) posting.counts[field] = 1 + random() % 300;
    }
    if (posting.Total() == 0) posting.counts[0] = 1;
    std::vector<std::uint32_t> positions;
    std::string coded;
    std::uint32_t position = 0;
    for (std::uint64_t n = 0; n < posting.Total(); ++n) {
      const std::uint32_t step = random() % 400;
      AppendVarint(step, &coded);
      positions.push_back(position += step);
    }
    encoder.Add(posting, coded);
    made.postings.push_back(posting);
    made.positions.push_back(positions);
  }
  encoder.Finish();
  made.docs = encoder.docs();
  made.coded_positions = encoder.positions();
  return made;
}

std::vector<std::uint32_t> PositionsOf(PostingsReader& reader, std::size_t index) {
  std::vector<std::uint32_t> positions;
  PositionStream stream = reader.Stream(index);
  while (stream.Next()) positions.push_back(static_cast<std::uint32_t>(stream.position()));
  return positions;
}

TEST(Varint, AnyNumberComesBackAndHalfOneIsNone) {
  for (const std::uint64_t value : {0ull, 1ull, 127ull, 128ull, 300ull, ~0ull, 1ull << 63}) {
    std::string bytes;
    AppendVarint(value, &bytes);
    VarintReader reader(bytes);
    EXPECT_EQ(reader.Next(), value);
    EXPECT_TRUE(reader.ok() && reader.AtEnd());
    bytes.back() = static_cast<char>(0x80);
    VarintReader half(bytes);
    half.Next();
    EXPECT_FALSE(half.ok());
  }
}

TEST(Varint, SkippingIsReadingWithoutLooking) {
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    const unsigned count = random() % 40;
    for (unsigned i = 0; i < count; ++i) AppendVarint(random() >> random() % 32, &bytes);
    const unsigned skipped = random() % 45;
    VarintReader reading(bytes), skipping(bytes);
    for (unsigned i = 0; i < skipped; ++i) reading.Next();
    skipping.Skip(skipped);
    EXPECT_EQ(skipping.position(), reading.position());
    EXPECT_EQ(skipping.ok(), skipped <= count);
  }
}

TEST(Postings, ComeBackWithTheirPositions) {
  std::mt19937 random(1);
  for (const std::size_t count : {1u, 2u, 127u, 128u, 129u, 256u, 1000u}) {
    const Made made = MakePostings(random, count);
    PostingsReader reader(made.docs, static_cast<std::uint32_t>(count));
    reader.SetPositions(made.coded_positions);
    std::size_t at = 0;
    for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
      for (std::size_t i = 0; i < block.size(); ++i, ++at) {
        ASSERT_LT(at, count);
        EXPECT_EQ(block[i], made.postings[at]);
        EXPECT_EQ(PositionsOf(reader, i), made.positions[at]);
        PositionStream stream = reader.Stream(i);
        ASSERT_TRUE(stream.SeekTo(made.positions[at].back()));
        EXPECT_EQ(stream.position(), made.positions[at].back());
        EXPECT_FALSE(stream.SeekTo(std::uint64_t{made.positions[at].back()} + 1));
      }
      if (!block.empty()) {  // Going back works too.
        EXPECT_EQ(PositionsOf(reader, 0), made.positions[at - block.size()]);
      }
    }
    EXPECT_EQ(at, count);
    EXPECT_TRUE(reader.ok());
  }
}

TEST(Postings, BlocksArePassedOverWithoutMissingAPage) {
  std::mt19937 random(2);
  const Made made = MakePostings(random, 5000);
  for (int round = 0; round < 200; ++round) {
    PostingsReader reader(made.docs, 5000);
    reader.SetPositions(made.coded_positions);
    std::uint32_t page = 0;
    while (true) {
      page += random() % 400'000;
      const auto block = reader.NextBlock(page);
      const auto expected =
          std::find_if(made.postings.begin(), made.postings.end(),
                       [&](const Posting& posting) { return posting.page >= page; });
      if (expected == made.postings.end()) break;
      ASSERT_FALSE(block.empty());
      const auto found = std::find_if(block.begin(), block.end(),
                                      [&](const Posting& posting) { return posting.page >= page; });
      // The block may be behind the page that was asked for if that one was in the last block.
      if (found == block.end() || *found != *expected) {
        ASSERT_GT(block.front().page, expected->page);
        page = block.back().page;
        continue;
      }
      EXPECT_EQ(PositionsOf(reader, static_cast<std::size_t>(found - block.begin())),
                made.positions[static_cast<std::size_t>(expected - made.postings.begin())]);
      page = block.back().page;
    }
  }
}

TEST(Postings, DamageIsAnEndNotACrash) {
  std::mt19937 random(3);
  const Made made = MakePostings(random, 700);
  for (int round = 0; round < 3000; ++round) {
    std::string docs = made.docs, coded = made.coded_positions;
    for (unsigned n = random() % 4; n > 0; --n)
      docs[random() % docs.size()] = static_cast<char>(random());
    docs.resize(random() % (docs.size() + 1));
    coded.resize(random() % (coded.size() + 1));
    PostingsReader reader(docs, static_cast<std::uint32_t>(random() % 2000));
    reader.SetPositions(coded);
    std::uint32_t last = 0;
    for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
      EXPECT_GT(block.front().page, last);
      last = block.back().page;
      EXPECT_LE(PositionsOf(reader, block.size() - 1).size(), coded.size());
    }
  }
}

TEST(Accumulator, GivesWhatItWasGivenSorted) {
  std::mt19937 random(4);
  std::map<std::string, std::vector<Posting>> expected;
  std::map<std::string, std::string> expected_shown;
  Accumulator accumulator;
  for (std::uint32_t page = 1; page <= 600; ++page) {
    for (int n = 0; n < 40; ++n) {
      const std::string term = "t" + std::to_string(random() % (n < 5 ? 3 : 5000));
      std::vector<Posting>& postings = expected[term];
      if (!postings.empty() && postings.back().page == page) continue;
      Posting posting;
      posting.page = page;
      posting.counts = {static_cast<std::uint32_t>(1 + random() % 5), 0,
                        static_cast<std::uint32_t>(random() % 2), 0};
      postings.push_back(posting);
      std::string positions;
      for (std::uint64_t i = 0; i < posting.Total(); ++i) AppendVarint(page + i, &positions);
      const std::string shown = term + std::string(random() % 3, 's');
      std::string& best = expected_shown[term];
      if (ShownBefore(shown, best)) best = shown;
      accumulator.Add(term, TermHash(term), posting, positions, shown);
    }
  }
  EXPECT_GT(accumulator.memory(), 10'000u);
  auto next = expected.begin();
  const Status status = accumulator.Drain([&](const Accumulator::Row& row) {
    EXPECT_EQ(row.term, next->first);
    EXPECT_EQ(row.document_freq, next->second.size());
    EXPECT_EQ(row.shown, expected_shown[next->first]);
    PostingsReader reader(row.docs, row.document_freq);
    reader.SetPositions(row.positions);
    std::size_t at = 0;
    for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
      for (std::size_t i = 0; i < block.size(); ++i, ++at) {
        EXPECT_EQ(block[i], next->second[at]);
        const std::vector<std::uint32_t> positions = PositionsOf(reader, i);
        EXPECT_EQ(positions.size(), block[i].Total());
        EXPECT_EQ(positions.empty() ? 0 : positions.front(), block[i].page);
      }
    }
    EXPECT_EQ(at, next->second.size());
    ++next;
    return Status::Ok();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(next, expected.end());
  EXPECT_TRUE(accumulator.empty());
  // Its memory is given back; else every page after the first segment would be one of its own.
  EXPECT_LE(accumulator.memory(), Accumulator().memory());
}

// docs/formats.md, "The index": postings.words.
TEST(TermWords, AreReadAsTheyWereWritten) {
  std::mt19937 random(3);
  for (const int kinds : {1, 2, 5, 40}) {
    std::vector<std::string> written;
    TermWordsEncoder encoder;
    encoder.Clear();
    for (int i = 0; i < 300; ++i) {
      if (i == 0 || random() % 3 == 0) {
        written.push_back(std::string(random() % static_cast<unsigned>(kinds), 'w'));
      } else {
        written.push_back(written.back());
      }
    }
    for (const std::string& word : written) encoder.Add(word);
    encoder.Finish();
    // Empty ones stand for nothing.
    std::string shown;
    for (const std::string& word : written) {
      if (ShownBefore(word, shown)) shown = word;
    }
    EXPECT_EQ(encoder.shown(), shown);
    EXPECT_EQ(encoder.bytes().empty(), kinds == 1);
    TermWordsReader reader(encoder.bytes(), encoder.shown());
    for (const std::string& word : written) ASSERT_EQ(reader.Next(), word);

    // Any bytes give some words.
    std::string damaged = encoder.bytes();
    for (int round = 0; round < 200 && !damaged.empty(); ++round) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
      if (round % 10 == 9) damaged.resize(damaged.size() - 1);
      TermWordsReader bad(damaged, "shown");
      for (int i = 0; i < 300; ++i) EXPECT_LE(bad.Next().size(), damaged.size() + 5);
    }
  }
}

}  // namespace
}  // namespace crawler
