// How fast an index is built, how large it is, and how soon it answers, beside FTS5 and Xapian with
// the same terms.
//
// usage: search_bench [--pages N[,N…]] [--queries N] [--rivals fts5,xapian|none] [--max-text BYTES]
//                     [--docs FOLDER]… [--keep FOLDER] [--kind KIND] [--rounds N]
//                     [--answers FILE] [--cpu] [--json]
//
// "ours" finds pages, "snippets" reads the query and cuts the texts of ten results besides.
// Each query is asked in N rounds (1 by default) after one that warms caches; its quickest time
// counts, which on a busy machine says more.
// With --keep the folder stays, and an index that is there already is only searched. --answers
// writes what our queries found, with every digit of the scores: what makes them quicker must not
// change a byte of it.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "index/document.hpp"
#include "index/index_writer.hpp"
#include "index/indexing.hpp"
#include "rivals.hpp"
#include "search/query_engine.hpp"
#include "search/searcher.hpp"
#include "store/catalogue.hpp"

namespace crawler {
namespace {

/// With --cpu the time of the processor, for machines that are busy with other things.
bool use_cpu_time = false;

double Now() {
  timespec time = {};
  ::clock_gettime(use_cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Stopwatch {
 public:
  void Start() { started_ = Now(); }
  void Stop() { total_ += Now() - started_; }
  double total() const { return total_; }

 private:
  double started_ = 0;
  double total_ = 0;
};

struct Options {
  std::vector<std::size_t> pages = {10'000, 100'000};
  std::size_t queries = 1000, rounds = 1;
  std::size_t max_text = 8000;
  std::string rivals = "fts5,xapian";
  std::vector<std::string> docs;
  std::string keep, kind, answers;
  bool json = false;
};

/// A number with what it is.
struct Measure {
  std::size_t pages;
  std::string engine, what;
  double value;
  std::string unit;
};

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

double FolderBytes(const std::string& path) {
  if (std::filesystem::is_regular_file(path)) {
    return static_cast<double>(std::filesystem::file_size(path));
  }
  double bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
  }
  return bytes;
}

/// A query as people write it, and as engines with ready terms want it.
struct BenchQuery {
  std::string kind;
  QueryNode node;
  TermQuery terms;
};

class Bench {
 public:
  Bench(const Options& options, const Corpus& corpus, std::size_t pages, const std::string& folder)
      : options_(options), corpus_(corpus), pages_(pages), folder_(folder) {}

  std::vector<Measure> Run() {
    if (!std::filesystem::exists(folder_ + "/crawl.db")) Build();
    MakeQueries();
    SearchOurs();
    for (const std::string name : {"fts5", "xapian"}) {
      if (options_.rivals.find(name) == std::string::npos) continue;
      const std::string path = folder_ + "/" + name;
      std::unique_ptr<Rival> rival = name == "fts5" ? MakeFts5(path) : MakeXapian(path);
      if (rival != nullptr) RunRival(name, path, *rival);
    }
    return std::move(measures_);
  }

 private:
  void Add(const std::string& engine, const std::string& what, double value,
           const std::string& unit) {
    measures_.push_back({pages_, engine, what, value, unit});
    if (!options_.json) {
      std::printf("%8zu  %-8s %-28s %10.3f %s\n", pages_, engine.c_str(), what.c_str(), value,
                  unit.c_str());
      std::fflush(stdout);
    }
  }

  void Build() {
    auto catalogue = Expect(Catalogue::Open(folder_ + "/crawl.db", Durability::kNormal));
    Database& db = catalogue->database();
    auto writer = Expect(IndexWriter::Open(db, IndexWriter::kDefaultMemory));
    Statement links = Expect(db.Prepare("INSERT INTO page_links VALUES(?,?)"));
    DocumentBuilder builder;
    IndexedDocument document;
    Stopwatch analysis, writing, phase;
    Expect(catalogue->Begin());
    for (std::size_t number = 0; number < pages_; ++number) {
      const CorpusPage page = corpus_.Get(number);
      text_bytes_ += static_cast<double>(page.title.size() + page.text.size());
      UrlRow url;
      url.id = static_cast<UrlId>(number + 1);
      url.url = page.url;
      Expect(catalogue->AddUrl(url));
      PageRow row;
      row.url_id = url.id;
      row.url = page.url;
      row.domain = "docs.example";
      row.title = page.title;
      row.status = 200;
      row.crawled_at = 1'700'000'000'000;
      Expect(catalogue->AddPage(row, 1, {}));
      const std::int64_t id = db.last_insert_id();
      const std::string json = Links(page);
      Expect(links.Bind(1, static_cast<std::int64_t>(url.id)).Bind(2, json).Run());
      DocumentSource source;
      source.url = page.url;
      source.title = page.title;
      source.text = page.text;
      source.headings = page.headings;
      source.link_blocks = page.link_blocks;
      source.language_hint = "en";
      analysis.Start();
      builder.Build(source, &document);
      analysis.Stop();
      writing.Start();
      Expect(writer->Add(id, document));
      if (number % 1000 == 999) {
        Expect(catalogue->Commit());
        Expect(catalogue->Begin());
      }
      writing.Stop();
    }
    writing.Start();
    Expect(writer->Flush());
    Expect(catalogue->Commit());
    writing.Stop();
    phase.Start();
    IndexReport report;
    IndexOptions index_options;
    std::string step;
    double began = 0;
    const auto end_step = [&] {
      if (step.empty()) return;
      Add("ours", "  " + step, Now() - began, "s");
    };
    index_options.progress = [&](std::string_view name) {
      end_step();
      step = name;
      began = Now();
    };
    Expect(RunIndexing(db, index_options, &report));
    end_step();
    phase.Stop();
    Expect(catalogue->Checkpoint());

    const double megabytes = text_bytes_ / 1e6;
    Add("ours", "text", megabytes, "MB");
    Add("ours", "terms", static_cast<double>(report.terms), "");
    Add("ours", "links", static_cast<double>(report.links), "");
    Add("ours", "PageRank iterations", report.iterations, "");
    Add("ours", "analysis and compression", megabytes / analysis.total(), "MB/s");
    Add("ours", "a page's analysis", 1e6 * analysis.total() / static_cast<double>(pages_), "us");
    Add("ours", "a page's writing", 1e6 * writing.total() / static_cast<double>(pages_), "us");
    Add("ours", "phase", phase.total(), "s");
    Add("ours", "build without analysis", megabytes / (writing.total() + phase.total()), "MB/s");
    Add("ours", "build", megabytes / (analysis.total() + writing.total() + phase.total()), "MB/s");
    AddSizes(db);
  }

  // As page_links holds them. Texts are without what JSON would have to escape.
  std::string Links(const CorpusPage& page) const {
    std::string json;
    for (const auto& [to, text] : page.links) {
      if (to >= pages_) continue;
      json += (json.empty() ? "[[" : ",[") + std::to_string(to + 1) + ",0,\"";
      for (const char c : text) {
        json.push_back(c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
      }
      json += "\"]";
    }
    return json.empty() ? "[]" : json + "]";
  }

  void AddSizes(Database& db) {
    Result<Statement> select = db.Prepare("SELECT name, sum(pgsize) FROM dbstat GROUP BY name");
    if (!select.ok()) return;
    double index = 0, text = 0;
    Result<bool> row = select->Step();
    for (; row.ok() && *row; row = select->Step()) {
      const std::string name(select->Text(0));
      if (name == "postings" || name == "index_segments") index += select->Real(1);
      if (name.starts_with("index_terms") || name == "page_weights") weights_ += select->Real(1);
      if (name == "page_text") text = select->Real(1);
    }
    Add("ours", "postings, of the text", index / text_bytes_, "");
    Add("ours", "terms and weights, of the text", weights_ / text_bytes_, "");
    Add("ours", "stored text and vectors, of it", text / text_bytes_, "");
  }

  // Words as people look for them: some of a page there is, each of its words as likely as any
  // other (but for phrases, which are taken as they stand). Common ones are common here too.
  void MakeQueries() {
    std::mt19937 random(7);
    Analyzer analyzer;
    std::vector<Token> tokens;
    const char* const kinds[] = {"one word", "two words", "three words", "phrase", "two or more"};
    for (std::size_t n = 0; n < options_.queries; ++n) {
      const CorpusPage page = corpus_.Get(random() % pages_);
      analyzer.Analyze(page.text, "en", &tokens);
      std::erase_if(tokens, [](const Token& token) { return token.is_part; });
      if (tokens.size() < 10) continue;
      BenchQuery query;
      const std::size_t kind = n % 5;
      query.kind = kinds[kind];
      const std::size_t words = kind < 3 ? kind + 1 : 2;
      if (kind != 3) {
        std::sort(tokens.begin(), tokens.end(),
                  [](const Token& a, const Token& b) { return a.term < b.term; });
        tokens.erase(std::unique(tokens.begin(), tokens.end(),
                                 [](const Token& a, const Token& b) { return a.term == b.term; }),
                     tokens.end());
        if (tokens.size() < 10) continue;
      }
      std::size_t at = random() % (tokens.size() - 4);
      query.terms.kind = kind == 3   ? TermQuery::Kind::kPhrase
                         : kind == 4 ? TermQuery::Kind::kAny
                                     : TermQuery::Kind::kAll;
      std::vector<QueryNode> nodes;
      std::string phrase;
      for (std::size_t word = 0; word < words && at < tokens.size();) {
        const Token& token = tokens[at];
        at = kind == 3 ? at + 1 : random() % tokens.size();
        if (token.is_stop) {
          if (kind != 3) continue;
          break;  // Engines without stop words would look for another phrase.
        }
        QueryNode& node = nodes.emplace_back();
        node.text = page.text.substr(token.offset, token.size);
        phrase += (phrase.empty() ? "" : " ") + node.text;
        query.terms.terms.emplace_back(token.term);
        ++word;
      }
      if (nodes.size() != words) continue;
      if (kind == 3) {
        query.node.kind = QueryNode::Kind::kPhrase;
        query.node.text = phrase;
      } else if (nodes.size() == 1) {
        query.node = nodes[0];
      } else {
        query.node.kind = kind == 4 ? QueryNode::Kind::kOr : QueryNode::Kind::kAnd;
        query.node.children = nodes;
      }
      if (!options_.kind.empty() && query.kind != options_.kind) continue;
      queries_.push_back(std::move(query));
    }
  }

  template <typename Search>
  void Measured(const std::string& engine, Search search) {
    std::vector<double> best(queries_.size(), 1e300);
    for (std::size_t round = 0; round <= options_.rounds; ++round) {
      for (std::size_t i = 0; i < queries_.size(); ++i) {
        Stopwatch watch;
        watch.Start();
        search(queries_[i]);
        watch.Stop();
        if (round > 0) best[i] = std::min(best[i], watch.total() * 1e3);
      }
    }
    std::map<std::string, std::vector<double>> times;
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      times[queries_[i].kind].push_back(best[i]);
      times["all"].push_back(best[i]);
    }
    for (auto& [kind, list] : times) {
      std::sort(list.begin(), list.end());
      Add(engine, kind + ", p50", list[list.size() / 2], "ms");
      Add(engine, kind + ", p99", list[list.size() * 99 / 100], "ms");
    }
  }

  double Asked() const {
    return static_cast<double>(options_.rounds + 1) * static_cast<double>(queries_.size());
  }

  void SearchOurs() {
    Stopwatch open;
    open.Start();
    const std::unique_ptr<Searcher> searcher = Expect(Searcher::Open(folder_ + "/crawl.db"));
    open.Stop();
    Add("ours", "open", open.total() * 1e3, "ms");
    std::size_t found = 0, matches = 0;
    Measured("ours", [&](const BenchQuery& query) {
      SearchRequest request;
      request.query = query.node;
      const QueryResults results = Expect(searcher->Search(request));
      found += results.hits.size();
      matches += results.total;
    });
    const std::unique_ptr<QueryEngine> engine = Expect(QueryEngine::Open(folder_ + "/crawl.db"));
    Measured("snippets", [&](const BenchQuery& query) {
      Expect(engine->Search(FormatQuery(query.node), {}).status());
    });
    if (!options_.answers.empty()) WriteAnswers(*searcher);
    Add("ours", "pages that match", static_cast<double>(matches) / Asked(), "");
    Add("ours", "results a query", static_cast<double>(found) / Asked(), "");
  }

  void WriteAnswers(Searcher& searcher) const {
    std::ofstream file(options_.answers, std::ios::app);
    for (const BenchQuery& query : queries_) {
      SearchRequest request;
      request.query = query.node;
      const QueryResults results = Expect(searcher.Search(request));
      file << pages_ << " " << query.kind << ":";
      for (const std::string& term : query.terms.terms) file << " " << term;
      file << "\n" << results.total << std::hexfloat;
      for (const SearchHit& hit : results.hits) {
        file << " " << hit.page << "=" << hit.score << "+" << hit.folded;
      }
      file << std::defaultfloat << "\n";
    }
  }

  void RunRival(const std::string& name, const std::string& path, Rival& rival) {
    Analyzer analyzer;
    std::vector<Token> tokens;
    const auto terms = [&](const std::string& text) {
      analyzer.Analyze(text, "en", &tokens);
      std::vector<std::string> list;
      for (const Token& token : tokens) {
        if (!token.is_stop) list.emplace_back(token.term);
      }
      return list;
    };
    Stopwatch building;
    for (std::size_t number = 0; number < pages_; ++number) {
      const CorpusPage page = corpus_.Get(number);
      const std::vector<std::string> title = terms(page.title), text = terms(page.text);
      building.Start();
      rival.Add(number + 1, title, text);
      building.Stop();
    }
    building.Start();
    rival.Finish();
    building.Stop();
    Add(name, "build without analysis", text_bytes_ / 1e6 / building.total(), "MB/s");
    const std::string compact = path + ".compact";
    Add(name, "index, of the text",
        FolderBytes(std::filesystem::exists(compact) ? compact : path) / text_bytes_, "");
    std::size_t found = 0;
    Measured(name, [&](const BenchQuery& query) { found += rival.Search(query.terms); });
    Add(name, "results a query", static_cast<double>(found) / Asked(), "");
  }

  const Options& options_;
  const Corpus& corpus_;
  const std::size_t pages_;
  const std::string folder_;
  double text_bytes_ = 0, weights_ = 0;
  std::vector<BenchQuery> queries_;
  std::vector<Measure> measures_;
};

Options ReadOptions(int count, char** values) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string name = values[i];
    const std::string value = i + 1 < count ? values[i + 1] : "";
    if (name == "--json") {
      options.json = true;
      continue;
    }
    if (name == "--cpu") {
      use_cpu_time = true;
      continue;
    }
    ++i;
    if (name == "--pages") {
      options.pages.clear();
      std::stringstream list(value);
      for (std::string number; std::getline(list, number, ',');) {
        options.pages.push_back(std::stoul(number));
      }
    } else if (name == "--queries") {
      options.queries = std::stoul(value);
    } else if (name == "--rounds") {
      options.rounds = std::max(1ul, std::stoul(value));
    } else if (name == "--rivals") {
      options.rivals = value;
    } else if (name == "--max-text") {
      options.max_text = std::stoul(value);
    } else if (name == "--docs") {
      options.docs.push_back(value);
    } else if (name == "--keep") {
      options.keep = value;
    } else if (name == "--kind") {
      options.kind = value;
    } else if (name == "--answers") {
      options.answers = value;
    } else {
      std::cerr
          << "usage: search_bench [--pages N[,N...]] [--queries N] [--rivals fts5,xapian|none]"
             " [--max-text BYTES] [--docs FOLDER]... [--keep FOLDER] [--kind KIND]"
             " [--rounds N] [--answers FILE] [--cpu] [--json]\n";
      std::exit(2);
    }
  }
  if (options.docs.empty()) {
    options.docs = {"/usr/share/cppreference/doc/html", "/usr/share/doc/python3-doc/html",
                    "/usr/share/doc/postgresql-doc-15/html"};
  }
  return options;
}

int Main(int count, char** values) {
  const Options options = ReadOptions(count, values);
  const Corpus corpus(options.docs, options.max_text);
  if (corpus.size() == 0) {
    std::cerr << "no pages to index: install the documentation packages of scripts/packages, or "
                 "name a folder of HTML files with --docs\n";
    return 1;
  }
  std::vector<Measure> all;
  for (const std::size_t pages : options.pages) {
    const std::string folder = options.keep.empty()
                                   ? (std::filesystem::temp_directory_path() /
                                      ("search-bench-" + std::to_string(::getpid())))
                                         .string()
                                   : options.keep + "/" + std::to_string(pages);
    std::filesystem::create_directories(folder);
    const std::vector<Measure> measures = Bench(options, corpus, pages, folder).Run();
    all.insert(all.end(), measures.begin(), measures.end());
    if (options.keep.empty()) std::filesystem::remove_all(folder);
  }
  if (!options.json) return 0;
  std::printf("[");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Measure& m = all[i];
    std::printf(
        "%s\n  {\"pages\": %zu, \"engine\": \"%s\", \"what\": \"%s\", \"value\": %.6g, "
        "\"unit\": \"%s\"}",
        i == 0 ? "" : ",", m.pages, m.engine.c_str(), m.what.c_str(), m.value, m.unit.c_str());
  }
  std::printf("\n]\n");
  return 0;
}

}  // namespace
}  // namespace crawler

int main(int count, char** values) { return crawler::Main(count, values); }
