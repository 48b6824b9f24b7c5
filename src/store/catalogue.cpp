#include "store/catalogue.hpp"

#include <utility>

#include "store/schema.hpp"

namespace crawler {
namespace {

/// Under this key of crawl_state: the last page that was removed, if none was added since.
constexpr std::string_view kLastPage = "last_page";

double ToScore(std::int64_t hundredths) { return static_cast<double>(hundredths) / 100; }

std::int64_t Signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

const char* SynchronousPragma(Durability durability) {
  return durability == Durability::kFull ? "PRAGMA synchronous = FULL"
                                         : "PRAGMA synchronous = NORMAL";
}

Status MakeStatement(Database& db, std::string_view sql, Statement* out) {
  Result<Statement> statement = db.Prepare(sql);
  if (!statement.ok()) return statement.status();
  *out = std::move(statement).value();
  return Status::Ok();
}

void BindWarc(Statement& statement, int first, const WarcRef& warc) {
  if (warc.length == 0) {
    statement.BindNull(first).BindNull(first + 1).BindNull(first + 2);
    return;
  }
  statement.Bind(first, std::int64_t{warc.file})
      .Bind(first + 1, Signed(warc.offset))
      .Bind(first + 2, Signed(warc.length));
}

}  // namespace

struct Catalogue::Statements {
  Statement begin, commit;
  Statement host, url, requeue, visit, page, links, dead_letter, event, robots, put_state;
  Statement forget_links, forget_page, heir, inherit, update_page, has_content;
};

Catalogue::Catalogue(Database db)
    : db_(std::move(db)), statements_(std::make_unique<Statements>()) {}
Catalogue::~Catalogue() = default;

Result<std::unique_ptr<Catalogue>> Catalogue::Open(const std::string& path, Durability durability) {
  Result<Database> db = Database::Open(path, Database::Mode::kCreate);
  if (!db.ok()) return db.status();
  // The checkpoints are large: what is rewritten often within one is written back once.
  std::string pragmas =
      "PRAGMA page_size = 16384;"
      "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -8000;";
  pragmas.append(SynchronousPragma(durability));
  Status status = db->Execute(pragmas);
  if (status.ok()) status = Migrate(*db, CatalogueSchema());
  if (!status.ok()) return status;
  auto catalogue = std::unique_ptr<Catalogue>(new Catalogue(std::move(db).value()));
  status = catalogue->Prepare();
  if (status.ok()) status = catalogue->ReadIds();
  if (!status.ok()) return status;
  return catalogue;
}

Status Catalogue::Prepare() {
  const std::pair<Statement*, std::string_view> wanted[] = {
      {&statements_->begin, "BEGIN IMMEDIATE"},
      {&statements_->commit, "COMMIT"},
      {&statements_->host, "INSERT INTO hosts VALUES(?,?,?)"},
      {&statements_->url, "INSERT INTO urls VALUES(?,?,?,?,?,?,?,?,?)"},
      {&statements_->requeue, "INSERT INTO requeued VALUES(NULL,?,?,?,?)"},
      {&statements_->visit,
       "INSERT INTO visits VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&statements_->page,
       "INSERT INTO pages VALUES"
       "(?27,?1,?2,?3,?4,?5,?6,?7,?8,NULL,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,"
       "?23,?24,?25,?26,?28,?29,?30)"},
      {&statements_->links, "INSERT INTO page_links VALUES(?,?)"},
      {&statements_->dead_letter, "INSERT INTO dead_letters VALUES(NULL,?,?,?,?)"},
      {&statements_->event, "INSERT INTO events VALUES(NULL,?,?,?)"},
      {&statements_->robots, "INSERT OR REPLACE INTO robots_cache VALUES(?,?,?,?,?,?,?)"},
      {&statements_->put_state, "INSERT OR REPLACE INTO crawl_state VALUES(?,?)"},
      {&statements_->forget_links, "DELETE FROM page_links WHERE from_id = ?"},
      {&statements_->forget_page, "DELETE FROM pages WHERE id = ?"},
      {&statements_->heir, "SELECT url_id FROM pages WHERE duplicate_of = ? ORDER BY id LIMIT 1"},
      {&statements_->inherit,
       "UPDATE pages SET duplicate_of = nullif(?1, url_id) WHERE duplicate_of = ?2"},
      {&statements_->update_page,
       "UPDATE pages SET etag = ?2, last_modified = ?3, depth = ?4, noindex = ?5 WHERE id = ?1"},
      {&statements_->has_content, "SELECT 1 FROM pages WHERE url_id = ? AND content_hash = ?"},
  };
  for (const auto& [statement, sql] : wanted) {
    if (Status status = MakeStatement(db_, sql, statement); !status.ok()) return status;
  }
  return Status::Ok();
}

Status Catalogue::SetDurability(Durability durability) {
  return db_.Execute(SynchronousPragma(durability));
}

Status Catalogue::Begin() { return statements_->begin.Run(); }
Status Catalogue::Commit() { return statements_->commit.Run(); }

Status Catalogue::AddHost(const HostRow& row) {
  return statements_->host.Bind(1, std::int64_t{row.id})
      .Bind(2, row.origin)
      .Bind(3, row.site)
      .Run();
}

Status Catalogue::AddUrl(const UrlRow& row) {
  return statements_->url.Bind(1, std::int64_t{row.id})
      .Bind(2, row.url)
      .Bind(3, std::int64_t{row.host})
      .Bind(4, std::int64_t{row.depth})
      .Bind(5, std::int64_t{row.redirects})
      .Bind(6, static_cast<std::int64_t>(row.via))
      .BindIdOrNull(7, row.from)
      .BindIdOrNull(8, static_cast<std::int64_t>(row.skipped))
      .BindTextOrNull(9, row.skip_detail)
      .Run();
}

Status Catalogue::AddRequeue(const RequeueRow& row) {
  return statements_->requeue.Bind(1, std::int64_t{row.url})
      .Bind(2, std::int64_t{row.depth})
      .BindIdOrNull(3, row.from)
      .Bind(4, std::int64_t{row.waits})
      .Run();
}

Result<std::int64_t> Catalogue::AddVisit(const VisitRow& row, const WarcRef& warc) {
  Statement& statement = statements_->visit;
  statement.BindIdOrNull(1, row.url)
      .Bind(2, row.at)
      .Bind(3, std::int64_t{row.final})
      .Bind(4, VisitOutcomeName(row.outcome))
      .BindIdOrNull(5, row.status)
      .BindTextOrNull(6, row.detail)
      .BindIdOrNull(7, row.redirect_to)
      .Bind(8, std::int64_t{row.failures})
      .Bind(9, ToScore(row.score))
      .BindTextOrNull(10, row.address)
      .BindTextOrNull(11, row.protocol)
      .Bind(12, Signed(row.bytes))
      .BindIdOrNull(13, row.resolved)
      .BindIdOrNull(14, row.connected)
      .BindIdOrNull(15, row.secured)
      .BindIdOrNull(16, row.first_byte)
      .BindIdOrNull(17, row.total);
  BindWarc(statement, 18, warc);
  const bool failed = row.failure != FetchFailure::kNone;
  statement.BindIdOrNull(21, row.retry_after)
      .BindTextOrNull(22, PageChangeName(row.change))
      .BindTextOrNull(23, failed ? FetchFailureName(row.failure) : std::string_view())
      .BindIdOrNull(24, row.host)
      .BindTextOrNull(25, GiveUpReasonName(row.given_up));
  if (Status status = statement.Run(); !status.ok()) return status;
  return db_.last_insert_id();
}

Result<AddedPage> Catalogue::AddPage(const PageRow& row, std::int64_t visit, const WarcRef& warc) {
  UrlId original = row.duplicate_of;
  if (original != 0 && round_.number != 0) {
    const Result<bool> holds = HasContent(original, row.content_hash);
    if (!holds.ok()) return holds.status();
    if (!*holds) original = 0;
  }
  const std::int64_t page = last_page_ + 1;
  Statement& statement = statements_->page;
  statement.Bind(1, std::int64_t{row.url_id})
      .Bind(2, visit)
      .Bind(3, row.url)
      .Bind(4, row.domain)
      .BindTextOrNull(5, row.title)
      .BindTextOrNull(6, row.description)
      .Bind(7, row.content_hash)
      .Bind(8, std::int64_t{row.status})
      .Bind(9, row.crawled_at)
      .BindTextOrNull(10, row.last_modified)
      .BindTextOrNull(11, row.etag)
      .Bind(12, std::int64_t{row.depth})
      .Bind(13, ToScore(row.score))
      .Bind(14, Signed(row.size))
      .BindTextOrNull(15, row.content_type)
      .BindTextOrNull(16, row.charset)
      .BindTextOrNull(17, row.language)
      .BindTextOrNull(18, row.canonical)
      .Bind(19, std::int64_t{row.noindex})
      .Bind(20, std::int64_t{row.nofollow})
      .BindTextOrNull(21, row.truncated)
      .BindIdOrNull(22, original);
  BindWarc(statement, 23, warc);
  if (row.payload_hash) {
    statement.BindBlob(26, *row.payload_hash);
  } else {
    statement.BindNull(26);
  }
  statement.Bind(27, page)
      .BindTextOrNull(28, row.h1)
      .BindTextOrNull(29, row.hreflang)
      .BindTextOrNull(30, row.headers);
  if (Status status = statement.Run(); !status.ok()) return status;
  last_page_ = page;
  if (!row.links.empty()) {
    Status status = statements_->links.Bind(1, std::int64_t{row.url_id}).Bind(2, row.links).Run();
    if (!status.ok()) return status;
  }
  return AddedPage{page, original != 0};
}

Result<bool> Catalogue::HasContent(UrlId url, std::string_view content_hash) {
  Statement& statement = statements_->has_content;
  Result<bool> row = statement.Bind(1, std::int64_t{url}).Bind(2, content_hash).Step();
  statement.Reset();
  return row;
}

Result<UrlId> Catalogue::RemovePage(std::int64_t page, UrlId url) {
  // The next page must not get the id of the last one, were it only for the index.
  Status status;
  if (page == last_page_) status = KeepLastPage();
  if (status.ok()) status = statements_->forget_links.Bind(1, std::int64_t{url}).Run();
  if (status.ok()) status = statements_->forget_page.Bind(1, page).Run();
  if (!status.ok()) return status;
  Statement& select = statements_->heir;
  const Result<bool> row = select.Bind(1, std::int64_t{url}).Step();
  if (!row.ok()) return row.status();
  const UrlId heir = *row ? static_cast<UrlId>(select.Int(0)) : 0;
  select.Reset();
  if (heir == 0) return heir;
  status = statements_->inherit.Bind(1, std::int64_t{heir}).Bind(2, std::int64_t{url}).Run();
  if (!status.ok()) return status;
  return heir;
}

Status Catalogue::KeepLastPage() { return PutState(kLastPage, std::to_string(last_page_)); }

Status Catalogue::UpdatePage(const StoredPage& page) {
  return statements_->update_page.Bind(1, page.id)
      .BindTextOrNull(2, page.etag)
      .BindTextOrNull(3, page.last_modified)
      .Bind(4, std::int64_t{page.depth})
      .Bind(5, std::int64_t{page.noindex})
      .Run();
}

Status Catalogue::BeginRound(std::int64_t now) {
  Statement begin;
  Status status = MakeStatement(db_,
                                "INSERT INTO rounds SELECT NULL, ?,"
                                " (SELECT coalesce(max(id), 0) FROM visits),"
                                " (SELECT coalesce(max(id), 0) FROM urls)",
                                &begin);
  if (status.ok()) status = begin.Bind(1, now).Run();
  if (status.ok()) {
    status = db_.Execute(
        "DELETE FROM requeued; DELETE FROM dead_letters;"
        "UPDATE robots_cache SET expires_at = 0");
  }
  if (status.ok()) status = ReadIds();
  return status;
}

// Reads the round and the largest page id ever used.
Status Catalogue::ReadIds() {
  const Result<Round> round = ReadRound(db_);
  if (!round.ok()) return round.status();
  round_ = *round;
  const Result<std::int64_t> last = db_.QueryInt(
      "SELECT max(coalesce((SELECT max(id) FROM pages), 0),"
      " coalesce((SELECT CAST(value AS INTEGER) FROM crawl_state WHERE key = '" +
      std::string(kLastPage) + "'), 0))");
  if (!last.ok()) return last.status();
  last_page_ = *last;
  return Status::Ok();
}

Result<Round> ReadRound(Database& db) {
  Round round;
  Status status =
      ForEachRow(db, "SELECT id, last_visit, last_url FROM rounds ORDER BY id DESC LIMIT 1",
                 [&round](Statement& row) {
                   round = {row.Int(0), row.Int(1), row.Int(2)};
                 });
  if (!status.ok()) return status;
  return round;
}

Status Catalogue::AddDeadLetter(const DeadLetterRow& row) {
  return statements_->dead_letter.Bind(1, std::int64_t{row.url})
      .Bind(2, row.at)
      .Bind(3, row.reason)
      .Bind(4, row.history)
      .Run();
}

Status Catalogue::AddEvent(const EventRow& row) {
  return statements_->event.Bind(1, row.at).Bind(2, row.kind).BindTextOrNull(3, row.detail).Run();
}

Status Catalogue::PutRobots(const RobotsRow& row) {
  Statement& statement = statements_->robots;
  statement.Bind(1, row.origin)
      .Bind(2, row.rules)
      .BindIdOrNull(3, row.status)
      .Bind(4, row.policy)
      .Bind(6, row.fetched_at)
      .Bind(7, row.expires_at);
  if (row.crawl_delay > 0) {
    statement.Bind(5, row.crawl_delay);
  } else {
    statement.BindNull(5);
  }
  return statement.Run();
}

Status Catalogue::PutState(std::string_view key, std::string_view value) {
  return statements_->put_state.Bind(1, key).Bind(2, value).Run();
}

Result<std::string> ReadState(Database& db, std::string_view key) {
  return db.QueryText("SELECT value FROM crawl_state WHERE key = ?", key);
}

Status Catalogue::MakeIndexes() { return db_.Execute(kCompletionIndexes); }
Status Catalogue::DropIndexes() {
  return db_.Execute(round_.number == 0 ? kDropCompletionIndexes : kRoundIndexes);
}
Status Catalogue::Checkpoint() { return db_.Execute("PRAGMA wal_checkpoint(TRUNCATE)"); }

}  // namespace crawler
