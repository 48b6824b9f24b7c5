#include "inspect/line_diff.hpp"

#include <algorithm>
#include <utility>

#include "base/printable.hpp"

namespace crawler {
namespace {

using Lines = std::vector<std::string_view>;
using Ids = std::vector<std::uint32_t>;

/// Numbers for lines: equal lines have equal numbers. Sorted, not hashed: no text makes it slow.
std::pair<Ids, Ids> NumberLines(const Lines& before, const Lines& after) {
  Lines known(before);
  known.insert(known.end(), after.begin(), after.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const auto number = [&known](const Lines& lines) {
    Ids ids;
    ids.reserve(lines.size());
    for (const std::string_view line : lines) {
      const auto place = std::lower_bound(known.begin(), known.end(), line);
      ids.push_back(static_cast<std::uint32_t>(place - known.begin()));
    }
    return ids;
  };
  return {number(before), number(after)};
}

/// Myers' greedy search. Diagonal k has the points with x - y = k; a path with d edits ends on one
/// of the diagonals -d … d, and the farthest one on each is enough.
class EditSearch {
 public:
  EditSearch(const Ids& a, const Ids& b, const LineDiffLimits& limits)
      : a_(a), b_(b), limits_(limits) {}

  /// False if the limits are reached. Else `*removed` and `*added` mark lines of `a` and `b`.
  bool Run(std::vector<bool>* removed, std::vector<bool>* added) {
    const auto most = static_cast<std::int64_t>(std::min(limits_.max_edits, a_.size() + b_.size()));
    std::vector<std::int64_t> farthest{0};
    for (std::int64_t d = 0; d <= most; ++d) {
      if (Extend(d, &farthest)) {
        Trace(d, removed, added);
        return true;
      }
      if (steps_ > limits_.max_steps) return false;
    }
    return false;
  }

 private:
  // The entry of diagonal k after d edits: k has the parity of d.
  static std::size_t Place(std::int64_t d, std::int64_t k) {
    return static_cast<std::size_t>((k + d) / 2);
  }
  // Whether the best way to diagonal k adds a line (comes from k + 1).
  bool Adds(std::int64_t d, std::int64_t k) const {
    const std::vector<std::int64_t>& last = history_[static_cast<std::size_t>(d - 1)];
    return k == -d || (k != d && last[Place(d - 1, k - 1)] < last[Place(d - 1, k + 1)]);
  }
  // Where the edit number d to diagonal k ends, before the equal lines behind it.
  std::int64_t AfterEdit(std::int64_t d, std::int64_t k) const {
    if (d == 0) return 0;
    const std::vector<std::int64_t>& last = history_[static_cast<std::size_t>(d - 1)];
    return Adds(d, k) ? last[Place(d - 1, k + 1)] : last[Place(d - 1, k - 1)] + 1;
  }

  // True if the end of both texts is reached with d edits.
  bool Extend(std::int64_t d, std::vector<std::int64_t>* farthest) {
    const auto a_size = static_cast<std::int64_t>(a_.size());
    const auto b_size = static_cast<std::int64_t>(b_.size());
    farthest->assign(static_cast<std::size_t>(d) + 1, 0);
    for (std::int64_t k = -d; k <= d; k += 2) {
      std::int64_t x = AfterEdit(d, k);
      while (x < a_size && x - k < b_size && x >= 0 && x - k >= 0 &&
             a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(x - k)]) {
        ++x;
        ++steps_;
      }
      ++steps_;
      (*farthest)[Place(d, k)] = x;
      if (x >= a_size && x - k >= b_size) return true;
    }
    history_.push_back(*farthest);
    return false;
  }

  // Back from the end, edit by edit.
  void Trace(std::int64_t edits, std::vector<bool>* removed, std::vector<bool>* added) const {
    std::int64_t k = static_cast<std::int64_t>(a_.size()) - static_cast<std::int64_t>(b_.size());
    for (std::int64_t d = edits; d > 0; --d) {
      const std::int64_t x = AfterEdit(d, k);
      if (Adds(d, k)) {
        (*added)[static_cast<std::size_t>(x - k - 1)] = true;
        ++k;
      } else {
        (*removed)[static_cast<std::size_t>(x - 1)] = true;
        --k;
      }
    }
  }

  const Ids& a_;
  const Ids& b_;
  const LineDiffLimits limits_;
  std::uint64_t steps_ = 0;
  std::vector<std::vector<std::int64_t>> history_;  // The farthest x by number of edits.
};

std::vector<LineChange> ToChanges(const std::vector<bool>& removed,
                                  const std::vector<bool>& added) {
  std::vector<LineChange> changes;
  std::size_t i = 0, j = 0;
  while (i < removed.size() || j < added.size()) {
    LineChange change{i, i, j, j};
    while (i < removed.size() && removed[i]) change.before_end = ++i;
    while (j < added.size() && added[j]) change.after_end = ++j;
    if (change.before_end > change.before || change.after_end > change.after) {
      changes.push_back(change);
    } else {
      ++i;
      ++j;
    }
  }
  return changes;
}

void AppendLines(char sign, const Lines& lines, std::size_t begin, std::size_t end,
                 std::string* out) {
  for (std::size_t i = begin; i < end; ++i) {
    *out += sign;
    AppendPrintable(lines[i], out);
    *out += '\n';
  }
}

// "7,3": from line 7, three lines. Behind line 6 if there are none.
std::string RangeText(std::size_t begin, std::size_t end) {
  const std::size_t count = end - begin;
  return std::to_string(count == 0 ? begin : begin + 1) + "," + std::to_string(count);
}

}  // namespace

std::vector<std::string_view> SplitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t CountLines(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

std::optional<std::vector<LineChange>> DiffLines(const Lines& before, const Lines& after,
                                                 const LineDiffLimits& limits) {
  if (std::max(before.size(), after.size()) > limits.max_lines) return std::nullopt;
  const auto [a, b] = NumberLines(before, after);
  std::vector<bool> removed(a.size()), added(b.size());
  if (!EditSearch(a, b, limits).Run(&removed, &added)) return std::nullopt;
  return ToChanges(removed, added);
}

std::string UnifiedHunks(const Lines& before, const Lines& after,
                         const std::vector<LineChange>& changes, std::size_t context) {
  std::string out;
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first;  // Changes whose context meets are one hunk.
    while (last + 1 < changes.size() &&
           changes[last + 1].before - changes[last].before_end <= 2 * context) {
      ++last;
    }
    const std::size_t lead = std::min(context, changes[first].before);
    const std::size_t trail = std::min(context, before.size() - changes[last].before_end);
    out += "@@ -" + RangeText(changes[first].before - lead, changes[last].before_end + trail) +
           " +" + RangeText(changes[first].after - lead, changes[last].after_end + trail) + " @@\n";
    std::size_t next = changes[first].before - lead;
    for (; first <= last; ++first) {
      const LineChange& change = changes[first];
      AppendLines(' ', before, next, change.before, &out);
      AppendLines('-', before, change.before, change.before_end, &out);
      AppendLines('+', after, change.after, change.after_end, &out);
      next = change.before_end;
    }
    AppendLines(' ', before, next, next + trail, &out);
  }
  return out;
}

}  // namespace crawler
