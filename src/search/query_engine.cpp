#include "search/query_engine.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/ascii.hpp"
#include "index/segments.hpp"
#include "search/read_transaction.hpp"
#include "url/utf8.hpp"

namespace crawler {
namespace {

/// Of a text that snippets are cut from; what stands further back is seldom worth the time.
constexpr std::size_t kMaxSnippetText = std::size_t{256} << 10;
constexpr std::size_t kSuggestions = 3;
/// Words of a query that suggestions are looked for: each is compared with all there are.
constexpr std::size_t kMaxSpelled = 4;

/// Up to `size` bytes of `text`, in whole characters.
std::string_view Beginning(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

std::vector<SnippetTerm> SnippetTerms(const std::vector<QueryCompiler::Word>& words) {
  std::vector<SnippetTerm> terms;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string& term : words[i].terms) {
      SnippetTerm& wanted = terms.emplace_back();
      wanted.term = term;
      wanted.word = static_cast<std::uint32_t>(i);
      wanted.weight = words[i].idf;
    }
  }
  return terms;
}

/// Whether a character is shown as nothing, or changes how others are shown: controls, marks of
/// writing direction, blanks of no width, byte order marks. Joiners are part of words.
bool IsInvisible(char32_t c) {
  return (c < 0x20 && c != '\n') || (c >= 0x7F && c <= 0x9F) || c == 0xAD || c == 0x61C ||
         c == 0x180E || c == 0x200B || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE007F);
}

/// `text` as people and terminals are shown it.
std::string Visible(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = DecodeUtf8(text, at);
    if (c.code_point == 0xA0 || c.code_point == '\t') {
      shown.push_back(' ');
    } else if (!IsInvisible(c.code_point)) {
      shown.append(text.substr(at, c.length));
    }
    at += c.length;
  }
  return shown;
}

/// Leaves what snippets may show: no navigation and no other boilerplate, unless there is nothing
/// else, and nothing that is invisible.
void LeaveOutBoilerplate(PageText* page) {
  std::vector<PageSlice> unwanted = page->marks.boilerplate;
  unwanted.insert(unwanted.end(), page->marks.link_blocks.begin(), page->marks.link_blocks.end());
  std::sort(unwanted.begin(), unwanted.end(),
            [](const PageSlice& a, const PageSlice& b) { return a.offset < b.offset; });
  std::string kept;
  std::size_t at = 0;
  for (const PageSlice& slice : unwanted) {
    if (slice.offset > at) kept.append(page->text, at, slice.offset - at);
    at = std::max(
        at, std::min<std::size_t>(page->text.size(), std::size_t{slice.offset} + slice.size + 1));
  }
  kept.append(page->text, at);
  page->text = Visible(kept.empty() ? page->text : kept);
}

/// The part of a long text that is analysed: the one with most words, and its surroundings.
constexpr std::size_t kStretch = 2048;

/// Where the stretch of `text` begins in which most words of the query seem to stand; npos if none
/// do, or if it takes an analysis to say so. `small` is for the text in small letters.
std::size_t StretchWithMost(std::string_view text, const std::vector<SnippetTerm>& terms,
                            std::string* small) {
  small->resize(text.size());
  std::transform(text.begin(), text.end(), small->begin(), Lower);
  std::vector<std::uint64_t> words(text.size() / kStretch + 1);  // A bit for each.
  for (const SnippetTerm& term : terms) {
    if (!IsAscii(term.term) || term.word >= 64) return std::string_view::npos;
    // Words differ from their stems at the end.
    const std::size_t size = term.term.size();
    const std::string_view stem =
        term.term.substr(0, std::max(size * 2 / 3, std::min<std::size_t>(size, 4)));
    for (std::size_t at = small->find(stem); at != std::string::npos;) {
      words[at / kStretch] |= std::uint64_t{1} << term.word;
      at = small->find(stem, (at / kStretch + 1) * kStretch);
    }
  }
  const auto most = std::max_element(
      words.begin(), words.end(),
      [](std::uint64_t a, std::uint64_t b) { return std::popcount(a) < std::popcount(b); });
  if (*most == 0) return std::string_view::npos;
  return static_cast<std::size_t>(most - words.begin()) * kStretch;
}

bool IsWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Replaces `word` in `text` wherever it is a whole word.
void ReplaceWord(std::string_view word, std::string_view instead, std::string* text) {
  for (std::size_t at = text->find(word); at != std::string::npos; at = text->find(word, at)) {
    const std::size_t end = at + word.size();
    if ((at > 0 && IsWordByte((*text)[at - 1])) ||
        (end < text->size() && IsWordByte((*text)[end]))) {
      at = end;
      continue;
    }
    text->replace(at, word.size(), instead);
    at += instead.size();
  }
}

// Has every word be there but those that `suggestions` are for and that stay as they are.
void InsistOnFound(const std::vector<QueryAnswer::Suggestion>& suggestions, QueryNode* node) {
  const bool unknown = std::any_of(
      suggestions.begin(), suggestions.end(),
      [&](const QueryAnswer::Suggestion& suggestion) { return suggestion.word == node->text; });
  if (node->IsPlainWord() && !unknown) node->must = true;
  if (node->kind == QueryNode::Kind::kNot) return;
  for (QueryNode& child : node->children) InsistOnFound(suggestions, &child);
}

SearchRequest ToRequest(QueryNode query, const QueryOptions& options) {
  SearchRequest request;
  request.query = std::move(query);
  request.limit = options.limit;
  request.offset = options.offset;
  request.ranking = options.ranking;
  request.fold = options.fold;
  request.why = options.why;
  return request;
}

}  // namespace

void ReplaceWords(const std::vector<QueryAnswer::Suggestion>& suggestions, QueryNode* node) {
  if (node->kind == QueryNode::Kind::kWord || node->kind == QueryNode::Kind::kPhrase) {
    for (const QueryAnswer::Suggestion& suggestion : suggestions) {
      ReplaceWord(suggestion.word, suggestion.instead.front().shown, &node->text);
    }
  }
  if (node->kind == QueryNode::Kind::kNot) return;
  for (QueryNode& child : node->children) ReplaceWords(suggestions, &child);
}

Result<std::unique_ptr<QueryEngine>> QueryEngine::Open(const std::string& path,
                                                       const RankingWeights& weights) {
  Result<std::unique_ptr<Searcher>> searcher = Searcher::Open(path, weights);
  if (!searcher.ok()) return searcher.status();
  return std::unique_ptr<QueryEngine>(new QueryEngine(std::move(searcher).value()));
}

Result<QueryAnswer> QueryEngine::Search(std::string_view query, const QueryOptions& options) {
  Result<QueryNode> parsed = ParseQuery(query);
  if (!parsed.ok()) return parsed.status();
  // Texts are looked up by the ids of pages, which may be those of others in the next transaction.
  const ReadTransaction transaction(searcher_->database());
  if (!transaction.status().ok()) return transaction.status();
  std::vector<QueryCompiler::Word> words;
  crawler::Result<QueryAnswer> answer = Find(*parsed, options, nullptr, &words);
  if (!answer.ok()) return answer;
  const bool has_unknown_word = std::any_of(
      words.begin(), words.end(), [](const QueryCompiler::Word& word) { return !word.found; });
  if (!has_unknown_word) return answer;
  Status status = Correct(ToRequest(std::move(parsed).value(), options), options, words, &*answer);
  if (!status.ok()) return status;
  return answer;
}

Result<QueryAnswer> QueryEngine::Find(const QueryNode& query, const QueryOptions& options,
                                      const IndexStatistics* shared,
                                      std::vector<QueryCompiler::Word>* words) {
  const ReadTransaction transaction(searcher_->database());
  if (!transaction.status().ok()) return transaction.status();
  SearchRequest request = ToRequest(query, options);
  request.shared = shared;
  crawler::Result<QueryResults> results = searcher_->Search(request);
  if (!results.ok()) return results.status();
  QueryAnswer answer;
  Status status = CutSnippets(results->words, options, &*results, &answer);
  if (!status.ok()) return status;
  *words = std::move(results->words);
  return answer;
}

Result<QueryAnswer> QueryEngine::Similar(std::int64_t page, const QueryOptions& options) {
  const ReadTransaction transaction(searcher_->database());
  if (!transaction.status().ok()) return transaction.status();
  Result<QueryResults> results = searcher_->Similar(page, options.limit, options.offset);
  if (!results.ok()) return results.status();
  QueryAnswer answer;
  Status status = CutSnippets({}, options, &*results, &answer);
  if (!status.ok()) return status;
  return answer;
}

Status QueryEngine::CutSnippets(const std::vector<QueryCompiler::Word>& words,
                                const QueryOptions& options, QueryResults* results,
                                QueryAnswer* answer) {
  answer->total = results->total;
  answer->total_is_exact = results->total_is_exact;
  const std::vector<SnippetTerm> terms = SnippetTerms(words);
  for (SearchHit& hit : results->hits) {
    QueryAnswer::Result& result = answer->results.emplace_back();
    result.hit = std::move(hit);
    if (options.snippet_characters == 0) continue;
    const crawler::Result<bool> read = searcher_->Text(result.hit.page, &text_);
    // One page that cannot be read does not hide the others.
    if (read.status().code() == StatusCode::kCorruption) continue;
    if (!read.ok()) return read.status();
    if (!*read) continue;
    LeaveOutBoilerplate(&text_);
    const std::string_view text = Beginning(text_.text, kMaxSnippetText);
    AnalyzeAround(text, terms);
    result.snippet = MakeSnippet(text, tokens_, terms, options.snippet_characters);
    if (!result.snippet.highlights.empty()) continue;
    if (Status status = UseDescription(terms, options, &result); !status.ok()) return status;
  }
  return Status::Ok();
}

// The author's description of the page says more than the beginning of its text.
Status QueryEngine::UseDescription(const std::vector<SnippetTerm>& terms,
                                   const QueryOptions& options, QueryAnswer::Result* result) {
  const crawler::Result<std::string> description = searcher_->Description(result->hit.page);
  if (!description.ok()) return description.status();
  if (description->empty()) return Status::Ok();
  const std::string text = Visible(*description);
  analyzer_.Analyze(text, text_.language, &tokens_);
  result->snippet = MakeSnippet(text, tokens_, terms, options.snippet_characters);
  return Status::Ok();
}

// The tokens of the text, or of the part of it that has most of the words: analysing a long page
// takes longer than finding it.
void QueryEngine::AnalyzeAround(std::string_view text, const std::vector<SnippetTerm>& terms) {
  const std::size_t middle = text.size() <= 3 * kStretch
                                 ? std::string_view::npos
                                 : StretchWithMost(text, terms, &small_letters_);
  if (middle != std::string_view::npos) {
    std::size_t begin = middle - std::min(middle, kStretch);
    const std::size_t end = std::min(text.size(), middle + 2 * kStretch);
    while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '\n') --begin;
    analyzer_.Analyze(Beginning(text.substr(begin), end - begin), text_.language, &tokens_);
    for (Token& token : tokens_) token.offset += static_cast<std::uint32_t>(begin);
    const bool found = std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& token) {
      return std::any_of(terms.begin(), terms.end(),
                         [&](const SnippetTerm& term) { return term.term == token.term; });
    });
    if (found) return;
  }
  analyzer_.Analyze(text, text_.language, &tokens_);
}

Status QueryEngine::ReadTerms(const TermSink& sink) {
  const auto read = [&](std::string_view sql) -> Status {
    return ForEachRow(searcher_->database(), sql, [&sink](Statement& row) {
      sink(row.Text(0), static_cast<std::uint32_t>(row.Int(1)));
    });
  };
  const Result<bool> has_words = searcher_->HasWordTable();
  if (!has_words.ok()) return has_words.status();
  const crawler::Result<std::int64_t> known =
      searcher_->database().QueryInt("SELECT count(*) FROM (SELECT 1 FROM index_terms LIMIT 1)");
  if (!known.ok()) return known.status();
  // The tables are made when the crawl ends.
  if (*known == 0) {
    return read(
        "SELECT coalesce(nullif(p.shown, ''), p.term), p.document_freq FROM postings p"
        " JOIN index_segments s ON s.id = p.segment WHERE s.kind = 0 AND s.state = 0"
        " AND p.term > char(32)");
  }
  Status status = read("SELECT shown, document_freq FROM index_terms");
  if (status.ok() && *has_words) status = read("SELECT word, document_freq FROM index_words");
  return status;
}

// For each word that no page has, those like it that pages have.
Status QueryEngine::Suggest(const std::vector<QueryCompiler::Word>& words, QueryAnswer* answer) {
  const std::string language =
      searcher_->languages().empty() ? "" : searcher_->languages().front().code;
  std::vector<std::string> missing, folded;
  for (const QueryCompiler::Word& word : words) {
    if (word.found || word.is_prefix || missing.size() == kMaxSpelled) continue;
    analyzer_.Words(word.text, language, &tokens_);
    if (tokens_.empty()) continue;
    missing.push_back(word.text);
    folded.emplace_back(tokens_.front().term);
  }
  if (missing.empty()) return Status::Ok();
  Status status;
  std::vector<std::vector<SpellingSuggestion>> nearest = SuggestSpelling(
      folded, [&](const TermSink& sink) { status = ReadTerms(sink); }, kSuggestions);
  if (!status.ok()) return status;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (!nearest[i].empty()) {
      answer->suggestions.push_back({std::move(missing[i]), std::move(nearest[i])});
    }
  }
  return Status::Ok();
}

// Of the words like a wrong one, the one that goes best with the others of the query stands first.
Status QueryEngine::ChooseByContext(const QueryNode& query, QueryAnswer* answer) {
  for (QueryAnswer::Suggestion& suggestion : answer->suggestions) {
    std::vector<std::pair<std::uint64_t, SpellingSuggestion>> counted;
    for (SpellingSuggestion& instead : suggestion.instead) {
      SearchRequest both;
      both.query = query;
      both.limit = 0;
      ReplaceWords({{suggestion.word, {instead}}}, &both.query);
      InsistOnFound(answer->suggestions, &both.query);
      const crawler::Result<QueryResults> found = searcher_->Search(both);
      if (!found.ok()) return found.status();
      counted.emplace_back(found->total, std::move(instead));
    }
    // Fewer mistakes count more than company.
    std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) {
      return a.second.distance != b.second.distance ? a.second.distance < b.second.distance
                                                    : (a.first > 0 && b.first == 0);
    });
    for (std::size_t i = 0; i < counted.size(); ++i) {
      suggestion.instead[i] = std::move(counted[i].second);
    }
  }
  return Status::Ok();
}

Status QueryEngine::Correct(SearchRequest request, const QueryOptions& options,
                            const std::vector<QueryCompiler::Word>& words, QueryAnswer* answer) {
  Status status = Suggest(words, answer);
  if (status.ok() && answer->suggestions.size() > 0 && words.size() > 1) {
    status = ChooseByContext(request.query, answer);
  }
  if (!status.ok() || answer->suggestions.empty()) return status;
  ReplaceWords(answer->suggestions, &request.query);
  const bool nothing_found = answer->total == 0;
  if (!nothing_found) request.limit = 0;
  crawler::Result<QueryResults> found = searcher_->Search(request);
  if (!found.ok()) return found.status();
  if (found->total == 0) return Status::Ok();
  answer->did_you_mean = FormatQuery(request.query);
  if (!nothing_found) return Status::Ok();
  answer->corrected = true;
  return CutSnippets(found->words, options, &*found, answer);
}

// A term begins as its words do but for marks and endings: the table says where to look, the word
// itself whether it is one.
Result<std::vector<SpellingSuggestion>> QueryEngine::Complete(std::string_view prefix,
                                                              std::size_t limit) {
  std::vector<SpellingSuggestion> words;
  const ReadTransaction transaction(searcher_->database());
  if (!transaction.status().ok()) return transaction.status();
  const crawler::Result<bool> has_words = searcher_->HasWordTable();
  if (!has_words.ok()) return has_words.status();
  std::string begin(prefix);
  std::transform(begin.begin(), begin.end(), begin.begin(), Lower);
  if (begin.empty()) return words;
  const std::string end = begin + "\xff";  // No UTF-8 has that byte.
  const auto read = [&](std::string_view sql) -> Status {
    const auto add = [&words](Statement& row) {
      words.push_back({std::string(row.Text(0)), static_cast<std::uint32_t>(row.Int(1)), 0});
    };
    return ForEachRow(searcher_->database(), sql, add, std::string_view(begin),
                      std::string_view(end), static_cast<std::int64_t>(limit));
  };
  Status status = read(
      "SELECT shown, document_freq FROM index_terms WHERE term >= ?1 AND term < ?2"
      " AND shown >= ?1 AND shown < ?2 ORDER BY document_freq DESC LIMIT ?3");
  if (status.ok() && *has_words) {
    status = read(
        "SELECT word, document_freq FROM index_words WHERE word >= ?1 AND word < ?2"
        " ORDER BY document_freq DESC LIMIT ?3");
  }
  if (!status.ok()) return status;
  std::stable_sort(words.begin(), words.end(),
                   [](const SpellingSuggestion& a, const SpellingSuggestion& b) {
                     return a.document_freq > b.document_freq;
                   });
  if (words.size() > limit) words.resize(limit);
  return words;
}

}  // namespace crawler
