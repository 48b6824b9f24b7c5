#include "inspect/explain_ways.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model/url_record.hpp"

namespace crawler {
namespace {

/// Longer chains are cut: the way through an endless calendar has thousands of steps.
constexpr std::size_t kMostSteps = 1'000;
constexpr std::size_t kSourcesShown = 20;

struct KnownUrl {
  std::string url;
  Via via = Via::kSeed;
  std::int64_t from = 0;
};

// Where it was found; if it was found again, nearer to the seeds, there.
Result<std::optional<KnownUrl>> ReadKnownUrl(Database& db, std::int64_t id) {
  std::optional<KnownUrl> known;
  const Status status = ForEachRow(
      db,
      "SELECT u.url, u.via, coalesce((SELECT r.from_id FROM requeued r WHERE r.url_id = u.id "
      "ORDER BY r.id DESC LIMIT 1), u.from_id) FROM urls u WHERE u.id = ?",
      [&known](Statement& row) {
        known = KnownUrl{std::string(row.Text(0)), static_cast<Via>(row.Int(1)), row.Int(2)};
      },
      id);
  if (!status.ok()) return status;
  return known;
}

// The target of the last redirect that the URL answered with; 0 if its last answer was none.
Result<std::int64_t> ReadTarget(Database& db, std::int64_t id) {
  std::int64_t target = 0;
  const Status status = ForEachRow(
      db, "SELECT redirect_to FROM visits WHERE url_id = ? AND final ORDER BY id",
      [&target](Statement& row) { target = row.Int(0); }, id);
  if (!status.ok()) return status;
  return target;
}

}  // namespace

Status ReadPathFromSeed(Database& db, std::int64_t id, UrlExplanation* out) {
  std::set<std::int64_t> seen = {id};
  Result<std::optional<KnownUrl>> url = ReadKnownUrl(db, id);
  while (url.ok() && url->has_value() && out->path.size() < kMostSteps) {
    const std::int64_t from = (*url)->from;
    if (from == 0 || !seen.insert(from).second) break;
    url = ReadKnownUrl(db, from);
    if (!url.ok() || !url->has_value()) break;
    out->path.push_back({(*url)->url, std::string(ViaName((*url)->via))});
  }
  std::reverse(out->path.begin(), out->path.end());
  return url.status();
}

Status ReadRedirects(Database& db, std::int64_t id, UrlExplanation* out) {
  std::set<std::int64_t> seen = {id};
  Result<std::int64_t> target = ReadTarget(db, id);
  while (target.ok() && *target != 0 && out->redirects.size() < kMostSteps) {
    const Result<std::optional<KnownUrl>> url = ReadKnownUrl(db, *target);
    if (!url.ok()) return url.status();
    if (!url->has_value()) break;
    out->redirects.push_back((*url)->url);
    out->redirect_loop = !seen.insert(*target).second;
    if (out->redirect_loop) break;
    target = ReadTarget(db, *target);
  }
  if (!target.ok()) return target.status();
  return ForEachRow(
      db,
      "SELECT DISTINCT u.url FROM visits v JOIN urls u ON u.id = v.url_id WHERE v.redirect_to = ?",
      [out](Statement& row) {
        if (out->redirected_from.size() < kSourcesShown) {
          out->redirected_from.emplace_back(row.Text(0));
        }
      },
      id);
}

}  // namespace crawler
