#pragma once

#include <functional>
#include <string>

#include "base/status.hpp"
#include "db/database.hpp"

namespace crawler {

/// Whether the index is whole: every segment that is read, with its pages and postings, every
/// stored text, and what the indexing phase says it has made of them. Calls `problem` once for each
/// kind of damage, with a sentence that says how often, names one, and says what helps.
///
/// Not damage: an index that is not finished, of a crawl under way, stopped or killed; pages
/// without text (noindex, --no-index); an older version of the schema that has an index. Reads all
/// of the index once, and holds one row and a bit for each page. Errors: those of the database.
Status CheckIndex(Database& db, const std::function<void(std::string)>& problem);

}  // namespace crawler
