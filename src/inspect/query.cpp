// QueryCrawl(): SQL of a user on the catalogue, to read only.
#include "inspect/inspect.hpp"
#include "inspect/read_snapshot.hpp"

namespace crawler {
namespace {

/// The largest value that a query may make; the text of a page is smaller.
constexpr int kMaxValue = 256 << 20;

}  // namespace

ReadOutcome QueryFolder(const std::string& folder, const std::string& sql, const RowSink& sink,
                        const ReadLimits& limits) {
  Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, limits);
  if (!snapshot.ok()) return FailedToRead(snapshot.status());
  snapshot->db().AllowOnlyReading(kMaxValue);
  Result<Statement> query = snapshot->db().PrepareQuery(sql);
  if (!query.ok()) return snapshot->Outcome(query.status(), 0);
  std::uint64_t rows = 0;
  const Status status = snapshot->ReadRows(*query, sink, &rows);
  return snapshot->Outcome(status, rows);
}

}  // namespace crawler
