#include "index/duplicates.hpp"

#include <string>
#include <vector>

#include "index/segments.hpp"
#include "index/visit_rows.hpp"

namespace crawler {
namespace {

struct Correction {
  std::int64_t page, original;
};

/// The pages that say something wrong.
Status FindCorrections(Database& db, const std::function<bool()>& stop,
                       std::vector<Correction>* corrections) {
  // Pages without content are not called duplicates of each other.
  Result<Statement> select = db.Prepare(
      "SELECT id, url_id, coalesce(duplicate_of, 0), content_hash FROM pages WHERE size > 0"
      " ORDER BY content_hash, id");
  if (!select.ok()) return select.status();
  std::string content;
  std::int64_t first = 0;
  return VisitRows(*select, stop, [&] {
    std::int64_t original = 0;
    if (select->Text(3) == content) {
      original = first;
    } else {
      content = select->Text(3);
      first = select->Int(1);
    }
    if (select->Int(2) != original) corrections->push_back({select->Int(0), original});
    return Status::Ok();
  });
}

}  // namespace

Status SettleDuplicates(Database& db, const std::function<bool()>& stop) {
  const Result<std::int64_t> removed = db.QueryInt("SELECT EXISTS(SELECT 1 FROM removed_pages)");
  if (!removed.ok()) return removed.status();
  if (*removed == 0) return Status::Ok();
  std::vector<Correction> corrections;
  Status status = FindCorrections(db, stop, &corrections);
  if (!status.ok() || corrections.empty()) return status;
  Statement update;
  status = PrepareAll(db, {{&update, "UPDATE pages SET duplicate_of = ? WHERE id = ?"}});
  if (status.ok()) status = db.Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  for (const Correction& correction : corrections) {
    if (!status.ok()) break;
    status = update.BindIdOrNull(1, correction.original).Bind(2, correction.page).Run();
  }
  return CommitOrRollBack(db, status);
}

}  // namespace crawler
