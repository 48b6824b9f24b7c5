#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace crawler {

/// The forms of a word that differ only in how they are written become one: compatibility forms
/// (full width, ligatures), case (NFKC_Casefold), and marks on letters of scripts whose writers
/// leave them out when in a hurry (Latin, Greek, Hebrew and Arabic points; of Cyrillic only stress
/// and the dots of ё). Marks that make another letter or syllable stay (й, Devanagari, kana).
/// Letters that are one with a stroke or a ligature are taken apart too: ø o, ł l, æ ae, ı i.
/// Characters other than letters, marks, digits, underscores, full stops and apostrophes are
/// dropped. Threads: safe.
class Folder {
 public:
  Folder();

  enum class Marks : bool { kKept, kRemoved };
  /// Replaces `*out`. Any bytes will do.
  void Fold(std::string_view word, Marks marks, std::string* out) const;

 private:
  struct Normalizers;
  const Normalizers& normalizers_;
};

}  // namespace crawler
