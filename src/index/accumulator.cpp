#include "index/accumulator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace crawler {
namespace {

/// Sizes of the pieces of a byte list, one after another; the last one repeats. The end of each
/// holds the place of the next.
constexpr std::array<std::uint32_t, 8> kPieces = {12, 20, 36, 68, 132, 260, 516, 1028};
constexpr std::uint32_t kLinkBytes = 4;
constexpr std::size_t kFirstSlots = 1u << 14;

}  // namespace

void Accumulator::Add(std::string_view term, std::uint64_t hash, const Posting& posting,
                      std::string_view positions, std::string_view shown) {
  Entry& entry = FindOrAdd(term, hash);
  scratch_.clear();
  AppendPosting(posting, entry.last_page, &scratch_);
  Append(scratch_, &entry.docs);
  Append(positions, &entry.positions);
  entry.last_page = posting.page;
  if (entry.word == 0 || StringAt(entry.shown, entry.shown_size) != shown) {
    ChangeWord(shown, &entry);
  }
  ++entry.pages;
}

void Accumulator::ChangeWord(std::string_view shown, Entry* entry) {
  if (entry->pages > 0) {
    scratch_.clear();
    AppendVarint(entry->pages - entry->run_begin, &scratch_);
    AppendVarint(entry->word, &scratch_);
    Append(scratch_, &entry->runs);
    entry->run_begin = entry->pages;
  }
  std::size_t looked_at = 0;
  for (entry->word = entry->first_word; entry->word != 0;) {
    const Word& known = words_[entry->word - 1];
    if (StringAt(known.at, known.size) == shown) break;
    entry->word = ++looked_at < kWordsLookedAt ? known.next : 0;
  }
  if (entry->word == 0) {
    const bool is_term = StringAt(entry->term, entry->term_size) == shown;
    const auto end = static_cast<std::uint32_t>(strings_.size());
    words_.push_back(
        {is_term ? entry->term : end, entry->first_word, static_cast<std::uint16_t>(shown.size())});
    if (!is_term) strings_.append(shown);
    entry->first_word = entry->word = static_cast<std::uint32_t>(words_.size());
  }
  entry->shown = words_[entry->word - 1].at;
  entry->shown_size = words_[entry->word - 1].size;
}

void Accumulator::EncodeWords(const Entry& entry, TermWordsEncoder* words) {
  words->Clear();
  Collect(entry.runs, &scratch_);
  for (VarintReader runs(scratch_); !runs.AtEnd();) {
    const std::uint32_t count = runs.Next32();
    const Word& word = words_[runs.Next32() - 1];
    words->Add(StringAt(word.at, word.size), count);
  }
  words->Add(StringAt(entry.shown, entry.shown_size), entry.pages - entry.run_begin);
  words->Finish();
}

Accumulator::Entry& Accumulator::FindOrAdd(std::string_view term, std::uint64_t hash) {
  if (entries_.size() * 2 >= slots_.size()) Grow();
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    Entry& known = entries_[slots_[slot] - 1];
    if (known.hash == hash && StringAt(known.term, known.term_size) == term) return known;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  Entry& entry = entries_.emplace_back();
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  entry.hash = hash;
  entry.term = static_cast<std::uint32_t>(strings_.size());
  entry.term_size = static_cast<std::uint16_t>(term.size());
  strings_.append(term);
  return entry;
}

void Accumulator::Grow() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = i + 1;
  }
}

std::uint32_t Accumulator::Allocate(std::uint32_t size) {
  if (blocks_.empty() || used_ + size > kBlockMask + 1) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockMask + 1));
    used_ = 0;
  }
  const auto at = static_cast<std::uint32_t>((blocks_.size() - 1) << kBlockBits) + used_;
  used_ += size;
  return at;
}

void Accumulator::Append(std::string_view bytes, ByteList* list) {
  list->size += static_cast<std::uint32_t>(bytes.size());
  while (!bytes.empty()) {
    if (list->at == list->end) {
      const std::uint32_t piece = kPieces[std::min<std::size_t>(list->level, kPieces.size() - 1)];
      const std::uint32_t at = Allocate(piece);
      if (list->level == 0) {
        list->first = at;
      } else {
        std::memcpy(Place(list->end), &at, kLinkBytes);
      }
      if (list->level < kPieces.size()) ++list->level;
      list->at = at;
      list->end = at + piece - kLinkBytes;
    }
    const std::size_t size = std::min<std::size_t>(bytes.size(), list->end - list->at);
    bytes.copy(Place(list->at), size);
    list->at += static_cast<std::uint32_t>(size);
    bytes.remove_prefix(size);
  }
}

void Accumulator::Collect(const ByteList& list, std::string* bytes) {
  bytes->clear();
  std::uint32_t at = list.first;
  for (std::size_t level = 0; bytes->size() < list.size; ++level) {
    const std::uint32_t room =
        kPieces[std::min<std::size_t>(level, kPieces.size() - 1)] - kLinkBytes;
    const std::size_t size = std::min<std::size_t>(room, list.size - bytes->size());
    bytes->append(Place(at), size);
    if (bytes->size() < list.size) std::memcpy(&at, Place(at + room), kLinkBytes);
  }
}

Status Accumulator::Drain(const std::function<Status(const Row&)>& take) {
  std::vector<std::uint32_t> order(entries_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return StringAt(entries_[a].term, entries_[a].term_size) <
           StringAt(entries_[b].term, entries_[b].term_size);
  });
  PostingsEncoder encoder;
  TermWordsEncoder words;
  std::string docs, positions;
  Status status;
  for (std::size_t i = 0; i < order.size() && status.ok(); ++i) {
    const Entry& entry = entries_[order[i]];
    Collect(entry.docs, &docs);
    Collect(entry.positions, &positions);
    const std::string_view term = StringAt(entry.term, entry.term_size);
    EncodeWords(entry, &words);
    if (entry.pages <= kBlockPages) {  // As they are.
      status = take({term, entry.pages, words.shown(), docs, positions, words.bytes()});
      continue;
    }
    encoder.Clear();
    VarintReader reader(docs), places(positions);
    Posting posting;
    for (std::uint32_t page = 0; page < entry.pages; ++page) {
      ReadPosting(reader, posting.page, &posting);
      const char* const begin = places.position();
      if (!positions.empty()) places.Skip(posting.Total());
      encoder.Add(posting, {begin, static_cast<std::size_t>(places.position() - begin)});
    }
    encoder.Finish();
    status = take(
        {term, entry.pages, words.shown(), encoder.docs(), encoder.positions(), words.bytes()});
  }
  Clear();
  return status;
}

void Accumulator::Clear() {
  // An assignment may keep the room that there was, and memory() counts that.
  std::vector<Entry>().swap(entries_);
  std::vector<std::uint32_t>().swap(slots_);
  std::vector<Word>().swap(words_);
  std::string().swap(strings_);
  blocks_.clear();
  used_ = 0;
}

std::size_t Accumulator::memory() const {
  return entries_.capacity() * sizeof(Entry) + slots_.size() * sizeof(std::uint32_t) +
         words_.capacity() * sizeof(Word) + strings_.capacity() + (blocks_.size() << kBlockBits);
}

}  // namespace crawler
