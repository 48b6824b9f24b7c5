// How often the right page is among the first, beside FTS5 and Xapian over the same crawl.
//
// usage: relevance_bench CRAWL QUESTIONS [--half tune|report] [--engines ours,fts5,xapian]
//                        [--weight NAME=VALUE]... [--misses N] [--every N]
//
// CRAWL is the folder of a crawl, QUESTIONS a file of lines with tabs between: the half, the kind,
// the site, the question, and the paths of the right pages (see questions.py). A page is right if
// its URL ends with one of the paths. Prints for each engine and kind success@1, success@3 and MRR
// (of the first ten). --weight changes a weight of our ranking, --misses prints questions whose
// answer was not among the first three, --every asks only every Nth question.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engines.hpp"
#include "index/page_text.hpp"
#include "search/query_engine.hpp"
#include "search/searcher.hpp"

namespace crawler {
namespace {

constexpr std::size_t kResults = 10;

void Expect(const Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

template <typename T>
T Expect(Result<T> result) {
  Expect(result.status());
  return std::move(result).value();
}

struct Options {
  std::string crawl, questions, half = "report", engines = "ours,fts5,xapian";
  std::size_t misses = 0, every = 1;
  RankingWeights weights;
};

struct Question {
  std::string kind, site, text;
  std::vector<std::string> paths;
};

std::vector<Question> ReadQuestions(const Options& options) {
  std::ifstream file(options.questions);
  std::vector<Question> questions;
  std::string line, half, path;
  for (std::size_t number = 0; std::getline(file, line);) {
    std::stringstream fields(line);
    Question question;
    std::string paths;
    std::getline(fields, half, '\t');
    std::getline(fields, question.kind, '\t');
    std::getline(fields, question.site, '\t');
    std::getline(fields, question.text, '\t');
    std::getline(fields, paths);
    if (half != options.half || number++ % options.every != 0) continue;
    for (std::stringstream list(paths); list >> path;) question.paths.push_back(path);
    questions.push_back(std::move(question));
  }
  if (questions.empty()) {
    std::cerr << "no questions for " << options.half << " in " << options.questions << "\n";
    std::exit(1);
  }
  return questions;
}

/// Sums over questions.
struct Score {
  std::size_t questions = 0, first = 0, among_three = 0;
  double reciprocal = 0;

  void Add(std::size_t rank) {  // 0 if it was not found.
    ++questions;
    if (rank == 0) return;
    first += rank == 1 ? 1 : 0;
    among_three += rank <= 3 ? 1 : 0;
    reciprocal += 1 / static_cast<double>(rank);
  }
  void Print(const std::string& engine, const std::string& kind) const {
    const double n = static_cast<double>(std::max<std::size_t>(questions, 1));
    std::printf("| %-14s | %-22s | %5zu | %.3f | %.3f | %.3f |\n", engine.c_str(), kind.c_str(),
                questions, static_cast<double>(first) / n, static_cast<double>(among_three) / n,
                reciprocal / n);
    std::fflush(stdout);
  }
};

bool IsRight(const std::string& url, const Question& question) {
  return std::any_of(question.paths.begin(), question.paths.end(),
                     [&](const std::string& path) { return url.ends_with(path); });
}

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options),
        questions_(ReadQuestions(options)),
        engine_(Expect(QueryEngine::Open(options.crawl + "/crawl.db", options.weights))) {}

  void Run() {
    if (Wants("ours")) {
      Report("ours", [this](const Question& question) { return FindOurs(question); });
    }
    if (Wants("fts5")) {
      RunRival("FTS5, all", MakeFts5Text(false));
      RunRival("FTS5, any", MakeFts5Text(true));
    }
    if (Wants("xapian")) RunRival("Xapian", MakeXapianText());
  }

 private:
  using Urls = std::vector<std::string>;

  bool Wants(const char* engine) const {
    return options_.engines.find(engine) != std::string::npos;
  }

  Urls FindOurs(const Question& question) {
    QueryOptions query;
    query.limit = kResults;
    query.snippet_characters = 0;
    const Result<QueryAnswer> answer = engine_->Search(question.text, query);
    Urls urls;
    if (!answer.ok()) return urls;  // A question that is no query finds nothing.
    for (const QueryAnswer::Result& result : answer->results) urls.push_back(result.hit.url);
    return urls;
  }

  template <typename Find>
  void Report(const std::string& engine, Find find) {
    std::map<std::string, Score> scores;
    std::size_t misses = 0;
    for (const Question& question : questions_) {
      const Urls urls = find(question);
      std::size_t rank = 0;
      for (std::size_t i = 0; i < urls.size() && rank == 0; ++i) {
        if (IsRight(urls[i], question)) rank = i + 1;
      }
      scores["all"].Add(rank);
      scores["all " + question.kind].Add(rank);
      scores[question.site + " " + question.kind].Add(rank);
      if ((rank == 0 || rank > 3) && misses++ < options_.misses) PrintMiss(question, rank, urls);
    }
    for (const auto& [kind, score] : scores) score.Print(engine, kind);
  }

  static void PrintMiss(const Question& question, std::size_t rank, const Urls& urls) {
    std::printf("missed (%zu) %s: %s not in", rank, question.text.c_str(),
                question.paths.front().c_str());
    for (std::size_t i = 0; i < std::min<std::size_t>(urls.size(), 3); ++i) {
      const std::size_t path = urls[i].find('/', 8);
      std::printf(" %s", urls[i].substr(std::min(path, urls[i].size())).c_str());
    }
    std::printf("\n");
  }

  void RunRival(const std::string& name, std::unique_ptr<TextEngine> rival) {
    if (rival == nullptr) return;
    Database& db = engine_->searcher().database();
    Statement select = Expect(db.Prepare(
        "SELECT p.id, p.url, p.title FROM pages p JOIN page_text t ON t.page_id = p.id"));
    PageTextReader texts = Expect(PageTextReader::Open(db));
    std::map<std::int64_t, std::string> urls;
    PageText text;
    while (Expect(select.Step())) {
      const std::int64_t page = select.Int(0);
      if (!Expect(texts.Read(page, &text))) continue;
      urls[page] = select.Text(1);
      rival->Add(page, std::string(select.Text(2)), text.text);
    }
    rival->Finish();
    Report(name, [&](const Question& question) {
      Urls found;
      for (const std::int64_t page : rival->Search(question.text, kResults)) {
        found.push_back(urls[page]);
      }
      return found;
    });
  }

  const Options& options_;
  const std::vector<Question> questions_;
  const std::unique_ptr<QueryEngine> engine_;
};

void SetWeight(const std::string& setting, RankingWeights* weights) {
  const std::size_t equals = setting.find('=');
  if (equals != std::string::npos &&
      weights->Set(setting.substr(0, equals), std::atof(setting.c_str() + equals + 1))) {
    return;
  }
  std::cerr << "no weight is called " << setting << "\n";
  std::exit(2);
}

Options ReadOptions(int count, char** values) {
  Options options;
  std::vector<std::string> files;
  for (int i = 1; i < count; ++i) {
    const std::string name = values[i];
    const std::string value = i + 1 < count ? values[i + 1] : "";
    if (!name.starts_with("--")) {
      files.push_back(name);
      continue;
    }
    ++i;
    if (name == "--half") {
      options.half = value;
    } else if (name == "--engines") {
      options.engines = value;
    } else if (name == "--weight") {
      SetWeight(value, &options.weights);
    } else if (name == "--misses") {
      options.misses = std::stoul(value);
    } else if (name == "--every") {
      options.every = std::max(1ul, std::stoul(value));
    } else {
      files.clear();
      break;
    }
  }
  if (files.size() != 2) {
    std::cerr << "usage: relevance_bench CRAWL QUESTIONS [--half tune|report]"
                 " [--engines ours,fts5,xapian] [--weight NAME=VALUE]... [--misses N]"
                 " [--every N]\n";
    std::exit(2);
  }
  options.crawl = files[0];
  options.questions = files[1];
  return options;
}

}  // namespace
}  // namespace crawler

int main(int count, char** values) {
  const crawler::Options options = crawler::ReadOptions(count, values);
  std::printf("| engine         | questions              | count |   @1  |   @3  |  MRR  |\n");
  std::printf("|----------------|------------------------|-------|-------|-------|-------|\n");
  crawler::Bench(options).Run();
  return 0;
}
