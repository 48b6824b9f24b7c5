// Problems that somebody can act on: broken links, redirects, URLs that were given up.
#include <unordered_map>

#include "inspect/report_parts.hpp"

namespace crawler {
namespace {

constexpr std::size_t kMostSources = 5;
/// Broken URLs whose links are counted; of further ones only the number is known.
constexpr std::size_t kMostBroken = 100'000;

bool MoreLinks(const BrokenUrl& a, const BrokenUrl& b) { return a.links > b.links; }

void AddSource(Statement& row, std::unordered_map<std::int64_t, BrokenUrl>* urls) {
  auto found = urls->find(row.Int(0));
  if (found == urls->end()) {
    if (urls->size() >= kMostBroken) return;
    BrokenUrl broken;
    broken.url = row.Text(1);
    broken.status = static_cast<int>(row.Int(2));
    broken.fate = row.Text(3);
    broken.reason = row.Text(4);
    found = urls->emplace(row.Int(0), std::move(broken)).first;
  }
  BrokenUrl& broken = found->second;
  ++broken.links;
  if (broken.sources.size() >= kMostSources) return;
  broken.sources.push_back(
      {std::string(row.Text(6)), std::string(row.Text(5)), std::string(row.Text(7))});
}

Status ReadBroken(const ReportSource& from, CrawlReport* report) {
  std::unordered_map<std::int64_t, BrokenUrl> urls;
  Status status = ForEachRow(
      from.db,
      "SELECT url_id, url, status_code, fate, reason, via, from_url, anchor FROM broken_links",
      [&](Statement& row) {
        ++report->broken_links;
        AddSource(row, &urls);
      });
  if (!status.ok()) return status;
  std::vector<std::int64_t> ids;
  ids.reserve(urls.size());
  for (const auto& [id, broken] : urls) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  BestRows<BrokenUrl, decltype(&MoreLinks)> best(from.rows, &MoreLinks);
  for (const std::int64_t id : ids) best.Offer(std::move(urls[id]));
  report->broken = {best.Take(), best.total()};
  if (urls.size() < kMostBroken) return status;
  const Result<std::int64_t> all = from.db.QueryInt(
      "SELECT count(*) FROM fates WHERE fate IN ('http error', 'failed', 'given up')");
  if (!all.ok()) return all.status();
  report->broken.total = std::max(report->broken.total, static_cast<std::uint64_t>(*all));
  return status;
}

// The URLs of "http://a/ -> http://b/": no URL has a blank.
std::vector<std::string> SplitChain(std::string_view text) {
  constexpr std::string_view kArrow = " -> ";
  std::vector<std::string> urls;
  while (true) {
    const std::size_t end = text.find(kArrow);
    urls.emplace_back(text.substr(0, end));
    if (end == text.npos) return urls;
    text.remove_prefix(end + kArrow.size());
  }
}

bool Worse(const RedirectChain& a, const RedirectChain& b) {
  if (a.loop != b.loop) return a.loop;
  return a.hops > b.hops;
}

Status ReadRedirects(const ReportSource& from, CrawlReport* report) {
  BestRows<RedirectChain, decltype(&Worse)> best(from.rows, &Worse);
  Status status =
      ForEachRow(from.db,
                 "SELECT url, status_code, hops, loop, end_url, end_fate, end_status, chain"
                 " FROM redirect_chains",
                 [&](Statement& row) {
                   RedirectChain chain;
                   chain.url = row.Text(0);
                   chain.status = static_cast<int>(row.Int(1));
                   chain.hops = static_cast<std::uint32_t>(row.Int(2));
                   chain.loop = row.Int(3) != 0;
                   chain.end_url = row.Text(4);
                   chain.end_fate = row.Text(5);
                   chain.end_status = static_cast<int>(row.Int(6));
                   chain.chain = SplitChain(row.Text(7));
                   report->redirect_loops += chain.loop;
                   report->long_redirects += !chain.loop && chain.hops > 1;
                   best.Offer(std::move(chain));
                 });
  report->redirects = {best.Take(), best.total()};
  return status;
}

Status ReadDeadLetters(const ReportSource& from, CrawlReport* report) {
  const Result<std::int64_t> total = from.db.QueryInt("SELECT count(*) FROM dead_letters");
  if (!total.ok()) return total.status();
  report->dead_letters.total = static_cast<std::uint64_t>(*total);
  return ForEachRow(
      from.db,
      "SELECT u.url, d.reason, iif(json_valid(d.history), json_array_length(d.history), 0)"
      " FROM dead_letters d CROSS JOIN urls u ON u.id = d.url_id ORDER BY d.id LIMIT ?",
      [&](Statement& row) {
        report->dead_letters.rows.push_back({std::string(row.Text(0)), std::string(row.Text(1)),
                                             static_cast<std::uint64_t>(row.Int(2))});
      },
      static_cast<std::int64_t>(from.rows));
}

}  // namespace

Status ReadProblems(const ReportSource& from, CrawlReport* report) {
  if (Status status = ReadBroken(from, report); !status.ok()) return status;
  if (Status status = ReadRedirects(from, report); !status.ok()) return status;
  return ReadDeadLetters(from, report);
}

}  // namespace crawler
