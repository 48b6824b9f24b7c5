#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/page.hpp"

namespace crawler {

/// A page to be indexed.
struct CorpusPage {
  std::string url, title, text;
  std::vector<PageSlice> headings, link_blocks;
  /// Links to other pages, by number, and their texts.
  std::vector<std::pair<std::size_t, std::string>> links;
};

/// Pages of documentation (those of the Debian packages cppreference-doc-en-html, python3-doc and
/// postgresql-doc-15, as far as they are installed), and as many more as are wanted: the same ones
/// with a third of their words exchanged for others of the collection and some words that no other
/// page has, so that frequencies and vocabulary grow as they do in a real crawl.
class Corpus {
 public:
  /// `folders` are looked through for .html files; `max_text` bytes are kept of each text.
  Corpus(const std::vector<std::string>& folders, std::size_t max_text);

  std::size_t size() const { return pages_.size(); }
  /// Page `number`, the same each time.
  CorpusPage Get(std::size_t number) const;
  /// A word as often as it stands in the texts.
  const std::string& Word(std::mt19937& random) const { return words_[random() % words_.size()]; }

 private:
  std::vector<CorpusPage> pages_;
  std::vector<std::string> words_;
};

}  // namespace crawler
