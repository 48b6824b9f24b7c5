#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "index/fields.hpp"
#include "index/segments.hpp"
#include "search/page_set.hpp"
#include "search/ranking.hpp"
#include "search/statistics.hpp"

namespace crawler {

/// Past all pages.
inline constexpr std::uint32_t kNoPage = std::numeric_limits<std::uint32_t>::max();

/// Languages by their numbers.
using LanguageSet = std::bitset<256>;

/// The values of every page that ranking and filters use, in memory: 44 bytes per page. As of the
/// moment it was loaded. Immutable but for pages that go, and for the hosts, which are read when
/// somebody first asks.
/// It has room for whole windows; what is behind the last page is not indexed and weighs nothing.
class PageTable {
 public:
  struct Entry {
    float norm = 0;          ///< Of the TF-IDF vector; 0 if not known.
    float static_rank = 0;   ///< 0 to 1.
    float title_weight = 0;  ///< Of the title's words idf² summed up; 0 if not known.
    std::uint32_t date = 0;  ///< Seconds since 1970.
    std::uint16_t title_words = 0;
    std::uint8_t language = 0;  ///< In languages().
  };
  struct Language {
    std::string code;
    std::uint64_t pages = 0;
  };

  Status Load(Database& db, const RankingWeights& weights);
  /// Leaves out the pages that have been removed since, which is quick. Weights and averages stay
  /// as they were.
  Status LeaveOutRemoved(Database& db);

  /// A multiple of kWindowPages.
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  const Entry& operator[](std::uint32_t page) const { return entries_[page]; }
  /// BM25F: what one occurrence in a field counts in each page, field weight over length
  /// normalisation.
  const float* scales(std::size_t field) const { return scales_[field].data(); }
  /// Adds its pages and their words.
  void AddTo(IndexStatistics* statistics) const;
  /// Scales lengths by these averages instead of its own; quick if they are the same as last time.
  void UseAverages(const std::array<double, kFieldCount>& averages, const RankingWeights& weights);
  void UseOwnAverages(const RankingWeights& weights) { UseAverages(own_averages_, weights); }
  /// Those of the window that begins with `page`.
  const PageSet& indexed(std::uint32_t page) const { return indexed_[page / kWindowPages]; }
  bool is_indexed(std::uint32_t page) const { return indexed(page).Has(page % kWindowPages); }

  std::uint64_t pages() const { return pages_; }  ///< Indexed ones.
  float highest_static_rank() const { return highest_static_rank_; }
  /// The most frequent first.
  const std::vector<Language>& languages() const { return languages_; }
  /// Those of the window that begins with `page`.
  const LanguageSet& languages(std::uint32_t page) const {
    return window_languages_[page / kWindowPages];
  }
  /// Ready segments, in the order of their pages.
  const std::vector<Segment>& text_segments() const { return text_; }
  const std::vector<Segment>& anchor_segments() const { return anchors_; }
  /// Whether the indexing phase has weighed terms; a page added since has no norm yet.
  bool is_weighed() const { return is_weighed_; }

  /// The host of each page as a number in hosts().
  Status LoadHosts(Database& db);
  const std::vector<std::string>& hosts() const { return hosts_; }
  std::uint32_t HostOf(std::uint32_t page) const { return host_of_[page]; }

 private:
  using Lengths = std::vector<std::array<std::uint32_t, kFieldCount>>;
  Status LoadText(Database& db, Lengths* lengths);
  Status LoadAnchors(Database& db, Lengths* lengths);
  Status LoadWeights(Database& db);
  void SetScales(const Lengths& lengths, const RankingWeights& weights);
  std::uint8_t LanguageNumber(std::uint64_t packed);
  void SortLanguages();

  std::vector<Entry> entries_;  // By page.
  std::array<std::vector<float>, kFieldCount> scales_;
  std::array<double, kFieldCount> own_averages_ = {}, averages_ = {};  // In words; those in use.
  std::vector<PageSet> indexed_;                                       // By window.
  float highest_static_rank_ = 0;
  std::uint64_t pages_ = 0;
  std::vector<Segment> text_, anchors_;
  std::vector<Language> languages_;
  std::vector<LanguageSet> window_languages_;
  std::vector<std::uint64_t> packed_languages_;
  bool is_weighed_ = false;
  std::vector<std::string> hosts_;
  std::vector<std::uint32_t> host_of_;
};

}  // namespace crawler
