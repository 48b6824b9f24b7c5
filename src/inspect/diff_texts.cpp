// DiffTextsOf() and DiffRoundTextsOf(): the lines that changed in the texts of pages, between two
// crawls or two rounds of one.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "index/page_text.hpp"
#include "inspect/diff_rounds.hpp"
#include "inspect/inspect.hpp"
#include "inspect/line_diff.hpp"
#include "inspect/page_pairs.hpp"
#include "inspect/read_folder.hpp"
#include "inspect/read_snapshot.hpp"
#include "inspect/stored_response.hpp"

namespace crawler {
namespace {

/// The texts of one crawl's pages: from the WARC, else from the index.
class PageTexts {
 public:
  Status Open(const std::string& folder, const ReadLimits& limits) {
    Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, limits);
    if (!snapshot.ok()) return snapshot.status();
    snapshot_ = std::make_unique<CatalogueSnapshot>(std::move(snapshot).value());
    Result<std::unique_ptr<StoredResponses>> responses = StoredResponses::Open(*snapshot_, folder);
    if (!responses.ok()) return responses.status();
    responses_ = std::move(responses).value();
    Result<PageTextReader> indexed = PageTextReader::Open(snapshot_->db());
    if (!indexed.ok()) return indexed.status();
    indexed_ = std::make_unique<PageTextReader>(std::move(indexed).value());
    return Status::Ok();
  }

  CatalogueSnapshot& snapshot() { return *snapshot_; }
  const CrawlOptions& options() const { return responses_->options(); }

  /// False if no text can be read; then `*problem` says why.
  Result<bool> Read(std::int64_t id, std::string* text, std::string* problem) {
    *problem = "the crawl stored neither WARC nor index";
    Result<bool> archived = ReadArchived(id, text, problem);
    if (!archived.ok() || *archived) return archived;
    PageText stored;
    Result<bool> indexed = indexed_->Read(id, &stored);
    *text = std::move(stored.text);
    return indexed;
  }

 private:
  Result<bool> ReadArchived(std::int64_t id, std::string* text, std::string* problem) {
    ArchivedPage page;
    bool is_archived = false;
    const Status status = ForEachRow(
        snapshot_->db(),
        "SELECT " + std::string(kArchivedPageColumns) +
            " FROM pages p WHERE p.id = ? AND p.warc_file IS NOT NULL",
        [&](Statement& row) {
          is_archived = true;
          page = ToArchivedPage(row);
        },
        id);
    if (!status.ok()) return status;
    if (!is_archived) return false;
    FetchResult response;
    Result<bool> read = responses_->Read(page, &response, problem);
    if (!read.ok() || !*read) return read;
    Document document;
    responses_->ReadDocument(response, &document);
    *text = std::move(document.page.text);
    return true;
  }

  std::unique_ptr<CatalogueSnapshot> snapshot_;
  std::unique_ptr<StoredResponses> responses_;
  std::unique_ptr<PageTextReader> indexed_;
};

std::string ChangesOf(std::string_view before, std::string_view after) {
  if (before == after) return "The text is the same.\n";
  const std::size_t old_count = CountLines(before), new_count = CountLines(after);
  if (std::max(old_count, new_count) <= LineDiffLimits().max_lines) {
    const std::vector<std::string_view> a = SplitLines(before), b = SplitLines(after);
    const std::optional<std::vector<LineChange>> changes = DiffLines(a, b);
    if (changes) return UnifiedHunks(a, b, *changes);
  }
  return "Too different: " + std::to_string(old_count) + " lines before, " +
         std::to_string(new_count) + " after.\n";
}

/// What is written of a page: the URL, then the changes, or why there are none.
std::string PageChanges(std::string_view url, bool first, std::string_view changes) {
  std::string out = first ? "" : "\n";
  AppendPrintable(url, &out);
  out += '\n';
  return out += changes;
}

std::string NoText(std::string_view problem) {
  std::string out;
  AppendPrintable("No text to compare: " + std::string(problem) + ".", &out);
  return out + '\n';
}

/// The texts of two crawls.
class TextComparison {
 public:
  TextComparison(PageTexts& before, PageTexts& after, const TextSink& write)
      : before_(before), after_(after), write_(write) {}

  Status Run(std::string_view url) {
    return ForEachPagePair(before_.snapshot().db(), after_.snapshot().db(), url,
                           [&](const PageVersion* a, const PageVersion* b) {
                             if (a == nullptr || b == nullptr) return Status::Ok();
                             if (url.empty() && !HasChanged(*a, *b)) return Status::Ok();
                             return Compare(*a, *b);
                           });
  }
  std::uint64_t pages() const { return pages_; }

 private:
  Status Compare(const PageVersion& a, const PageVersion& b) {
    const auto stopped = [] { return Status(StatusCode::kCancelled, "stopped"); };
    if (before_.snapshot().Stopped() || after_.snapshot().Stopped()) return stopped();
    std::string old_text, new_text, problem;
    Result<bool> read = before_.Read(a.id, &old_text, &problem);
    if (read.ok() && *read) read = after_.Read(b.id, &new_text, &problem);
    if (!read.ok()) return read.status();
    const std::string changes = *read ? ChangesOf(old_text, new_text) : NoText(problem);
    return write_(PageChanges(b.url, pages_++ == 0, changes)) ? Status::Ok() : stopped();
  }

  PageTexts& before_;
  PageTexts& after_;
  const TextSink& write_;
  std::uint64_t pages_ = 0;
};

// Two versions of each page that a round has changed: the columns of ToArchivedPage(), twice.
constexpr const char* kChangedInRound = R"sql(
  WITH earlier AS (SELECT url_id, max(id) AS id FROM visits
                   WHERE final AND outcome = 'page' AND id <= ?1 GROUP BY url_id)
  SELECT 0, u.url, v.status_code, v.at, '', 0, v.warc_file, v.warc_offset, v.warc_length, v.id,
         0, u.url, a.status_code, a.at, '', 0, a.warc_file, a.warc_offset, a.warc_length, a.id
  FROM visits v CROSS JOIN urls u ON u.id = v.url_id
       JOIN earlier e ON e.url_id = v.url_id JOIN visits a ON a.id = e.id
  WHERE v.id > ?1 AND v.id <= ?2 AND v.change = 'changed' AND (?3 = '' OR u.url = ?3)
  ORDER BY u.url)sql";

/// The texts of two rounds of a crawl, from its WARC.
class RoundComparison {
 public:
  RoundComparison(CatalogueSnapshot& snapshot, StoredResponses& responses, const TextSink& write)
      : snapshot_(snapshot), responses_(responses), write_(write) {}

  Status Run(const VisitRange& visits, std::string_view url) {
    Result<Statement> changed = snapshot_.db().Prepare(kChangedInRound);
    if (!changed.ok()) return changed.status();
    changed->Bind(1, visits.first).Bind(2, visits.last).Bind(3, url);
    return ForEachRow(*changed, [this](Statement& row) { return Compare(row); });
  }
  std::uint64_t pages() const { return pages_; }

 private:
  Status Compare(Statement& row) {
    const ArchivedPage now = ToArchivedPage(row), before = ToArchivedPage(row, 10);
    std::string old_text, new_text, problem = "the crawl stored no WARC";
    const bool archived = !row.IsNull(6) && !row.IsNull(16);
    Result<bool> read = archived ? Read(before, &old_text, &problem) : Result<bool>(false);
    if (read.ok() && *read) read = Read(now, &new_text, &problem);
    if (!read.ok()) return read.status();
    const std::string changes = *read ? ChangesOf(old_text, new_text) : NoText(problem);
    const bool go_on = !snapshot_.Stopped() && write_(PageChanges(now.url, pages_++ == 0, changes));
    return go_on ? Status::Ok() : Status(StatusCode::kCancelled, "stopped");
  }

  Result<bool> Read(const ArchivedPage& page, std::string* text, std::string* problem) {
    FetchResult response;
    Result<bool> read = responses_.Read(page, &response, problem);
    if (!read.ok() || !*read) return read;
    Document document;
    responses_.ReadDocument(response, &document);
    *text = std::move(document.page.text);
    return true;
  }

  CatalogueSnapshot& snapshot_;
  StoredResponses& responses_;
  const TextSink& write_;
  std::uint64_t pages_ = 0;
};

Status CompareRound(CatalogueSnapshot& snapshot, const std::string& folder, std::uint64_t round,
                    std::string_view url, const TextSink& write, std::uint64_t* pages) {
  const Result<VisitRange> visits = FindRound(snapshot.db(), round);
  if (!visits.ok()) return visits.status();
  const Result<std::unique_ptr<StoredResponses>> responses =
      StoredResponses::Open(snapshot, folder);
  if (!responses.ok()) return responses.status();
  std::string page;
  if (!url.empty()) {
    const Result<Url> parsed = ParseUrlFor((*responses)->options(), url);
    if (!parsed.ok()) return parsed.status();
    page = parsed->href();
  }
  RoundComparison comparison(snapshot, **responses, write);
  Status status = comparison.Run(*visits, page);
  *pages = comparison.pages();
  if (status.ok() && !page.empty() && *pages == 0) {
    status = Status(StatusCode::kNotFound, page + " did not change in that round");
  }
  return status;
}

}  // namespace

ReadOutcome DiffRoundTextsOf(const std::string& folder, std::uint64_t round, std::string_view url,
                             const TextSink& write, const ReadLimits& limits) {
  Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, limits);
  if (!snapshot.ok()) return FailedToRead(snapshot.status());
  std::uint64_t pages = 0;
  const Status status = CompareRound(*snapshot, folder, round, url, write, &pages);
  return snapshot->Outcome(status, pages);
}

ReadOutcome DiffTextsOf(const std::string& before, const std::string& after, std::string_view url,
                        const TextSink& write, const ReadLimits& limits) {
  PageTexts old_texts, new_texts;
  Status status = old_texts.Open(before, limits);
  if (status.ok()) status = new_texts.Open(after, limits);
  if (!status.ok()) return FailedToRead(status);
  std::string page;
  if (!url.empty()) {
    const Result<Url> parsed = ParseUrlFor(new_texts.options(), url);
    if (!parsed.ok()) return FailedToRead(parsed.status());
    page = parsed->href();
  }
  TextComparison comparison(old_texts, new_texts, write);
  status = comparison.Run(page);
  if (status.ok() && !page.empty() && comparison.pages() == 0) {
    status = Status(StatusCode::kNotFound, page + " is not a page of both crawls");
  }
  const ReadOutcome outcome = old_texts.snapshot().Outcome(status, comparison.pages());
  return outcome.kind == ReadOutcome::Kind::kTimeout
             ? outcome
             : new_texts.snapshot().Outcome(status, comparison.pages());
}

}  // namespace crawler
