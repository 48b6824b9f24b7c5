#include "search/query.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/ascii.hpp"
#include "search/query_lexer.hpp"
#include "url/idna.hpp"

namespace crawler {
namespace {

using Kind = QueryNode::Kind;
using In = QueryNode::In;

Status Problem(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

std::string At(const QueryToken& token) { return " (character " + std::to_string(token.at) + ")"; }

// Reads the number that `digits` digits make, and takes them off.
bool TakeNumber(std::string_view* text, std::size_t digits, int* number) {
  if (text->size() < digits || !std::all_of(text->begin(), text->begin() + digits, IsDigit)) {
    return false;
  }
  *number = 0;
  for (const char c : text->substr(0, digits)) *number = *number * 10 + (c - '0');
  text->remove_prefix(digits);
  return true;
}

// The beginning, in UTC, of a day, month or year: 2024-01-31, 2024-01, 2024.
bool ParseDate(std::string_view text, std::int64_t* milliseconds) {
  int year = 0, month = 1, day = 1;
  if (!TakeNumber(&text, 4, &year)) return false;
  for (int* part : {&month, &day}) {
    if (text.empty()) break;
    if (text.front() != '-') return false;
    text.remove_prefix(1);
    if (!TakeNumber(&text, 2, part)) return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!text.empty() || !date.ok() || year < 1970) return false;
  const auto days = std::chrono::sys_days(date).time_since_epoch();
  *milliseconds = std::chrono::milliseconds(days).count();
  return true;
}

std::string FormatDate(std::int64_t milliseconds) {
  const std::chrono::sys_days days = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(milliseconds)));
  const std::chrono::year_month_day date(days);
  const auto padded = [](unsigned number, std::size_t width) {
    std::string text = std::to_string(number);
    if (text.size() < width) text.insert(0, width - text.size(), '0');
    return text;
  };
  return padded(static_cast<unsigned>(static_cast<int>(date.year())), 4) + '-' +
         padded(static_cast<unsigned>(date.month()), 2) + '-' +
         padded(static_cast<unsigned>(date.day()), 2);
}

// The value that site: compares with: the host as URLs have it, and port and path if given. Empty
// if there can be no such host.
std::string NormalSite(std::string_view text) {
  if (const std::size_t scheme = text.rfind("://"); scheme != std::string_view::npos) {
    text.remove_prefix(scheme + 3);
  }
  text.remove_prefix(std::min(text.find_first_not_of("*."), text.size()));
  // The colons of [::1] are no port's.
  const std::size_t bracket = text.starts_with('[') ? std::min(text.find(']'), text.size()) : 0;
  const std::size_t host_end = std::min(text.find_first_of("/:", bracket), text.size());
  std::string site;
  if (!AppendDomainToAscii(text.substr(0, host_end), &site) ||
      !std::any_of(site.begin(), site.end(), [](char c) { return IsLetter(c) || IsDigit(c); })) {
    return "";
  }
  const std::string_view rest = text.substr(host_end);
  if (rest != "/") site += rest;
  return site;
}

bool IsOfAWord(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Whether a search for the node alone begins with pages that have something, rather than with all
// pages there are.
bool IsPositive(const QueryNode& node) {
  switch (node.kind) {
    case Kind::kNot:
      return false;
    case Kind::kAnd:
      return std::any_of(node.children.begin(), node.children.end(), IsPositive);
    case Kind::kOr:
      return std::all_of(node.children.begin(), node.children.end(), IsPositive);
    default:
      return true;
  }
}

// query   = either
// either  = all *("OR" all)
// all     = single *(["AND"] single)
// single  = ("NOT" / "-") single / "+" single / "(" either ")" / field value / word / phrase
class Parser {
 public:
  explicit Parser(std::string_view query) : lexer_(query) {}

  Result<QueryNode> Parse() {
    QueryNode node;
    Status status = lexer_.Next(&token_);
    if (status.ok() && token_.kind == QueryToken::Kind::kEnd) {
      status = Problem("there is nothing to search for: the query has no word");
    }
    if (status.ok()) status = Either(In::kAnywhere, 0, &node);
    if (status.ok() && token_.kind == QueryToken::Kind::kClose) {
      status = Problem("there is a ) without its (" + At(token_));
    }
    if (!status.ok()) return status;
    if (!IsPositive(node)) {
      return Problem(
          "the query only says what pages must not have; add a word they must have, or a filter "
          "such as site:example.org (on each side of an OR)");
    }
    return node;
  }

 private:
  Status Next() { return lexer_.Next(&token_); }

  Status Either(In in, std::size_t depth, QueryNode* node) {
    QueryNode first;
    Status status = All(in, depth, &first);
    QueryNode either;
    either.kind = Kind::kOr;
    Join(std::move(first), &either);
    while (status.ok() && token_.kind == QueryToken::Kind::kOr) {
      const QueryToken op = token_;
      status = Next();
      if (status.ok()) status = WantOperand(op);
      QueryNode next;
      if (status.ok()) status = All(in, depth, &next);
      Join(std::move(next), &either);
    }
    *node = Simplest(std::move(either));
    return status;
  }

  Status All(In in, std::size_t depth, QueryNode* node) {
    QueryNode all;
    all.kind = Kind::kAnd;
    QueryNode single;
    Status status = Single(in, depth, &single);
    Join(std::move(single), &all);
    bool joined_by_and = false;
    while (status.ok() && token_.kind != QueryToken::Kind::kEnd &&
           token_.kind != QueryToken::Kind::kOr && token_.kind != QueryToken::Kind::kClose) {
      if (token_.kind == QueryToken::Kind::kAnd) {
        const QueryToken op = token_;
        status = Next();
        if (status.ok()) status = WantOperand(op);
        if (!status.ok()) break;
        Insist(&all.children.back());
        joined_by_and = true;
      }
      QueryNode next;
      status = Single(in, depth, &next);
      if (std::exchange(joined_by_and, false)) Insist(&next);
      Join(std::move(next), &all);
    }
    *node = Simplest(std::move(all));
    return status;
  }

  Status Single(In in, std::size_t depth, QueryNode* node) {
    if (depth > kMaxQueryDepth) {
      return Problem("the query is nested too deeply: at most " + std::to_string(kMaxQueryDepth) +
                     " levels are read" + At(token_));
    }
    switch (token_.kind) {
      case QueryToken::Kind::kNot:
        return Negation(in, depth, node);
      case QueryToken::Kind::kMust:
        return Insistence(in, depth, node);
      case QueryToken::Kind::kOpen:
        return Group(in, depth, node);
      case QueryToken::Kind::kField:
        return Field(in, depth, node);
      case QueryToken::Kind::kAnd:
      case QueryToken::Kind::kOr:
        return Problem(token_.text + " needs something to search for on both sides" + At(token_) +
                       "; to search for the word itself, write it in small letters");
      case QueryToken::Kind::kClose:
        return Problem("there is a ) without its (" + At(token_));
      default:
        return Term(in, node);
    }
  }

  // After AND, OR and NOT.
  Status WantOperand(const QueryToken& op) {
    if (token_.kind != QueryToken::Kind::kEnd && token_.kind != QueryToken::Kind::kClose)
      return Status::Ok();
    const bool is_not = op.kind == QueryToken::Kind::kNot || op.kind == QueryToken::Kind::kMust;
    return Problem(op.text + " needs something to search for " +
                   (is_not ? "after it" : "on both sides") + At(op) +
                   (op.text == "-" || op.text == "+"
                        ? ""
                        : "; to search for the word itself, write it in small letters"));
  }

  Status Negation(In in, std::size_t depth, QueryNode* node) {
    const QueryToken op = token_;
    Status status = Next();
    if (status.ok()) status = WantOperand(op);
    QueryNode inner;
    if (status.ok()) status = Single(in, depth + 1, &inner);
    if (!status.ok()) return status;
    if (inner.kind == Kind::kNot) {  // Not without is with.
      QueryNode twice = std::move(inner.children[0]);
      *node = std::move(twice);
      return status;
    }
    node->kind = Kind::kNot;
    node->children.push_back(std::move(inner));
    return status;
  }

  // Pages must have it: of phrases and groups that is so in any case.
  static void Insist(QueryNode* node) {
    if (node->IsPlainWord()) node->must = true;
  }

  Status Insistence(In in, std::size_t depth, QueryNode* node) {
    const QueryToken op = token_;
    Status status = Next();
    if (status.ok()) status = WantOperand(op);
    if (status.ok()) status = Single(in, depth + 1, node);
    if (status.ok()) Insist(node);
    return status;
  }

  Status Group(In in, std::size_t depth, QueryNode* node) {
    const QueryToken open = token_;
    Status status = Next();
    if (!status.ok()) return status;
    if (token_.kind == QueryToken::Kind::kClose || token_.kind == QueryToken::Kind::kEnd) {
      return Problem("there is nothing between the brackets" + At(open));
    }
    status = Either(in, depth + 1, node);
    if (!status.ok()) return status;
    if (token_.kind != QueryToken::Kind::kClose) {
      return Problem("the ( is never closed" + At(open) + "; add a ) where the group ends");
    }
    return Next();
  }

  Status Field(In in, std::size_t depth, QueryNode* node) {
    const QueryToken field = token_;
    Status status = Next();
    if (!status.ok()) return status;
    const bool has_value =
        field.attached &&
        (token_.kind == QueryToken::Kind::kWord || token_.kind == QueryToken::Kind::kPhrase ||
         (token_.kind == QueryToken::Kind::kOpen && field.field == QueryField::kTitle));
    if (!has_value) {
      return Problem(field.text + ": says nothing" + At(field) + "; write " +
                     QueryFieldExample(field.field) + ", without a blank after the colon");
    }
    if (in == In::kTitle) {
      return Problem(field.text + ": cannot stand within title:( )" + At(field));
    }
    if (field.field == QueryField::kTitle) {
      return token_.kind == QueryToken::Kind::kOpen ? Group(In::kTitle, depth + 1, node)
                                                    : Term(In::kTitle, node);
    }
    return Filter(field, node);
  }

  Status Filter(const QueryToken& field, QueryNode* node) {
    std::string value = token_.text;
    switch (field.field) {
      case QueryField::kSite:
        node->kind = Kind::kSite;
        node->text = NormalSite(value);
        break;
      case QueryField::kInUrl:
        node->kind = Kind::kInUrl;
        node->text = std::move(value);
        break;
      case QueryField::kLang: {
        node->kind = Kind::kLang;
        const std::size_t size = std::min(value.find_first_of("-_"), value.size());
        value.resize(size);
        std::transform(value.begin(), value.end(), value.begin(), Lower);
        if (size >= 2 && size <= 3 && std::all_of(value.begin(), value.end(), IsLetter)) {
          node->text = std::move(value);
        }
        break;
      }
      default:
        node->kind = Kind::kAfter;
        if (!ParseDate(value, &node->time)) {
          return Problem("after:" + token_.text + " is no date" + At(token_) +
                         "; write a day, a month or a year, as in after:2024-01-31, after:2024-01 "
                         "or after:2024");
        }
        return CountTerm();
    }
    if (node->text.empty()) {
      return Problem(field.text + ":" + token_.text + " is not understood" + At(token_) +
                     "; write " + QueryFieldExample(field.field));
    }
    return CountTerm();
  }

  Status Term(In in, QueryNode* node) {
    node->in = in;
    node->kind = token_.kind == QueryToken::Kind::kPhrase ? Kind::kPhrase : Kind::kWord;
    node->text = token_.text;
    if (node->kind == Kind::kPhrase) {
      if (Status status = CheckPhrase(node->text); !status.ok()) return status;
      return CountTerm();
    }
    const std::size_t star = node->text.find('*');
    if (star != std::string::npos) {
      if (star + 1 != node->text.size()) {
        return Problem("a * stands for the end of a word, as in " +
                       (star > 0 ? node->text.substr(0, star) : std::string("alloc")) +
                       "*; it cannot stand elsewhere in one" + At(token_));
      }
      node->kind = Kind::kPrefix;
      node->text.pop_back();
    }
    return CountTerm();
  }

  // A star behind a letter would be taken for that of a prefix, which nothing in a phrase is.
  Status CheckPhrase(std::string_view text) const {
    for (std::size_t i = text.find('*'); i != std::string_view::npos; i = text.find('*', i + 1)) {
      if (i == 0 || !IsOfAWord(text[i - 1])) continue;
      const std::size_t blank = text.rfind(' ', i);
      const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
      return Problem("a * means nothing within quotation marks" + At(token_) +
                     "; leave it out, or write " + std::string(text.substr(begin, i - begin)) +
                     "* outside of them");
    }
    return Status::Ok();
  }

  Status CountTerm() {
    if (++terms_ > kMaxQueryTerms) {
      return Problem("the query has too many words: at most " + std::to_string(kMaxQueryTerms) +
                     " are read" + At(token_));
    }
    return Next();
  }

  // Adds `node` to `parent`, or what it holds if it is of the same kind.
  static void Join(QueryNode node, QueryNode* parent) {
    if (node.kind == parent->kind) {
      std::move(node.children.begin(), node.children.end(), std::back_inserter(parent->children));
    } else {
      parent->children.push_back(std::move(node));
    }
  }

  static QueryNode Simplest(QueryNode node) {
    if (node.children.size() != 1) return node;
    QueryNode only = std::move(node.children[0]);
    return only;
  }

  QueryLexer lexer_;
  QueryToken token_;
  std::size_t terms_ = 0;
};

// The value of a filter, with quotation marks if it could not be written without them.
std::string Quoted(const std::string& text) {
  const bool plain =
      text.find_first_of(" ()\"") == std::string::npos && text[0] != ':' && text[0] != '/';
  return plain ? text : '"' + text + '"';
}

void Format(const QueryNode& node, bool in_group, std::string* out);

void FormatJoined(const QueryNode& node, std::string_view between, bool brackets,
                  std::string* out) {
  if (brackets) *out += '(';
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0) *out += between;
    Format(node.children[i], true, out);
  }
  if (brackets) *out += ')';
}

void Format(const QueryNode& node, bool in_group, std::string* out) {
  if (node.in == In::kTitle) {
    // Such a beginning would turn the field into a word; in brackets it does not.
    if (node.text[0] == ':' || node.text[0] == '/') {
      QueryNode bare = node;
      bare.in = In::kAnywhere;
      *out += "title:(";
      Format(bare, false, out);
      *out += ')';
      return;
    }
    *out += "title:";
  }
  if (node.must && node.text.starts_with('+')) {  // A second plus would make it a word.
    QueryNode bare = node;
    bare.must = false;
    *out += "+(";
    Format(bare, false, out);
    *out += ')';
    return;
  }
  if (node.must) *out += '+';
  switch (node.kind) {
    case Kind::kWord:
      *out += node.text;
      break;
    case Kind::kPhrase:
      *out += '"' + node.text + '"';
      break;
    case Kind::kPrefix:
      *out += node.text + '*';
      break;
    case Kind::kAnd:
      return FormatJoined(node, " ", in_group, out);
    case Kind::kOr:
      return FormatJoined(node, " OR ", in_group, out);
    case Kind::kNot:
      // A second dash would make it a word, and so would a single letter.
      *out += node.children[0].text.starts_with('-') || node.children[0].text.size() == 1 ? "NOT "
                                                                                          : "-";
      return Format(node.children[0], true, out);
    case Kind::kSite:
      *out += "site:" + Quoted(node.text);
      break;
    case Kind::kInUrl:
      *out += "inurl:" + Quoted(node.text);
      break;
    case Kind::kLang:
      *out += "lang:" + node.text;
      break;
    case Kind::kAfter:
      *out += "after:" + FormatDate(node.time);
      break;
  }
}

}  // namespace

Result<QueryNode> ParseQuery(std::string_view query) {
  if (query.size() > kMaxQueryBytes) {
    return Problem("the query is too long: at most " + std::to_string(kMaxQueryBytes) +
                   " bytes are read");
  }
  return Parser(query).Parse();
}

std::string FormatQuery(const QueryNode& query) {
  std::string out;
  Format(query, false, &out);
  return out;
}

}  // namespace crawler
