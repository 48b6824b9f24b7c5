#pragma once

#include <string>
#include <string_view>

namespace crawler {

/// Appends `path` (a URL's path and query) in the form that robots patterns are compared in
/// (RFC 9309, 2.2.2): percent-encoding of unreserved characters undone, bytes outside ASCII
/// encoded, hex digits in capitals. '*' and '$' become %2A and %24, since in a pattern the bare
/// characters mean something else. False, with nothing appended, if `path` is in that form already.
bool AppendComparablePath(std::string_view path, std::string* out);

/// Appends the value of an Allow or Disallow line in the same form; a '*' stays, and a '$' at the
/// end.
void AppendComparablePattern(std::string_view value, std::string* out);

/// Whether `pattern` matches a beginning of `path`, or all of it if it ends in '$'; '*' stands for
/// any text. Both are in comparable form. Takes time linear in both together, times the number of
/// '*' that do not fit.
bool PatternMatches(std::string_view pattern, std::string_view path);

}  // namespace crawler
