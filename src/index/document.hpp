#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/analyzer.hpp"
#include "index/fields.hpp"
#include "model/page.hpp"

namespace crawler {

/// The parts of a page that the index reads.
struct DocumentSource {
  std::string_view url;
  std::string_view title;
  std::string_view text;                   ///< As Page::text.
  std::span<const PageSlice> headings;     ///< Pieces of the text, in order.
  std::span<const PageSlice> link_blocks;  ///< As Page::link_blocks.
  std::string_view language_hint;          ///< As the page declares it.
  /// When the page changed, as its server says, else when it was crawled; ms since 1970.
  std::int64_t date = 0;
};

/// Between the words of the title, of the text and of the URL, which share one count of positions,
/// stand so many positions that no phrase reaches across.
inline constexpr std::uint32_t kFieldGap = 256;

/// Near-duplicates of a page have at least so many of the 64 bytes of its sketch.
inline constexpr std::size_t kSketchBytes = 64;
inline constexpr std::size_t kSketchBytesAlike = 58;

/// One term of a document. Slices are of IndexedDocument::bytes.
struct DocumentTerm {
  std::uint64_t hash = 0;
  std::uint32_t term = 0;
  std::uint32_t shown = 0;           ///< The shortest word that gave it, in lower case.
  std::uint32_t positions = 0;       ///< Varints: the first position, then what is added to it.
  std::uint32_t positions_size = 0;  ///< In bytes.
  std::uint16_t term_size = 0;
  std::uint16_t shown_size = 0;
  FieldCounts counts = {};
};

/// A page made ready for the index: all that takes time, so that the thread that writes only
/// appends. A plain value.
struct IndexedDocument {
  std::string language;
  std::int64_t date = 0;
  std::uint32_t words = 0;  ///< Of title, headings and body; stop words count, parts do not.
  FieldLengths lengths = {};
  std::string sketch;    ///< kSketchBytes, or empty for a page without text.
  std::string vector;    ///< JSON: {"term": how often in title, headings and body, …}
  std::string text;      ///< Compressed; see page_text.hpp.
  std::string headings;  ///< Coded; see page_text.hpp.
  std::vector<DocumentTerm> terms;
  std::string bytes;

  std::string_view Slice(std::uint32_t offset, std::size_t size) const {
    return std::string_view(bytes).substr(offset, size);
  }
  std::string_view Term(const DocumentTerm& term) const { return Slice(term.term, term.term_size); }
  std::string_view Shown(const DocumentTerm& term) const {
    return Slice(term.shown, term.shown_size);
  }
  std::string_view Positions(const DocumentTerm& term) const {
    return Slice(term.positions, term.positions_size);
  }
  /// About how much memory it takes.
  std::size_t Size() const;
};

/// Makes IndexedDocuments of pages.
///
/// The terms of a page are every token of title, headings and URL, and those of the body and of the
/// navigation that are no stop words. Words of the navigation are in no length, vector or sketch.
/// Build() also marks boilerplate (see BoilerplateFinder), which it learns from the pages it is
/// given; only snippets look at it. Stop words and parts of words have positions like
/// all others; parts do not count for the lengths. Errors: none; any bytes will do. Threads: one at
/// a time; have one for each thread. It keeps its memory from page to page.
class DocumentBuilder {
 public:
  DocumentBuilder();
  ~DocumentBuilder();
  DocumentBuilder(const DocumentBuilder&) = delete;
  DocumentBuilder& operator=(const DocumentBuilder&) = delete;

  void Build(const DocumentSource& source, IndexedDocument* document);
  /// The same for a page whose text is stored already, so that only its terms are wanted, in the
  /// language that was found then.
  void BuildTerms(const DocumentSource& source, LanguageCode language, IndexedDocument* document);
  /// Gives back the memory that it keeps from page to page, e.g. after a huge one.
  void Trim();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// How many bytes two sketches have in common; 0 if one of them is empty.
std::size_t SketchBytesInCommon(std::string_view a, std::string_view b);

/// The words of a URL, as text: without scheme and percent-encoding, with blanks for what stands
/// between words.
void AppendUrlWords(std::string_view url, std::string* text);

/// The hash that DocumentTerm::hash holds: the same within one process only.
std::uint64_t TermHash(std::string_view term);

}  // namespace crawler
