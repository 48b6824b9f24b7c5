#include "index/word_forms.hpp"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "index/analyzer.hpp"
#include "index/stop_words.hpp"
#include "url/utf8.hpp"

namespace crawler {
namespace {

constexpr std::size_t kLongestElision = 6;  // jusqu', quell'; not aujourd'hui.

bool IsNet(std::string_view text) {
  return text.size() == 3 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'e' &&
         (text[2] | 0x20) == 't';
}
std::size_t Characters(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), IsContinuation));
}

// How a character stands in an identifier.
enum class Letter : std::uint8_t { kNone, kUpper, kLower, kDigit };
Letter LetterAt(std::string_view word, std::size_t at) {
  if (IsLetter(word[at])) return word[at] >= 'a' ? Letter::kLower : Letter::kUpper;
  if (IsDigit(word[at])) return Letter::kDigit;
  const auto c = static_cast<UChar32>(DecodeUtf8(word, at).code_point);
  if (u_isdigit(c) != 0) return Letter::kDigit;
  if (u_isupper(c) != 0) return Letter::kUpper;
  // Marks belong to the letter before them.
  const bool letter = u_isalpha(c) != 0 || (U_GET_GC_MASK(c) & (U_GC_M_MASK | U_GC_CF_MASK)) != 0;
  return letter ? Letter::kLower : Letter::kNone;
}

// Cuts to what a term may hold, between characters.
void CutTerm(std::string* term) {
  if (term->size() <= Analyzer::kMaxTermBytes) return;
  std::size_t size = Analyzer::kMaxTermBytes;
  while (size > 0 && IsContinuation((*term)[size])) --size;
  term->resize(size);
}

// 1,000,000: groups of three digits.
bool HasThousands(std::string_view word) {
  const std::size_t first = word.find(',');
  if (first == std::string_view::npos || first > 3) return false;
  std::size_t digits = 0;
  for (const char c : word.substr(first + 1)) {
    if (c == '.') break;
    if (c == ';') return false;
    if (c == ',' && digits != 3) return false;
    digits = c == ',' ? 0 : digits + 1;
  }
  return digits == 3;
}

}  // namespace

struct WordForms::Request {
  std::string_view word;
  const Language& language;
  Style style;
  std::vector<WordForm>* forms;

  std::string_view Text(Slice slice) const {
    return word.substr(slice.begin, slice.end - slice.begin);
  }
  bool full() const { return forms->size() >= kMaxForms; }
  void Add(std::string term, Slice slice, std::uint16_t step, bool is_part, bool is_stop) const {
    CutTerm(&term);
    if (term.empty() || full()) return;
    forms->push_back({std::move(term), step, static_cast<std::uint16_t>(slice.begin),
                      static_cast<std::uint16_t>(slice.end - slice.begin), is_part, is_stop});
  }
};

WordForms::WordForms() = default;
WordForms::~WordForms() = default;

void WordForms::Of(std::string_view word, const Language& language, Style style,
                   std::vector<WordForm>* forms) {
  forms->clear();
  const Request request{word, language, style, forms};
  if (std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
    bool is_stop = false;
    std::string term = TermOf(request, {0, word.size()}, &is_stop);
    return request.Add(std::move(term), {0, word.size()}, 0, false, is_stop);
  }
  if (std::all_of(word.begin(), word.end(),
                  [](char c) { return IsDigit(c) || c == '.' || c == ',' || c == ';'; })) {
    return Number(request);
  }
  const std::vector<Slice> segments = SegmentsOf(word);
  if (segments.size() > 1 && std::all_of(segments.begin(), segments.end(), [&](const Slice& slice) {
        return Characters(request.Text(slice)) == 1;
      })) {
    return Acronym(request, segments);
  }
  std::uint16_t step = 0;
  for (const Slice& slice : segments) {
    const std::size_t before = forms->size();
    // ASP.NET and .NET have it in common.
    if (slice.begin > 0 && word[slice.begin - 1] == '.' && IsNet(request.Text(slice))) {
      request.Add(".net", {slice.begin - 1, slice.end}, step, false, false);
      request.Add("net", slice, step, true, false);
    } else {
      Segment(request, slice, step);
    }
    if (forms->size() != before) ++step;
  }
}

// A full stop (or colon) between letters separates, as in os.path; between digits it does not.
std::vector<WordForms::Slice> WordForms::SegmentsOf(std::string_view word) {
  std::vector<Slice> segments;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    const bool ends = i == word.size() || word[i] == ':' || word[i] == ',' || word[i] == ';' ||
                      (word[i] == '.' && (i == 0 || !IsDigit(word[i - 1])));
    if (!ends) continue;
    if (begin < i) segments.push_back({begin, i});
    begin = i + 1;
  }
  return segments;
}

// U.S.A. and e.g., of single letters.
void WordForms::Acronym(const Request& request, const std::vector<Slice>& segments) {
  std::string letters, folded, readable;
  for (const Slice& slice : segments) letters += request.Text(slice);
  folder_.Fold(letters, Folder::Marks::kRemoved, &folded);
  folder_.Fold(letters, Folder::Marks::kKept, &readable);
  const bool is_stop = IsStopWord(folded, request.language);
  request.Add(request.style == Style::kTerms || folded.empty() ? folded : readable,
              {0, request.word.size()}, 0, false, is_stop);
}

// 3.14, 192.168.0.1; 1,000 is 1000; 1,2,3 are three numbers.
void WordForms::Number(const Request& request) {
  if (HasThousands(request.word)) {
    std::string term(request.word);
    std::erase(term, ',');
    return request.Add(std::move(term), {0, request.word.size()}, 0, false, false);
  }
  std::uint16_t step = 0;
  for (std::size_t begin = 0; begin < request.word.size();) {
    const std::size_t end = std::min(request.word.find_first_of(",;", begin), request.word.size());
    if (begin < end) {
      request.Add(std::string(request.word.substr(begin, end - begin)), {begin, end}, step++, false,
                  false);
    }
    begin = end + 1;
  }
}

void WordForms::Segment(const Request& request, Slice slice, std::uint16_t step) {
  // c++ and c#: the signs are part of the word, which without them is a part of it.
  std::size_t plain_end = slice.end;
  while (plain_end > slice.begin &&
         (request.word[plain_end - 1] == '+' || request.word[plain_end - 1] == '#')) {
    --plain_end;
  }
  const Slice plain{slice.begin, plain_end};
  bool is_stop = false;
  if (plain_end != slice.end) {
    std::string name;
    folder_.Fold(request.Text(plain), Folder::Marks::kRemoved, &name);
    name += request.word.substr(plain_end, slice.end - plain_end);
    request.Add(std::move(name), slice, step, false, false);
    return AddPart(request, plain, step);
  }
  std::string term = TermOf(request, slice, &is_stop);
  if (term.empty()) return;
  request.Add(std::move(term), slice, step, false, is_stop);
  if (static_cast<unsigned char>(request.word[slice.begin]) >= 0xE3) {
    return IdeographicParts(request, slice, step);  // U+3000 and beyond.
  }
  // b'bytes' and O’Reilly.
  const std::string_view behind = request.Text(slice).substr(1);
  for (const std::string_view apostrophe : {"'", "\u2019"}) {
    if (behind.starts_with(apostrophe) && behind.size() > apostrophe.size() + 2) {
      AddPart(request, {slice.begin + 1 + apostrophe.size(), slice.end}, step);
    }
  }
  Parts(request, slice, step);
}

// People may search with two words for what a dictionary takes for one. Of characters of one kind
// (Han, katakana) within a longer word, the run; of three and more Han, each two that are
// neighbours.
void WordForms::IdeographicParts(const Request& request, Slice slice, std::uint16_t step) {
  const std::string_view word = request.word;
  const auto script_at = [&](std::size_t at) {
    const auto c = static_cast<UChar32>(DecodeUtf8(word, at).code_point);
    UErrorCode error = U_ZERO_ERROR;
    if (c == 0x30FC) return USCRIPT_KATAKANA;  // The long vowel is common to all.
    return uscript_getScript(c, &error);
  };
  for (std::size_t begin = slice.begin; begin < slice.end;) {
    const UScriptCode script = script_at(begin);
    std::size_t end = begin, last = begin, characters = 0;
    std::size_t before = begin;  // The beginning of the character before `last`.
    std::vector<Slice> pairs;
    while (end < slice.end && script_at(end) == script) {
      before = last;
      last = end;
      end += DecodeUtf8(word, end).length;
      if (++characters > 1) pairs.push_back({before, end});
    }
    const bool whole = begin == slice.begin && end == slice.end;
    if (!whole && characters > 1 && (script == USCRIPT_HAN || script == USCRIPT_KATAKANA)) {
      AddPart(request, {begin, end}, step);
    }
    if (script == USCRIPT_HAN && characters > 2) {
      for (const Slice& pair : pairs) AddPart(request, pair, step);
    }
    begin = end;
  }
}

// Pieces between underscores, humps of camelCase within them, letters before a number.
void WordForms::Parts(const Request& request, Slice slice, std::uint16_t step) {
  const std::string_view word = request.word;
  std::size_t begin = slice.begin;
  for (std::size_t at = slice.begin; at < slice.end && !request.full();) {
    const std::size_t size = DecodeUtf8(word, at).length;
    if (word[at] == '_') {
      PartsOfPiece(request, {begin, at}, slice, step);
      begin = at + size;
    } else if (at > begin) {
      std::size_t before = at - 1;
      while (before > begin && IsContinuation(word[before])) --before;
      const Letter last = LetterAt(word, before);
      const Letter here = LetterAt(word, at);
      const std::size_t next = at + size;
      const auto is_lower = [&](std::size_t i) {
        return i < slice.end && LetterAt(word, i) == Letter::kLower;
      };
      // HTTPServer: the last capital begins a word, if more than the s of URLs follows.
      const bool hump =
          here == Letter::kUpper &&
          (last == Letter::kLower || (last != Letter::kNone && is_lower(next) &&
                                      is_lower(next + DecodeUtf8(word, next).length)));
      if (hump) {
        PartsOfPiece(request, {begin, at}, slice, step);
        begin = at;
      }
    }
    at += size;
  }
  PartsOfPiece(request, {begin, slice.end}, slice, step);
}

void WordForms::PartsOfPiece(const Request& request, Slice piece, Slice whole, std::uint16_t step) {
  if (piece.begin != whole.begin || piece.end != whole.end) AddPart(request, piece, step);
  // libcurl4: libcurl; python3.11: python and 3.11.
  std::size_t letters_end = piece.begin;
  while (letters_end < piece.end && IsLetter(request.word[letters_end])) ++letters_end;
  if (letters_end - piece.begin < 3 || letters_end == piece.end ||
      !IsDigit(request.word[letters_end])) {
    return;
  }
  AddPart(request, {piece.begin, letters_end}, step);
  const std::string_view rest = request.Text({letters_end, piece.end});
  if (std::all_of(rest.begin(), rest.end(), [](char c) { return IsDigit(c) || c == '.'; })) {
    AddPart(request, {letters_end, piece.end}, step);
  }
}

// One letter or digit finds too much, and so do function words.
void WordForms::AddPart(const Request& request, Slice slice, std::uint16_t step) {
  if (request.full() || Characters(request.Text(slice)) < 2) return;
  bool is_stop = false;
  std::string term = TermOf(request, slice, &is_stop);
  if (!is_stop) request.Add(std::move(term), slice, step, true, false);
}

std::string WordForms::TermOf(const Request& request, Slice slice, bool* is_stop) {
  std::string folded;
  folder_.Fold(request.Text(slice), Folder::Marks::kRemoved, &folded);
  const auto take_apostrophes = [&](std::string* text) {
    if (text->ends_with("'s")) text->resize(text->size() - 2);
    const std::size_t elided = request.language.elides ? text->find('\'') : std::string::npos;
    if (elided <= kLongestElision && elided + 1 < text->size()) text->erase(0, elided + 1);
    std::erase(*text, '\'');
  };
  take_apostrophes(&folded);
  *is_stop = IsStopWord(folded, request.language);
  if (request.style == Style::kReadable && !folded.empty()) {
    std::string readable;
    folder_.Fold(request.Text(slice), Folder::Marks::kKept, &readable);
    take_apostrophes(&readable);
    return readable.empty() ? folded : readable;
  }
  return stemmers_.Stem(std::move(folded), request.language);
}

bool WordForms::IsStopWord(const std::string& folded, const Language& language) {
  const Language& rules = !language.latin && IsAscii(folded) ? FindLanguage("en") : language;
  auto& words = stop_words_[rules.number];
  if (words == nullptr) {
    words = std::make_unique<std::unordered_set<std::string>>();
    const std::string_view list = StopWords(rules.code);
    std::string word;
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.find(' ', begin), list.size());
      folder_.Fold(list.substr(begin, end - begin), Folder::Marks::kRemoved, &word);
      std::erase_if(word, [](char c) { return c == '\'' || c == '.'; });
      words->insert(word);
      begin = end + 1;
    }
  }
  return words->contains(folded);
}

}  // namespace crawler
