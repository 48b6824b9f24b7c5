// DiffTextsOf(): the lines that changed in the texts of pages, between two crawls.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "index/page_text.hpp"
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
    std::string out = pages_ == 0 ? "" : "\n", old_text, new_text, problem;
    AppendPrintable(b.url, &out);
    out += '\n';
    Result<bool> read = before_.Read(a.id, &old_text, &problem);
    if (read.ok() && *read) read = after_.Read(b.id, &new_text, &problem);
    if (!read.ok()) return read.status();
    if (*read) {
      out += ChangesOf(old_text, new_text);
    } else {
      AppendPrintable("No text to compare: " + problem + ".", &out);
      out += '\n';
    }
    ++pages_;
    return write_(out) ? Status::Ok() : stopped();
  }

  PageTexts& before_;
  PageTexts& after_;
  const TextSink& write_;
  std::uint64_t pages_ = 0;
};

}  // namespace

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
