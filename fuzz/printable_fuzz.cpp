// Text for a terminal: no control character is left, and text that is safe stays as it is. JSON
// keeps its meaning.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/printable.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string printable, again;
  crawler::AppendPrintable(text, &printable);
  for (std::size_t i = 0; i < printable.size(); ++i) {
    const auto byte = static_cast<unsigned char>(printable[i]);
    if (byte < 0x20 || byte == 0x7f) std::abort();
    if (byte == 0xc2 && static_cast<unsigned char>(printable[i + 1]) < 0xa0) std::abort();
  }
  crawler::AppendPrintable(printable, &again);
  if (again != printable) std::abort();

  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) return 0;
  const std::string json = value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  if (nlohmann::json::parse(crawler::PrintableJson(json)) != nlohmann::json::parse(json)) {
    std::abort();
  }
  return 0;
}
