// Postings, positions, marks and compressed texts as a damaged crawl.db may hold them. The first
// three bytes: which reader, how many pages are claimed, and the first page that is wanted.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "index/page_text.hpp"
#include "index/postings.hpp"

namespace {

#define CHECK(condition) \
  if (!(condition)) std::abort()

std::uint64_t ReadStream(crawler::PositionStream stream) {
  std::uint64_t positions = 0;
  const std::uint64_t claimed = stream.left();
  while (stream.Next()) ++positions;
  CHECK(positions <= claimed);
  return positions;
}

void ReadPostings(std::string_view docs, std::string_view positions, std::uint32_t pages,
                  std::uint32_t wanted) {
  crawler::PostingsReader reader(docs, pages);
  reader.SetPositions(positions);
  std::uint64_t seen = 0, read = 0;
  for (auto block = reader.NextBlock(wanted); !block.empty(); block = reader.NextBlock(0)) {
    CHECK(block.size() <= crawler::kBlockPages);
    for (std::size_t i = 0; i < block.size(); ++i) {
      read += ReadStream(reader.Stream(i));
      CHECK(reader.PositionBytes(i).size() <= positions.size());
    }
    seen += block.size();
    CHECK(seen <= pages);
  }
  CHECK(read <= positions.size() * (seen + 1));
}

// What is written is read back the same.
void RoundTrip(std::string_view bytes) {
  crawler::PostingsEncoder encoder;
  std::vector<crawler::Posting> written;
  crawler::VarintReader numbers(bytes);
  std::uint32_t page = 0;
  while (!numbers.AtEnd() && written.size() < 1000) {
    crawler::Posting posting;
    page += 1 + numbers.Next32() % 1000;
    posting.page = page;
    posting.counts = {1 + numbers.Next32() % 300, numbers.Next32() % 3, numbers.Next32() % 3,
                      numbers.Next32() % 3};
    encoder.Add(posting, "");
    written.push_back(posting);
  }
  encoder.Finish();
  crawler::PostingsReader reader(encoder.docs(), encoder.pages());
  std::size_t next = 0;
  for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
    for (const crawler::Posting& posting : block) CHECK(posting == written[next++]);
  }
  CHECK(reader.ok() && next == written.size());
}

void ReadText(std::string_view bytes) {
  std::string text;
  if (crawler::DecompressText(bytes, &text).ok()) {
    std::string packed, again;
    crawler::TextCompressor().Compress(text, &packed);
    CHECK(crawler::DecompressText(packed, &again).ok() && again == text);
  }
  crawler::PageMarks marks;
  constexpr std::size_t kTextSize = 1000;
  crawler::DecodeMarks(bytes, kTextSize, &marks);
  for (const auto* slices : {&marks.headings, &marks.boilerplate, &marks.link_blocks}) {
    std::size_t end = 0;
    for (const crawler::PageSlice& slice : *slices) {
      CHECK(slice.offset >= end);
      end = std::size_t{slice.offset} + slice.size;
      CHECK(end <= kTextSize);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 3), size - 3);
  switch (data[0] % 3) {
    case 0: {
      const std::size_t split = bytes.size() / 2;
      ReadPostings(bytes.substr(0, split), bytes.substr(split), data[1] * 5u, data[2] * 7u);
      break;
    }
    case 1:
      RoundTrip(bytes);
      break;
    default:
      ReadText(bytes);
  }
  return 0;
}
