// The data of a crawl: passes calls on to inspect/. No logic.
#include "crawler/data.hpp"

#include <utility>

#include "inspect/inspect.hpp"
#include "inspect/row_writer.hpp"

namespace crawler {

RowSink MakeRowWriter(DataFormat format, TextSink write, bool for_terminal) {
  return WriteRows(format, std::move(write), for_terminal);
}

std::span<const ExportKind> ExportKinds() { return ListExports(); }

ReadOutcome ExportCrawl(const std::string& folder, std::string_view what, DataFormat format,
                        const TextSink& write, const ReadLimits& limits, bool for_terminal) {
  return ExportFolder(folder, what, format, write, limits, for_terminal);
}

ReadOutcome QueryCrawl(const std::string& folder, const std::string& sql, const RowSink& sink,
                       const ReadLimits& limits) {
  return QueryFolder(folder, sql, sink, limits);
}

ArchivedContent ReadArchivedContent(const std::string& folder, std::string_view url) {
  return ReadStored(folder, url);
}

FileExtraction ExtractFiles(const std::string& folder, const std::string& into,
                            const ExtractSettings& settings) {
  return ExtractFolder(folder, into, settings);
}

ReadOutcome DiffCrawls(const std::string& before, const std::string& after, const RowSink& sink,
                       const ReadLimits& limits) {
  return DiffFolders(before, after, sink, limits);
}

ReadOutcome DiffRound(const std::string& folder, std::uint64_t round, const RowSink& sink,
                      const ReadLimits& limits) {
  return DiffRoundOf(folder, round, sink, limits);
}

ReadOutcome DiffTexts(const std::string& before, const std::string& after, std::string_view url,
                      const TextSink& write, const ReadLimits& limits) {
  return DiffTextsOf(before, after, url, write, limits);
}

ReadOutcome DiffRoundTexts(const std::string& folder, std::uint64_t round, std::string_view url,
                           const TextSink& write, const ReadLimits& limits) {
  return DiffRoundTextsOf(folder, round, url, write, limits);
}

CrawlReport ReportCrawl(const std::string& folder, const ReportSettings& settings) {
  return ReportFolder(folder, settings);
}

}  // namespace crawler
