#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page.hpp"

/// Parsers of values of attributes and headers. Any input is valid; invalid parts are left out.
/// Returned views point into the argument.
namespace crawler {

/// The URLs of a srcset attribute, taken off one after the other ("parse a srcset attribute" of the
/// HTML standard). Candidates with invalid descriptors are kept: their URLs are links as well.
class SrcsetReader {
 public:
  explicit SrcsetReader(std::string_view srcset) : rest_(srcset) {}
  /// The next URL, or nothing at the end.
  std::optional<std::string_view> Next();

 private:
  void SkipDescriptors();

  std::string_view rest_;
};

/// The URL in the content of <meta http-equiv=refresh>, or nothing if it only reloads.
std::optional<std::string_view> MetaRefreshTarget(std::string_view content);

/// Rel bits of a rel attribute or parameter.
std::uint32_t ParseRel(std::string_view rel);

/// The content of <meta name=robots>.
RobotsDirectives ParseRobotsContent(std::string_view content);

/// An X-Robots-Tag header: the directives for all robots and those for `agent`, a product token.
RobotsDirectives ParseXRobotsTag(std::string_view value, std::string_view agent);

/// One link of a Link header (RFC 8288).
struct LinkHeaderValue {
  std::string_view target;
  std::string rel;
  std::string hreflang;
  std::string type;
  bool has_anchor = false;  ///< The link starts from another resource than this one.
};
std::vector<LinkHeaderValue> ParseLinkHeader(std::string_view value);

/// Whether two ASCII strings are equal but for the case of letters.
bool EqualsNoCase(std::string_view a, std::string_view lower_case_b);

}  // namespace crawler
