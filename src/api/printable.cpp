// Passes calls on to base/printable. No logic.
#include "crawler/printable.hpp"

#include "base/printable.hpp"

namespace crawler {

std::string ToPrintableText(std::string_view text) {
  std::string printable;
  AppendPrintable(text, &printable);
  return printable;
}

std::string ToPrintableJson(std::string_view json) { return PrintableJson(json); }

}  // namespace crawler
