#include "engines.hpp"

#include <sqlite3.h>

#include <cctype>
#include <cstdlib>
#include <iostream>

#ifdef CRAWLER_BENCH_XAPIAN
#include <xapian.h>
#endif

namespace crawler {
namespace {

constexpr int kTitleWeight = 5;

/// The words of a question, each in quotation marks: FTS5 takes no signs outside of them. What it
/// makes several words of (push_back) is a phrase then.
std::string QuotedWords(const std::string& question, const char* between) {
  std::string match, word;
  const auto add = [&] {
    bool has_letters = false;
    for (const char c : word) {
      has_letters = has_letters || std::isalnum(static_cast<unsigned char>(c)) != 0;
    }
    if (has_letters) match.append(match.empty() ? "\"" : between).append(word).append("\"");
    word.clear();
  };
  for (const char c : question) {
    if (c == ' ') {
      add();
    } else if (c != '"') {
      word.push_back(c);
    }
  }
  add();
  return match;
}

class Fts5Text final : public TextEngine {
 public:
  explicit Fts5Text(bool any_word) : between_(any_word ? " OR \"" : " AND \"") {
    Expect(sqlite3_open(":memory:", &db_));
    Run("CREATE VIRTUAL TABLE pages USING fts5(title, body, content='',"
        " tokenize = 'porter unicode61'); BEGIN");
    Prepare("INSERT INTO pages(rowid, title, body) VALUES(?,?,?)", &insert_);
    Prepare("SELECT rowid FROM pages WHERE pages MATCH ?1 ORDER BY bm25(pages, ?3, 1) LIMIT ?2",
            &select_);
    sqlite3_bind_double(select_, 3, kTitleWeight);
  }
  ~Fts5Text() override {
    sqlite3_finalize(insert_);
    sqlite3_finalize(select_);
    sqlite3_close(db_);
  }
  Fts5Text(const Fts5Text&) = delete;
  Fts5Text& operator=(const Fts5Text&) = delete;

  void Add(std::int64_t page, const std::string& title, const std::string& text) override {
    sqlite3_bind_int64(insert_, 1, page);
    sqlite3_bind_text(insert_, 2, title.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_text(insert_, 3, text.c_str(), -1, SQLITE_STATIC);
    if (sqlite3_step(insert_) != SQLITE_DONE) Expect(sqlite3_errcode(db_));
    sqlite3_reset(insert_);
  }
  void Finish() override { Run("COMMIT"); }
  std::vector<std::int64_t> Search(const std::string& question, std::size_t limit) override {
    std::vector<std::int64_t> found;
    const std::string match = QuotedWords(question, between_);
    sqlite3_bind_text(select_, 1, match.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_int64(select_, 2, static_cast<sqlite3_int64>(limit));
    while (sqlite3_step(select_) == SQLITE_ROW) found.push_back(sqlite3_column_int64(select_, 0));
    sqlite3_reset(select_);
    return found;
  }

 private:
  void Expect(int code) {
    if (code == SQLITE_OK) return;
    std::cerr << "FTS5: " << sqlite3_errmsg(db_) << "\n";
    std::exit(1);
  }
  void Run(const char* sql) { Expect(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
  void Prepare(const char* sql, sqlite3_stmt** statement) {
    Expect(sqlite3_prepare_v2(db_, sql, -1, statement, nullptr));
  }

  const char* const between_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
};

#ifdef CRAWLER_BENCH_XAPIAN
class XapianText final : public TextEngine {
 public:
  XapianText() : db_("", Xapian::DB_BACKEND_INMEMORY), stem_("en") {
    generator_.set_stemmer(stem_);
    parser_.set_stemmer(stem_);
    parser_.set_stemming_strategy(Xapian::QueryParser::STEM_SOME);
  }

  void Add(std::int64_t page, const std::string& title, const std::string& text) override {
    Xapian::Document document;
    generator_.set_document(document);
    generator_.set_termpos(0);
    generator_.index_text(title, kTitleWeight);
    generator_.increase_termpos();
    generator_.index_text(text);
    document.set_data(std::to_string(page));
    db_.add_document(document);
  }
  void Finish() override { db_.commit(); }
  std::vector<std::int64_t> Search(const std::string& question, std::size_t limit) override {
    Xapian::Enquire enquire(db_);
    enquire.set_query(parser_.parse_query(question, Xapian::QueryParser::FLAG_PHRASE));
    std::vector<std::int64_t> found;
    const Xapian::MSet matches = enquire.get_mset(0, static_cast<Xapian::doccount>(limit));
    for (auto match = matches.begin(); match != matches.end(); ++match) {
      found.push_back(std::stoll(match.get_document().get_data()));
    }
    return found;
  }

 private:
  Xapian::WritableDatabase db_;
  Xapian::Stem stem_;
  Xapian::TermGenerator generator_;
  Xapian::QueryParser parser_;
};
#endif

}  // namespace

std::unique_ptr<TextEngine> MakeFts5Text(bool any_word) {
  return std::make_unique<Fts5Text>(any_word);
}

std::unique_ptr<TextEngine> MakeXapianText() {
#ifdef CRAWLER_BENCH_XAPIAN
  return std::make_unique<XapianText>();
#else
  return nullptr;
#endif
}

}  // namespace crawler
