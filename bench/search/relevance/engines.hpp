#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace crawler {

/// A search engine that reads texts and questions as people write them, with its own idea of words.
/// Errors: end the program with a message.
class TextEngine {
 public:
  virtual ~TextEngine() = default;
  virtual void Add(std::int64_t page, const std::string& title, const std::string& text) = 0;
  virtual void Finish() = 0;
  /// The pages it finds for `question`, best first, at most `limit`.
  virtual std::vector<std::int64_t> Search(const std::string& question, std::size_t limit) = 0;
};

/// FTS5 with the Porter stemmer and bm25(), a word of the title counting as five of the body. Pages
/// need all words of a question, or any of them; its default is all.
std::unique_ptr<TextEngine> MakeFts5Text(bool any_word);
/// Xapian as its manual sets it up: term generator and query parser with the English stemmer, the
/// title's words five times. Any word will do, which is its default. Null if built without it.
std::unique_ptr<TextEngine> MakeXapianText();

}  // namespace crawler
