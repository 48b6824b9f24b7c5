#include "search/matcher.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace crawler {
namespace {

/// Of one word in one page.
double ScoreCounts(const Scoring& scoring, std::uint32_t page, const std::string& word,
                   const TermCounts& counts, double document_freq, double idf, double vector_idf,
                   std::vector<ScorePart>* parts) {
  double weighted = 0;
  double score = 0;
  if (scoring.ranking == Ranking::kBm25) {
    for (std::size_t i = 0; i < kFieldCount; ++i) {
      weighted += counts[i] * double{scoring.pages->scales(i)[page]};
    }
    score = scoring.weights->Bm25(idf, weighted);
  } else {
    FieldCounts own;
    std::copy_n(counts.begin(), own.size(), own.begin());
    score = TermFrequency(own) * vector_idf * vector_idf;
    idf = vector_idf;
  }
  if (parts != nullptr) parts->push_back({word, counts, document_freq, idf, weighted, score});
  return score;
}

template <typename Counts>
bool InTitle(const Counts& counts) {
  return counts[Ordinal(Field::kTitle)] > 0;
}

double PagesOf(const Scoring& scoring) { return scoring.page_count; }

bool AllOk(const std::vector<MatcherPtr>& matchers) {
  return std::all_of(matchers.begin(), matchers.end(),
                     [](const MatcherPtr& matcher) { return matcher->ok(); });
}

}  // namespace

void Matches::AddScores(const Matches& other) {
  PageSet both = other.pages;
  both.Keep(pages);
  both.ForEach([&](std::uint32_t place) {
    scores[place] += other.scores[place];
    titles[place] += other.titles[place];
  });
  for (const auto& [place, more] : other.parts) {
    if (both.Has(place)) parts[place].insert(parts[place].end(), more.begin(), more.end());
  }
}

WordMatcher::WordMatcher(const Scoring& scoring, QueryNode::In in, std::string word,
                         std::vector<TermPair> terms, double vector_idf)
    : scoring_(scoring),
      in_(in),
      word_(std::move(word)),
      quick_(scoring.ranking == Ranking::kBm25 && in == QueryNode::In::kAnywhere &&
             !scoring.explain),
      terms_(std::move(terms)),
      counts_(quick_ ? 0 : kWindowPages),
      vector_idf_(vector_idf) {
  for (const TermPair& term : terms_) {
    document_freq_ += static_cast<double>(term.document_freq());
    cost_ += term.text.document_freq() + term.anchors.document_freq();
  }
  document_freq_ = std::min(document_freq_, PagesOf(scoring_));
  idf_ = Bm25Idf(PagesOf(scoring_), document_freq_);
}

// So that windows without the word cost next to nothing.
bool WordMatcher::MayBeIn(std::uint32_t first, const PageSet& among) {
  const std::uint32_t place = among.Next(0);
  if (place == kWindowPages) return false;
  bool found = false;
  for (TermPair& term : terms_) {
    found = term.text.Advance(first + place) < first + kWindowPages || found;
    found = term.anchors.Advance(first + place) < first + kWindowPages || found;
  }
  return found;
}

void WordMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  matches->pages.Clear();
  matches->parts.clear();
  if (!MayBeIn(first, among)) return;
  if (quick_) {
    AddWeights(first, among, matches);
    matches->pages.Keep(among);
    matches->pages.ForEach([&](std::uint32_t place) {
      matches->scores[place] = scoring_.weights->Bm25(idf_, matches->scores[place]);
    });
    return;
  }
  AddCounts(first, among, matches);
  matches->pages.Keep(among);
  matches->pages.ForEach([&](std::uint32_t place) {
    matches->scores[place] =
        ScoreCounts(scoring_, first + place, word_, counts_[place], document_freq_, idf_,
                    vector_idf_, scoring_.explain ? &matches->parts[place] : nullptr);
    matches->titles[place] = InTitle(counts_[place]) ? static_cast<float>(idf_ * idf_) : 0;
  });
}

// The weighted counts of BM25F, for the queries there are most of: nothing is asked of a posting
// that can be done without asking.
void WordMatcher::AddWeights(std::uint32_t first, const PageSet& among, Matches* matches) {
  std::array<const float*, kFieldCount> scales;
  for (std::size_t i = 0; i < kFieldCount; ++i) scales[i] = scoring_.pages->scales(i) + first;
  double* const scores = matches->scores.data();
  PageSet& pages = matches->pages;
  matches->scores.fill(0);
  matches->titles.fill(0);
  const bool few = among.count() < TermCursor::kFew;
  for (TermPair& term : terms_) {
    term.text.Visit(first, among, few, [&](const Posting& posting) {
      const std::uint32_t place = posting.page - first;
      const FieldCounts& counts = posting.counts;
      pages.Set(place);
      double weighted = scores[place] + counts[0] * double{scales[0][place]};
      if ((counts[1] | counts[2] | counts[3] | counts[4]) != 0) {
        if (InTitle(counts)) matches->titles[place] = static_cast<float>(idf_ * idf_);
        for (std::size_t i = 1; i < kOwnFieldCount; ++i) {
          weighted += counts[i] * double{scales[i][place]};
        }
      }
      scores[place] = weighted;
    });
    term.anchors.Visit(first, among, few, [&](const Posting& posting) {
      const std::uint32_t place = posting.page - first;
      pages.Set(place);
      scores[place] += posting.counts[0] * double{scales[Ordinal(Field::kAnchor)][place]};
    });
  }
}

void WordMatcher::AddCounts(std::uint32_t first, const PageSet& among, Matches* matches) {
  const auto at = [&](std::uint32_t page) -> TermCounts& {
    TermCounts& counts = counts_[page - first];
    if (!matches->pages.Has(page - first)) counts = {};
    matches->pages.Set(page - first);
    return counts;
  };
  const bool in_title = in_ == QueryNode::In::kTitle;
  const bool few = among.count() < TermCursor::kFew;
  for (TermPair& term : terms_) {
    term.text.Visit(first, among, few, [&](const Posting& posting) {
      if (in_title && posting.counts[Ordinal(Field::kTitle)] == 0) return;
      TermCounts& counts = at(posting.page);
      for (std::size_t i = 0; i < kOwnFieldCount; ++i) {
        if (!in_title || i == Ordinal(Field::kTitle)) counts[i] += posting.counts[i];
      }
    });
    if (in_title) continue;
    term.anchors.Visit(first, among, few, [&](const Posting& posting) {
      at(posting.page)[Ordinal(Field::kAnchor)] += posting.counts[0];
    });
  }
}

bool WordMatcher::ok() const {
  return std::all_of(terms_.begin(), terms_.end(), [](const TermPair& term) { return term.ok(); });
}

PhraseMatcher::PhraseMatcher(const Scoring& scoring, QueryNode::In in, std::vector<Term> terms)
    : scoring_(scoring), in_(in), terms_(std::move(terms)), streams_(terms_.size()) {
  for (Term& term : terms_) {
    const auto document_freq = static_cast<double>(term.pair.document_freq());
    idfs_.push_back(Bm25Idf(PagesOf(scoring_), document_freq));
    rarest_first_.push_back(&term.pair.text);
  }
  std::stable_sort(rarest_first_.begin(), rarest_first_.end(),
                   [](const TermCursor* a, const TermCursor* b) {
                     return a->document_freq() < b->document_freq();
                   });
}

std::uint64_t PhraseMatcher::Cost() const { return rarest_first_.front()->document_freq(); }

void PhraseMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  matches->pages.Clear();
  matches->parts.clear();
  std::uint32_t place = among.Next(0);
  while (place < kWindowPages) {
    const std::uint32_t page = Advance(first + place);
    if (page >= first + kWindowPages) return;
    place = page - first;
    if (among.Has(place) && StandsAt(page)) {
      matches->pages.Set(place);
      matches->scores[place] =
          Score(page, &matches->titles[place], scoring_.explain ? &matches->parts[place] : nullptr);
    }
    place = among.Next(place + 1);
  }
}

// The first page from `page` on that has all the terms, anywhere.
std::uint32_t PhraseMatcher::Advance(std::uint32_t page) {
  for (std::size_t i = 0; i < rarest_first_.size();) {
    const std::uint32_t next = rarest_first_[i]->Advance(page);
    if (next == kNoPage) return kNoPage;
    // The one that went ahead need not be asked again.
    i = next == page ? i + 1 : (i == 0 ? 1 : 0);
    page = next;
  }
  return page;
}

bool PhraseMatcher::StandsAt(std::uint32_t page) {
  const bool in_title = in_ == QueryNode::In::kTitle;
  const std::uint64_t end = in_title ? (*scoring_.pages)[page].title_words : kNoPage;
  for (std::size_t i = 0; i < terms_.size(); ++i) streams_[i] = terms_[i].pair.text.Positions();
  if (!TwoMeet()) return false;
  if (terms_.size() == 2 && !in_title) return true;
  // Each term's positions are read only as far as those of the others reach.
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

// Whether the two terms that the page has least of are anywhere at the right distance. Several
// places of one are compared at a time with each of the other: going through both in step, every
// step would be a branch that cannot be foreseen.
bool PhraseMatcher::TwoMeet() const {
  std::size_t least = 0, other = 1;
  if (streams_[other].left() < streams_[least].left()) std::swap(least, other);
  for (std::size_t i = 2; i < streams_.size(); ++i) {
    if (streams_[i].left() < streams_[least].left()) {
      other = std::exchange(least, i);
    } else if (streams_[i].left() < streams_[other].left()) {
      other = i;
    }
  }
  constexpr std::size_t kAtOnce = 8;
  PositionStream few = streams_[least], many = streams_[other];
  const std::uint32_t few_offset = terms_[least].offset, many_offset = terms_[other].offset;
  bool more = few.SeekTo(few_offset);
  if (!more || !many.SeekTo(many_offset)) return false;
  while (more) {
    std::array<std::uint32_t, kAtOnce> starts;
    starts.fill(kNoPage);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < kAtOnce && more; ++i) {
      last = few.position() - few_offset;
      starts[i] = static_cast<std::uint32_t>(last);
      more = few.Next();
    }
    for (std::uint64_t start; (start = many.position() - many_offset) <= last;) {
      bool meet = false;
      for (const std::uint32_t one : starts) meet |= one == static_cast<std::uint32_t>(start);
      if (meet) return true;
      if (!many.Next()) return false;
    }
  }
  return false;
}

double PhraseMatcher::Score(std::uint32_t page, float* title, std::vector<ScorePart>* parts) {
  double score = 0;
  *title = 0;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    TermPair& pair = terms_[i].pair;
    TermCounts counts = {};
    if (in_ == QueryNode::In::kTitle) {
      counts[Ordinal(Field::kTitle)] = pair.text.counts()[Ordinal(Field::kTitle)];
    } else {
      std::copy(pair.text.counts().begin(), pair.text.counts().end(), counts.begin());
      if (pair.anchors.Advance(page) == page) {
        counts[Ordinal(Field::kAnchor)] = pair.anchors.counts()[0];
      }
    }
    if (InTitle(counts)) *title += static_cast<float>(idfs_[i] * idfs_[i]);
    score += ScoreCounts(scoring_, page, terms_[i].word, counts,
                         static_cast<double>(pair.document_freq()), idfs_[i], terms_[i].vector_idf,
                         parts);
  }
  return score;
}

bool PhraseMatcher::ok() const {
  return std::all_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.pair.ok(); });
}

AndMatcher::AndMatcher(std::vector<MatcherPtr> required, std::vector<MatcherPtr> excluded,
                       std::vector<MatcherPtr> optional)
    : required_(std::move(required)),
      excluded_(std::move(excluded)),
      optional_(std::move(optional)) {
  // Something has to say which pages there are.
  if (required_.empty()) required_.push_back(std::make_unique<FilterMatcher>(nullptr));
  std::stable_sort(required_.begin(), required_.end(),
                   [](const MatcherPtr& a, const MatcherPtr& b) { return a->Cost() < b->Cost(); });
}

void AndMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  required_.front()->Visit(first, among, matches);
  PageSet& pages = matches->pages;
  for (std::size_t i = 1; i < required_.size() && !pages.empty(); ++i) {
    required_[i]->Visit(first, pages, &one_);
    pages = one_.pages;
    matches->AddScores(one_);
  }
  for (std::size_t i = 0; i < excluded_.size() && !pages.empty(); ++i) {
    excluded_[i]->Visit(first, pages, &one_);
    pages.Remove(one_.pages);
  }
  for (std::size_t i = 0; i < optional_.size() && !pages.empty(); ++i) {
    optional_[i]->Visit(first, pages, &one_);
    matches->AddScores(one_);
  }
  std::erase_if(matches->parts, [&](const auto& part) { return !pages.Has(part.first); });
}

bool AndMatcher::ok() const { return AllOk(required_) && AllOk(excluded_) && AllOk(optional_); }

void OrMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  children_.front()->Visit(first, among, matches);
  for (std::size_t i = 1; i < children_.size(); ++i) {
    children_[i]->Visit(first, among, &one_);
    PageSet added = one_.pages;
    added.Remove(matches->pages);
    added.ForEach([&](std::uint32_t place) {
      matches->scores[place] = 0;
      matches->titles[place] = 0;
    });
    matches->pages.Add(added);
    matches->AddScores(one_);
  }
}

std::uint64_t OrMatcher::Cost() const {
  std::uint64_t cost = 0;
  for (const MatcherPtr& matcher : children_) cost += matcher->Cost();
  return cost;
}

bool OrMatcher::ok() const { return AllOk(children_); }

MostMatcher::MostMatcher(const Scoring& scoring, std::vector<Word> words)
    : scoring_(scoring), words_(std::move(words)), essential_(words_.size()) {
  for (const Word& word : words_) all_weight_ += word.idf;
  std::stable_sort(words_.begin(), words_.end(),
                   [](const Word& a, const Word& b) { return a.limit > b.limit; });
}

void MostMatcher::SetBar(double bar) {
  bar_ = bar;
  double rest = 0;  // The most that the words from essential_ on can give together.
  for (std::size_t i = essential_; i < words_.size(); ++i) rest += words_[i].limit;
  while (essential_ > 1 && rest + words_[essential_ - 1].limit <= bar_) {
    rest += words_[--essential_].limit;
  }
}

void MostMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  matches->pages.Clear();
  matches->parts.clear();
  for (std::size_t i = 0; i < essential_; ++i) Add(words_[i], first, among, matches);
  double rest = 0;
  for (std::size_t i = essential_; i < words_.size(); ++i) rest += words_[i].limit;
  pruned_ = pruned_ || essential_ < words_.size();
  for (std::size_t i = essential_; i < words_.size(); ++i) {
    PageSet hopeful;
    matches->pages.ForEach([&](std::uint32_t place) {
      const bool may_win = matches->scores[place] + rest > bar_ || favoured_.Has(place);
      if (may_win) hopeful.Set(place);
    });
    if (hopeful.empty()) break;
    Add(words_[i], first, hopeful, matches);
    rest -= words_[i].limit;
  }
  ScaleByWeight(first, matches);
}

void MostMatcher::Add(const Word& word, std::uint32_t first, const PageSet& among,
                      Matches* matches) {
  word.matcher->Visit(first, among, &one_);
  one_.pages.ForEach([&](std::uint32_t place) {
    const bool is_new = !matches->pages.Has(place);
    matches->scores[place] = one_.scores[place] + (is_new ? 0 : matches->scores[place]);
    matches->titles[place] = one_.titles[place] + (is_new ? 0 : matches->titles[place]);
    weights_[place] = word.idf + (is_new ? 0 : weights_[place]);
  });
  matches->pages.Add(one_.pages);
  for (auto& [place, parts] : one_.parts) {
    std::move(parts.begin(), parts.end(), std::back_inserter(matches->parts[place]));
  }
}

void MostMatcher::ScaleByWeight(std::uint32_t first, Matches* matches) {
  if (scoring_.ranking != Ranking::kBm25 || all_weight_ <= 0) return;
  const double power = scoring_.weights->missing;
  matches->pages.ForEach([&](std::uint32_t place) {
    double share = std::min(1.0, weights_[place] / all_weight_);
    if (matches->titles[place] > 0) {
      share += (1 - share) * scoring_.weights->title_forgives *
               scoring_.weights->Exactness(matches->titles[place],
                                           (*scoring_.pages)[first + place].title_weight);
    }
    if (share > 1 - 1e-9) return;
    const double factor = Power(share, power);
    matches->scores[place] *= factor;
    if (!scoring_.explain) return;
    const auto parts = matches->parts.find(place);
    if (parts == matches->parts.end()) return;
    for (ScorePart& part : parts->second) part.score *= factor;
  });
}

std::uint64_t MostMatcher::Cost() const {
  std::uint64_t cost = 0;
  for (const Word& word : words_) cost += word.matcher->Cost();
  return cost;
}

bool MostMatcher::ok() const {
  return std::all_of(words_.begin(), words_.end(),
                     [](const Word& word) { return word.matcher->ok(); });
}

NamedMatcher::NamedMatcher(const Scoring& scoring, MatcherPtr matcher,
                           std::vector<std::uint32_t> named, double document_freq)
    : scoring_(scoring),
      matcher_(std::move(matcher)),
      named_(std::move(named)),
      document_freq_(document_freq),
      idf_(Bm25Idf(PagesOf(scoring), document_freq)) {}

void NamedMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  PageSet named;
  while (next_ < named_.size() && named_[next_] < first) ++next_;
  for (; next_ < named_.size() && named_[next_] < first + kWindowPages; ++next_) {
    named.Set(named_[next_] - first);
  }
  matcher_->Favour(named);
  matcher_->Visit(first, among, matches);
  named.Keep(matches->pages);
  const double bonus = scoring_.weights->exact_heading * idf_;
  named.ForEach([&](std::uint32_t place) {
    matches->scores[place] += bonus;
    if (!scoring_.explain) return;
    ScorePart& part = matches->parts[place].emplace_back();
    part.word = kHeadingPart;
    part.document_freq = document_freq_;
    part.idf = idf_;
    part.score = bonus;
  });
}

void SharedMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  matcher_->Visit(first, among, matches);
  matches->pages.ForEach([&](std::uint32_t place) {
    matches->scores[place] *= share_;
    matches->titles[place] *= static_cast<float>(share_ * share_);
  });
  for (auto& [place, parts] : matches->parts) {
    for (ScorePart& part : parts) {
      part.idf *= share_;
      part.score *= share_;
    }
  }
}

void LanguageMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  const LanguageSet others = pages_->languages(first) & ~languages_;
  if (others.none()) return matcher_->Visit(first, among, matches);
  PageSet narrowed;
  if (others != pages_->languages(first)) {
    among.ForEach([&](std::uint32_t place) {
      if (languages_.test((*pages_)[first + place].language)) narrowed.Set(place);
    });
  }
  matcher_->Visit(first, narrowed, matches);
}

void FilterMatcher::Visit(std::uint32_t first, const PageSet& among, Matches* matches) {
  matches->pages.Clear();
  matches->parts.clear();
  among.ForEach([&](std::uint32_t place) {
    if (holds_ && !holds_(first + place)) return;
    matches->pages.Set(place);
    matches->scores[place] = 0;
    matches->titles[place] = 0;
  });
}

}  // namespace crawler
