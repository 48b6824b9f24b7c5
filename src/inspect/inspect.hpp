#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crawler/crawler.hpp"
#include "crawler/data.hpp"
#include "crawler/report.hpp"
#include "crawler/search.hpp"

namespace crawler {

// Functions on the folder of a crawl that do not crawl; crawler.hpp, search.hpp and data.hpp
// describe their results. Only IndexFolder() changes the folder. Threads: safe from any thread.

CrawlStatus InspectStatus(const std::string& folder);
UrlExplanation InspectUrl(const std::string& folder, std::string_view url);
CrawlVerification InspectAll(const std::string& folder);
IndexOutcome IndexFolder(const std::string& folder, const IndexSettings& settings,
                         const IndexCallbacks& callbacks);

std::span<const ExportKind> ListExports();
ReadOutcome ExportFolder(const std::string& folder, std::string_view what, DataFormat format,
                         const TextSink& write, const ReadLimits& limits, bool for_terminal);
ReadOutcome QueryFolder(const std::string& folder, const std::string& sql, const RowSink& sink,
                        const ReadLimits& limits);
ArchivedContent ReadStored(const std::string& folder, std::string_view url);
FileExtraction ExtractFolder(const std::string& folder, const std::string& into,
                             const ExtractSettings& settings);
ReadOutcome DiffFolders(const std::string& before, const std::string& after, const RowSink& sink,
                        const ReadLimits& limits);
ReadOutcome DiffRoundOf(const std::string& folder, std::uint64_t round, const RowSink& sink,
                        const ReadLimits& limits);
ReadOutcome DiffTextsOf(const std::string& before, const std::string& after, std::string_view url,
                        const TextSink& write, const ReadLimits& limits);
ReadOutcome DiffRoundTextsOf(const std::string& folder, std::uint64_t round, std::string_view url,
                             const TextSink& write, const ReadLimits& limits);
CrawlReport ReportFolder(const std::string& folder, const ReportSettings& settings);

}  // namespace crawler
