#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace crawler {

/// A query in terms as they are indexed.
struct TermQuery {
  enum class Kind : std::uint8_t { kAll, kAny, kPhrase };
  Kind kind = Kind::kAll;
  std::vector<std::string> terms;
};

/// Another search engine, given the same terms in the same order.
class Rival {
 public:
  virtual ~Rival() = default;
  virtual void Add(std::size_t page, const std::vector<std::string>& title,
                   const std::vector<std::string>& text) = 0;
  /// Writes everything, in the form that is quickest to search.
  virtual void Finish() = 0;
  /// The first ten, by its BM25. How many it gave.
  virtual std::size_t Search(const TermQuery& query) = 0;
};

/// FTS5 in a database of its own, without the text (contentless), all positions.
std::unique_ptr<Rival> MakeFts5(const std::string& path);
/// Null if the benchmark was built without it.
std::unique_ptr<Rival> MakeXapian(const std::string& path);

}  // namespace crawler
