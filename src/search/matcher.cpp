#include "search/matcher.hpp"

#include <algorithm>

namespace crawler {
namespace {

using Counts = std::array<std::uint32_t, kFieldCount>;

void AddCounts(TermPair& term, std::uint32_t page, Counts* counts) {
  if (term.text.page() == page) {
    for (std::size_t i = 0; i < kOwnFieldCount; ++i) (*counts)[i] += term.text.counts()[i];
  }
  if (term.anchors.page() == page) {
    (*counts)[Ordinal(Field::kAnchor)] += term.anchors.counts()[0];
  }
}

/// Of one word in one page.
double ScoreCounts(const Scoring& scoring, std::uint32_t page, const std::string& word,
                   const Counts& counts, double document_freq, double idf, double vector_idf,
                   std::vector<ScorePart>* parts) {
  double weighted = 0;
  double score = 0;
  if (scoring.ranking == Ranking::kBm25) {
    const PageTable::Entry& entry = (*scoring.pages)[page];
    for (std::size_t i = 0; i < kFieldCount; ++i) weighted += counts[i] * double{entry.scales[i]};
    score = Bm25(idf, weighted);
  } else {
    const std::uint64_t count = std::uint64_t{counts[Ordinal(Field::kBody)]} +
                                counts[Ordinal(Field::kHeading)] + counts[Ordinal(Field::kTitle)];
    score = static_cast<double>(count) * vector_idf * vector_idf;
    idf = vector_idf;
  }
  if (parts != nullptr) parts->push_back({word, counts, document_freq, idf, weighted, score});
  return score;
}

double PagesOf(const Scoring& scoring) { return static_cast<double>(scoring.pages->pages()); }

}  // namespace

WordMatcher::WordMatcher(const Scoring& scoring, QueryNode::In in, std::string word,
                         std::vector<TermPair> terms, double share, double vector_idf)
    : scoring_(scoring),
      in_(in),
      word_(std::move(word)),
      quick_(scoring.ranking == Ranking::kBm25 && in == QueryNode::In::kAnywhere),
      terms_(std::move(terms)),
      vector_idf_(vector_idf) {
  for (const TermPair& term : terms_) {
    document_freq_ += static_cast<double>(term.document_freq());
    cost_ += term.text.document_freq() + term.anchors.document_freq();
  }
  document_freq_ = std::min(document_freq_, PagesOf(scoring_));
  idf_ = share * Bm25Idf(PagesOf(scoring_), document_freq_);
}

bool WordMatcher::InTitle(std::uint32_t page) const {
  return std::any_of(terms_.begin(), terms_.end(), [page](const TermPair& term) {
    return term.text.page() == page && term.text.counts()[Ordinal(Field::kTitle)] > 0;
  });
}

std::uint32_t WordMatcher::Advance(std::uint32_t page) {
  if (started_ && page_ >= page) return page_;
  started_ = true;
  if (terms_.size() == 1 && in_ == QueryNode::In::kAnywhere) {
    return page_ = std::min(terms_[0].text.Advance(page), terms_[0].anchors.Advance(page));
  }
  for (;; ++page) {
    page_ = kNoPage;
    for (TermPair& term : terms_) {
      page_ = std::min(page_, term.text.Advance(page));
      if (in_ == QueryNode::In::kAnywhere) page_ = std::min(page_, term.anchors.Advance(page));
    }
    if (page_ == kNoPage || in_ == QueryNode::In::kAnywhere || InTitle(page_)) return page_;
    page = page_;
  }
}

// The same as ScoreCounts(), for the queries and pages there are most of.
double WordMatcher::QuickScore(std::uint32_t page) const {
  const std::array<float, kFieldCount>& scales = (*scoring_.pages)[page].scales;
  double weighted = 0;
  for (const TermPair& term : terms_) {
    if (term.text.page() == page) {
      const FieldCounts& counts = term.text.counts();
      weighted += counts[0] * double{scales[0]};
      if ((counts[1] | counts[2] | counts[3]) != 0) {
        for (std::size_t i = 1; i < kOwnFieldCount; ++i) weighted += counts[i] * double{scales[i]};
      }
    }
    if (term.anchors.page() == page) {
      weighted += term.anchors.counts()[0] * double{scales[Ordinal(Field::kAnchor)]};
    }
  }
  return Bm25(idf_, weighted);
}

double WordMatcher::Score(std::uint32_t page, std::vector<ScorePart>* parts) {
  if (quick_ && parts == nullptr) return QuickScore(page);
  Counts counts = {};
  for (TermPair& term : terms_) AddCounts(term, page, &counts);
  if (in_ == QueryNode::In::kTitle) {
    Counts title = {};
    title[Ordinal(Field::kTitle)] = counts[Ordinal(Field::kTitle)];
    counts = title;
  }
  return ScoreCounts(scoring_, page, word_, counts, document_freq_, idf_, vector_idf_, parts);
}

bool WordMatcher::ok() const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [](const TermPair& term) { return term.text.ok() && term.anchors.ok(); });
}

PhraseMatcher::PhraseMatcher(const Scoring& scoring, QueryNode::In in, std::vector<Term> terms)
    : scoring_(scoring), in_(in), terms_(std::move(terms)), streams_(terms_.size()) {
  cost_ = scoring_.pages->pages();
  for (const Term& term : terms_) cost_ = std::min(cost_, term.pair.text.document_freq());
}

std::uint32_t PhraseMatcher::Advance(std::uint32_t page) {
  if (started_ && page_ >= page) return page_;
  started_ = true;
  for (;;) {
    std::uint32_t agreed = page;
    for (std::size_t i = 0; i < terms_.size();) {
      const std::uint32_t next = terms_[i].pair.text.Advance(agreed);
      if (next == kNoPage) return page_ = kNoPage;
      i = next == agreed ? i + 1 : 0;
      agreed = next;
    }
    if (StandsAt(agreed)) return page_ = agreed;
    page = agreed + 1;
  }
}

// Each term's positions are read only as far as those of the others reach.
bool PhraseMatcher::StandsAt(std::uint32_t page) {
  const bool in_title = in_ == QueryNode::In::kTitle;
  if (in_title && page >= scoring_.pages->size()) return false;
  const std::uint64_t end = in_title ? (*scoring_.pages)[page].title_words : kNoPage;
  for (std::size_t i = 0; i < terms_.size(); ++i) streams_[i] = terms_[i].pair.text.Positions();
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < terms_.size();) {
    const std::uint32_t offset = terms_[i].offset;
    if (!streams_[i].SeekTo(first + offset)) return false;
    const std::uint64_t found = streams_[i].position() - offset;
    if (found + terms_.back().offset >= end) return false;
    i = found == first ? i + 1 : 0;
    first = found;
  }
  return true;
}

double PhraseMatcher::Score(std::uint32_t page, std::vector<ScorePart>* parts) {
  double score = 0;
  for (Term& term : terms_) {
    Counts counts = {};
    term.pair.anchors.Advance(page);
    AddCounts(term.pair, page, &counts);
    const auto document_freq = static_cast<double>(term.pair.document_freq());
    score += ScoreCounts(scoring_, page, term.word, counts, document_freq,
                         Bm25Idf(PagesOf(scoring_), document_freq), term.vector_idf, parts);
  }
  return score;
}

bool PhraseMatcher::ok() const {
  return std::all_of(terms_.begin(), terms_.end(), [](const Term& term) {
    return term.pair.text.ok() && term.pair.anchors.ok();
  });
}

AndMatcher::AndMatcher(const PageTable& pages, std::vector<MatcherPtr> required,
                       std::vector<MatcherPtr> excluded, std::vector<MatcherPtr> optional)
    : excluded_(std::move(excluded)), optional_(std::move(optional)) {
  for (MatcherPtr& matcher : required) {
    (matcher->is_check() ? checks_ : required_).push_back(std::move(matcher));
  }
  // Something has to say which pages there are.
  if (required_.empty()) required_.push_back(std::make_unique<FilterMatcher>(pages, nullptr));
  std::stable_sort(required_.begin(), required_.end(),
                   [](const MatcherPtr& a, const MatcherPtr& b) { return a->Cost() < b->Cost(); });
}

std::uint32_t AndMatcher::Advance(std::uint32_t page) {
  if (started_ && page_ >= page) return page_;
  started_ = true;
  for (;; ++page) {
    for (std::size_t i = 0; i < required_.size();) {
      const std::uint32_t next = required_[i]->Advance(page);
      if (next == kNoPage) return page_ = kNoPage;
      // The one that went ahead need not be asked again.
      i = next == page ? i + 1 : (i == 0 ? 1 : 0);
      page = next;
    }
    if (Passes(page)) return page_ = page;
  }
}

bool AndMatcher::Passes(std::uint32_t page) {
  for (const MatcherPtr& matcher : excluded_) {
    if (matcher->Matches(page)) return false;
  }
  for (const MatcherPtr& matcher : checks_) {
    if (!matcher->Matches(page)) return false;
  }
  return true;
}

double AndMatcher::Score(std::uint32_t page, std::vector<ScorePart>* parts) {
  double score = 0;
  for (const MatcherPtr& matcher : required_) score += matcher->Score(page, parts);
  for (const MatcherPtr& matcher : optional_) {
    if (matcher->Matches(page)) score += matcher->Score(page, parts);
  }
  return score;
}

std::uint64_t AndMatcher::Cost() const { return required_.front()->Cost(); }

bool AndMatcher::ok() const {
  const auto fine = [](const MatcherPtr& matcher) { return matcher->ok(); };
  return std::all_of(required_.begin(), required_.end(), fine) &&
         std::all_of(checks_.begin(), checks_.end(), fine) &&
         std::all_of(excluded_.begin(), excluded_.end(), fine) &&
         std::all_of(optional_.begin(), optional_.end(), fine);
}

std::uint32_t OrMatcher::Advance(std::uint32_t page) {
  std::uint32_t first = kNoPage;
  for (const MatcherPtr& matcher : children_) first = std::min(first, matcher->Advance(page));
  return first;
}

double OrMatcher::Score(std::uint32_t page, std::vector<ScorePart>* parts) {
  double score = 0;
  for (const MatcherPtr& matcher : children_) {
    if (matcher->Matches(page)) score += matcher->Score(page, parts);
  }
  return score;
}

std::uint64_t OrMatcher::Cost() const {
  std::uint64_t cost = 0;
  for (const MatcherPtr& matcher : children_) cost += matcher->Cost();
  return cost;
}

bool OrMatcher::ok() const {
  return std::all_of(children_.begin(), children_.end(),
                     [](const MatcherPtr& matcher) { return matcher->ok(); });
}

std::uint32_t FilterMatcher::Advance(std::uint32_t page) {
  if (started_ && found_ >= page) return found_;
  started_ = true;
  for (page = pages_.NextIndexed(page); page != kNoPage; page = pages_.NextIndexed(page + 1)) {
    if (!holds_ || holds_(page)) break;
  }
  return found_ = page;
}

bool FilterMatcher::Matches(std::uint32_t page) {
  if (started_ && found_ == page) return true;
  return page < pages_.size() && pages_[page].indexed && (!holds_ || holds_(page));
}

}  // namespace crawler
