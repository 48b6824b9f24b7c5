#include "search/query_lexer.hpp"

#include <algorithm>
#include <utility>

namespace crawler {
namespace {

using TokenKind = QueryToken::Kind;

struct FieldName {
  std::string_view name;
  QueryField field;
  std::string_view example;
};
constexpr FieldName kFields[] = {
    {"title", QueryField::kTitle, "title:vector"},
    {"intitle", QueryField::kTitle, "title:vector"},
    {"inurl", QueryField::kInUrl, "inurl:manual"},
    {"site", QueryField::kSite, "site:example.org"},
    {"lang", QueryField::kLang, "lang:de"},
    {"after", QueryField::kAfter, "after:2024-01-31"},
};

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

// Between two of them a quotation mark is part of an abbreviation.
bool IsHebrewLetter(std::string_view text, std::size_t at) {
  if (at >= text.size() || text.size() - at < 2) return false;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  return text[at] == '\xd7' && second >= 0x90 && second <= 0xaa;
}

// Something a word may consist of: a letter, a digit, or anything that is not ASCII.
bool HasContent(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

// -v of a command. Nobody leaves out the pages that have a single letter.
bool IsShortOption(std::string_view chunk) {
  return chunk.size() == 2 && chunk[0] == '-' && HasContent(chunk.substr(1));
}

// The mistakes that hands make and that give no other word: two neighbours swapped, a letter
// doubled, a plural. "size:" and "tile:" are words.
bool IsMistyped(std::string_view name, std::string_view field) {
  if (name.size() == field.size()) {
    const auto [a, b] = std::mismatch(name.begin(), name.end(), field.begin());
    if (name.end() - a < 2) return false;
    return a[0] == b[1] && a[1] == b[0] && std::equal(a + 2, name.end(), b + 2);
  }
  if (name.size() != field.size() + 1 || name == field) return false;
  if (name.starts_with(field)) return name.back() == 's' || name.back() == field.back();
  const auto [a, b] = std::mismatch(field.begin(), field.end(), name.begin());
  return a != field.begin() && *b == a[-1] && std::equal(a, field.end(), b + 1);
}

}  // namespace

std::string QueryFieldExample(QueryField field) {
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields),
                                   [&](const FieldName& name) { return name.field == field; });
  return std::string(found->example);
}

// How many bytes of blank are at `at`: 0, or the size of a character.
std::size_t QueryLexer::BlankAt(std::size_t at) const {
  const auto c = static_cast<unsigned char>(query_[at]);
  if (c <= 0x20 || c == 0x7F) return 1;
  const std::string_view rest = query_.substr(at);
  if (rest.starts_with("\u00A0")) return 2;
  return rest.starts_with("\u3000") ? 3 : 0;
}

// The same for a quotation mark. Each opens and closes: people mix them, and keyboards do. צה"ל has
// none.
std::size_t QueryLexer::QuoteAt(std::size_t at) const {
  if (query_[at] == '"')
    return IsHebrewLetter(query_, at - 2) && IsHebrewLetter(query_, at + 1) ? 0 : 1;
  const std::string_view rest = query_.substr(at);
  for (const std::string_view mark : {"\u201C", "\u201D", "\u201E", "\u201F", "\u00AB", "\u00BB"}) {
    if (rest.starts_with(mark)) return mark.size();
  }
  return 0;
}

// Where the word that begins at `begin` ends. The () of push_back() is part of it.
std::size_t QueryLexer::ChunkEnd(std::size_t begin) const {
  std::size_t end = begin;
  while (end < query_.size() && BlankAt(end) == 0 && QuoteAt(end) == 0 && query_[end] != ')') {
    if (query_[end] == '(') {
      if (end == begin || query_.substr(end, 2) != "()") break;
      ++end;
    }
    ++end;
  }
  return end;
}

std::size_t QueryLexer::CharacterAt(std::size_t offset) const {
  return 1 + static_cast<std::size_t>(std::count_if(
                 query_.begin(), query_.begin() + static_cast<std::ptrdiff_t>(offset),
                 [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Status QueryLexer::Next(QueryToken* token) {
  *token = {};
  const bool value = std::exchange(value_, false);
  while (at_ < query_.size()) {
    if (const std::size_t blank = BlankAt(at_); blank != 0) {
      at_ += blank;
      continue;
    }
    token->at = CharacterAt(at_);
    if (const std::size_t quote = QuoteAt(at_); quote != 0) {
      Status status = TakePhrase(quote, token);
      if (!status.ok() || token->kind == TokenKind::kPhrase) return status;
      continue;
    }
    const char c = query_[at_];
    if (c == '(' || c == ')') {
      token->kind = c == '(' ? TokenKind::kOpen : TokenKind::kClose;
      token->text = c;
      ++at_;
      return Status::Ok();
    }
    const std::string_view chunk = query_.substr(at_, ChunkEnd(at_) - at_);
    if (!value) {
      // -word, -"phrase", -(group), and the same with +; but -x, --option and ++i are words.
      const std::size_t after = at_ + 1;
      if ((c == '-' || c == '+') && after < query_.size() && query_[after] != c &&
          BlankAt(after) == 0 && query_[after] != ')' && !IsShortOption(chunk) &&
          (chunk.size() == 1 || HasContent(chunk))) {
        token->kind = c == '-' ? TokenKind::kNot : TokenKind::kMust;
        token->text = c;
        ++at_;
        return Status::Ok();
      }
      bool found = false;
      Status status = TakeField(chunk, token, &found);
      if (found || !status.ok()) return status;
      for (const auto& [name, kind] :
           {std::pair("AND", TokenKind::kAnd), std::pair("OR", TokenKind::kOr),
            std::pair("NOT", TokenKind::kNot)}) {
        if (chunk == name) token->kind = kind;
      }
    }
    at_ += chunk.size();
    if (token->kind == TokenKind::kEnd && !HasContent(chunk)) continue;
    if (token->kind == TokenKind::kEnd) token->kind = TokenKind::kWord;
    token->text = chunk;
    return Status::Ok();
  }
  token->at = CharacterAt(query_.size());
  return Status::Ok();
}

Status QueryLexer::TakePhrase(std::size_t quote_size, QueryToken* token) {
  std::size_t at = at_ + quote_size;
  std::string text;
  bool blank_owed = false;
  while (at < query_.size()) {
    if (const std::size_t quote = QuoteAt(at); quote != 0) {
      at_ = at + quote;
      if (!HasContent(text)) return Status::Ok();  // Left out, as punctuation is.
      token->kind = TokenKind::kPhrase;
      token->text = std::move(text);
      return Status::Ok();
    }
    if (const std::size_t blank = BlankAt(at); blank != 0) {
      blank_owed = !text.empty();
      at += blank;
      continue;
    }
    if (std::exchange(blank_owed, false)) text += ' ';
    text += query_[at++];
  }
  if (at_ > 0 && BlankAt(at_ - 1) == 0 && HasContent(query_.substr(at_ - 1, 1))) {
    at_ += quote_size;  // Inches: 5".
    return Status::Ok();
  }
  return Status(StatusCode::kInvalidArgument, "the quotation mark is never closed (character " +
                                                  std::to_string(token->at) +
                                                  "); add another one where the phrase ends");
}

// Takes `name:` off if that is a field. A name followed by :: or by // is none: title::iterator.
Status QueryLexer::TakeField(std::string_view chunk, QueryToken* token, bool* found) {
  const std::size_t colon = chunk.find(':');
  if (colon == std::string_view::npos || colon == 0) return Status::Ok();
  const std::string_view rest = chunk.substr(colon + 1);
  if (rest.starts_with(':') || rest.starts_with("//")) return Status::Ok();
  const std::string name = LowerAscii(chunk.substr(0, colon));
  for (const FieldName& field : kFields) {
    if (name == field.name) {
      *found = true;
      token->kind = TokenKind::kField;
      token->field = field.field;
      token->text = chunk.substr(0, colon);
      at_ += colon + 1;
      value_ = at_ < query_.size() && BlankAt(at_) == 0;
      token->attached = value_ && (rest.empty() || HasContent(rest));
      return Status::Ok();
    }
    if (!rest.empty() && IsMistyped(name, field.name)) {
      return Status(StatusCode::kInvalidArgument,
                    "there is no field " + name + ": (character " + std::to_string(token->at) +
                        "); did you mean " + std::string(field.name) +
                        ":? To search for it as it is, put it in quotation marks");
    }
  }
  return Status::Ok();
}

}  // namespace crawler
