// Lines of an index for captures of any URL, media type, date and digest: one line of three parts,
// whose last part is a JSON object, printable in ASCII. Fields are separated by line feeds.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/printable.hpp"
#include "store/cdxj.hpp"

namespace {

#define CHECK(condition) \
  if (!(condition)) std::abort()

std::string_view Cut(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size());
  const std::string_view field = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return field;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  crawler::CdxjEntry entry;
  entry.date = Cut(&text);
  entry.mime = Cut(&text);
  entry.digest = Cut(&text);
  entry.status = 200;
  entry.filename = "crawl-00001.warc.gz";
  entry.url = text;  // May hold line feeds.
  const std::string line = crawler::CdxjLine(entry);
  CHECK(line.find('\n') == std::string::npos && line.find('\r') == std::string::npos);
  const std::size_t key_end = line.find(' ');
  CHECK(key_end != std::string::npos && line[key_end + 15] == ' ');
  const std::string_view json = std::string_view(line).substr(key_end + 16);
  const nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
  CHECK(object.is_object() && object["filename"] == entry.filename);
  CHECK(crawler::PrintableJson(json) == json);
  return 0;
}
