#include "index/indexing.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "index/anchors.hpp"
#include "index/duplicates.hpp"
#include "index/index_writer.hpp"
#include "index/link_graph.hpp"
#include "index/merge.hpp"
#include "index/page_text.hpp"
#include "index/renumber.hpp"
#include "index/segments.hpp"
#include "index/weights.hpp"

namespace crawler {
namespace {

/// The inputs of the weights; the same inputs give the same weights.
constexpr const char* kTextSignature =
    "SELECT count(*) || ' ' || coalesce(max(last_page), 0) || ' ' || coalesce(sum(pages), 0) ||"
    " ' ' || coalesce((SELECT value FROM crawl_state WHERE key = 'index.removals'), 0)"
    " FROM index_segments WHERE kind = 0";
constexpr const char* kLinkSignature =
    "SELECT (SELECT coalesce(max(rowid), 0) FROM page_links) || ' ' ||"
    " (SELECT coalesce(max(id), 0) FROM visits) || ' ' ||"
    " (SELECT coalesce(max(id), 0) FROM pages)";

Result<std::string> QueryText(Database& db, std::string_view sql) {
  Result<Statement> select = db.Prepare(sql);
  if (!select.ok()) return select.status();
  const Result<bool> row = select->Step();
  if (!row.ok()) return row.status();
  return std::string(*row ? select->Text(0) : std::string_view());
}

std::string RankSignature(std::string_view text, std::string_view links, std::string_view topic) {
  return std::string(text).append("; ").append(links).append("; ").append(topic);
}

class Phase {
 public:
  Phase(Database& db, const IndexOptions& options, IndexReport* report)
      : db_(db), options_(options), report_(*report) {}

  Status Run() {
    Status status = SettleDuplicates(db_, options_.stop);
    if (status.ok()) status = Renumber();
    if (status.ok()) status = WriteLeftovers();
    Begin("merging segments");
    MergeLimits limits;
    limits.term_bytes = options_.max_ram / 16;
    if (status.ok()) status = MergeTextSegments(db_, options_.stop, limits);
    if (status.ok()) status = db_.Execute("DELETE FROM removed_pages");
    if (status.ok()) status = Weigh();
    if (status.ok()) status = Link();
    if (status.ok()) status = Count();
    return status;
  }

 private:
  void Begin(std::string_view step) {
    if (options_.progress) options_.progress(step);
  }

  // Runs `step` unless `key` says that it was done with the same material.
  Status Once(std::string_view key, const std::string& signature,
              const std::function<Status()>& step) {
    const Result<std::string> done = IndexState(db_, key);
    if (!done.ok()) return done.status();
    if (*done == signature) return Status::Ok();
    report_.changed = true;
    Status status = step();
    return status.ok() ? PutIndexState(db_, key, signature) : status;
  }

  Status Renumber() {
    const Result<bool> wanted = HasUnusedIds(db_, options_.spare_ids);
    if (!wanted.ok()) return wanted.status();
    if (!*wanted) return Status::Ok();
    Begin("numbering pages anew");
    return RenumberPages(db_, options_.stop);
  }

  Status WriteLeftovers() {
    Begin("writing postings");
    Result<std::unique_ptr<IndexWriter>> writer = IndexWriter::Open(db_, options_.max_ram / 4);
    if (!writer.ok()) return writer.status();
    Status recovered = (*writer)->Recover(options_.stop);
    if (!recovered.ok() && recovered.code() != StatusCode::kCancelled) return recovered;
    // Text gathered before the stop need not be gathered again.
    Status status = db_.Execute("BEGIN IMMEDIATE");
    if (status.ok()) status = CommitOrRollBack(db_, (*writer)->Flush());
    if (status.ok()) status = std::move(recovered);
    if (!status.ok()) return status;
    const Result<std::int64_t> pages = db_.QueryInt(
        "SELECT count(*) FROM page_text WHERE page_id > " + std::to_string((*writer)->watermark()));
    if (!pages.ok()) return pages.status();
    report_.recovered = static_cast<std::uint64_t>(*pages);
    return status;
  }

  Status Weigh() {
    const Result<std::string> signature = QueryText(db_, kTextSignature);
    if (!signature.ok()) return signature.status();
    text_signature_ = *signature;
    return Once("index.terms", text_signature_, [this] {
      Begin("weighing terms");
      return WriteTerms(db_, options_.stop, &report_.terms);
    });
  }

  Status Link() {
    const Result<std::string> links = QueryText(db_, kLinkSignature);
    if (!links.ok()) return links.status();
    const std::string signature = RankSignature(text_signature_, *links, options_.topic);
    return Once("index.ranks", signature, [this] { return RankPages(); });
  }

  Status RankPages() {
    Begin("reading links");
    const Result<UrlPages> urls = UrlPages::Load(db_);
    if (!urls.ok()) return urls.status();
    Begin("indexing anchors");
    std::uint64_t anchors = 0;
    Status status = IndexAnchors(db_, *urls, options_.max_ram / 4, options_.stop, &anchors);
    if (!status.ok()) return status;
    Begin("ranking pages");
    const Result<PageRank> ranks = ComputePageRank(db_, *urls, options_.stop);
    if (!ranks.ok()) return ranks.status();
    report_.links = ranks->links;
    report_.iterations = ranks->iterations;
    report_.change = ranks->change;
    report_.converged = ranks->converged;
    Begin("writing ranks");
    return WriteRanks(db_, *urls, *ranks, options_.topic, options_.stop);
  }

  Status Count() {
    const auto count = [this](std::string_view sql, std::uint64_t* value) {
      const Result<std::int64_t> result = db_.QueryInt(sql);
      if (result.ok()) *value = static_cast<std::uint64_t>(*result);
      return result.ok() ? Status::Ok() : result.status();
    };
    std::uint64_t all = 0;
    Status status =
        count("SELECT sum(pages) FROM index_segments WHERE kind = 0 AND state = 0", &report_.pages);
    if (status.ok()) status = count("SELECT max(id) FROM index_terms", &report_.terms);
    if (status.ok()) status = count("SELECT count(*) FROM index_segments", &report_.segments);
    if (status.ok()) status = count("SELECT count(*) FROM pages", &all);
    report_.unindexed = all - std::min(all, report_.pages);
    return status;
  }

  Database& db_;
  const IndexOptions& options_;
  IndexReport& report_;
  std::string text_signature_;
};

}  // namespace

Status RunIndexing(Database& db, const IndexOptions& options, IndexReport* report) {
  *report = {};
  return Phase(db, options, report).Run();
}

Result<IndexDone> WhatIsDone(Database& db) {
  const Result<std::string> text = QueryText(db, kTextSignature);
  if (!text.ok()) return text.status();
  const Result<std::string> links = QueryText(db, kLinkSignature);
  if (!links.ok()) return links.status();
  const Result<std::string> terms = IndexState(db, "index.terms");
  if (!terms.ok()) return terms.status();
  const Result<std::string> ranks = IndexState(db, "index.ranks");
  if (!ranks.ok()) return ranks.status();
  IndexDone done;
  done.terms = *terms == *text;
  done.ranks = done.terms && ranks->starts_with(RankSignature(*text, *links, {}));
  // The text's part is left out: segments that have gone would hide what they had.
  const std::size_t behind_text = std::min(ranks->find(';'), ranks->size());
  done.pages =
      std::string_view(*ranks).substr(behind_text).starts_with(RankSignature({}, *links, {}));
  return done;
}

Status ForgetIndex(Database& db) {
  Status status = db.Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  status = DropPostings(db);
  // Left behind where rows of pages were lost.
  if (status.ok()) {
    status = db.Execute("DELETE FROM page_text WHERE page_id NOT IN (SELECT id FROM pages)");
  }
  Result<PageTextReader> texts = PageTextReader::Open(db);
  Result<Statement> remove = db.Prepare("DELETE FROM page_text WHERE page_id = ?");
  if (status.ok()) status = texts.status();
  if (status.ok()) status = remove.status();
  std::vector<std::int64_t> damaged;
  PageText text;
  if (status.ok()) {
    status = ForEachRow(db, "SELECT page_id FROM page_text", [&](Statement& row) {
      const Result<bool> read = texts->Read(row.Int(0), &text);
      if (read.status().code() != StatusCode::kCorruption) return read.status();
      damaged.push_back(row.Int(0));
      return Status::Ok();
    });
  }
  for (const std::int64_t page : damaged) {
    if (status.ok()) status = remove->Bind(1, page).Run();
  }
  return CommitOrRollBack(db, status);
}

}  // namespace crawler
