#include "index/document.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "base/ascii.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/release.hpp"
#include "index/boilerplate.hpp"
#include "index/heading_names.hpp"
#include "index/page_text.hpp"
#include "index/varint.hpp"
#include "url/percent.hpp"

namespace crawler {
namespace {

/// Sketches are stored, so their hash stays the same for ever.
constexpr std::uint64_t kSketchSeed = 0x736b6574636831;
/// Of a URL; the rest of a longer one is rarely words.
constexpr std::size_t kMaxUrlBytes = 1024;
constexpr std::size_t kFirstTermSlots = 1024;
constexpr std::size_t kMaxShownBytes = 64;

std::uint64_t Mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

/// The host of a URL with its port, or as much of it as there is.
std::string_view HostOf(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return url.substr(0, std::min(url.find_first_of("/?#"), url.size()));
}

/// Near-duplicates by one-permutation MinHash: each run of three words falls into one of 64 bins,
/// the least of a bin stands for it, and of that one byte is kept.
class Sketcher {
 public:
  void Reset() {
    bins_.fill(kEmpty);
    seen_ = 0;
  }
  void Add(std::uint64_t word) {
    before_last_ = last_;
    last_ = this_;
    this_ = word;
    if (++seen_ >= 3) Count();
  }
  void Finish(std::string* sketch) {
    sketch->clear();
    if (seen_ == 0) return;
    if (seen_ < 3) {
      if (seen_ == 1) last_ = 0;
      before_last_ = 0;
      Count();
    }
    sketch->resize(kSketchBytes);
    for (std::size_t i = 0; i < kSketchBytes; ++i) {
      // An empty bin borrows from the next that is not.
      std::size_t from = 0;
      while (bins_[(i + from) % kSketchBytes] == kEmpty) ++from;
      const std::uint64_t value = bins_[(i + from) % kSketchBytes];
      (*sketch)[i] = static_cast<char>(from == 0 ? value : Mix(value + from));
    }
  }

 private:
  static constexpr std::uint64_t kEmpty = std::numeric_limits<std::uint64_t>::max();

  void Count() {
    const std::uint64_t hash = Mix(before_last_ * 0x9e3779b97f4a7c15ULL +
                                   std::rotl(last_ * 0xbf58476d1ce4e5b9ULL, 23) + this_);
    std::uint64_t& bin = bins_[hash >> 58];
    bin = std::min(bin, hash & (kEmpty >> 6));
  }

  std::array<std::uint64_t, kSketchBytes> bins_;
  std::uint64_t before_last_ = 0, last_ = 0, this_ = 0;
  std::uint64_t seen_ = 0;
};

/// Says which of ascending offsets pieces of a text cover.
class SliceWalker {
 public:
  explicit SliceWalker(std::span<const PageSlice> slices) : slices_(slices) {}

  bool Covers(std::uint32_t offset) {
    while (!slices_.empty() &&
           offset >= slices_.front().offset + std::uint64_t{slices_.front().size}) {
      slices_ = slices_.subspan(1);
    }
    return !slices_.empty() && offset >= slices_.front().offset;
  }

 private:
  std::span<const PageSlice> slices_;
};

// Nobody outside can prepare collisions.
std::uint64_t TermSeed() {
  static const std::uint64_t seed = RandomKey();
  return seed;
}

}  // namespace

std::uint64_t TermHash(std::string_view term) { return Hash64(term, TermSeed()); }

std::size_t IndexedDocument::Size() const {
  return sizeof *this + sketch.size() + vector.size() + text.size() + headings.size() +
         terms.size() * sizeof(DocumentTerm) + bytes.size();
}

std::size_t SketchBytesInCommon(std::string_view a, std::string_view b) {
  if (a.size() != kSketchBytes || b.size() != kSketchBytes) return 0;
  std::size_t common = 0;
  for (std::size_t i = 0; i < kSketchBytes; ++i) common += a[i] == b[i] ? 1u : 0u;
  return common;
}

void AppendUrlWords(std::string_view url, std::string* text) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    url.remove_prefix(scheme + 3);
  }
  if (url.starts_with("www.")) url.remove_prefix(4);
  const std::size_t begin = text->size();
  AppendPercentDecoded(url.substr(0, kMaxUrlBytes), text);
  constexpr std::string_view kBetween = "/?&=-.~+:;,!@()[]|*$'\"";
  for (std::size_t i = begin; i < text->size(); ++i) {
    if (kBetween.find((*text)[i]) != std::string_view::npos) (*text)[i] = ' ';
  }
}

class DocumentBuilder::Impl {
 public:
  void Build(const DocumentSource& source, LanguageCode language, IndexedDocument* document) {
    document_ = document;
    Clear();
    language_ = language;
    document->language.assign(language);
    document->date = source.date;

    AddTokens(source.title, Field::kTitle);
    AddText(source);
    url_words_.clear();
    AppendUrlWords(source.url, &url_words_);
    AddTokens(url_words_, Field::kUrl);

    sketcher_.Finish(&document->sketch);
    const FieldLengths& lengths = document->lengths;
    document->words = lengths[Ordinal(Field::kBody)] + lengths[Ordinal(Field::kHeading)] +
                      lengths[Ordinal(Field::kTitle)];
    EncodePositions();
    DropUncounted();
  }

  void Trim() {
    Release(occurrences_);
    Release(names_);
    Release(word_hashes_);
    Release(slots_);
    Release(starts_);
    Release(positions_);
    Release(tokens_);
  }

  void Store(const DocumentSource& source, IndexedDocument* document) {
    WriteVector(document);
    compressor_.Compress(source.text, &document->text);
    document->headings.clear();
    boilerplate_finder_.Find(HostOf(source.url), source.text, &boilerplate_);
    EncodeMarks({source.headings, boilerplate_, source.link_blocks}, &document->headings);
  }

 private:
  static constexpr std::uint32_t kNoTerm = std::numeric_limits<std::uint32_t>::max();
  /// A page that nobody writes by hand must not take a hundred times its size.
  static constexpr std::uint32_t kMaxTerms = 200'000;

  struct Occurrence {
    std::uint32_t term;
    std::uint32_t position;
  };

  void Clear() {
    document_->terms.clear();
    document_->bytes.clear();
    document_->vector.clear();
    document_->text.clear();
    document_->headings.clear();
    document_->lengths = {};
    occurrences_.clear();
    word_hashes_.clear();
    sketcher_.Reset();
    next_position_ = 0;
    // A table as large as one huge page needed would be cleared for every small one after it.
    slot_count_ = kFirstTermSlots;
    if (slots_.size() < slot_count_) slots_.resize(slot_count_);
    std::fill_n(slots_.begin(), slot_count_, 0);
  }

  // Calls `add` with each token of `text`. Long texts are read in pieces that end with a line or a
  // blank, where no word goes on, so that the tokens of all of it are never in memory.
  template <typename Add>
  void ForEachToken(std::string_view text, Add add) {
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    std::uint32_t words = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = begin + PieceOf(text.substr(begin), kPiece);
      analyzer_.Analyze(text.substr(begin, end - begin), language_, &tokens_);
      std::uint32_t next = words;
      for (Token& token : tokens_) {
        token.offset += static_cast<std::uint32_t>(begin);
        token.position += words;
        next = std::max(next, token.position + 1);
        add(token);
      }
      words = next;
      begin = end;
    }
    next_position_ += kFieldGap + words;
  }

  // How much of `text` to read at a time: `most`, but no part of a word if that can be helped.
  static std::size_t PieceOf(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text.size();
    const std::string_view piece = text.substr(0, most);
    std::size_t cut = piece.rfind('\n');
    if (cut == std::string_view::npos || cut == 0) cut = piece.rfind(' ');
    return cut == std::string_view::npos || cut == 0 ? most : cut;
  }

  void AddTokens(std::string_view text, Field field) {
    ForEachToken(text, [&](const Token& token) { AddToken(text, token, field); });
  }

  // A heading in a block of links is a heading.
  void AddText(const DocumentSource& source) {
    SliceWalker headings(source.headings), link_blocks(source.link_blocks);
    ForEachToken(source.text, [&](const Token& token) {
      const bool is_navigation = link_blocks.Covers(token.offset);
      AddToken(source.text, token,
               headings.Covers(token.offset) ? Field::kHeading
               : is_navigation               ? Field::kNavigation
                                             : Field::kBody);
    });
    AddNames(source);
  }

  // Each once, and as if it were navigation: what counts words does not count names.
  void AddNames(const DocumentSource& source) {
    names_.clear();
    for (const PageSlice& heading : source.headings) {
      if (heading.offset >= source.text.size()) break;
      for (const std::string_view name :
           NamesOfHeading(source.text.substr(heading.offset, heading.size))) {
        names_.push_back(name_terms_.Of(name));
      }
    }
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    for (const NameTerm& name : names_) {
      const std::uint32_t term = name.term.empty() ? kNoTerm : FindOrAdd(name.term);
      if (term == kNoTerm) continue;
      ++document_->terms[term].counts[Ordinal(Field::kNavigation)];
      occurrences_.push_back({term, name.place});
    }
  }

  void AddToken(std::string_view text, const Token& token, Field field) {
    const std::size_t where = Ordinal(field);
    const std::uint32_t term = FindOrAdd(token.term);
    if (!token.is_part && where < kMeasuredFieldCount) ++document_->lengths[where];
    if (term == kNoTerm) return;
    const bool of_text = field == Field::kBody || field == Field::kHeading;
    if (!token.is_part && of_text) sketcher_.Add(word_hashes_[term]);
    if (token.is_stop && (field == Field::kBody || field == Field::kNavigation)) return;
    DocumentTerm& entry = document_->terms[term];
    ++entry.counts[where];
    if (field != Field::kUrl) Show(text.substr(token.offset, token.size), &entry);
    occurrences_.push_back({term, next_position_ + token.position});
  }

  // The first of the shortest of a term's words stands for it where people read.
  void Show(std::string_view word, DocumentTerm* entry) {
    if (entry->shown_size != 0 && word.size() >= entry->shown_size) return;
    if (word.empty() || word.size() > kMaxShownBytes) return;
    std::string& bytes = document_->bytes;
    entry->shown = static_cast<std::uint32_t>(bytes.size());
    entry->shown_size = static_cast<std::uint16_t>(word.size());
    bytes.append(word);
    for (char& c : std::span(bytes).last(word.size())) c = Lower(c);
  }

  // kNoTerm if the page has too many already.
  std::uint32_t FindOrAdd(std::string_view term) {
    const std::uint64_t hash = Hash64(term, seed_);
    std::size_t slot = hash & (slot_count_ - 1);
    while (slots_[slot] != 0) {
      const DocumentTerm& known = document_->terms[slots_[slot] - 1];
      if (known.hash == hash && document_->Term(known) == term) return slots_[slot] - 1;
      slot = (slot + 1) & (slot_count_ - 1);
    }
    const auto index = static_cast<std::uint32_t>(document_->terms.size());
    if (index == kMaxTerms) return kNoTerm;
    slots_[slot] = index + 1;
    DocumentTerm& entry = document_->terms.emplace_back();
    entry.hash = hash;
    entry.term = static_cast<std::uint32_t>(document_->bytes.size());
    entry.term_size = static_cast<std::uint16_t>(term.size());
    document_->bytes.append(term);
    word_hashes_.push_back(Hash64(term, kSketchSeed));
    if (document_->terms.size() * 2 > slot_count_) Grow();
    return index;
  }

  void Grow() {
    slot_count_ *= 4;
    if (slots_.size() < slot_count_) slots_.resize(slot_count_);
    std::fill_n(slots_.begin(), slot_count_, 0);
    for (std::uint32_t i = 0; i < document_->terms.size(); ++i) {
      std::size_t slot = document_->terms[i].hash & (slot_count_ - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (slot_count_ - 1);
      slots_[slot] = i + 1;
    }
  }

  // Occurrences come in the order of the page; each term wants its own together.
  void EncodePositions() {
    starts_.assign(document_->terms.size() + 1, 0);
    for (const Occurrence& occurrence : occurrences_) ++starts_[occurrence.term + 1];
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    positions_.resize(occurrences_.size());
    for (const Occurrence& occurrence : occurrences_) {
      positions_[starts_[occurrence.term]++] = occurrence.position;
    }
    // Each start has moved to the next one's.
    std::string& bytes = document_->bytes;
    const std::size_t before = bytes.size();
    constexpr std::size_t kMaxPositionBytes = 5;
    bytes.resize(before + positions_.size() * kMaxPositionBytes + kMaxVarintBytes);
    char* at = bytes.data() + before;
    std::uint32_t from = 0;
    for (std::size_t i = 0; i < document_->terms.size(); ++i) {
      DocumentTerm& term = document_->terms[i];
      const char* const begin = at;
      term.positions = static_cast<std::uint32_t>(begin - bytes.data());
      std::uint32_t last = 0;
      for (; from < starts_[i]; ++from) {
        at = PutVarint(positions_[from] - last, at);
        last = positions_[from];
      }
      term.positions_size = static_cast<std::uint32_t>(at - begin);
    }
    bytes.resize(static_cast<std::size_t>(at - bytes.data()));
  }

  // Stop words of the body.
  void DropUncounted() {
    std::erase_if(document_->terms,
                  [](const DocumentTerm& term) { return term.positions_size == 0; });
  }

  static void WriteVector(IndexedDocument* document) {
    std::string& json = document->vector;
    json.assign("{");
    constexpr std::size_t kRoom = Analyzer::kMaxTermBytes * 6 + 24;  // For a term.
    std::size_t size = 1;
    for (const DocumentTerm& term : document->terms) {
      const std::uint32_t count = TermFrequency(term.counts);
      if (count == 0) continue;
      if (json.size() < size + kRoom) json.resize((size + kRoom) * 2);
      char* at = json.data() + size;
      if (size > 1) *at++ = ',';
      at = WriteJson(document->Term(term).substr(0, Analyzer::kMaxTermBytes), at);
      *at++ = ':';
      at = std::to_chars(at, at + 10, count).ptr;
      size = static_cast<std::size_t>(at - json.data());
    }
    json.resize(size);
    json.push_back('}');
  }

  const std::uint64_t seed_ = TermSeed();
  Analyzer analyzer_;
  NameTerms name_terms_;
  std::vector<NameTerm> names_;
  TextCompressor compressor_;
  BoilerplateFinder boilerplate_finder_;
  std::vector<PageSlice> boilerplate_;
  IndexedDocument* document_ = nullptr;
  LanguageCode language_;
  std::vector<Token> tokens_;
  std::vector<Occurrence> occurrences_;
  std::vector<std::uint64_t> word_hashes_;  // Of the terms, as sketches want them.
  std::vector<std::uint32_t> slots_;        // One more than the number of the term; 0 is free.
  std::size_t slot_count_ = 0;
  std::vector<std::uint32_t> starts_, positions_;
  std::string url_words_;
  Sketcher sketcher_;
  std::uint32_t next_position_ = 0;
};

DocumentBuilder::DocumentBuilder() : impl_(std::make_unique<Impl>()) {}
DocumentBuilder::~DocumentBuilder() = default;

void DocumentBuilder::Build(const DocumentSource& source, IndexedDocument* document) {
  const LanguageCode language =
      DetectLanguage(source.text.empty() ? source.title : source.text, source.language_hint);
  impl_->Build(source, language, document);
  impl_->Store(source, document);
}

void DocumentBuilder::Trim() { impl_->Trim(); }

void DocumentBuilder::BuildTerms(const DocumentSource& source, LanguageCode language,
                                 IndexedDocument* document) {
  impl_->Build(source, language, document);
}

}  // namespace crawler
