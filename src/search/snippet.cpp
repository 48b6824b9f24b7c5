#include "search/snippet.hpp"

#include <algorithm>
#include <unordered_map>

namespace crawler {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr double kRepeated = 0.05;  // What the same word once more is worth.
constexpr double kAdjacent = 0.5;   // What two words of the query side by side are worth.

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// A token that was looked for.
struct Match {
  std::size_t token;
  std::uint32_t word;  // Numbered from 0, without gaps.
  double weight;
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
    std::unordered_map<std::string_view, const SnippetTerm*> exact;
    std::vector<const SnippetTerm*> prefixes;
    std::unordered_map<std::uint32_t, std::uint32_t> words;
    for (const SnippetTerm& term : terms) {
      words.emplace(term.word, words.size());
      if (term.is_prefix) {
        prefixes.push_back(&term);
      } else {
        exact.emplace(term.term, &term);
      }
    }
    words_ = words.size();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto found = exact.find(tokens_[i].term);
      const SnippetTerm* term = found != exact.end() ? found->second : nullptr;
      for (const SnippetTerm* prefix : prefixes) {
        if (term == nullptr && tokens_[i].term.starts_with(prefix->term)) term = prefix;
      }
      if (term != nullptr) matches_.push_back({i, words[term->word], term->weight});
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
    std::vector<bool> known(words_);
    for (std::size_t i = shown.first; i < shown.last; ++i) known[matches_[i].word] = true;
    std::vector<std::size_t> counts(words_);
    Window best, window;
    double score = 0;
    const auto add = [&](std::size_t match, int sign) {
      const Match& m = matches_[match];
      if (known[m.word]) return;
      const bool first = sign > 0 ? counts[m.word]++ == 0 : --counts[m.word] == 0;
      score += sign * m.weight * (first ? 1 : kRepeated);
      if (match > window.first && IsPair(match)) score += sign * m.weight * kAdjacent;
    };
    for (; window.last < matches_.size();) {
      add(window.last++, 1);
      const Token& end = tokens_[matches_[window.last - 1].token];
      while (EndOf(end) - tokens_[matches_[window.first].token].offset > bytes &&
             window.first + 1 < window.last) {
        // The pair goes with its first word.
        const std::size_t next = window.first + 1;
        if (IsPair(next) && !known[matches_[next].word]) {
          score -= matches_[next].weight * kAdjacent;
        }
        add(window.first, -1);
        ++window.first;
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

  // What to show of the text for a window: some words before it and after it.
  Span Around(const Window& window, std::size_t bytes) const {
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
    from = CutBegin(from, first);
    return {from, std::max(end, CutEnd(from + bytes, matches_[window.last - 1].token))};
  }

  // The beginning of a word at `at` or behind, not behind that of `token`; of a sentence or a block
  // if there is one near.
  std::size_t CutBegin(std::size_t at, std::size_t token) const {
    if (at == 0) return 0;
    std::size_t best = tokens_[token].offset;
    for (std::size_t i = token; i > 0 && tokens_[i - 1].offset >= at; --i) {
      best = tokens_[i - 1].offset;
    }
    const std::size_t line = text_.rfind('\n', tokens_[token].offset);
    return line != std::string_view::npos && line + 1 > best ? line + 1 : best;
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
  std::size_t words_ = 0;
};

}  // namespace

Snippet MakeSnippet(std::string_view text, const std::vector<Token>& tokens,
                    const std::vector<SnippetTerm>& terms, std::size_t characters) {
  return Maker(text, tokens).Make(terms, characters);
}

}  // namespace crawler
