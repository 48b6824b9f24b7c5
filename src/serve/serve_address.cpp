#include "serve/serve_address.hpp"

#include <charconv>

#include "crawler/serve.hpp"

namespace crawler {

std::string ReadServeAddress(std::string_view text, ServeOptions* options) {
  std::string_view port = text;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view address = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (address.starts_with('[') && address.ends_with(']')) {
      address = address.substr(1, address.size() - 2);
    }
    options->address = address == "localhost" ? "127.0.0.1" : std::string(address);
  }
  int number = -1;
  const char* const end = port.data() + port.size();
  const auto [stopped, error] = std::from_chars(port.data(), end, number);
  if (error != std::errc() || stopped != end || number < 0 || number > 65'535 ||
      options->address.empty()) {
    return "'" + std::string(text) + "' is not [ADDRESS:]PORT";
  }
  options->port = number;
  return "";
}

}  // namespace crawler
