#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "index/fields.hpp"

namespace crawler {

/// In how many pages a term is.
struct TermPages {
  std::uint64_t about = 0;    ///< In title, headings or body; 0 if that is not known.
  std::uint64_t own = 0;      ///< In any field of the page.
  std::uint64_t anchors = 0;  ///< In links to the page.

  /// Of how many pages the term is one. A word of the navigation of all pages is not one of all
  /// pages.
  std::uint64_t document_freq() const { return std::max(about > 0 ? about : own, anchors); }
  TermPages& operator+=(const TermPages& other) {
    about += other.about;
    own += other.own;
    anchors += other.anchors;
    return *this;
  }
};

/// The values of all pages together that ranking uses. Several crawls that are searched as one
/// share the sums of theirs, so that their scores can be compared.
struct IndexStatistics {
  std::uint64_t pages = 0;
  std::array<double, kFieldCount> words = {};           ///< Of all pages, by field.
  std::map<std::string, TermPages, std::less<>> terms;  ///< Those of a query.

  std::array<double, kFieldCount> Averages() const {
    std::array<double, kFieldCount> averages = words;
    for (double& average : averages) average /= static_cast<double>(pages > 0 ? pages : 1);
    return averages;
  }
};

}  // namespace crawler
