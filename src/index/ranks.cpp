#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "index/analyzer.hpp"
#include "index/postings.hpp"
#include "index/segments.hpp"
#include "index/visit_rows.hpp"
#include "index/weights.hpp"

namespace crawler {
namespace {

constexpr std::size_t kPagesPerStep = 20'000;
/// Of a crawl; the topic is analysed in each.
constexpr std::size_t kMaxTopicLanguages = 64;
constexpr std::uint8_t kNoLanguage = 255;

/// How near each page is to a topic: the cosine of their vectors of (frequency * idf), the topic's
/// words analysed in the language of the page.
class TopicScorer {
 public:
  explicit TopicScorer(Database& db) : db_(db) {}

  Status Load(std::string_view topic) {
    Status status = PrepareAll(
        db_,
        {{&idf_, "SELECT idf FROM index_terms WHERE term = ?"},
         {&postings_, "SELECT document_freq, docs FROM postings WHERE segment = ? AND term = ?"}});
    if (status.ok()) status = LoadSegments();
    const Result<std::vector<IndexLanguage>> languages = IndexLanguages(db_);
    if (!languages.ok()) return languages.status();
    for (std::size_t i = 0; i < languages->size() && i < kMaxTopicLanguages; ++i) {
      if (status.ok()) status = ScoreLanguage(topic, (*languages)[i].code);
    }
    if (status.ok()) status = DivideByNorms();
    return status;
  }

  double Score(std::uint32_t page) const { return page < scores_.size() ? scores_[page] : 0; }

 private:
  Status LoadSegments() {
    Result<std::vector<Segment>> segments = ListSegments(db_, SegmentKind::kText);
    if (!segments.ok()) return segments.status();
    for (const Segment& segment : *segments) {
      if (segment.state != SegmentState::kReady) continue;
      segments_.push_back(segment.id);
      scores_.resize(std::max<std::size_t>(scores_.size(), segment.last_page + std::size_t{1}));
      languages_.resize(scores_.size());
      Status status = VisitPageRecords(db_, segment.id, [this](const PageRecord& record) {
        if (record.page < languages_.size()) {
          languages_[record.page] = LanguageNumber(record.language);
        }
      });
      if (!status.ok()) return status;
    }
    return Status::Ok();
  }

  // More languages than there are numbers are the last one together, which has no topic.
  std::uint8_t LanguageNumber(std::uint64_t packed) {
    const auto known = std::find(codes_.begin(), codes_.end(), packed);
    const auto number = static_cast<std::size_t>(known - codes_.begin());
    if (known == codes_.end() && number < kNoLanguage) codes_.push_back(packed);
    return static_cast<std::uint8_t>(std::min<std::size_t>(number, kNoLanguage));
  }

  Status ScoreLanguage(std::string_view topic, const std::string& code) {
    const std::uint8_t language = LanguageNumber(PackLanguage(code));
    if (language == kNoLanguage) return Status::Ok();
    std::vector<Token> tokens;
    analyzer_.Analyze(topic, code, &tokens);
    const bool only_stop_words =
        std::all_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is_stop; });
    std::set<std::string, std::less<>> terms;
    for (const Token& token : tokens) {
      if (!token.is_part && (only_stop_words || !token.is_stop)) terms.emplace(token.term);
    }
    double square = 0;
    for (const std::string& term : terms) {
      const Result<bool> row = idf_.Bind(1, term).Step();
      if (!row.ok()) return row.status();
      const double idf = *row ? idf_.Real(0) : 0;
      idf_.Reset();
      if (idf <= 0) continue;
      square += idf * idf;
      if (Status status = AddTerm(term, idf, language); !status.ok()) return status;
    }
    topic_squares_[language] = square;
    return Status::Ok();
  }

  Status AddTerm(std::string_view term, double idf, std::uint8_t language) {
    for (const std::int64_t segment : segments_) {
      const Result<bool> row = postings_.Bind(1, segment).Bind(2, term).Step();
      if (!row.ok()) return row.status();
      if (!*row) continue;
      PostingsReader reader(postings_.Blob(1), static_cast<std::uint32_t>(postings_.Int(0)));
      for (auto block = reader.NextBlock(); !block.empty(); block = reader.NextBlock()) {
        for (const Posting& posting : block) {
          if (posting.page >= scores_.size() || languages_[posting.page] != language) continue;
          scores_[posting.page] += TermFrequency(posting.counts) * idf * idf;
        }
      }
      postings_.Reset();
    }
    return Status::Ok();
  }

  Status DivideByNorms() {
    Result<Statement> select = db_.Prepare("SELECT page_id, norm FROM page_weights");
    if (!select.ok()) return select.status();
    Result<bool> row = select->Step();
    for (; row.ok() && *row; row = select->Step()) {
      const auto page = static_cast<std::size_t>(select->Int(0));
      if (page >= scores_.size() || scores_[page] == 0) continue;
      const double lengths = select->Real(1) * std::sqrt(topic_squares_[languages_[page]]);
      scores_[page] = lengths > 0 ? std::min(1.0, scores_[page] / lengths) : 0;
    }
    return row.ok() ? Status::Ok() : row.status();
  }

  Database& db_;
  Analyzer analyzer_;
  Statement idf_, postings_;
  std::vector<std::int64_t> segments_;
  std::vector<double> scores_;
  std::vector<std::uint8_t> languages_;  // By page; numbers of codes_.
  std::vector<std::uint64_t> codes_;
  std::array<double, kNoLanguage + 1> topic_squares_ = {};  // By language.
};

/// Writes what is known of the pages, some thousand at a time.
class RankWriter {
 public:
  RankWriter(Database& db, const UrlPages& urls, const PageRank& ranks, const TopicScorer* topic)
      : db_(db), urls_(urls), ranks_(ranks), topic_(topic) {
    if (!ranks.ranks.empty()) highest_ = *std::max_element(ranks.ranks.begin(), ranks.ranks.end());
  }

  Status Prepare() {
    return PrepareAll(
        db_, {{&select_, "SELECT id, url_id FROM pages WHERE id > ? ORDER BY id LIMIT ?"},
              {&weights_,
               "INSERT INTO page_weights(page_id, page_rank, static_rank) VALUES(?1, ?2, ?3)"
               " ON CONFLICT(page_id) DO UPDATE SET page_rank = ?2, static_rank = ?3"},
              {&relevance_, "UPDATE pages SET relevance_score = ? WHERE id = ?"}});
  }

  // False when there are no more pages.
  Result<bool> Step() {
    pages_.clear();
    select_.Bind(1, last_).Bind(2, static_cast<std::int64_t>(kPagesPerStep));
    Result<bool> row = select_.Step();
    for (; row.ok() && *row; row = select_.Step()) {
      pages_.emplace_back(select_.Int(0), select_.Int(1));
    }
    if (!row.ok()) return row.status();
    if (pages_.empty()) return false;
    Status status = db_.Execute("BEGIN IMMEDIATE");
    if (!status.ok()) return status;
    for (const auto& [page, url] : pages_) {
      if (status.ok()) status = Write(page, url);
    }
    status = CommitOrRollBack(db_, status);
    if (!status.ok()) return status;
    last_ = pages_.back().first;
    return true;
  }

 private:
  Status Write(std::int64_t page, std::int64_t url) {
    const std::uint32_t node = urls_.PageOf(static_cast<std::uint64_t>(url));
    const double rank = node < ranks_.ranks.size() ? ranks_.ranks[node] : 0;
    const double scaled = StaticRank(rank, highest_, ranks_.pages);
    const double relevance =
        topic_ == nullptr ? scaled : topic_->Score(static_cast<std::uint32_t>(page));
    Status status = weights_.Bind(1, page).Bind(2, rank).Bind(3, scaled).Run();
    return status.ok() ? relevance_.Bind(1, relevance).Bind(2, page).Run() : status;
  }

  Database& db_;
  const UrlPages& urls_;
  const PageRank& ranks_;
  const TopicScorer* const topic_;
  double highest_ = 0;
  Statement select_, weights_, relevance_;
  std::vector<std::pair<std::int64_t, std::int64_t>> pages_;
  std::int64_t last_ = 0;
};

}  // namespace

Status WriteRanks(Database& db, const UrlPages& urls, const PageRank& ranks, std::string_view topic,
                  const std::function<bool()>& stop) {
  TopicScorer scorer(db);
  if (!topic.empty()) {
    if (Status status = scorer.Load(topic); !status.ok()) return status;
  }
  RankWriter writer(db, urls, ranks, topic.empty() ? nullptr : &scorer);
  if (Status status = writer.Prepare(); !status.ok()) return status;
  for (;;) {
    if (Status status = Stopped(stop); !status.ok()) return status;
    const Result<bool> more = writer.Step();
    if (!more.ok()) return more.status();
    if (!*more) return BumpGeneration(db);
  }
}

}  // namespace crawler
