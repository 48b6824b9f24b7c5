# cmake -DOUTPUT=x.cpp -DOPENAPI=openapi.json -DFOLDER=web -DFILES="index.html;style.css" -P EmbedFiles.cmake:
# writes the source of WebFiles() and OpenApiText(), with the bytes of the files in it.
function(bytes_of path variable)
  file(READ "${path}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," list "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
         list "${list}")
  set(${variable} "${list}" PARENT_SCOPE)
endfunction()

set(types
    "html=text/html; charset=utf-8" "css=text/css; charset=utf-8" "js=text/javascript; charset=utf-8"
    "svg=image/svg+xml" "png=image/png" "ico=image/x-icon" "json=application/json"
    "webmanifest=application/manifest+json")
set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  string(REGEX MATCH "[^.]*$" extension "${file}")
  set(type "")
  foreach(entry IN LISTS types)
    if(entry MATCHES "^${extension}=(.*)$")
      set(type "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  if(NOT type)
    message(FATAL_ERROR "EmbedFiles.cmake has no type for ${file}")
  endif()
  bytes_of("${FOLDER}/${file}" bytes)
  file(SHA256 "${FOLDER}/${file}" digest)
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"/web/${file}\", \"${type}\", TextOf(kFile${number}), \"${digest}\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
bytes_of("${OPENAPI}" bytes)
file(WRITE "${OUTPUT}" "// Made by cmake/EmbedFiles.cmake.
#include \"serve/web_files.hpp\"

#include <cstddef>

namespace crawler {
namespace {

${arrays}constexpr unsigned char kOpenApi[] = {\n${bytes}0};

template <std::size_t kSize>
std::string_view TextOf(const unsigned char (&bytes)[kSize]) {
  return {reinterpret_cast<const char*>(bytes), kSize - 1};
}

}  // namespace

std::span<const WebFile> WebFiles() {
  static const WebFile files[] = {
${table}  };
  return files;
}

std::string_view OpenApiText() { return TextOf(kOpenApi); }

}  // namespace crawler
")
