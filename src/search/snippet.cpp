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
constexpr double kNotProse = 0.6;       // What a word is worth elsewhere.
constexpr double kRepeated = 0.05;      // What the same word once more is worth,
constexpr std::size_t kMaxRepeats = 2;  // so often.
constexpr double kAdjacent = 0.5;       // What two words of the query side by side are worth.
constexpr double kBlockBetween = 0.1;   // What a new block between first and last word costs.

constexpr std::size_t kOneLess = static_cast<std::size_t>(-1);

// A token that was looked for.
struct Match {
  std::size_t token;
  std::uint32_t word;   // Numbered from 0, without gaps.
  std::uint32_t block;  // Which of the text.
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

class Maker {
 public:
  Maker(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

  Snippet Make(const std::vector<SnippetTerm>& terms, std::size_t characters) {
    FindMatches(terms);
    const std::size_t bytes = BytesOf(characters);
    const Window whole = BestWindow(bytes, {});
    const Window half = BestWindow(bytes / 2, {});
    const Window other = BestWindow(bytes / 2, half);
    Snippet snippet;
    if (half.score + other.score > whole.score * 1.01 && other.last > other.first) {
      const bool in_order = half.first < other.first;
      const Span first = Around(in_order ? half : other, bytes / 2);
      const Span second = Around(in_order ? other : half, bytes / 2);
      if (second.begin <= first.end + 1) {
        Append({first.begin, std::max(first.end, second.end)}, true, &snippet);
      } else {
        Append(first, false, &snippet);
        Append(second, true, &snippet);
      }
    } else {
      Append(Around(whole, bytes), true, &snippet);
    }
    return snippet;
  }

 private:
  struct Span {
    std::size_t begin, end;
  };

  std::size_t EndOf(const Token& token) const { return std::size_t{token.offset} + token.size; }

  void FindMatches(const std::vector<SnippetTerm>& terms) {
    std::unordered_map<std::string_view, const SnippetTerm*> wanted;
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (const SnippetTerm& term : terms) {
      const auto [number, is_new] = numbers.emplace(term.word, numbers.size());
      if (is_new) weights_.push_back(0);
      weights_[number->second] = std::max(weights_[number->second], term.weight);
      wanted.emplace(term.term, &term);
    }
    struct Block {
      std::size_t words = 0, stops = 0;
    };
    std::vector<Block> blocks(1);
    std::size_t at = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view between =
          text_.substr(at, tokens_[i].offset - std::min<std::size_t>(at, tokens_[i].offset));
      if (between.find('\n') != std::string_view::npos) blocks.emplace_back();
      at = std::max(at, EndOf(tokens_[i]));
      blocks.back().words += tokens_[i].is_part ? 0 : 1;
      blocks.back().stops += tokens_[i].is_stop ? 1 : 0;
      const auto found = wanted.find(tokens_[i].term);
      if (found == wanted.end()) continue;
      const auto block = static_cast<std::uint32_t>(blocks.size() - 1);
      matches_.push_back({i, numbers[found->second->word], block, false});
    }
    for (Match& match : matches_) {
      const Block& block = blocks[match.block];
      match.prose = block.words >= kProseWords && block.stops >= kProseStops;
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

  // The window of up to `bytes` with the highest score. Words that `shown` has count for nothing.
  Window BestWindow(std::size_t bytes, const Window& shown) const {
    std::vector<double> weights = weights_;
    for (std::size_t i = shown.first; i < shown.last; ++i) weights[matches_[i].word] = 0;
    const double pair_weight =
        weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
    std::vector<Count> counts(weights.size());
    Window best, window;
    double score = 0;
    const auto change = [&](Count* count, bool prose, std::size_t by, double weight) {
      const double before = count->Worth();
      (prose ? count->prose : count->elsewhere) += by;
      score += weight * (count->Worth() - before);
    };
    const auto change_match = [&](std::size_t match, std::size_t by) {  // By 1, or by -1.
      const Match& m = matches_[match];
      change(&counts[m.word], m.prose, by, weights[m.word]);
    };
    Count pairs;
    const auto change_pair = [&](std::size_t match, std::size_t by) {
      if (IsPair(match)) change(&pairs, matches_[match].prose, by, kAdjacent * pair_weight);
    };
    const auto too_long = [&] {
      return EndOf(tokens_[matches_[window.last - 1].token]) -
                 tokens_[matches_[window.first].token].offset >
             bytes;
    };
    // The first match stands apart, and there is another of its kind.
    const auto needless = [&] {
      const Match& first = matches_[window.first];
      const Count& count = counts[first.word];
      return first.block != matches_[window.first + 1].block &&
             (first.prose ? count.prose > 1 : count.prose + count.elsewhere > 1);
    };
    while (window.last < matches_.size()) {
      change_match(window.last++, 1);
      if (window.last - window.first > 1) change_pair(window.last - 1, 1);
      while (window.last - window.first > 1 && (too_long() || needless())) {
        change_pair(window.first + 1, kOneLess);
        change_match(window.first++, kOneLess);
      }
      const std::uint32_t blocks = matches_[window.last - 1].block - matches_[window.first].block;
      const double total = score - kBlockBetween * blocks;
      if (total > best.score + 1e-9) {
        best = window;
        best.score = total;
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

  // What to show of the text for a window: some words before it and after it.
  Span Around(const Window& window, std::size_t bytes) const {
    if (text_.size() <= bytes) return {0, text_.size()};
    if (window.first == window.last) return {0, CutEnd(bytes, 0)};
    const std::size_t first = matches_[window.first].token;
    const std::size_t begin = tokens_[first].offset;
    const std::size_t end = EndOf(tokens_[matches_[window.last - 1].token]);
    const std::size_t room = bytes - std::min(bytes, end - begin);
    std::size_t from = begin - std::min(begin, room / 3);
    if (end + room - (begin - from) > text_.size()) {  // Near the end there is more room in front.
      const std::size_t unused = end + room - (begin - from) - text_.size();
      from -= std::min(from, unused);
    }
    // From the beginning of its block, if that is near and leaves no room unused.
    const std::size_t line = text_.rfind('\n', begin);
    const std::size_t block = line == std::string_view::npos ? 0 : line + 1;
    const bool near =
        begin - block <= std::max(room * 2 / 3, begin - from) && block + bytes <= text_.size();
    from = near ? block : CutBegin(from, first);
    return {from, std::max(end, CutEnd(from + bytes, matches_[window.last - 1].token))};
  }

  // The beginning of a word at `at` or behind, not behind that of `token`.
  std::size_t CutBegin(std::size_t at, std::size_t token) const {
    std::size_t begin = tokens_[token].offset;
    for (std::size_t i = token; i > 0 && tokens_[i - 1].offset >= at; --i) {
      begin = std::min<std::size_t>(begin, tokens_[i - 1].offset);
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
    // A block that begins here needs no sign that there is something before it.
    if (out.empty() && span.begin > 0 && text_[span.begin - 1] != '\n') out += kEllipsis;
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
  std::vector<Match> matches_;
  std::vector<double> weights_;  // Of the words of the query.
};

}  // namespace

Snippet MakeSnippet(std::string_view text, const std::vector<Token>& tokens,
                    const std::vector<SnippetTerm>& terms, std::size_t characters) {
  return Maker(text, tokens).Make(terms, characters);
}

}  // namespace crawler
