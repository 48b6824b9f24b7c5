#include "inspect/export_graph.hpp"

#include <string>
#include <string_view>

#include "inspect/row_writer.hpp"

namespace crawler {
namespace {

constexpr std::string_view kGraphmlHead =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="url" for="node" attr.name="url" attr.type="string"/>
<key id="fate" for="node" attr.name="fate" attr.type="string"/>
<key id="status" for="node" attr.name="status" attr.type="int"/>
<key id="depth" for="node" attr.name="depth" attr.type="int"/>
<key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="nofollow" for="edge" attr.name="nofollow" attr.type="boolean"><default>false</default></key>
<graph id="crawl" edgedefault="directed">
)";
constexpr std::string_view kGraphmlTail = "</graph>\n</graphml>\n";

class GraphWriter {
 public:
  GraphWriter(Database& db, const TextSink& write, std::uint64_t* rows)
      : db_(db), write_(write), rows_(*rows) {}

  Status Graphml() {
    Status status = Pass(kGraphmlHead);
    if (status.ok()) {
      status = ForEachRow(db_,
                          "SELECT f.url_id, f.url, f.fate, f.status_code, f.depth, p.title FROM"
                          " fates f LEFT JOIN pages p ON p.url_id = f.url_id",
                          [this](Statement& row) { return Node(row); });
    }
    if (status.ok()) {
      status = ForEachRow(db_, "SELECT from_id, to_id, nofollow FROM edges",
                          [this](Statement& row) { return Edge(row); });
    }
    return status.ok() ? Pass(kGraphmlTail) : status;
  }

  // Ids have no gaps, but line n has to be of the URL n in any case.
  Status UrlList() {
    return ForEachRow(db_, "SELECT id, url FROM urls ORDER BY id", [this](Statement& row) {
      line_.clear();
      for (; at_ + 1 < row.Int(0); ++at_) line_ += '\n';
      ++at_;
      AppendClean(row.Text(1), &line_);
      line_ += '\n';
      return Row();
    });
  }

  Status Adjacency() {
    const Result<std::int64_t> last = db_.QueryInt("SELECT max(id) FROM urls");
    if (!last.ok()) return last.status();
    Status status = ForEachRow(
        db_,
        "SELECT l.from_id, CASE e.type WHEN 'array' THEN json_extract(e.value, '$[0]')"
        " ELSE e.value END FROM (SELECT from_id, links FROM page_links ORDER BY from_id) l,"
        " json_each(l.links) e",
        [this](Statement& row) { return Successor(row.Int(0), row.Int(1)); });
    if (status.ok()) status = EndLines(*last + 1);
    return status;
  }

 private:
  Status Pass(std::string_view text) {
    return write_(text) ? Status::Ok() : Status(StatusCode::kCancelled, "stopped");
  }
  Status Row() {
    ++rows_;
    return Pass(line_);
  }

  void Data(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    line_.append("<data key=\"").append(key).append("\">");
    AppendXml(value, &line_);
    line_ += "</data>";
  }

  Status Node(Statement& row) {
    line_.clear();
    line_.append("<node id=\"n").append(row.Text(0)).append("\">");
    Data("url", row.Text(1));
    Data("fate", row.Text(2));
    Data("status", row.Text(3));
    Data("depth", row.Text(4));
    Data("title", row.Text(5));
    line_ += "</node>\n";
    return Row();
  }

  Status Edge(Statement& row) {
    line_.clear();
    line_.append("<edge source=\"n").append(row.Text(0)).append("\" target=\"n");
    line_.append(row.Text(1)).append("\"");
    line_ += row.Int(2) != 0 ? "><data key=\"nofollow\">true</data></edge>\n" : "/>\n";
    return Row();
  }

  // Ends the lines before that of `node`.
  Status EndLines(std::int64_t node) {
    line_.clear();
    Status status;
    for (; at_ < node; ++at_) {
      if (at_ > 0) line_ += '\n';
      first_ = true;
      if (line_.size() < kPiece) continue;
      if (status = Pass(line_); !status.ok()) return status;
      line_.clear();
    }
    return line_.empty() ? status : Pass(line_);
  }

  Status Successor(std::int64_t from, std::int64_t to) {
    if (Status status = EndLines(from); !status.ok()) return status;
    line_ = first_ ? "" : " ";
    first_ = false;
    line_ += std::to_string(to);
    return Row();
  }

  static constexpr std::size_t kPiece = 64 << 10;
  Database& db_;
  const TextSink& write_;
  std::uint64_t& rows_;
  std::string line_;
  std::int64_t at_ = 0;  // The line that is being written, from 1.
  bool first_ = true;    // Nothing is in it.
};

}  // namespace

Status WriteGraph(CatalogueSnapshot& snapshot, DataFormat format, const TextSink& write,
                  std::uint64_t* rows) {
  GraphWriter writer(snapshot.db(), write, rows);
  switch (format) {
    case DataFormat::kUrlList:
      return writer.UrlList();
    case DataFormat::kAdjacency:
      return writer.Adjacency();
    default:
      return writer.Graphml();
  }
}

}  // namespace crawler
