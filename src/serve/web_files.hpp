#pragma once

#include <span>
#include <string_view>

namespace crawler {

/// A file of src/serve/web, as it is part of the program. cmake/EmbedFiles.cmake makes them.
struct WebFile {
  std::string_view path;  ///< "/web/index.html"
  const char* type;       ///< "text/html; charset=utf-8"
  std::string_view content;
  std::string_view digest;  ///< SHA-256 in hex.
};
std::span<const WebFile> WebFiles();
/// The OpenAPI document, src/serve/openapi.json.
std::string_view OpenApiText();

}  // namespace crawler
