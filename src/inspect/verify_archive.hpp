#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"
#include "crawler/crawler.hpp"
#include "db/database.hpp"
#include "inspect/problem_list.hpp"
#include "inspect/verify_catalogue.hpp"

namespace crawler {

/// Reads all WARC files in `warc_folder` and compares them with `responses`: every response has its
/// record, every record its response, and the digests fit. Bytes behind the committed end of the
/// last file are not read: a killed crawl left them, and a resume cuts them off.
/// Errors: those of the database. A file that cannot be read is a problem.
Status VerifyArchive(Database& db, const std::string& warc_folder,
                     std::vector<ArchivedResponse> responses, ProblemList& problems,
                     CrawlVerification* out);

}  // namespace crawler
