#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/spill_file.hpp"
#include "model/crawl_ids.hpp"

namespace crawler {

/// The page that a URL leads to: its own, or that of its redirects; of pages with the same content
/// the first.
class UrlPages {
 public:
  /// Temporary files are in the folder of `db`.
  static Result<UrlPages> Load(Database& db);

  /// A row of `pages`, or 0.
  std::uint32_t PageOf(std::uint64_t url) const;
  /// The same for a URL that has a page itself, whose content no earlier page has; else 0.
  std::uint32_t OwnPageOf(std::uint64_t url) const;
  /// The highest id of a page.
  std::uint32_t last_page() const { return last_page_; }

 private:
  explicit UrlPages(SpillFile file) : file_(std::move(file)) {}

  SpillFile file_;  // For each URL: its page, or kElsewhere and the URL to look at instead.
  std::uint32_t last_page_ = 0;
};

/// Reads the links of a page as page_links holds them. What is not such a list ends early.
class LinkListReader {
 public:
  struct Link {
    UrlId to = 0;
    bool nofollow = false;
    std::string text;
    std::uint16_t worth = 0;  ///< Its promise, in a crawl ordered by relevance.
  };

  explicit LinkListReader(std::string_view json)
      : json_(json), open_(json != "[]" && Take('[')), damaged_(!open_ && json != "[]") {}
  bool Next(Link* link);
  /// It has ended, but not where such a list ends.
  bool damaged() const { return damaged_; }

 private:
  bool Read(Link* link);
  bool Take(char c);
  template <typename T>
  bool Number(T* number);
  bool String(std::string* text);
  bool Escape(std::string* text);

  std::string_view json_;
  bool open_;
  bool damaged_;
};

/// The folder a database is in.
std::string FolderOf(const Database& db);

/// The power iteration over the pages' links.
struct PageRank {
  std::vector<double> ranks;  ///< By page; 0 for what is no page. Their sum is 1.
  std::uint64_t pages = 0;
  std::uint64_t links = 0;
  int iterations = 0;
  double change = 0;  ///< Of all ranks together in the last iteration.
  bool converged = false;
};

inline constexpr double kDamping = 0.85;
/// Converged when the ranks change by less together.
inline constexpr double kRankPrecision = 1e-9;
inline constexpr int kMaxIterations = 200;

/// Nodes are the pages of `db`, those with the content of an earlier page as one with it. Edges
/// are links that do not ask not to be counted, each pair of pages once, none from a page to
/// itself. A page without links leads everywhere.
/// Ends with kCancelled when `stop` says so.
Result<PageRank> ComputePageRank(Database& db, const UrlPages& urls,
                                 const std::function<bool()>& stop);

/// PageRank on a scale from 0 to 1: logarithmic, because links are distributed by a power law.
double StaticRank(double rank, double highest, std::uint64_t pages);

}  // namespace crawler
