#include "index/heading_names.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/hash.hpp"

namespace crawler {
namespace {

constexpr std::uint64_t kNameSeed = 0x6865616473313233;
/// Longer headings are sentences, which nobody looks for word by word.
constexpr std::size_t kMostNameWords = 8;
/// Of a qualified name: `c.d`, `b.c.d` of `a.b.c.d`.
constexpr std::size_t kMostSuffixes = 3;

/// As many as three bytes of a varint hold.
constexpr std::uint32_t kNamePlaces = 1u << 21;

bool IsBlankByte(char c) { return c == ' ' || c == '\n' || c == '\t'; }

bool IsNameStart(char c) {
  return IsLetter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsNameByte(char c) { return IsNameStart(c) || IsDigit(c); }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlankByte(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlankByte(text.back())) text.remove_suffix(1);
  return text;
}

/// Without blanks at its beginning, those that break no line among them.
std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kFixedBlank = "\xC2\xA0";
  for (;;) {
    if (text.starts_with(kFixedBlank)) {
      text.remove_prefix(kFixedBlank.size());
    } else if (!text.empty() && IsBlankByte(text.front())) {
      text.remove_prefix(1);
    } else {
      return text;
    }
  }
}

/// Without the number of a chapter: "27.2. ", "Chapter 9. ", "A.1. ".
std::string_view WithoutNumber(std::string_view text) {
  std::string_view rest = text;
  for (const std::string_view word : {"Chapter", "Appendix", "Part"}) {
    if (rest.starts_with(word)) rest = WithoutBlanks(rest.substr(word.size()));
  }
  std::size_t end = 0;
  bool has_stop = false;
  while (end < rest.size() && (IsDigit(rest[end]) || rest[end] == '.' ||
                               (end == 0 && rest[end] >= 'A' && rest[end] <= 'Z'))) {
    has_stop = has_stop || rest[end] == '.';
    ++end;
  }
  const std::string_view behind = WithoutBlanks(rest.substr(end));
  // A number alone is what the page is about: "3.14", "404 Not Found".
  const bool is_number = has_stop && !behind.empty() && behind.size() < rest.size() - end;
  return is_number ? behind : text;
}

/// Where the name ends and what it takes, is or means begins.
std::size_t EndOfName(std::string_view text) {
  const std::size_t sign = text.find_first_of("([={");
  const std::size_t colon = text.find(": ");
  const std::size_t dash = text.find(" — ");
  return std::min({sign, colon, dash, text.size()});
}

/// Whether somebody wrote it for a machine: `os.name`, `KeyError`, `max_size`.
bool LooksLikeIdentifier(std::string_view word) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    const bool joins = word[i] == '_' || word[i] == '.' || word[i] == ':';
    if (joins && i + 1 < word.size() && IsNameStart(word[i + 1])) return true;
    const bool is_capital = word[i] >= 'A' && word[i] <= 'Z';
    if (is_capital && word[i - 1] >= 'a' && word[i - 1] <= 'z') return true;
  }
  return false;
}

/// `c.d` and `d` of `b.c.d`.
void AddSuffixes(std::string_view name, std::vector<std::string_view>* names) {
  std::size_t added = 0;
  for (std::size_t at = name.size(); at-- > 1 && added < kMostSuffixes;) {
    if (name[at - 1] != '.' && name[at - 1] != ':') continue;
    if (!IsNameStart(name[at])) continue;
    names->push_back(name.substr(at));
    ++added;
  }
}

void AddIdentifier(std::string_view name, std::vector<std::string_view>* names) {
  while (!name.empty() && (name.front() == '*' || name.front() == '&')) name.remove_prefix(1);
  if (name.empty()) return;
  names->push_back(name);
  AddSuffixes(name, names);
}

std::string_view LastWord(std::string_view text) {
  return text.substr(text.find_last_of(" \n\t") + 1);
}

// One of those that a heading lists.
void AddNames(std::string_view text, std::vector<std::string_view>* names) {
  text = Trimmed(text);
  const std::size_t end = EndOfName(text);
  const bool is_call =
      end > 0 && end < text.size() && text[end] == '(' && IsNameByte(text[end - 1]);
  const std::string_view before = Trimmed(text.substr(0, end));
  const std::string_view last = LastWord(before);
  // Before the name of a function stands what kind it is, or what it returns.
  if (is_call) return AddIdentifier(last, names);
  if (before.empty()) return;
  if (last.size() == before.size()) return AddIdentifier(before, names);
  names->push_back(before);
  if (LooksLikeIdentifier(last)) AddIdentifier(last, names);
}

}  // namespace

std::vector<std::string_view> NamesOfHeading(std::string_view heading) {
  std::vector<std::string_view> names;
  std::string_view text = WithoutNumber(Trimmed(heading));
  // std::stoi, std::stol: a list of names, not what a function takes.
  const std::size_t end = EndOfName(text);
  for (std::size_t comma = 0; (comma = text.find(", ")) < std::min(end, text.size());) {
    if (text.substr(0, comma).find(' ') != std::string_view::npos) break;
    AddNames(text.substr(0, comma), &names);
    text.remove_prefix(comma + 2);
  }
  AddNames(text, &names);
  return names;
}

NameTerm NameTerms::Of(std::string_view name) {
  // In no language: words stay as they are.
  analyzer_.Analyze(name, "", &tokens_);
  words_.clear();
  std::size_t count = 0;
  for (const Token& token : tokens_) {
    if (token.is_part) continue;
    if (++count > kMostNameWords) return {};
    words_.append(token.term).push_back(' ');
  }
  if (count == 0) return {};
  // Few terms with many names each: a term takes more room than a place.
  const std::uint64_t hash = Hash64(words_, kNameSeed);
  NameTerm term;
  term.term = {kNameTermMark, static_cast<char>('0' + hash % 64),
               static_cast<char>('0' + hash / 64 % 64)};
  term.place = static_cast<std::uint32_t>(hash >> 32) % kNamePlaces;
  return term;
}

}  // namespace crawler
