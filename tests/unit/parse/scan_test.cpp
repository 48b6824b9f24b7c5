#include "parse/scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {
namespace {

constexpr Isa kIsas[] = {Isa::kPortable, Isa::kSse2, Isa::kAvx2};

// A copy on the heap of exactly this size: under the address sanitizer any read beyond it is found.
class Exact {
 public:
  explicit Exact(const std::string& text) : data_(new char[text.size()]), size_(text.size()) {
    std::copy(text.begin(), text.end(), data_.get());
  }
  const char* begin() const { return data_.get(); }
  const char* end() const { return data_.get() + size_; }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t size_;
};

template <ByteSet kSet>
void CheckFind(const std::string& text) {
  const Exact exact(text);
  const auto& bytes = kByteSetBytes[static_cast<std::size_t>(kSet)].byte;
  const std::size_t expected =
      std::min(text.find_first_of(std::string_view(bytes, std::size(bytes))), text.size());
  for (const Isa isa : kIsas) {
    const Scanner scanner(isa);
    EXPECT_EQ(
        static_cast<std::size_t>(scanner.Find<kSet>(exact.begin(), exact.end()) - exact.begin()),
        expected)
        << "set " << static_cast<int>(kSet) << " isa " << static_cast<int>(isa) << " size "
        << text.size();
  }
}

// Contains() may read behind the text, but must not look at it.
template <ByteSet kSet>
void CheckContains(const std::string& text, std::size_t size) {
  const Exact exact(text);
  const std::string_view part(exact.begin(), size);
  const auto& bytes = kByteSetBytes[static_cast<std::size_t>(kSet)].byte;
  const bool expected =
      part.find_first_of(std::string_view(bytes, std::size(bytes))) != std::string_view::npos;
  for (const Isa isa : kIsas) {
    EXPECT_EQ(Scanner(isa).Contains<kSet>(part, exact.end()), expected)
        << "isa " << static_cast<int>(isa) << " size " << size << " of " << text.size();
  }
}

void CheckAllSets(const std::string& text) {
  CheckFind<ByteSet::kText>(text);
  CheckFind<ByteSet::kLess>(text);
  CheckFind<ByteSet::kGreater>(text);
  CheckFind<ByteSet::kAngles>(text);
  CheckFind<ByteSet::kDoubleQuote>(text);
  CheckFind<ByteSet::kSingleQuote>(text);
  CheckFind<ByteSet::kRcdata>(text);
  CheckFind<ByteSet::kRawtext>(text);
}

TEST(Scanner, FindsEveryByteAtEveryPlace) {
  const std::string hits("<>&\r\0\"'", 7);
  for (std::size_t size = 0; size <= 100; ++size) {
    CheckAllSets(std::string(size, 'x'));
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text[at] = hits[(size + at) % hits.size()];
      CheckAllSets(text);
    }
  }
}

TEST(Scanner, FindsTheFirstOfManyAndMistakesNoOtherByte) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random() % 256);
    CheckAllSets(text);
  }
  for (int byte = 0; byte < 256; ++byte) CheckAllSets(std::string(40, static_cast<char>(byte)));
}

TEST(Scanner, SaysWhetherATextContainsAByteWhateverStandsBehindIt) {
  for (std::size_t size = 0; size <= 70; ++size) {
    for (const std::size_t behind : {0, 1, 31, 40}) {
      std::string text(size + behind, 'x');
      CheckContains<ByteSet::kRcdata>(text, size);
      if (behind != 0) text[size] = '&';
      CheckContains<ByteSet::kRcdata>(text, size);
      if (size != 0) text[size - 1] = '\r';
      CheckContains<ByteSet::kRcdata>(text, size);
    }
  }
}

std::string Collapsed(const std::string& text) {
  std::string out;
  bool after_blank = false;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= 0x20;
    if (!blank) out += c;
    if (blank && !after_blank) out += ' ';
    after_blank = blank;
  }
  return out;
}

TEST(Scanner, CollapsesBlanksTheSameWayEverywhere) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 150, '\0');
    const unsigned blanks = 1 + random() % 6;  // From all blanks to few.
    for (char& c : text) {
      c = random() % blanks == 0 ? " \t\n\r\f\0"[random() % 6] : static_cast<char>(random() % 256);
    }
    const Exact exact(text);
    for (const Isa isa : kIsas) {
      std::vector<char> out(text.size() + Scanner::kCopySlack);
      char* end = Scanner(isa).CopyCollapsed(exact.begin(), exact.end(), out.data());
      EXPECT_EQ(std::string(out.data(), end), Collapsed(text)) << static_cast<int>(isa);
    }
  }
}

TEST(Scanner, TheBestIsaIsSupported) {
  EXPECT_TRUE(IsaSupported(Isa::kPortable));
  EXPECT_TRUE(IsaSupported(BestIsa()));
}

}  // namespace
}  // namespace crawler
