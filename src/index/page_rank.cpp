#include <algorithm>
#include <cmath>

#include "index/link_graph.hpp"
#include "index/visit_rows.hpp"

namespace crawler {
namespace {

/// The links as one run of numbers, to be read from the beginning to the end once an iteration:
/// a page, how many it links to, and these. There may be many times more of them than pages, so
/// that they stay on the disk.
struct LinkRuns {
  SpillFile file;
  std::uint64_t links = 0;
};

/// Gives the numbers of a file one after the other.
class NumberReader {
 public:
  explicit NumberReader(SpillFile* file) : file_(*file) {}

  /// False at the end, or if the file cannot be read.
  bool Next(std::uint32_t* number) {
    if (at_ == numbers_.size() && !Fill()) return false;
    *number = numbers_[at_++];
    return true;
  }
  const Status& status() const { return status_; }

 private:
  bool Fill() {
    begin_ += numbers_.size();
    numbers_ = {};
    at_ = 0;
    const Result<std::span<const std::uint32_t>> read = file_.Read(begin_);
    status_ = read.status();
    if (read.ok()) numbers_ = *read;
    return !numbers_.empty();
  }

  SpillFile& file_;
  std::span<const std::uint32_t> numbers_;
  std::size_t begin_ = 0, at_ = 0;
  Status status_;
};

/// One iteration: what each page gets of those that link to it. `*passed_on` is the rank of all
/// pages that have links.
Status PassOn(LinkRuns* runs, const std::vector<double>& ranks, std::vector<double>* next,
              double* passed_on) {
  std::fill(next->begin(), next->end(), 0.0);
  *passed_on = 0;
  NumberReader reader(&runs->file);
  std::uint32_t from = 0, count = 0, to = 0;
  while (reader.Next(&from) && reader.Next(&count)) {
    *passed_on += ranks[from];
    const double share = ranks[from] / count;
    for (; count > 0 && reader.Next(&to); --count) (*next)[to] += share;
  }
  return reader.status();
}

Status WriteRuns(Database& db, const UrlPages& urls, const std::function<bool()>& stop,
                 LinkRuns* runs) {
  Result<Statement> select =
      db.Prepare("SELECT l.from_id, l.links FROM page_links l ORDER BY l.rowid");
  if (!select.ok()) return select.status();
  std::vector<std::uint32_t> run;
  LinkListReader::Link link;
  return VisitRows(*select, stop, [&] {
    // A page with the content of another has the same links.
    const std::uint32_t from = urls.OwnPageOf(static_cast<std::uint64_t>(select->Int(0)));
    if (from == 0) return Status::Ok();
    run.assign({from, 0});
    LinkListReader reader(select->Text(1));
    while (reader.Next(&link)) {
      if (link.nofollow) continue;
      const std::uint32_t to = urls.PageOf(link.to);
      if (to != 0 && to != from) run.push_back(to);
    }
    std::sort(run.begin() + 2, run.end());
    run.erase(std::unique(run.begin() + 2, run.end()), run.end());
    run[1] = static_cast<std::uint32_t>(run.size() - 2);
    if (run[1] == 0) return Status::Ok();
    runs->links += run[1];
    return runs->file.Append(run);
  });
}

Status ReadNodes(Database& db, const UrlPages& urls, std::vector<bool>* nodes) {
  Result<Statement> select = db.Prepare("SELECT id, url_id FROM pages");
  if (!select.ok()) return select.status();
  nodes->assign(urls.last_page() + std::size_t{1}, false);
  Result<bool> row = select->Step();
  for (; row.ok() && *row; row = select->Step()) {
    const std::uint32_t page = urls.PageOf(static_cast<std::uint64_t>(select->Int(1)));
    if (page != 0) (*nodes)[page] = true;
  }
  return row.ok() ? Status::Ok() : row.status();
}

}  // namespace

Result<PageRank> ComputePageRank(Database& db, const UrlPages& urls,
                                 const std::function<bool()>& stop) {
  Result<SpillFile> file = SpillFile::Create(FolderOf(db));
  if (!file.ok()) return file.status();
  LinkRuns runs{std::move(file).value()};
  if (Status status = WriteRuns(db, urls, stop, &runs); !status.ok()) return status;
  std::vector<bool> nodes;
  if (Status status = ReadNodes(db, urls, &nodes); !status.ok()) return status;

  PageRank result;
  result.links = runs.links;
  result.pages = static_cast<std::uint64_t>(std::count(nodes.begin(), nodes.end(), true));
  result.ranks.assign(nodes.size(), 0);
  if (result.pages == 0) {
    result.converged = true;
    return result;
  }
  const double pages = static_cast<double>(result.pages);
  for (std::size_t page = 0; page < nodes.size(); ++page) {
    if (nodes[page]) result.ranks[page] = 1 / pages;
  }
  std::vector<double> next(nodes.size());
  while (result.iterations < kMaxIterations && !result.converged) {
    if (Status status = Stopped(stop); !status.ok()) return status;
    double passed_on = 0;
    if (Status status = PassOn(&runs, result.ranks, &next, &passed_on); !status.ok()) return status;
    const double everywhere = (1 - kDamping + kDamping * (1 - passed_on)) / pages;
    result.change = 0;
    for (std::size_t page = 0; page < nodes.size(); ++page) {
      if (!nodes[page]) continue;
      next[page] = everywhere + kDamping * next[page];
      result.change += std::abs(next[page] - result.ranks[page]);
    }
    result.ranks.swap(next);
    ++result.iterations;
    result.converged = result.change < kRankPrecision;
  }
  return result;
}

double StaticRank(double rank, double highest, std::uint64_t pages) {
  const double scale = std::log1p(highest * static_cast<double>(pages));
  return scale > 0 ? std::log1p(rank * static_cast<double>(pages)) / scale : 0;
}

}  // namespace crawler
