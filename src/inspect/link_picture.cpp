// LinkPicture(): the most linked hosts or pages, and the links between them.
#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspect/catalogue_lists.hpp"
#include "inspect/read_snapshot.hpp"

namespace crawler {
namespace {

constexpr std::chrono::milliseconds kPictureTime{10'000};
constexpr std::int64_t kMostLinks = 2'000'000;

/// Links between two ids, and how many of them there are.
struct Edge {
  std::int64_t from = 0, to = 0, weight = 1;
};

constexpr const char* kPageEdges =
    "SELECT from_id, to_id, 1 FROM (SELECT from_id, to_id FROM edges LIMIT ?)";
constexpr const char* kHostEdges =
    "SELECT f.host_id, t.host_id, count(*) FROM (SELECT from_id, to_id FROM edges LIMIT ?) e "
    "CROSS JOIN urls f ON f.id = e.from_id CROSS JOIN urls t ON t.id = e.to_id GROUP BY 1, 2";
constexpr const char* kPageNode = "SELECT url FROM urls WHERE id = ?";
constexpr const char* kHostNode = "SELECT origin FROM hosts WHERE id = ?";
constexpr const char* kPagesOfPages = "SELECT url_id, 1 FROM pages";
constexpr const char* kPagesOfHosts =
    "SELECT u.host_id, count(*) FROM pages p CROSS JOIN urls u ON u.id = p.url_id GROUP BY 1";

/// The ids with most links to them, the most linked first.
std::vector<std::pair<std::int64_t, std::int64_t>> MostLinked(const std::vector<Edge>& edges,
                                                              std::size_t most) {
  std::unordered_map<std::int64_t, std::int64_t> links;
  for (const Edge& edge : edges) {
    links[edge.to] += edge.weight;
    links.try_emplace(edge.from, 0);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> top(links.begin(), links.end());
  const auto first = [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  };
  const std::size_t kept = std::min(top.size(), most);
  std::partial_sort(top.begin(), top.begin() + static_cast<std::ptrdiff_t>(kept), top.end(), first);
  top.resize(kept);
  return top;
}

std::string LabelOf(std::string_view url, bool host) {
  const std::size_t scheme = url.find("://");
  std::string_view rest = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
  if (!host) rest.remove_prefix(std::min(rest.find('/'), rest.size()));
  return std::string(rest);
}

}  // namespace

Result<ListJson> LinkPicture(const std::string& folder, bool hosts, std::size_t most,
                             const Stopped& stopped) {
  Result<CatalogueSnapshot> snapshot = CatalogueSnapshot::Open(folder, {kPictureTime, stopped});
  if (!snapshot.ok()) return snapshot.status();
  std::vector<Edge> edges;
  std::int64_t links = 0;
  Status status = ForEachRow(
      snapshot->db(), hosts ? kHostEdges : kPageEdges,
      [&](Statement& row) {
        edges.push_back({row.Int(0), row.Int(1), row.Int(2)});
        links += row.Int(2);
      },
      kMostLinks);
  if (!status.ok()) return status;

  std::unordered_map<std::int64_t, std::size_t> place;
  ListJson nodes = ListJson::array();
  for (const auto& [id, count] : MostLinked(edges, most)) {
    place.emplace(id, nodes.size());
    ListJson& node = nodes.emplace_back(ListJson{{"id", nodes.size()}});
    const std::int64_t linked = count;
    status = ForEachRow(
        snapshot->db(), hosts ? kHostNode : kPageNode,
        [&](Statement& row) {
          node["label"] = LabelOf(row.Text(0), hosts);
          node["url"] = std::string(row.Text(0));
          node["pages"] = 0;
          node["links"] = linked;
        },
        id);
    if (!status.ok()) return status;
  }
  status = ForEachRow(snapshot->db(), hosts ? kPagesOfHosts : kPagesOfPages, [&](Statement& row) {
    const auto node = place.find(row.Int(0));
    if (node != place.end()) nodes[node->second]["pages"] = row.Int(1);
  });
  if (!status.ok()) return status;
  ListJson shown = ListJson::array();
  for (const Edge& edge : edges) {
    const auto from = place.find(edge.from);
    const auto to = place.find(edge.to);
    if (from == place.end() || to == place.end() || from == to) continue;
    shown.push_back({from->second, to->second, edge.weight});
  }
  return ListJson{
      {"nodes", std::move(nodes)}, {"edges", std::move(shown)}, {"sampled", links >= kMostLinks}};
}

}  // namespace crawler
