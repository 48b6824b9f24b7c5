#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "db/database.hpp"
#include "model/page.hpp"

namespace crawler {

/// Pieces of a page's text, each kind in order.
template <typename Slices>
struct TextMarks {
  Slices headings;
  Slices boilerplate;  ///< Text that repeats across the pages of the host.
  Slices link_blocks;  ///< Text that consists of links.
};
using PageMarks = TextMarks<std::vector<PageSlice>>;

/// The text of a page that page_text holds, decoded.
struct PageText {
  std::string language;
  std::int64_t date = 0;
  std::string text;
  PageMarks marks;
};

/// Compresses texts for page_text.text (Zstandard).
/// Threads: one at a time.
class TextCompressor {
 public:
  TextCompressor();
  ~TextCompressor();

  /// `*out` is replaced.
  void Compress(std::string_view text, std::string* out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Undoes it. kCorruption if `bytes` are not such a text.
Status DecompressText(std::string_view bytes, std::string* text);

/// Pieces of a text as varints: how far from the end of the one before, and how long.
void EncodeSlices(std::span<const PageSlice> slices, std::string* out);
/// Headings, boilerplate behind them, then blocks of links; readers that know fewer kinds see the
/// first ones alone.
void EncodeMarks(const TextMarks<std::span<const PageSlice>>& marks, std::string* out);
void DecodeMarks(std::string_view bytes, std::size_t text_size, PageMarks* marks);
/// Those of a text of `text_size` bytes; pieces beyond its end are left out.
void DecodeSlices(std::string_view bytes, std::size_t text_size, std::vector<PageSlice>* slices);

/// Reads page_text by page. Threads and lifetime: those of its Database.
class PageTextReader {
 public:
  static Result<PageTextReader> Open(Database& db);

  /// False if the page has no text: it is not there, or asks not to be indexed.
  Result<bool> Read(std::int64_t page, PageText* text);

 private:
  explicit PageTextReader(Statement select) : select_(std::move(select)) {}
  Statement select_;
};

}  // namespace crawler
