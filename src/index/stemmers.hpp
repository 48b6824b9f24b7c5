#pragma once

#include <array>
#include <memory>
#include <string>

#include "index/language.hpp"

struct sb_stemmer;

namespace crawler {

/// The common part of the forms of a word: Snowball's algorithms, and for Korean the noun without
/// the particles that are written with it.
/// Threads: one at a time.
class Stemmers {
 public:
  Stemmers();
  ~Stemmers();
  Stemmers(const Stemmers&) = delete;
  Stemmers& operator=(const Stemmers&) = delete;

  /// The stem of a word that is folded and without marks, which has none either; never empty if the
  /// word is not. Words in ASCII among others are English. Names (with digits, underscores or full
  /// stops in them) stay as they are.
  std::string Stem(std::string folded, const Language& language);

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::array<std::unique_ptr<sb_stemmer, Delete>, kMaxLanguages> stemmers_;  // Made when needed.
};

}  // namespace crawler
