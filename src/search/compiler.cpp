#include "search/compiler.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "index/weights.hpp"

namespace crawler {
namespace {

/// Of a crawl, the most frequent; words are analysed in each.
constexpr std::size_t kAnalysedLanguages = 64;
/// A word is a stop word of the crawl if it is one in a language of at least this share of pages.
constexpr double kStopShare = 0.1;

/// Appends the words that pages are to have; false if the query is more than a list of words.
bool AppendWords(const QueryNode& query, std::string* words) {
  switch (query.kind) {
    case QueryNode::Kind::kWord:
    case QueryNode::Kind::kPhrase:
      if (query.in != QueryNode::In::kAnywhere) return false;
      words->append(query.text).push_back(' ');
      return true;
    case QueryNode::Kind::kAnd:
      return std::all_of(query.children.begin(), query.children.end(),
                         [words](const QueryNode& child) { return AppendWords(child, words); });
    case QueryNode::Kind::kPrefix:
    case QueryNode::Kind::kOr:
      return false;
    default:  // Filters and what pages are not to have.
      return true;
  }
}

}  // namespace

Result<std::unique_ptr<QueryCompiler>> QueryCompiler::Open(Database& db,
                                                           const RankingWeights& weights) {
  Result<TermLoader> loader = TermLoader::Open(db);
  if (!loader.ok()) return loader.status();
  auto compiler = std::unique_ptr<QueryCompiler>(new QueryCompiler(db, weights));
  compiler->loader_ = std::make_unique<TermLoader>(std::move(loader).value());
  Status status = PrepareAll(
      db, {{&compiler->frequency_, "SELECT document_freq FROM index_terms WHERE term = ?"},
           {&compiler->url_, "SELECT url FROM pages WHERE id = ?"},
           {&compiler->expand_,
            "SELECT term, document_freq, shown FROM index_terms WHERE term >= ? AND term < ?"},
           {&compiler->expand_segment_,
            "SELECT term, document_freq, shown FROM postings"
            " WHERE segment = ?3 AND term >= ?1 AND term < ?2"}});
  if (!status.ok()) return status;
  return compiler;
}

Result<MatcherPtr> QueryCompiler::Compile(const QueryNode& query, PageTable* pages, Ranking ranking,
                                          bool explain, const IndexStatistics* shared) {
  pages_ = pages;
  shared_ = shared;
  const std::uint64_t page_count = shared != nullptr ? shared->pages : pages->pages();
  scoring_ = {pages, &weights_, ranking, explain, static_cast<double>(page_count)};
  terms_.clear();
  loader_->BeginQuery();
  query_square_ = 0;
  words_read_ = 0;
  place_ = 0;
  plain_ = false;
  is_exact_ = true;
  unindexed_.clear();
  expansions_.clear();
  words_.clear();
  status_ = {};
  MatcherPtr matcher;
  bool optional = false;
  query_ = SplitWords(query);
  if (Status status = CompileNode(query_, true, &matcher, &optional); !status.ok()) return status;
  if (Status status = CheckSaysSomething(query_); !status.ok()) return status;
  if (matcher == nullptr) return MatcherPtr(std::make_unique<NothingMatcher>());
  if (Status status = AddHeadings(&matcher); !status.ok()) return status;
  return matcher;
}

Status QueryCompiler::AddHeadings(MatcherPtr* matcher) {
  std::string words;
  if (scoring_.ranking != Ranking::kBm25 || !AppendWords(query_, &words)) return Status::Ok();
  const NameTerm name = names_.Of(words);
  if (name.term.empty()) return Status::Ok();
  TermCursor cursor;
  if (Status status = loader_->Load(pages_->text_segments(), name.term, &cursor); !status.ok()) {
    return status;
  }
  std::vector<std::uint32_t> named;
  for (std::uint32_t page = cursor.Advance(0); page != kNoPage; page = cursor.Advance(page + 1)) {
    PositionStream places = cursor.Positions();
    if (places.SeekTo(name.place) && places.position() == name.place) named.push_back(page);
  }
  // Names that cannot be read only cost their bonus; `crawler verify` says so.
  if (!cursor.ok()) named.clear();
  // Of one name among those of the term.
  const std::string key = name.term + std::to_string(name.place);
  TermPages pages{0, named.size(), 0};
  terms_.insert_or_assign(key, pages);
  if (named.empty()) return Status::Ok();
  if (shared_ != nullptr) {
    const auto shared = shared_->terms.find(key);
    if (shared != shared_->terms.end()) pages = shared->second;
  }
  *matcher = std::make_unique<NamedMatcher>(scoring_, std::move(*matcher), std::move(named),
                                            static_cast<double>(pages.document_freq()));
  return Status::Ok();
}

// Pages that have std and sort apart are worth less than those with std::sort, not nothing.
QueryNode QueryCompiler::SplitWords(const QueryNode& query) {
  QueryNode split = query;
  if (query.kind == QueryNode::Kind::kWord && query.IsPlainWord()) {
    if (pages_->languages().empty()) return split;
    analyzer_.Analyze(query.text, pages_->languages().front().code, &tokens_);
    std::erase_if(tokens_, [](const Token& token) { return token.is_part; });
    if (tokens_.size() < 2) return split;
    split.kind = QueryNode::Kind::kAnd;
    split.text.clear();
    for (const Token& token : tokens_) {
      split.children.emplace_back().text = query.text.substr(token.offset, token.size);
    }
    return split;
  }
  if (query.kind != QueryNode::Kind::kAnd && query.kind != QueryNode::Kind::kOr) return split;
  split.children.clear();
  for (const QueryNode& child : query.children) {
    QueryNode part = SplitWords(child);
    if (child.kind == QueryNode::Kind::kWord && part.kind == query.kind) {
      std::move(part.children.begin(), part.children.end(), std::back_inserter(split.children));
    } else {
      split.children.push_back(std::move(part));
    }
  }
  return split;
}

const Status& QueryCompiler::status() const { return status_.ok() ? loader_->status() : status_; }

double QueryCompiler::query_norm() const { return std::sqrt(query_square_); }

QueryCompiler::Says QueryCompiler::SaysOf(const QueryNode& query) const {
  const bool is_or = query.kind == QueryNode::Kind::kOr;
  switch (query.kind) {
    case QueryNode::Kind::kNot:
      return SaysOf(query.children.at(0)) == Says::kNothing ? Says::kNothing
                                                            : Says::kWhatTheyHaveNot;
    case QueryNode::Kind::kAnd:
    case QueryNode::Kind::kOr: {
      bool some = false, all = true;
      Says said = Says::kNothing;
      for (const QueryNode& child : query.children) {
        const Says says = SaysOf(child);
        if (says == Says::kNothing) continue;
        said = Says::kWhatTheyHaveNot;
        some = some || says == Says::kWhatTheyHave;
        all = all && says == Says::kWhatTheyHave;
      }
      const bool positive = said != Says::kNothing && (is_or ? all : some);
      return positive ? Says::kWhatTheyHave : said;
    }
    default:
      return std::find(unindexed_.begin(), unindexed_.end(), &query) == unindexed_.end()
                 ? Says::kWhatTheyHave
                 : Says::kNothing;
  }
}

// ParseQuery() has seen to it, but it cannot know what is a word to the index.
Status QueryCompiler::CheckSaysSomething(const QueryNode& query) const {
  // Without pages there are no languages to analyse words in.
  if (unindexed_.empty() || pages_->pages() == 0 || SaysOf(query) == Says::kWhatTheyHave) {
    return Status::Ok();
  }
  return Status(StatusCode::kInvalidArgument,
                "pages are not indexed by " + unindexed_.front()->text +
                    ", which is no word; add a word that pages must have, or a filter such as "
                    "site:example.org");
}

// A null matcher is one that says nothing: a word without letters.
Status QueryCompiler::CompileNode(const QueryNode& query, bool wanted, MatcherPtr* matcher,
                                  bool* optional) {
  *optional = false;
  switch (query.kind) {
    case QueryNode::Kind::kWord:
    case QueryNode::Kind::kPhrase:
    case QueryNode::Kind::kPrefix: {
      Status status = query.kind == QueryNode::Kind::kPrefix
                          ? CompilePrefix(query, wanted, matcher)
                          : CompileText(query, wanted, matcher, optional);
      if (*matcher == nullptr) unindexed_.push_back(&query);
      // Quotation marks ask for exactly these words.
      if (query.kind == QueryNode::Kind::kPhrase) *optional = false;
      return status;
    }
    case QueryNode::Kind::kAnd:
    case QueryNode::Kind::kNot:
      return CompileAnd(query, wanted, matcher);
    case QueryNode::Kind::kOr:
      return CompileOr(query, wanted, matcher, optional);
    case QueryNode::Kind::kSite:
      return CompileSite(query, matcher);
    case QueryNode::Kind::kInUrl:
      return CompileInUrl(query, matcher);
    case QueryNode::Kind::kLang:
      return CompileLanguage(query, matcher);
    case QueryNode::Kind::kAfter: {
      // Dates are kept in seconds; a page of the same second is not before.
      const std::int64_t after = query.time / 1000;
      *matcher = std::make_unique<FilterMatcher>([this, after](std::uint32_t page) {
        return std::int64_t{(*pages_)[page].date} >= after;
      });
      return Status::Ok();
    }
  }
  return Status(StatusCode::kInternal, "a query of a kind that is not known");
}

Status QueryCompiler::CompileAnd(const QueryNode& query, bool wanted, MatcherPtr* matcher) {
  std::vector<MatcherPtr> required, excluded, optional;
  std::vector<MostMatcher::Word> plain;
  bool insists = false;  // There are words that pages must have.
  const bool is_not = query.kind == QueryNode::Kind::kNot;
  for (const QueryNode& child : is_not ? std::span(&query, 1) : std::span(query.children)) {
    MatcherPtr made;
    bool is_optional = false;
    const bool negated = child.kind == QueryNode::Kind::kNot;
    // Without all of the words is what -(a b) means.
    plain_ = wanted && child.IsPlainWord();
    word_weight_ = 0;
    const std::size_t words_before = words_.size();
    Status status = negated ? CompileNode(child.children.at(0), false, &made, &is_optional)
                            : CompileNode(child, wanted, &made, &is_optional);
    const bool is_plain = std::exchange(plain_, false);
    if (!status.ok()) return status;
    ++place_;
    // That a page is without a stop word is not worth a word.
    if (is_optional) {
      for (std::size_t i = words_before; i < words_.size(); ++i) words_[i].is_plain = false;
    }
    if (made == nullptr) continue;
    if (is_plain && !is_optional) {
      MostMatcher::Word& word = plain.emplace_back();
      word.matcher = std::move(made);
      word.idf = word_weight_;
      word.limit = word.idf * (weights_.saturation + 1 + weights_.exact_title);
      continue;
    }
    insists = insists || (!negated && !is_optional && child.IsText());
    (negated ? excluded : is_optional ? optional : required).push_back(std::move(made));
  }
  for (MatcherPtr& one : optional) {
    if (!plain.empty() || !required.empty()) one = AsStopWord(std::move(one));
  }
  AddPlainWords(std::move(plain), insists, &required, &optional);
  if (required.empty() && excluded.empty() && optional.empty()) return Status::Ok();
  // Only stop words: then they are what is looked for.
  if (required.empty()) required.swap(optional);
  if (required.size() == 1 && excluded.empty() && optional.empty()) {
    *matcher = std::move(required.front());
    return Status::Ok();
  }
  *matcher =
      std::make_unique<AndMatcher>(std::move(required), std::move(excluded), std::move(optional));
  return Status::Ok();
}

// Of the words that pages may do without one has to be there, unless pages must have others.
void QueryCompiler::AddPlainWords(std::vector<MostMatcher::Word> plain, bool insists,
                                  std::vector<MatcherPtr>* required,
                                  std::vector<MatcherPtr>* optional) const {
  if (plain.empty()) return;
  std::vector<MatcherPtr>& to = insists ? *optional : *required;
  if (plain.size() == 1) {
    to.push_back(std::move(plain.front().matcher));
  } else {
    to.push_back(std::make_unique<MostMatcher>(scoring_, std::move(plain)));
  }
}

Status QueryCompiler::CompileOr(const QueryNode& query, bool wanted, MatcherPtr* matcher,
                                bool* optional) {
  std::vector<MatcherPtr> children;
  std::vector<std::size_t> stop_words;
  for (const QueryNode& child : query.children) {
    MatcherPtr made;
    bool is_optional = false;
    if (Status status = CompileNode(child, wanted, &made, &is_optional); !status.ok()) {
      return status;
    }
    if (made == nullptr) continue;
    if (is_optional) stop_words.push_back(children.size());
    children.push_back(std::move(made));
  }
  if (children.empty()) return Status::Ok();
  *optional = stop_words.size() == children.size();
  if (!*optional) {
    for (const std::size_t i : stop_words) children[i] = AsStopWord(std::move(children[i]));
  }
  *matcher = std::make_unique<OrMatcher>(std::move(children));
  return Status::Ok();
}

// One that stands beside other words.
MatcherPtr QueryCompiler::AsStopWord(MatcherPtr matcher) const {
  if (scoring_.ranking != Ranking::kBm25) return matcher;
  return std::make_unique<SharedMatcher>(std::move(matcher), scoring_.weights->stop_word_share);
}

std::vector<QueryCompiler::Form> QueryCompiler::FormsOf(const QueryNode& query, bool* optional) {
  const std::string_view text = query.text;
  std::vector<Form> forms, stop_forms;
  const std::vector<PageTable::Language>& languages = pages_->languages();
  double stop_pages = 0;
  for (std::size_t i = 0; i < std::min(languages.size(), kAnalysedLanguages); ++i) {
    analyzer_.Analyze(text, languages[i].code, &tokens_);
    Form form, stop_form;
    for (const Token& token : tokens_) {
      if (token.is_part) continue;
      Form& to = token.is_stop ? stop_form : form;
      to.parts.push_back({std::string(token.term),
                          std::string(text.substr(token.offset, token.size)), token.position});
    }
    const bool only_stop_words = form.parts.empty();
    // Bodies do not have them, so a phrase cannot see what stands in their place.
    const std::size_t unseen = only_stop_words && query.kind == QueryNode::Kind::kWord ? 1 : 0;
    if (stop_form.parts.size() > unseen) is_exact_ = false;
    if (only_stop_words) form = std::move(stop_form);
    if (form.parts.empty()) continue;
    const std::uint32_t first = form.parts.front().offset;
    for (Form::Part& part : form.parts) part.offset -= first;
    form.languages.set(i);
    if (only_stop_words) stop_pages += static_cast<double>(languages[i].pages);
    AddForm(std::move(form), only_stop_words ? &stop_forms : &forms);
  }
  *optional = stop_pages > 0 && stop_pages >= kStopShare * static_cast<double>(pages_->pages());
  if (*optional || forms.empty()) {
    for (Form& form : stop_forms) AddForm(std::move(form), &forms);
  }
  // Pages in a language that no form was made for may have any.
  LanguageSet others;
  others.set();
  for (const Form& form : forms) others &= ~form.languages;
  for (Form& form : forms) form.languages |= others;
  return forms;
}

void QueryCompiler::AddForm(Form form, std::vector<Form>* forms) {
  const auto same = std::find_if(forms->begin(), forms->end(),
                                 [&](const Form& one) { return one.parts == form.parts; });
  if (same != forms->end()) {
    same->languages |= form.languages;
  } else {
    forms->push_back(std::move(form));
  }
}

Status QueryCompiler::CompileText(const QueryNode& query, bool wanted, MatcherPtr* matcher,
                                  bool* optional) {
  const std::vector<Form> forms = FormsOf(query, optional);
  if (forms.empty()) return Status::Ok();
  std::size_t words = 0;
  for (const Form& form : forms) words = std::max(words, form.parts.size());
  words_read_ += words;
  if (words_read_ > kMaxQueryTerms) {
    return Status(StatusCode::kInvalidArgument, "the query has too many words: at most " +
                                                    std::to_string(kMaxQueryTerms) + " are read");
  }
  if (words > 1) return MakePhrases(query, wanted, forms, matcher);
  std::vector<std::string> terms;
  terms.reserve(forms.size());
  for (const Form& form : forms) terms.push_back(form.parts.front().term);
  return MakeWord(query, wanted, terms, matcher);
}

// A page can only have the form of its own language, so that the others need not be looked for
// there. That is most of the work: whole crawls are in one language but for a few pages.
Status QueryCompiler::MakePhrases(const QueryNode& query, bool wanted,
                                  const std::vector<Form>& forms, MatcherPtr* matcher) {
  std::vector<MatcherPtr> ways;
  const double square_before = query_square_;
  double square = square_before, weight = 0;
  for (const Form& form : forms) {
    MatcherPtr way;
    query_square_ = square_before;
    word_weight_ = 0;
    Status status = form.parts.size() == 1
                        ? MakeWord(query, wanted, {form.parts.front().term}, &way)
                        : MakePhrase(query, wanted, form, &way);
    if (!status.ok()) return status;
    square = std::max(square, query_square_);
    weight = std::max(weight, word_weight_);
    ways.push_back(std::make_unique<LanguageMatcher>(pages_, form.languages, std::move(way)));
  }
  query_square_ = square;
  word_weight_ = weight;
  *matcher = ways.size() == 1 ? std::move(ways.front())
                              : MatcherPtr(std::make_unique<OrMatcher>(std::move(ways)));
  return Status::Ok();
}

// A word that several languages make different terms of is still one word.
void QueryCompiler::AddWord(std::string_view text, const std::vector<std::string>& terms,
                            bool is_prefix, std::uint64_t document_freq) {
  auto known = std::find_if(words_.begin(), words_.end(), [&](const Word& word) {
    return word.text == text && word.is_prefix == is_prefix && word.is_plain == plain_;
  });
  if (known == words_.end()) {
    words_.push_back({std::string(text), {}, 0, is_prefix, false, 0, plain_, place_});
    known = words_.end() - 1;
  }
  for (const std::string& term : terms) {
    if (std::find(known->terms.begin(), known->terms.end(), term) == known->terms.end()) {
      known->terms.push_back(term);
    }
  }
  known->document_freq = std::max(known->document_freq, document_freq);
  known->found = known->found || document_freq > 0;
  const double idf = Bm25Idf(scoring_.page_count, static_cast<double>(document_freq));
  // A word that no page has cannot tell pages apart.
  if (document_freq > 0) word_weight_ += idf;
  known->idf = std::max(known->idf, idf);
}

Status QueryCompiler::LoadPair(std::string_view term, TermPair* pair) {
  Status status = loader_->Load(pages_->text_segments(), term, &pair->text);
  if (status.ok()) status = loader_->Load(pages_->anchor_segments(), term, &pair->anchors);
  if (!status.ok()) return status;
  pair->pages = {0, pair->text.document_freq(), pair->anchors.document_freq()};
  if (pages_->is_weighed() && !pair->text.empty()) {
    const Result<std::uint64_t> pages = PagesAbout(term);
    if (!pages.ok()) return pages.status();
    pair->pages.about = *pages;
  }
  terms_.insert_or_assign(std::string(term), pair->pages);
  if (shared_ == nullptr) return Status::Ok();
  const auto shared = shared_->terms.find(term);
  if (shared != shared_->terms.end()) pair->pages = shared->second;
  return Status::Ok();
}

// In how many pages the term stands in title, headings or body; 0 if terms are not weighed yet.
Result<std::uint64_t> QueryCompiler::PagesAbout(std::string_view term) {
  const Result<bool> row = frequency_.Bind(1, term).Step();
  if (!row.ok()) return row.status();
  const std::uint64_t pages = *row ? static_cast<std::uint64_t>(frequency_.Int(0)) : 0;
  frequency_.Reset();
  return pages;
}

Status QueryCompiler::VectorIdf(const std::vector<std::string>& terms, double* idf) {
  *idf = 0;
  if (scoring_.ranking != Ranking::kCosine) return Status::Ok();
  std::uint64_t document_freq = 0;
  for (const std::string& term : terms) {
    const Result<std::uint64_t> pages = PagesAbout(term);
    if (!pages.ok()) return pages.status();
    document_freq += *pages;
  }
  if (document_freq == 0) return Status::Ok();
  *idf = InverseDocumentFrequency(pages_->pages(), std::min(document_freq, pages_->pages()));
  return Status::Ok();
}

Status QueryCompiler::MakeWord(const QueryNode& query, bool wanted,
                               const std::vector<std::string>& terms, MatcherPtr* matcher) {
  std::vector<TermPair> pairs;
  pairs.reserve(terms.size());
  std::uint64_t document_freq = 0;
  for (const std::string& term : terms) {
    TermPair& pair = pairs.emplace_back();
    if (Status status = LoadPair(term, &pair); !status.ok()) return status;
    document_freq += pair.document_freq();
    if (pair.empty()) pairs.pop_back();
  }
  double idf = 0;
  if (Status status = VectorIdf(terms, &idf); !status.ok()) return status;
  if (wanted) {
    query_square_ += idf * idf;
    AddWord(query.text, terms, query.kind == QueryNode::Kind::kPrefix, document_freq);
  }
  std::string label = query.text;
  if (query.kind == QueryNode::Kind::kPrefix) label.push_back('*');
  *matcher =
      std::make_unique<WordMatcher>(scoring_, query.in, std::move(label), std::move(pairs), idf);
  return Status::Ok();
}

Status QueryCompiler::MakePhrase(const QueryNode& query, bool wanted, const Form& form,
                                 MatcherPtr* matcher) {
  std::vector<PhraseMatcher::Term> terms;
  terms.reserve(form.parts.size());
  bool possible = true;
  for (const Form::Part& part : form.parts) {
    PhraseMatcher::Term& term = terms.emplace_back();
    term.offset = part.offset;
    term.word = part.term;
    if (Status status = LoadPair(part.term, &term.pair); !status.ok()) return status;
    possible = possible && !term.pair.text.empty();
    if (Status status = VectorIdf({part.term}, &term.vector_idf); !status.ok()) return status;
    if (!wanted) continue;
    query_square_ += term.vector_idf * term.vector_idf;
    AddWord(part.word, {part.term}, false,
            term.pair.text.empty() && shared_ == nullptr ? 0 : term.pair.document_freq());
  }
  if (possible) {
    *matcher = std::make_unique<PhraseMatcher>(scoring_, query.in, std::move(terms));
  } else {
    *matcher = std::make_unique<NothingMatcher>();
  }
  return Status::Ok();
}

}  // namespace crawler
