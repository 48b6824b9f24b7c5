#include "search/word_places.hpp"

#include <algorithm>

namespace crawler {
namespace {

/// Words in more pages than this are too frequent to read their positions for a bonus.
constexpr std::uint64_t kMostPages = 20'000;
/// Of a page, and further apart than this nothing is near.
constexpr std::size_t kMostPositions = 512;
constexpr double kFarApart = 8;

}  // namespace

Result<std::unique_ptr<WordPlaces>> WordPlaces::Open(
    TermLoader& loader, const PageTable& pages, const std::vector<QueryCompiler::Word>& words) {
  auto places = std::unique_ptr<WordPlaces>(new WordPlaces(loader, pages));
  for (const QueryCompiler::Word& from : words) {
    if (!from.is_plain) continue;
    Word& word = places->words_.emplace_back();
    word.text = from.text;
    word.terms = from.terms;
    word.idf = from.idf;
    word.place = from.place;
    word.frequent = from.document_freq > kMostPages;
  }
  if (places->words_.size() > 1) {
    if (Status status = places->Rewind(); !status.ok()) return status;
  }
  return places;
}

Status WordPlaces::Rewind() {
  for (Word& word : words_) {
    word.cursors.assign(word.terms.size(), {});
    word.anchors.assign(word.terms.size(), {});
    for (std::size_t i = 0; i < word.terms.size(); ++i) {
      Status status = loader_.Load(pages_.text_segments(), word.terms[i], &word.cursors[i]);
      if (status.ok()) {
        status = loader_.Load(pages_.anchor_segments(), word.terms[i], &word.anchors[i]);
      }
      if (!status.ok()) return status;
    }
  }
  return Status::Ok();
}

double WordPlaces::HighestNearness() const {
  double sum = 0;
  for (std::size_t i = 1; i < words_.size(); ++i) {
    if (IsPair(i)) sum += std::min(words_[i - 1].idf, words_[i].idf);
  }
  return sum;
}

double WordPlaces::Nearness(std::uint32_t page) {
  double sum = 0;
  for (Word& word : words_) {
    word.positions.clear();
    word.is_here = !word.frequent && StandsIn(page, &word.cursors);
  }
  for (std::size_t i = 1; i < words_.size(); ++i) {
    // Positions take longer to read than all the rest.
    if (!words_[i - 1].is_here || !words_[i].is_here) continue;
    if (words_[i - 1].positions.empty()) ReadPositions(page, &words_[i - 1]);
    ReadPositions(page, &words_[i]);
    const double distance = Distance(words_[i - 1], words_[i]);
    if (distance < kFarApart) sum += std::min(words_[i - 1].idf, words_[i].idf) / distance;
  }
  return sum;
}

void WordPlaces::ReadPositions(std::uint32_t page, Word* word) {
  for (TermCursor& cursor : word->cursors) {
    if (cursor.empty() || cursor.Advance(page) != page) continue;
    PositionStream stream = cursor.Positions();
    while (word->positions.size() < kMostPositions && stream.Next()) {
      word->positions.push_back(static_cast<std::uint32_t>(stream.position()));
    }
  }
  if (word->cursors.size() > 1) std::sort(word->positions.begin(), word->positions.end());
}

// How far the nearest places of two words are from standing as they do in the query, plus one.
double WordPlaces::Distance(const Word& left, const Word& right) {
  double least = kFarApart;
  const double wanted = right.place > left.place ? right.place - left.place : 1;
  auto next = right.positions.begin();
  for (const std::uint32_t position : left.positions) {
    while (next != right.positions.end() && *next < position) ++next;
    for (auto at = next; at != right.positions.end(); ++at) {
      const double apart = double(*at) - double(position) - wanted;
      if (apart >= kFarApart) break;
      least = std::min(least, 1 + std::abs(apart));
    }
    if (next != right.positions.begin()) {
      least = std::min(least, 1 + double(position) - double(*std::prev(next)));
    }
  }
  return least;
}

bool WordPlaces::IsPair(std::size_t i) const {
  return !words_[i - 1].frequent && !words_[i].frequent;
}

bool WordPlaces::StandsIn(std::uint32_t page, std::vector<TermCursor>* cursors) {
  return std::any_of(cursors->begin(), cursors->end(), [page](TermCursor& cursor) {
    return !cursor.empty() && cursor.Advance(page) == page;
  });
}

std::vector<std::string> WordPlaces::MissingIn(std::uint32_t page) {
  std::vector<std::string> missing;
  for (Word& word : words_) {
    if (!StandsIn(page, &word.cursors) && !StandsIn(page, &word.anchors)) {
      missing.push_back(word.text);
    }
  }
  return missing;
}

bool WordPlaces::ok() const {
  const auto all_ok = [](const std::vector<TermCursor>& cursors) {
    return std::all_of(cursors.begin(), cursors.end(),
                       [](const TermCursor& cursor) { return cursor.ok(); });
  };
  return loader_.status().ok() && std::all_of(words_.begin(), words_.end(), [&](const Word& word) {
           return all_ok(word.cursors) && all_ok(word.anchors);
         });
}

}  // namespace crawler
