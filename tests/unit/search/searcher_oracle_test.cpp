#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "index/test_crawl.hpp"
#include "search/searcher.hpp"

namespace crawler {
namespace {

using Kind = QueryNode::Kind;
using Words = std::vector<std::string>;

Words Split(const std::string& text, const std::string& between = " \n") {
  Words words;
  std::string word;
  for (const char c : text) {
    if (between.find(c) == std::string::npos) {
      word.push_back(c);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

/// A page as whoever searches without an index sees it.
struct PlainPage {
  std::string url, host, language;
  std::int64_t date = 0;
  double static_rank = 0, norm = 0;
  Words title, heading, body, navigation, text, url_words, anchors;

  std::array<int, kFieldCount> Counts(const std::string& word) const {
    const auto in = [&](const Words& words) {
      return static_cast<int>(std::count(words.begin(), words.end(), word));
    };
    return {in(body), in(heading), in(title), in(url_words), in(navigation), in(anchors)};
  }
  static bool HasRun(const Words& words, const Words& run) {
    return std::search(words.begin(), words.end(), run.begin(), run.end()) != words.end();
  }
};

/// Searches by looking at every page, and scores by the formulas of docs/search.md.
class PlainSearch {
 public:
  explicit PlainSearch(std::vector<PlainPage> pages) : pages_(std::move(pages)) {
    std::set<std::string> words;
    for (const PlainPage& page : pages_) {
      for (const Words* list : {&page.title, &page.text, &page.url_words, &page.anchors}) {
        words.insert(list->begin(), list->end());
      }
      const std::array<double, kFieldCount> lengths = Lengths(page);
      for (std::size_t i = 0; i < kFieldCount; ++i) {
        averages_[i] += lengths[i] / static_cast<double>(pages_.size());
      }
    }
    vocabulary_.assign(words.begin(), words.end());
  }

  static std::array<double, kFieldCount> Lengths(const PlainPage& page) {
    return {static_cast<double>(page.body.size()),
            static_cast<double>(page.heading.size()),
            static_cast<double>(page.title.size()),
            static_cast<double>(page.url_words.size()),
            0,
            static_cast<double>(page.anchors.size())};
  }

  Words TermsOf(const QueryNode& query) const {
    if (query.kind != Kind::kPrefix) return {query.text};
    Words terms;
    for (const std::string& word : vocabulary_) {
      // Only words of pages are in the term table that prefixes are looked up in.
      if (word.starts_with(query.text) && PagesAbout(word) > 0) terms.push_back(word);
    }
    return terms;
  }

  // Of the words that a page may do without one is there, unless it must have others.
  bool HasPlainWord(const QueryNode& query, const PlainPage& page) const {
    bool plain = false, insists = false, found = false;
    for (const QueryNode& child : query.children) {
      plain = plain || child.IsPlainWord();
      insists = insists || (child.IsText() && !child.IsPlainWord());
      found = found || (child.IsPlainWord() && Matches(child, page));
    }
    return found || insists || !plain;
  }

  bool Matches(const QueryNode& query, const PlainPage& page, bool wanted = true) const {
    const bool in_title = query.in == QueryNode::In::kTitle;
    switch (query.kind) {
      case Kind::kWord:
      case Kind::kPrefix:
        for (const std::string& term : TermsOf(query)) {
          const auto counts = page.Counts(term);
          if (in_title ? counts[2] > 0 : counts != std::array<int, kFieldCount>{}) return true;
        }
        return false;
      case Kind::kPhrase: {
        const Words run = Split(query.text);
        if (run.size() == 1 && !in_title && PlainPage::HasRun(page.anchors, run)) return true;
        return PlainPage::HasRun(page.title, run) ||
               (!in_title &&
                (PlainPage::HasRun(page.text, run) || PlainPage::HasRun(page.url_words, run)));
      }
      case Kind::kAnd:
        return std::all_of(query.children.begin(), query.children.end(),
                           [&](const QueryNode& child) {
                             return (wanted && child.IsPlainWord()) || Matches(child, page, wanted);
                           }) &&
               (!wanted || HasPlainWord(query, page));
      case Kind::kOr:
        return std::any_of(query.children.begin(), query.children.end(),
                           [&](const QueryNode& child) { return Matches(child, page, wanted); });
      case Kind::kNot:
        return !Matches(query.children[0], page, false);
      case Kind::kSite:
        return page.host == query.text || page.host.ends_with("." + query.text);
      case Kind::kInUrl:
        return page.url.find(query.text) != std::string::npos;
      case Kind::kLang:
        return page.language == query.text;
      case Kind::kAfter:
        return page.date >= query.time;
    }
    return false;
  }

  /// In how many pages a word stands.
  struct Frequency {
    double about = 0;    ///< In title, headings or body.
    double own = 0;      ///< In any field of the page.
    double anchors = 0;  ///< In links to the page.
    bool in_body = false;
  };
  const Frequency& FrequencyOf(const std::string& term) const {
    const auto [known, is_new] = frequencies_.try_emplace(term);
    if (!is_new) return known->second;
    Frequency& sum = known->second;
    for (const PlainPage& page : pages_) {
      const auto counts = page.Counts(term);
      sum.about += counts[0] + counts[1] + counts[2] > 0 ? 1 : 0;
      sum.own += counts[0] + counts[1] + counts[2] + counts[3] + counts[4] > 0 ? 1 : 0;
      sum.anchors += counts[5] > 0 ? 1 : 0;
      sum.in_body = sum.in_body || counts[0] > 0;
    }
    return sum;
  }
  double PagesAbout(const std::string& term) const { return FrequencyOf(term).about; }
  double DocumentFreq(const std::string& term) const {
    const Frequency& frequency = FrequencyOf(term);
    return std::max(frequency.about > 0 ? frequency.about : frequency.own, frequency.anchors);
  }

  // Squares of the idf of the title's words. Stop words, which no body is indexed by, do not count.
  double TitleWeight(const PlainPage& page) const {
    const double n = static_cast<double>(pages_.size());
    double sum = 0;
    for (const std::string& word : std::set<std::string>(page.title.begin(), page.title.end())) {
      if (!FrequencyOf(word).in_body) continue;
      sum += std::pow(std::log(n / PagesAbout(word)), 2);
    }
    return sum;
  }
  // The same of the query's words that stand in the title.
  double TitleFound(const QueryNode& query, const PlainPage& page, bool plain_alone) const {
    double sum = 0;
    const auto add = [&](const Words& terms) {
      const bool found = std::any_of(terms.begin(), terms.end(), [&](const std::string& term) {
        return page.Counts(term)[2] > 0;
      });
      if (found) sum += std::pow(Idf(terms), 2);
    };
    if (query.kind == Kind::kWord || query.kind == Kind::kPrefix) add(TermsOf(query));
    if (query.kind == Kind::kPhrase) {
      for (const std::string& word : Split(query.text)) add({word});
    }
    if (query.kind != Kind::kAnd && query.kind != Kind::kOr) return sum;
    for (const QueryNode& child : query.children) {
      if (plain_alone && !child.IsPlainWord()) continue;
      if (Matches(child, page)) sum += TitleFound(child, page, false);
    }
    return sum;
  }

  double WordScore(const Words& terms, bool in_title, const PlainPage& page,
                   Ranking ranking) const {
    const double n = static_cast<double>(pages_.size());
    std::array<double, kFieldCount> counts = {};
    double document_freq = 0, vector_freq = 0;
    for (const std::string& term : terms) {
      const auto found = page.Counts(term);
      for (std::size_t i = 0; i < kFieldCount; ++i) {
        if (!in_title || i == 2) counts[i] += found[i];
      }
      document_freq += DocumentFreq(term);
      vector_freq += PagesAbout(term);
    }
    if (ranking == Ranking::kCosine) {
      const double idf = vector_freq > 0 ? std::log(n / std::min(n, vector_freq)) : 0;
      return (counts[0] + counts[1] + counts[2]) * idf * idf;
    }
    const double df = std::min(n, document_freq);
    const double idf = std::log(1 + (n - df + 0.5) / (df + 0.5));
    const std::array<double, kFieldCount> lengths = Lengths(page);
    double weighted = 0;
    for (std::size_t i = 0; i < kFieldCount; ++i) {
      const double b = RankingWeights{}.length_share[i];
      if (counts[i] == 0) continue;
      const double relative = b > 0 ? lengths[i] / averages_[i] : 0;
      weighted += RankingWeights{}.field[i] * counts[i] / (1 - b + b * relative);
    }
    const double k1 = RankingWeights{}.saturation;
    return idf * (k1 + 1) * weighted / (k1 + weighted);
  }

  double Idf(const QueryNode& word) const { return Idf(TermsOf(word)); }
  double Idf(const Words& terms) const {
    const double n = static_cast<double>(pages_.size());
    double df = 0;
    for (const std::string& term : terms) df += DocumentFreq(term);
    if (df == 0) return 0;
    df = std::min(n, df);
    return std::log(1 + (n - df + 0.5) / (df + 0.5));
  }

  // The words that pages may do without, times the share of their weight that the page has.
  double PlainScore(const QueryNode& query, const PlainPage& page, Ranking ranking) const {
    double score = 0, all = 0, found = 0;
    for (const QueryNode& child : query.children) {
      if (!child.IsPlainWord()) continue;
      all += Idf(child);
      if (!Matches(child, page)) continue;
      found += Idf(child);
      score += TextScore(child, page, ranking);
    }
    if (ranking == Ranking::kCosine || all == 0) return score;
    double share = found / all;
    if (const double in_title = TitleFound(query, page, true); in_title > 0) {
      const double exactness = RankingWeights{}.Exactness(in_title, TitleWeight(page));
      share += (1 - share) * RankingWeights{}.title_forgives * exactness;
    }
    return score * std::pow(share, RankingWeights{}.missing);
  }

  // The plain words of a query in the order of the query, each once, and where they stand in it.
  void CollectPlain(const QueryNode& query, int* place,
                    std::vector<std::pair<QueryNode, int>>* words) const {
    if (query.kind != Kind::kAnd && query.kind != Kind::kOr) return;
    for (const QueryNode& child : query.children) {
      const bool plain = query.kind == Kind::kAnd && child.IsPlainWord();
      if (plain && std::none_of(words->begin(), words->end(), [&](const auto& word) {
            return word.first.text == child.text && word.first.kind == child.kind;
          })) {
        words->emplace_back(child, *place);
      }
      CollectPlain(child, place, words);
      if (query.kind == Kind::kAnd) ++*place;
    }
  }

  static std::vector<int> Positions(const Words& terms, const PlainPage& page) {
    std::vector<int> positions;
    int at = 0;
    for (const Words* words : {&page.title, &page.text, &page.url_words}) {
      for (const std::string& word : *words) {
        if (std::find(terms.begin(), terms.end(), word) != terms.end()) positions.push_back(at);
        ++at;
      }
      at += static_cast<int>(kFieldGap);
    }
    return positions;
  }

  double Nearness(const std::vector<std::pair<QueryNode, int>>& words,
                  const PlainPage& page) const {
    double sum = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
      int least = 8;
      for (const int left : Positions(TermsOf(words[i - 1].first), page)) {
        for (const int right : Positions(TermsOf(words[i].first), page)) {
          const int wanted = std::max(1, words[i].second - words[i - 1].second);
          least = std::min(least,
                           right >= left ? 1 + std::abs(right - left - wanted) : 1 + left - right);
        }
      }
      if (least < 8) sum += std::min(Idf(words[i - 1].first), Idf(words[i].first)) / least;
    }
    return sum;
  }

  double TextScore(const QueryNode& query, const PlainPage& page, Ranking ranking) const {
    const bool in_title = query.in == QueryNode::In::kTitle;
    double score = 0;
    switch (query.kind) {
      case Kind::kPhrase: {
        const Words run = Split(query.text);
        for (const std::string& word : run) {
          score += WordScore({word}, in_title, page, ranking);
        }
        return score;
      }
      case Kind::kWord:
      case Kind::kPrefix:
        return WordScore(TermsOf(query), in_title, page, ranking);
      case Kind::kAnd:
        score = PlainScore(query, page, ranking);
        [[fallthrough]];
      case Kind::kOr:
        for (const QueryNode& child : query.children) {
          if (query.kind == Kind::kAnd && child.IsPlainWord()) continue;
          if (Matches(child, page)) score += TextScore(child, page, ranking);
        }
        return score;
      default:
        return 0;
    }
  }

  // The words of a query that is nothing but words, filters and negations; false if it is more.
  static bool AppendName(const QueryNode& query, Words* name) {
    if (query.kind == Kind::kPrefix || query.kind == Kind::kOr) return false;
    if (query.kind == Kind::kAnd) {
      return std::all_of(query.children.begin(), query.children.end(),
                         [&](const QueryNode& child) { return AppendName(child, name); });
    }
    if (query.kind != Kind::kWord && query.kind != Kind::kPhrase) return true;
    for (const std::string& word : Split(query.text)) name->push_back(word);
    return query.in == QueryNode::In::kAnywhere;
  }
  double HeadingScore(const QueryNode& query, const PlainPage& page) const {
    Words name;
    if (!AppendName(query, &name) || name != page.heading) return 0;
    const auto df = static_cast<double>(
        std::count_if(pages_.begin(), pages_.end(),
                      [&](const PlainPage& other) { return other.heading == name; }));
    const double n = static_cast<double>(pages_.size());
    return RankingWeights{}.exact_heading * std::log(1 + (n - df + 0.5) / (df + 0.5));
  }

  // The squared length of the query's vector, and how many words it has.
  std::pair<double, int> Square(const QueryNode& query) const {
    const double n = static_cast<double>(pages_.size());
    std::pair<double, int> sum = {0, 0};
    const auto add = [&](const Words& terms) {
      double df = 0;
      for (const std::string& term : terms) df += PagesAbout(term);
      if (df > 0) sum.first += std::pow(std::log(n / std::min(n, df)), 2);
      ++sum.second;
    };
    if (query.kind == Kind::kWord || query.kind == Kind::kPrefix) add(TermsOf(query));
    if (query.kind == Kind::kPhrase) {
      for (const std::string& word : Split(query.text)) add({word});
    }
    if (query.kind == Kind::kAnd || query.kind == Kind::kOr) {
      for (const QueryNode& child : query.children) {
        const auto [square, words] = Square(child);
        sum.first += square;
        sum.second += words;
      }
    }
    return sum;
  }

  std::map<std::int64_t, double> Search(const QueryNode& query, Ranking ranking) const {
    std::map<std::int64_t, double> found;
    const auto [square, words] = Square(query);
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      const PlainPage& page = pages_[i];
      if (!Matches(query, page)) continue;
      double score = TextScore(query, page, ranking);
      if (ranking == Ranking::kCosine) {
        const double lengths = std::sqrt(square) * page.norm;
        score = lengths > 0 ? std::min(1.0, score / lengths) : 0;
      } else {
        score += RankingWeights{}.Title(TitleFound(query, page, false), TitleWeight(page));
        score += HeadingScore(query, page);
        if (words == 0) score = 1;
        score *= 1 + RankingWeights{}.static_share * page.static_rank;
      }
      found[static_cast<std::int64_t>(i) + 1] = score;
    }
    if (ranking == Ranking::kBm25) AddNearness(query, &found);
    return found;
  }

  // The best 128 are put in order anew.
  void AddNearness(const QueryNode& query, std::map<std::int64_t, double>* found) const {
    std::vector<std::pair<QueryNode, int>> words;
    int place = 0;
    CollectPlain(query, &place, &words);
    std::vector<std::pair<double, std::int64_t>> order;
    for (const auto& [page, score] : *found) order.emplace_back(-score, page);
    std::sort(order.begin(), order.end());
    if (order.size() > 128) order.resize(128);
    for (const auto& [score, id] : order) {
      const PlainPage& page = pages_[static_cast<std::size_t>(id) - 1];
      (*found)[id] += RankingWeights{}.proximity * Nearness(words, page) *
                      (1 + RankingWeights{}.static_share * page.static_rank);
    }
  }

 private:
  const std::vector<PlainPage> pages_;
  Words vocabulary_;
  mutable std::map<std::string, Frequency> frequencies_;
  std::array<double, kFieldCount> averages_ = {};
};

QueryNode Leaf(Kind kind, const std::string& text) {
  QueryNode node;
  node.kind = kind;
  node.text = text;
  return node;
}

QueryNode RandomQuery(WordSource& words, int depth) {
  const int kind = words.Below(depth == 0 ? 9 : 14);
  if (kind >= 9) {
    QueryNode node;
    node.kind = kind >= 12 ? Kind::kOr : Kind::kAnd;
    if (kind == 9) {
      node.kind = Kind::kNot;
      node.children.push_back(RandomQuery(words, depth - 1));
      return node;
    }
    for (int n = 2 + words.Below(2); n > 0; --n) {
      node.children.push_back(RandomQuery(words, depth - 1));
    }
    return node;
  }
  QueryNode node;
  if (kind <= 3) node = Leaf(Kind::kWord, words.Word());
  if (kind == 4) node = Leaf(Kind::kPhrase, words.Words(1 + words.Below(3)));
  if (kind == 5) node = Leaf(Kind::kPrefix, words.Word().substr(0, 2));
  if (kind == 6)
    node = Leaf(Kind::kSite,
                words.Below(4) == 0 ? "example" : WordSource::Name(words.Below(5)) + ".example");
  if (kind == 7)
    node =
        Leaf(words.Below(2) == 0 ? Kind::kInUrl : Kind::kLang, words.Below(2) == 0 ? "de" : "en");
  if (node.kind == Kind::kInUrl) node.text = words.Word();
  if (kind == 8) {
    node = Leaf(Kind::kAfter, "");
    node.time = 1'600'000'000'000 + std::int64_t{words.Below(1000)} * 86'400'000;
  }
  const bool is_text =
      node.kind == Kind::kWord || node.kind == Kind::kPhrase || node.kind == Kind::kPrefix;
  if (is_text && words.Below(4) == 0) node.in = QueryNode::In::kTitle;
  node.must = node.IsPlainWord() && words.Below(4) == 0;
  return node;
}

std::string Show(const QueryNode& query) {
  static const char* const kNames[] = {"word", "phrase", "prefix", "and",  "or",
                                       "not",  "site",   "inurl",  "lang", "after"};
  std::string text = kNames[static_cast<int>(query.kind)];
  if (query.in == QueryNode::In::kTitle) text += "@title";
  if (query.must) text += "+";
  text += "(" + query.text + (query.time != 0 ? std::to_string(query.time) : "");
  for (const QueryNode& child : query.children) text += Show(child) + " ";
  return text + ")";
}

class Oracle {
 public:
  Oracle(unsigned seed, int pages) : words_(seed, 55) {
    std::vector<PlainPage> plain(static_cast<std::size_t>(pages));
    for (int i = 1; i <= pages; ++i) {
      TestPage page = words_.Page(i);
      for (int n = words_.Below(4); n > 0; --n) {
        const int to = 1 + words_.Below(pages);
        const std::string text = words_.Words(1 + words_.Below(2));
        const std::string link = "[" + std::to_string(to) + ",0,\"" + text + "\"]";
        page.links += (page.links.empty() ? "[" : ",") + link;
        if (to == i) continue;
        Words& anchors = plain[static_cast<std::size_t>(to) - 1].anchors;
        const Words split = Split(text);
        anchors.insert(anchors.end(), split.begin(), split.end());
      }
      if (!page.links.empty()) page.links += "]";
      crawl_.Add(page);
      if (i % 37 == 0) crawl_.Flush();
      PlainPage& out = plain[static_cast<std::size_t>(i) - 1];
      out.url = page.url;
      const Words url = Split(page.url, ":/");
      out.host = url[1];
      out.url_words = Split(page.url.substr(7), "/.");
      out.date = page.date;
      out.title = Split(page.title);
      out.text = Split(page.text);
      out.heading = Split(page.text.substr(0, page.headings[0].size));
      const std::size_t menu =
          page.link_blocks.empty() ? page.text.size() : page.link_blocks[0].offset;
      out.body = Split(page.text.substr(page.headings[0].size, menu - page.headings[0].size));
      out.navigation = Split(page.text.substr(menu));
    }
    crawl_.Index();
    Result<Statement> select = crawl_.db().Prepare(
        "SELECT t.language, w.static_rank, w.norm FROM page_text t"
        " JOIN page_weights w USING(page_id) ORDER BY page_id");
    for (PlainPage& page : plain) {
      EXPECT_TRUE(*select->Step());
      page.language = select->Text(0);
      page.static_rank = select->Real(1);
      page.norm = select->Real(2);
    }
    plain_ = std::make_unique<PlainSearch>(std::move(plain));
    Result<std::unique_ptr<Searcher>> searcher = Searcher::Open(crawl_.path());
    EXPECT_TRUE(searcher.ok()) << searcher.status().ToString();
    searcher_ = std::move(searcher).value();
  }

  void Compare(const QueryNode& query, Ranking ranking) {
    const std::map<std::int64_t, double> expected = plain_->Search(query, ranking);
    SearchRequest request;
    request.query = query;
    request.limit = kMaxResults;
    request.fold = false;
    request.ranking = ranking;
    request.why = true;
    const Result<QueryResults> results = searcher_->Search(request);
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    ASSERT_EQ(results->total, expected.size()) << Show(query);
    ASSERT_EQ(results->hits.size(), expected.size());
    double last = 1e300;
    for (const SearchHit& hit : results->hits) {
      ASSERT_TRUE(expected.contains(hit.page)) << Show(query);
      const double score = expected.at(hit.page);
      ASSERT_NEAR(hit.score, score, 1e-5 * std::max(1.0, score)) << Show(query);
      ASSERT_NEAR(hit.score, hit.text_score * hit.static_factor, 1e-9);
      EXPECT_LE(hit.score, last + 1e-9);
      last = hit.score;
      if (ranking != Ranking::kBm25 || hit.parts.empty()) continue;
      double sum = 0;
      for (const ScorePart& part : hit.parts) sum += part.score;
      ASSERT_NEAR(sum, hit.text_score, 1e-9) << Show(query);
    }
  }

  WordSource& words() { return words_; }

 private:
  WordSource words_;
  TestCrawl crawl_;
  std::unique_ptr<PlainSearch> plain_;
  std::unique_ptr<Searcher> searcher_;
};

TEST(SearchOracle, RandomQueriesFindAndScoreAsLookingAtEveryPageDoes) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Oracle oracle(seed, 60 + static_cast<int>(seed) * 60);
    for (int round = 0; round < 150; ++round) {
      const QueryNode query = RandomQuery(oracle.words(), round % 4);
      oracle.Compare(query, Ranking::kBm25);
      if (::testing::Test::HasFatalFailure()) return;
      oracle.Compare(query, Ranking::kCosine);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Once there are enough results, pages that cannot be among them are left out.
TEST(SearchOracle, FewResultsAreTheFirstOfAll) {
  constexpr int kPages = 3 * static_cast<int>(kWindowPages) - 100;
  WordSource words(11, 300);
  TestCrawl crawl;
  for (int i = 1; i <= kPages; ++i) {
    TestPage page;
    page.url = "http://a.example/" + std::to_string(i);
    page.title = words.Words(1 + words.Below(3));
    const std::string heading = words.Words(1 + words.Below(2));
    page.text = heading + "\n" + words.Words(words.Below(12));
    page.headings = {{0, static_cast<std::uint32_t>(heading.size())}};
    crawl.Add(page);
  }
  crawl.Index();
  Result<std::unique_ptr<Searcher>> searcher = Searcher::Open(crawl.path());
  ASSERT_TRUE(searcher.ok()) << searcher.status().ToString();
  int pruned = 0;
  for (int round = 0; round < 60; ++round) {
    SearchRequest request;
    const std::string text = words.Words(2 + words.Below(2));
    request.query = *ParseQuery(text);
    request.fold = false;
    request.limit = kMaxResults;
    const Result<QueryResults> all = (*searcher)->Search(request);
    ASSERT_TRUE(all.ok()) << all.status().ToString();
    ASSERT_TRUE(all->total_is_exact);
    request.limit = static_cast<std::size_t>(1 + words.Below(20));
    request.offset = static_cast<std::size_t>(words.Below(10));
    const Result<QueryResults> few = (*searcher)->Search(request);
    ASSERT_TRUE(few.ok());
    pruned += few->total_is_exact ? 0 : 1;
    ASSERT_LE(few->total, all->total);
    ASSERT_EQ(
        few->hits.size(),
        std::min(request.limit, all->hits.size() - std::min(request.offset, all->hits.size())));
    for (std::size_t i = 0; i < few->hits.size(); ++i) {
      const SearchHit& expected = all->hits[request.offset + i];
      ASSERT_EQ(few->hits[i].page, expected.page) << text << ", result " << i;
      ASSERT_DOUBLE_EQ(few->hits[i].score, expected.score) << text;
    }
  }
  EXPECT_GT(pruned, 5);
}

}  // namespace
}  // namespace crawler
