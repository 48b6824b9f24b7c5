#include "index/word_cache.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace crawler {
namespace {

constexpr std::size_t kFirstWords = std::size_t{1} << 12;

}  // namespace

char* ByteArena::Take(std::size_t size) {
  size = (size + alignof(WordCache::Form) - 1) & ~(alignof(WordCache::Form) - 1);
  if (size > left_) {
    const std::size_t block = std::max(size, kBlock);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block));
    next_ = blocks_.back().get();
    left_ = block;
  }
  char* const taken = next_;
  next_ += size;
  left_ -= size;
  used_ += size;
  return taken;
}

void ByteArena::Clear() {
  blocks_.clear();
  left_ = used_ = 0;
  next_ = nullptr;
}

WordCache::WordCache()
    : seeds_{RandomKey(), RandomKey()}, slots_(kFirstWords), mask_(kFirstWords - 1) {}

void WordCache::Clear() {
  slots_.assign(kFirstWords, Slot());
  slots_.shrink_to_fit();
  mask_ = kFirstWords - 1;
  words_ = 0;
  full_ = false;
  arena_.Clear();
  overflow_.Clear();
}

std::uint64_t WordCache::HashLong(std::string_view word) const { return Hash64(word, seeds_[0]); }

const WordCache::Entry* WordCache::Add(std::string_view word, const Key& key,
                                       const std::vector<WordForm>& forms) {
  full_ = full_ || arena_.used() >= kMaxArena;
  if (!full_ && words_ >= slots_.size() / 4 * 3) Grow();
  Slot* const slot = full_ ? nullptr : FreeSlot(key);
  if (slot == nullptr) {
    last_ = Store(word, forms, &overflow_);
    return &last_;
  }
  slot->low = key.low;
  slot->high = key.high;
  if (word.size() > kShort) {
    char* bytes = arena_.Take(word.size());
    std::memcpy(bytes, word.data(), word.size());
    slot->bytes = bytes;
  }
  slot->entry = Store(word, forms, &arena_);
  slot->entry.key_size = key.size;
  slot->entry.rules = key.rules;
  ++words_;
  return &slot->entry;
}

WordCache::Entry WordCache::Store(std::string_view word, const std::vector<WordForm>& forms,
                                  ByteArena* arena) {
  static_assert(WordForms::kMaxForms < 256 && Analyzer::kMaxTermBytes < 256);
  const auto store_term = [&](const WordForm& form) {
    char* term = arena->Take(form.term.size());
    std::copy(form.term.begin(), form.term.end(), term);
    return term;
  };
  Entry entry;
  entry.count = static_cast<std::uint8_t>(forms.size());
  if (forms.empty()) return entry;
  entry.steps = static_cast<std::uint8_t>(forms.back().step + 1);
  const WordForm& first = forms.front();
  if (forms.size() == 1 && first.offset == 0 && first.size == word.size()) {
    entry.plain = true;
    entry.term = store_term(first);
    entry.term_size = static_cast<std::uint8_t>(first.term.size());
    entry.is_stop = first.is_stop;
    return entry;
  }
  auto* stored = reinterpret_cast<Form*>(arena->Take(forms.size() * sizeof(Form)));
  entry.forms = stored;
  for (const WordForm& form : forms) {
    *stored++ = {store_term(form), static_cast<std::uint8_t>(form.term.size()),
                 form.is_part,     form.is_stop,
                 form.step,        form.offset,
                 form.size};
  }
  return entry;
}

// Null if there is none near: words made to collide are not kept.
WordCache::Slot* WordCache::FreeSlot(const Key& key) {
  for (std::size_t i = 0; i < kMaxProbes; ++i) {
    Slot& slot = slots_[(key.hash + i) & mask_];
    if (slot.entry.key_size == 0) return &slot;
  }
  return nullptr;
}

void WordCache::Grow() {
  if (slots_.size() >= kMaxSlots) {
    full_ = true;
    return;
  }
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.entry.key_size == 0) continue;
    const std::uint64_t high = slot.entry.key_size <= kShort ? slot.high : 0;
    const Key key{slot.low, high, HashOf(slot.low, high, slot.entry.rules), slot.entry.key_size,
                  slot.entry.rules};
    Slot* place = FreeSlot(key);
    if (place != nullptr) {
      *place = slot;
    } else {
      --words_;
    }
  }
}

}  // namespace crawler
