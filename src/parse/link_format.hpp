#pragma once

#include <cstddef>
#include <string_view>

namespace crawler {

/// Walks the links of a page in the `link:` format: `link:` at the start of the page or after white
/// space, followed by an address of all bytes up to a space, a newline or the end. White space
/// before it is any of space, tab, newline, carriage return, vertical tab, form feed; inside an
/// address only space and newline end it. An empty address is no link.
///
///     LinkFormatReader reader(page);
///     for (std::string_view link; reader.Next(&link);) …
///
/// Views point into the page, which must outlive the reader.
class LinkFormatReader {
 public:
  explicit LinkFormatReader(std::string_view page) : page_(page) {}

  /// Sets `*address` to the next link; false, and `*address` unchanged, when there are no more.
  bool Next(std::string_view* address);

 private:
  std::string_view page_;
  std::size_t position_ = 0;
};

}  // namespace crawler
