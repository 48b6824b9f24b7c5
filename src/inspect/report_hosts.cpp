// The rules of hosts: their delays, and robots.txt with the lines that refused something.
#include <charconv>
#include <chrono>
#include <map>
#include <utility>

#include "frontier/host_delays.hpp"
#include "inspect/report_parts.hpp"
#include "robots/robots_txt.hpp"
#include "store/warc_digest.hpp"

namespace crawler {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostRules = 50;
constexpr std::string_view kRefusedBy = "robots.txt line ";

/// How many URLs each line of a robots.txt refused, by host and line.
using RefusedLines = std::map<std::pair<std::int64_t, int>, std::uint64_t>;

// The number in "robots.txt line 3: Disallow: /x"; 0 if there is none.
int LineOf(std::string_view detail) {
  int line = 0;
  if (!detail.starts_with(kRefusedBy)) return 0;
  detail.remove_prefix(kRefusedBy.size());
  std::from_chars(detail.data(), detail.data() + detail.size(), line);
  return line;
}

Status ReadRefusedLines(const ReportSource& from, const std::vector<std::int64_t>& ids,
                        RefusedLines* lines) {
  const std::map<std::int64_t, bool> wanted = [&] {
    std::map<std::int64_t, bool> hosts;
    for (const std::int64_t id : ids) hosts[id] = true;
    return hosts;
  }();
  return ForEachRow(
      from.db,
      "SELECT u.host_id, v.detail, count(*) FROM visits v CROSS JOIN urls u ON u.id = v.url_id"
      " WHERE v.id > ? AND v.final AND v.outcome = 'refused' GROUP BY 1, 2",
      [&](Statement& row) {
        const int line = LineOf(row.Text(1));
        if (line == 0 || !wanted.contains(row.Int(0))) return;
        (*lines)[{row.Int(0), line}] += static_cast<std::uint64_t>(row.Int(2));
      },
      from.last_visit);
}

std::string Sha256Of(std::string_view text) {
  Hasher hasher(DigestAlgorithm::kSha256);
  hasher.Update(text);
  std::string hex;
  AppendHex(FinishSha256(hasher), &hex);
  return hex;
}

void ReadRules(std::string_view text, const std::string& agent, std::int64_t host,
               const RefusedLines& refused, HostReceipt::Robots* robots) {
  robots->sha256 = Sha256Of(text);
  robots->bytes = text.size();
  const RobotsTxt parsed = RobotsTxt::Parse(text, agent.empty() ? "crawler" : agent);
  for (const RobotsVerdict& rule : parsed.Rules()) {
    ++robots->rules.total;
    const auto found = refused.find({host, rule.line});
    const std::uint64_t count = found == refused.end() ? 0 : found->second;
    // Of a long file the first rules, and all that decided something.
    if (count == 0 && robots->rules.rows.size() >= kMostRules) continue;
    robots->rules.rows.push_back({rule.line, std::string(rule.rule), count});
  }
}

Status ReadRobots(const ReportSource& from, std::int64_t host, const RefusedLines& refused,
                  HostReceipt* receipt) {
  HostReceipt::Robots& robots = receipt->robots;
  return ForEachRow(
      from.db,
      "SELECT rules, status_code, policy, crawl_delay, fetched_at FROM robots_cache"
      " WHERE domain = ?",
      [&](Statement& row) {
        robots.known = true;
        robots.status = static_cast<int>(row.Int(1));
        robots.policy = row.Text(2);
        if (row.Real(3) > 0) {
          robots.crawl_delay = milliseconds(static_cast<std::int64_t>(row.Real(3) * 1000));
        }
        robots.fetched = milliseconds(row.Int(4));
        if (robots.policy != "rules") return;
        ReadRules(row.Text(0), from.options.network.user_agent, host, refused, &robots);
      },
      std::string_view(receipt->origin));
}

}  // namespace

Status ReadHostRules(const ReportSource& from, const std::vector<std::int64_t>& ids,
                     ReportList<HostReceipt>* list) {
  if (ids.empty()) return Status::Ok();
  HostDelays delays;
  for (const HostDelay& rule : from.options.host_delays) {
    (void)delays.Add(rule.host, rule.delay);  // The crawl has refused bad names.
  }
  RefusedLines refused;
  if (Status status = ReadRefusedLines(from, ids, &refused); !status.ok()) return status;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    HostReceipt& receipt = list->rows[i];
    Status status = ForEachRow(
        from.db, "SELECT origin FROM hosts WHERE id = ?",
        [&](Statement& row) { receipt.origin = row.Text(0); }, ids[i]);
    if (status.ok()) status = ReadRobots(from, ids[i], refused, &receipt);
    if (!status.ok()) return status;
    const milliseconds given = delays.Find(receipt.origin).value_or(from.options.delay);
    const milliseconds asked = receipt.robots.crawl_delay.value_or(milliseconds(0));
    receipt.asked_gap = std::max(given, std::min(asked, from.options.max_crawl_delay));
  }
  return Status::Ok();
}

}  // namespace crawler
