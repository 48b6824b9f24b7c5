#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "serve/http_message.hpp"

namespace crawler {

/// JSON of the service, with keys in the order they are written.
using ServeJson = nlohmann::ordered_json;

/// In one line. Bytes that are not UTF-8 become U+FFFD.
inline std::string ToText(const ServeJson& json) {
  return json.dump(-1, ' ', false, ServeJson::error_handler_t::replace);
}

inline HttpResponse JsonResponse(const ServeJson& json) {
  HttpResponse response;
  response.body = ToText(json) + "\n";
  return response;
}

}  // namespace crawler
