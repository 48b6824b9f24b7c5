#include "rivals.hpp"

#include <sqlite3.h>

#include <cstdlib>
#include <iostream>

#ifdef CRAWLER_BENCH_XAPIAN
#include <xapian.h>
#endif

namespace crawler {
namespace {

class Fts5 final : public Rival {
 public:
  explicit Fts5(const std::string& path) {
    Expect(sqlite3_open(path.c_str(), &db_));
    // Terms are ready: they only have to be told apart.
    Run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -64000;"
        "CREATE VIRTUAL TABLE pages USING fts5(title, body, content='',"
        " tokenize = \"unicode61 remove_diacritics 0 tokenchars '_+#.-'\"); BEGIN");
    Prepare("INSERT INTO pages(rowid, title, body) VALUES(?,?,?)", &insert_);
    Prepare("SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 10", &select_);
  }
  ~Fts5() override {
    sqlite3_finalize(insert_);
    sqlite3_finalize(select_);
    sqlite3_close(db_);
  }

  void Add(std::size_t page, const std::vector<std::string>& title,
           const std::vector<std::string>& text) override {
    const std::string title_text = Join(title), body = Join(text);
    sqlite3_bind_int64(insert_, 1, static_cast<sqlite3_int64>(page));
    sqlite3_bind_text(insert_, 2, title_text.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_text(insert_, 3, body.c_str(), -1, SQLITE_STATIC);
    if (sqlite3_step(insert_) != SQLITE_DONE) Expect(sqlite3_errcode(db_));
    sqlite3_reset(insert_);
    if (page % 1000 == 0) Run("COMMIT; BEGIN");
  }
  void Finish() override {
    Run("COMMIT; INSERT INTO pages(pages) VALUES('optimize'); PRAGMA wal_checkpoint(TRUNCATE);"
        "PRAGMA mmap_size = 17179869184");
  }
  std::size_t Search(const TermQuery& query) override {
    std::string match = query.kind == TermQuery::Kind::kPhrase ? "\"" : "";
    for (const std::string& term : query.terms) {
      if (query.kind == TermQuery::Kind::kPhrase) {
        match += (match.size() > 1 ? " " : "") + term;
        continue;
      }
      if (!match.empty()) match += query.kind == TermQuery::Kind::kAll ? " AND " : " OR ";
      match += "\"" + term + "\"";
    }
    if (query.kind == TermQuery::Kind::kPhrase) match += "\"";
    sqlite3_bind_text(select_, 1, match.c_str(), -1, SQLITE_STATIC);
    std::size_t found = 0;
    while (sqlite3_step(select_) == SQLITE_ROW) ++found;
    sqlite3_reset(select_);
    return found;
  }

 private:
  static std::string Join(const std::vector<std::string>& terms) {
    std::string text;
    for (const std::string& term : terms) text.append(term).push_back(' ');
    return text;
  }
  void Expect(int code) {
    if (code == SQLITE_OK) return;
    std::cerr << "FTS5: " << sqlite3_errmsg(db_) << "\n";
    std::exit(1);
  }
  void Run(const char* sql) { Expect(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
  void Prepare(const char* sql, sqlite3_stmt** statement) {
    Expect(sqlite3_prepare_v2(db_, sql, -1, statement, nullptr));
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
};

#ifdef CRAWLER_BENCH_XAPIAN
class XapianIndex final : public Rival {
 public:
  explicit XapianIndex(const std::string& path)
      : path_(path), db_(std::make_unique<Xapian::WritableDatabase>(path, Xapian::DB_CREATE)) {}

  void Add(std::size_t page, const std::vector<std::string>& title,
           const std::vector<std::string>& text) override {
    Xapian::Document document;
    Xapian::termpos position = 1;
    for (const std::string& term : title) {
      document.add_posting(term, position, 5);
      ++position;
    }
    position += 256;
    for (const std::string& term : text) document.add_posting(term, position++);
    document.set_data(std::to_string(page));
    db_->add_document(document);
  }
  void Finish() override {
    db_->commit();
    db_->compact(path_ + ".compact");
    db_.reset();
    reader_ = std::make_unique<Xapian::Database>(path_ + ".compact");
  }
  std::size_t Search(const TermQuery& query) override {
    const Xapian::Query::op op = query.kind == TermQuery::Kind::kAll   ? Xapian::Query::OP_AND
                                 : query.kind == TermQuery::Kind::kAny ? Xapian::Query::OP_OR
                                                                       : Xapian::Query::OP_PHRASE;
    Xapian::Enquire enquire(*reader_);
    enquire.set_query(Xapian::Query(op, query.terms.begin(), query.terms.end()));
    return enquire.get_mset(0, 10).size();
  }

 private:
  const std::string path_;
  std::unique_ptr<Xapian::WritableDatabase> db_;
  std::unique_ptr<Xapian::Database> reader_;
};
#endif

}  // namespace

std::unique_ptr<Rival> MakeFts5(const std::string& path) { return std::make_unique<Fts5>(path); }

std::unique_ptr<Rival> MakeXapian([[maybe_unused]] const std::string& path) {
#ifdef CRAWLER_BENCH_XAPIAN
  return std::make_unique<XapianIndex>(path);
#else
  return nullptr;
#endif
}

}  // namespace crawler
