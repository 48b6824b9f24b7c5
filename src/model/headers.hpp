#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

/// The head of an HTTP response: its status line and fields exactly as received, and an index of
/// the fields. Any bytes make a HeaderBlock; Check() says whether they are a valid head.
/// Ownership: a plain value. Views are valid until the next change.
class HeaderBlock {
 public:
  HeaderBlock() = default;
  /// `raw`: from the status line to the empty line. At most 4 GiB are read.
  explicit HeaderBlock(std::string raw);

  /// The bytes as received. The head of an HTTP/2 response is written as "HTTP/2 200" and "name:
  /// value" lines.
  const std::string& raw() const { return raw_; }
  bool empty() const { return raw_.empty(); }
  /// The number of indexed fields.
  std::size_t size() const { return fields_.size(); }

  /// The value of the first field with this name, in any case, without blanks around it and with
  /// folded lines joined by a blank (RFC 9112, 5.2).
  std::optional<std::string_view> Find(std::string_view name) const;
  /// The values of all fields with this name, in order of arrival.
  std::vector<std::string_view> FindAll(std::string_view name) const;
  /// FindAll() joined with ", ", which means the same as the separate lines (RFC 9110, 5.3).
  std::string Joined(std::string_view name) const;

  std::string_view name(std::size_t index) const;
  std::string_view value(std::size_t index) const;

  /// Why the head is invalid, or nothing: a NUL or a stray CR in it, a line without a colon, a
  /// blank before the colon of a field that decides where the body ends. Other fields whose names
  /// are not tokens are left out of the index.
  std::optional<std::string_view> Check() const { return flaw_; }

 private:
  struct Field {
    std::uint32_t name_start, name_size;
    std::uint32_t value_start, value_size;
    bool unfolded;  // The value lies in unfolded_, not in raw_.
  };

  void IndexLine(std::size_t start, std::size_t end);
  void Fold(std::size_t start, std::size_t end);

  std::string raw_;
  std::string unfolded_;
  std::vector<Field> fields_;
  std::optional<std::string_view> flaw_;
};

/// Whether two ASCII strings are equal but for case.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

/// `text` without blanks and tabs around it.
std::string_view TrimBlanks(std::string_view text);

/// "text/html" of "Text/HTML; charset=x". Empty if there is no type and subtype.
std::string MediaTypeEssence(std::string_view content_type);

}  // namespace crawler
