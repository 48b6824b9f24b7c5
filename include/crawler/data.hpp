/// The data of a crawl for other programs: exports, queries, stored pages, files.
///
/// All functions read a snapshot of the folder and change nothing in it; a crawl may run meanwhile.
/// Threads: safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/crawler.h"
#include "crawler/read_outcome.hpp"

namespace crawler {

/// A value of a row. Views are valid during the call only.
struct Cell {
  enum class Kind : std::uint8_t { kNull, kInteger, kReal, kText, kBytes };
  Kind kind = Kind::kNull;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;  ///< Of kText and kBytes. kText from the web need not be UTF-8.
};

/// Receives rows: first the names of the columns, then row by row. False ends the reading.
struct RowSink {
  std::function<bool(std::span<const std::string> columns)> columns;
  std::function<bool(std::span<const Cell> row)> row;
};

/// Receives text, piece by piece. False ends the reading, e.g. because the disk is full.
using TextSink = std::function<bool(std::string_view text)>;

enum class DataFormat : std::uint8_t {
  /// RFC 4180, in UTF-8. A text that a spreadsheet would take for a formula begins with an
  /// apostrophe. Control characters and bytes that are not UTF-8 become U+FFFD.
  kCsv,
  /// An object per line, in UTF-8, safe for terminals. Bytes that are not UTF-8 become U+FFFD.
  kJsonl,
  kGraphml,    ///< Only for the graph.
  kUrlList,    ///< Only for the graph: the URL number n in line n.
  kAdjacency,  ///< Only for the graph: in line n the numbers of the URLs that page n links to.
};

/// Rows as text. Of kCsv and kJsonl only.
/// `for_terminal`: characters that could deceive on a terminal are escaped in CSV as well.
CRAWLER_EXPORT RowSink MakeRowWriter(DataFormat format, TextSink write, bool for_terminal = false);

/// When to stop reading.
struct ReadLimits {
  std::chrono::milliseconds max_time{0};  ///< 0: no limit.
  std::function<bool()> stopped;          ///< Asked often; true stops. Empty: never.
};

/// A part of a crawl that can be exported.
struct ExportKind {
  const char* name;  ///< "urls", "broken", …
  const char* help;
};
CRAWLER_EXPORT std::span<const ExportKind> ExportKinds();

/// Writes the part of the crawl in `folder` that `what` names. Memory does not grow with the crawl;
/// sorting uses temporary files.
CRAWLER_EXPORT ReadOutcome ExportCrawl(const std::string& folder, std::string_view what,
                                       DataFormat format, const TextSink& write,
                                       const ReadLimits& limits = {}, bool for_terminal = false);

/// Runs one SQL query on the catalogue of the crawl in `folder`. Anything but reading is refused,
/// ATTACH and changes of settings included. The function unzip_text() reads page_text.text; the
/// view `texts` has the text of every page.
CRAWLER_EXPORT ReadOutcome QueryCrawl(const std::string& folder, const std::string& sql,
                                      const RowSink& sink, const ReadLimits& limits = {});

/// Compares the stored pages of two crawls by their URLs and contents. A row for each page that is
/// new, changed, gone, moved (the same content at another URL: the first 100,000 new and gone pages
/// are looked at), or "not reached": the later crawl is unfinished and has not come to the URL, or
/// could not fetch it. Columns: change, url, moved_from, status_before, status_after, size_before,
/// size_after, title. A page whose body was cut in either crawl counts as unchanged.
CRAWLER_EXPORT ReadOutcome DiffCrawls(const std::string& before, const std::string& after,
                                      const RowSink& sink, const ReadLimits& limits = {});

/// The pages that a round of a repeated crawl found new, changed or gone, in the columns of
/// DiffCrawls(). The first crawl is round 1, so `round` is at least 2; 0: the last one. Moves are
/// not looked for, earlier sizes are not known, and size and title only of pages that are still
/// stored. kNotFound if the crawl was not repeated.
CRAWLER_EXPORT ReadOutcome DiffRound(const std::string& folder, std::uint64_t round,
                                     const RowSink& sink, const ReadLimits& limits = {});

/// Writes the lines that changed in the text of the pages that DiffCrawls() calls changed: for each
/// page its URL, then hunks as of `diff -u`. With a `url`, of that page alone; kNotFound if one of
/// the crawls has no such page. Texts come from the WARC, else from the index. The output is safe
/// for terminals. Two texts that differ in more than 1,000 lines are only counted.
CRAWLER_EXPORT ReadOutcome DiffTexts(const std::string& before, const std::string& after,
                                     std::string_view url, const TextSink& write,
                                     const ReadLimits& limits = {});

/// Likewise for the pages that a round of a repeated crawl found changed, from the WARC; `round` as
/// in DiffRound(). kNotFound if `url` did not change in it.
CRAWLER_EXPORT ReadOutcome DiffRoundTexts(const std::string& folder, std::uint64_t round,
                                          std::string_view url, const TextSink& write,
                                          const ReadLimits& limits = {});

/// A stored response, from the WARC, and the page in it.
struct ArchivedContent {
  ReadOutcome outcome;  ///< kNotFound if nothing of the URL is stored.
  std::string url;
  int status = 0;
  std::chrono::system_clock::time_point at;  ///< When it was received.
  std::string head;                          ///< Status line and headers, as received.
  std::string body;                          ///< Decoded, in the charset of the page.
  std::string media_type;
  std::string title;
  std::string text;
  struct Link {
    std::string url, text;
    bool nofollow = false;
  };
  std::vector<Link> links;
};

/// Reads what is stored of `url`: the page, else the last response. Its digest is checked.
CRAWLER_EXPORT ArchivedContent ReadArchivedContent(const std::string& folder, std::string_view url);

struct ExtractSettings {
  /// The media types to write, where * stands for any text: "image/*".
  std::string type = "*";
  ReadLimits limits;
  /// Called with a sentence for each page that cannot be read.
  std::function<void(std::string_view sentence)> warn;
};

struct FileExtraction {
  ReadOutcome outcome;           ///< `rows`: files that were written.
  std::uint64_t unreadable = 0;  ///< Pages whose records are damaged or gone.
};

/// Writes the contents of stored pages as files into the folder `into`, which must be new or empty:
/// HOST/PATH in safe characters, whatever the URL is. files.csv there lists them with their URLs.
CRAWLER_EXPORT FileExtraction ExtractFiles(const std::string& folder, const std::string& into,
                                           const ExtractSettings& settings = {});

}  // namespace crawler
