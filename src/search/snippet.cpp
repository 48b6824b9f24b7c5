#include "search/snippet.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/ascii.hpp"

namespace crawler {
namespace {

constexpr std::string_view kEllipsis = "…";
// Menus and tables of contents have many words and say little about them.
constexpr std::size_t kProseWords = 8;  // In a block, at least,
constexpr std::size_t kProseStops = 2;  // and so many of them stop words.
constexpr double kNotProse = 0.6;       // Worth of a word elsewhere.
constexpr double kRepeated = 0.05;      // Worth of the same word once more,
constexpr std::size_t kMaxRepeats = 2;  // so often.
constexpr double kAdjacent = 0.5;       // Worth of two words of the query side by side.
constexpr std::size_t kMostPieces = 3;  // Of a snippet.

constexpr std::size_t kOneLess = static_cast<std::size_t>(-1);

// A token that was looked for.
struct Match {
  std::size_t token;
  std::uint32_t word;      // Numbered from 0, without gaps.
  std::uint32_t sentence;  // Its number in the text.
  bool prose;
};

// How often a word of the query is in a window.
struct Count {
  std::size_t prose = 0, elsewhere = 0;

  double Worth() const {
    const std::size_t all = prose + elsewhere;
    if (all == 0) return 0;
    const std::size_t repeats = std::min(all - 1, kMaxRepeats);
    return (prose > 0 ? 1 : kNotProse) + kRepeated * static_cast<double>(repeats);
  }
};

// Matches first to last, one behind the last.
struct Window {
  std::size_t first = 0, last = 0;
  double score = 0;
};

// A piece of the text.
struct Span {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};

// The sentences of a text, one line at a time.
class SentenceFinder {
 public:
  explicit SentenceFinder(std::string_view text) : text_(text) {}

  std::vector<Span> Find() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      const std::size_t end = EndHere();
      if (end == 0) continue;
      Add(end);
      at_ = end - 1;
    }
    Add(text_.size());
    return std::move(sentences_);
  }

 private:
  // Where the sentence ends that a character at `at_` ends; 0 if it ends none.
  std::size_t EndHere() const {
    const char c = text_[at_];
    if (c == '\n') return at_ + 1;
    if (c == '.' || c == '!' || c == '?') return c == '.' && IsAbbreviation() ? 0 : EndAtBlank();
    const std::string_view rest = text_.substr(at_, 3);
    return rest == "。" || rest == "！" || rest == "？" ? at_ + 3 : 0;
  }

  // Behind the mark, if there are only closing signs and a blank and no small letter goes on.
  std::size_t EndAtBlank() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && std::string_view(")]\"'.!?").find(text_[end]) != kNowhere) ++end;
    if (end >= text_.size() || text_[end] != ' ') return 0;
    const char next = end + 1 < text_.size() ? text_[end + 1] : 'A';
    return next >= 'a' && next <= 'z' ? 0 : end;
  }

  // "e.g.", "Mr." and "J." end no sentence, neither does "3.".
  bool IsAbbreviation() const {
    std::size_t begin = at_;
    while (begin > begin_ && text_[begin - 1] != ' ' && at_ - begin < 8) --begin;
    const std::string_view word = text_.substr(begin, at_ - begin);
    return word.size() <= 2 || word.find('.') != kNowhere ||
           std::all_of(word.begin(), word.end(), IsDigit);
  }

  void Add(std::size_t end) {
    Span sentence{begin_, end};
    begin_ = end;
    const auto is_blank = [this](std::size_t at) { return text_[at] == ' ' || text_[at] == '\n'; };
    while (sentence.size() > 0 && is_blank(sentence.begin)) ++sentence.begin;
    while (sentence.size() > 0 && is_blank(sentence.end - 1)) --sentence.end;
    if (sentence.size() > 0) sentences_.push_back(sentence);
  }

  static constexpr std::size_t kNowhere = std::string_view::npos;

  const std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
  std::vector<Span> sentences_;
};

class Maker {
 public:
  Maker(std::string_view text, const std::vector<Token>& tokens)
      : text_(text), tokens_(tokens), sentences_(SentenceFinder(text).Find()) {}

  Snippet Make(const std::vector<SnippetTerm>& terms, std::size_t characters) {
    FindMatches(terms);
    std::vector<Span> pieces = Choose(BytesOf(characters));
    Snippet snippet;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      Append(pieces[i], i + 1 == pieces.size(), &snippet);
    }
    return snippet;
  }

 private:
  std::size_t EndOf(const Token& token) const { return std::size_t{token.offset} + token.size; }

  // The sentence with most of what was looked for, then those that have more of it.
  std::vector<Span> Choose(std::size_t bytes) {
    if (text_.size() <= bytes) return {{0, text_.size()}};
    std::vector<Span> pieces;
    std::size_t room = bytes;
    while (pieces.size() < kMostPieces && room >= bytes / kMostPieces) {
      const Window window = BestWindow(room);
      if (window.last == window.first) break;
      for (std::size_t i = window.first; i < window.last; ++i) weights_[matches_[i].word] = 0;
      const Span piece = Around(window, room);
      room -= std::min(room, piece.size());
      if (!pieces.empty() && piece.begin <= pieces.back().end + 1 &&
          piece.begin >= pieces.back().begin) {
        pieces.back().end = std::max(pieces.back().end, piece.end);
      } else {
        pieces.push_back(piece);
      }
    }
    if (pieces.empty()) return {{0, CutEnd(bytes, 0)}};
    if (pieces.size() == 1) AddSentences(room, &pieces.front());
    return pieces;
  }

  // The sentences that follow, as far as there is room.
  void AddSentences(std::size_t room, Span* piece) const {
    auto next = std::lower_bound(
        sentences_.begin(), sentences_.end(), piece->end,
        [](const Span& sentence, std::size_t end) { return sentence.begin < end; });
    const std::size_t most = piece->end + room;
    for (; next != sentences_.end() && next->end <= most; ++next) piece->end = next->end;
  }

  void FindMatches(const std::vector<SnippetTerm>& terms) {
    std::unordered_map<std::string_view, const SnippetTerm*> wanted;
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (const SnippetTerm& term : terms) {
      const auto [number, is_new] = numbers.emplace(term.word, numbers.size());
      if (is_new) weights_.push_back(0);
      weights_[number->second] = std::max(weights_[number->second], term.weight);
      wanted.emplace(term.term, &term);
    }
    struct Line {
      std::size_t words = 0, stops = 0;
    };
    std::vector<Line> lines(1);
    std::vector<std::size_t> line_of;  // Of each match.
    std::size_t at = 0, sentence = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      const std::string_view between =
          text_.substr(at, token.offset - std::min<std::size_t>(at, token.offset));
      if (between.find('\n') != std::string_view::npos) lines.emplace_back();
      at = std::max(at, EndOf(token));
      lines.back().words += token.is_part ? 0 : 1;
      lines.back().stops += token.is_stop ? 1 : 0;
      const auto found = wanted.find(token.term);
      if (found == wanted.end()) continue;
      while (sentence + 1 < sentences_.size() && sentences_[sentence].end <= token.offset) {
        ++sentence;
      }
      matches_.push_back(
          {i, numbers[found->second->word], static_cast<std::uint32_t>(sentence), false});
      line_of.push_back(lines.size() - 1);
    }
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      const Line& line = lines[line_of[i]];
      matches_[i].prose = line.words >= kProseWords && line.stops >= kProseStops;
    }
  }

  // About how many bytes so many characters take in this text.
  std::size_t BytesOf(std::size_t characters) const {
    const std::string_view sample = text_.substr(0, 4096);
    const auto more =
        static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), IsContinuation));
    const std::size_t there = std::max<std::size_t>(sample.size() - more, 1);
    return characters * std::max(sample.size(), there) / there;
  }

  // The window of up to `bytes` of one sentence with the highest score; an empty one if no word
  // that counts is left.
  Window BestWindow(std::size_t bytes) const {
    const double pair_weight =
        weights_.empty() ? 0 : *std::max_element(weights_.begin(), weights_.end());
    std::vector<Count> counts(weights_.size());
    Window best, window;
    double score = 0;
    const auto change = [&](Count* count, bool prose, std::size_t by, double weight) {
      const double before = count->Worth();
      (prose ? count->prose : count->elsewhere) += by;
      score += weight * (count->Worth() - before);
    };
    const auto change_match = [&](std::size_t match, std::size_t by) {  // By 1, or by -1.
      const Match& m = matches_[match];
      change(&counts[m.word], m.prose, by, weights_[m.word]);
    };
    Count pairs;
    const auto change_pair = [&](std::size_t match, std::size_t by) {
      if (IsPair(match)) change(&pairs, matches_[match].prose, by, kAdjacent * pair_weight);
    };
    const auto too_long = [&] {
      const Match& first = matches_[window.first];
      const Match& last = matches_[window.last - 1];
      return first.sentence != last.sentence ||
             EndOf(tokens_[last.token]) - tokens_[first.token].offset > bytes;
    };
    while (window.last < matches_.size()) {
      change_match(window.last++, 1);
      if (window.last - window.first > 1) change_pair(window.last - 1, 1);
      while (window.last - window.first > 1 && too_long()) {
        change_pair(window.first + 1, kOneLess);
        change_match(window.first++, kOneLess);
      }
      if (score > best.score + 1e-9) {
        best = window;
        best.score = score;
      }
    }
    return best;
  }

  // Whether a match stands right behind the one before it, and is of another word.
  bool IsPair(std::size_t match) const {
    return matches_[match].word != matches_[match - 1].word &&
           tokens_[matches_[match].token].position ==
               tokens_[matches_[match - 1].token].position + 1;
  }

  // The part of a window's sentence that is shown: all of it, or some words around the window.
  Span Around(const Window& window, std::size_t bytes) const {
    const Span& sentence = sentences_[matches_[window.first].sentence];
    if (sentence.size() <= bytes) return sentence;
    const std::size_t first = matches_[window.first].token;
    const std::size_t last = matches_[window.last - 1].token;
    const std::size_t begin = tokens_[first].offset;
    const std::size_t end = EndOf(tokens_[last]);
    const std::size_t room = bytes - std::min(bytes, end - begin);
    // From the beginning of the sentence, if that is near.
    if (begin - std::min(begin, sentence.begin) <= room * 2 / 3) {
      return {sentence.begin, std::max(end, CutEnd(sentence.begin + bytes, last))};
    }
    std::size_t from = begin - std::min(begin - sentence.begin, room / 3);
    // Near the end there is more room in front.
    if (end + room - (begin - from) > sentence.end) from = sentence.end - bytes;
    from = CutBegin(from, first);
    return {from, std::max(end, CutEnd(std::min(from + bytes, sentence.end), last))};
  }

  // The beginning of a word at `at` or behind, not behind that of `token`.
  std::size_t CutBegin(std::size_t at, std::size_t token) const {
    std::size_t begin = tokens_[token].offset;
    for (std::size_t i = token; i > 0 && tokens_[i - 1].offset >= at; --i) {
      if (!tokens_[i - 1].is_part) begin = std::min<std::size_t>(begin, tokens_[i - 1].offset);
    }
    return begin;
  }

  // The end of the last word that ends at `at` or before, with what follows it up to a blank.
  std::size_t CutEnd(std::size_t at, std::size_t token) const {
    if (at >= text_.size()) return text_.size();
    std::size_t end = 0;
    for (std::size_t i = token; i < tokens_.size() && EndOf(tokens_[i]) <= at; ++i) {
      end = std::max(end, EndOf(tokens_[i]));
    }
    if (end == 0) {  // No words at all, or one that is too long.
      end = at;
      while (end > 0 && IsContinuation(text_[end])) --end;
      return end;
    }
    while (end < std::min(at, text_.size()) &&
           std::string_view(".,;:!?)").find(text_[end]) != std::string_view::npos) {
      ++end;
    }
    return end;
  }

  void Append(Span span, bool last, Snippet* snippet) const {
    std::string& out = snippet->text;
    // A sentence that begins here needs no sign that there is something before it.
    const auto begins = std::lower_bound(
        sentences_.begin(), sentences_.end(), span.begin,
        [](const Span& sentence, std::size_t begin) { return sentence.begin < begin; });
    const bool is_cut = begins == sentences_.end() || begins->begin != span.begin;
    if (out.empty() && span.begin > 0 && is_cut) out += kEllipsis;
    const std::size_t at = out.size();
    out += text_.substr(span.begin, span.end - span.begin);
    std::replace_if(
        out.begin() + static_cast<std::ptrdiff_t>(at), out.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    for (const Match& match : matches_) {
      const Token& token = tokens_[match.token];
      if (token.offset < span.begin || EndOf(token) > span.end) continue;
      Highlight(token.offset - span.begin + at, EndOf(token) - span.begin + at, snippet);
    }
    if (!last || span.end < text_.size()) out += last ? " …" : " … ";
  }

  // The parts of a word overlap with the word.
  static void Highlight(std::size_t begin, std::size_t end, Snippet* snippet) {
    auto& ranges = snippet->highlights;
    if (!ranges.empty() && begin < ranges.back().offset + ranges.back().size) {
      Snippet::Range& before = ranges.back();
      end = std::max<std::size_t>(end, before.offset + before.size);
      before.size = static_cast<std::uint32_t>(end - before.offset);
      return;
    }
    ranges.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)});
  }

  const std::string_view text_;
  const std::vector<Token>& tokens_;
  const std::vector<Span> sentences_;
  std::vector<Match> matches_;
  std::vector<double> weights_;  // Of the words of the query that are not shown yet.
};

}  // namespace

Snippet MakeSnippet(std::string_view text, const std::vector<Token>& tokens,
                    const std::vector<SnippetTerm>& terms, std::size_t characters) {
  return Maker(text, tokens).Make(terms, characters);
}

}  // namespace crawler
