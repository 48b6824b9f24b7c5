// The first byte chooses the limits and whether the rest is packed into a gzip member first, as the
// fuzzer cannot make valid ones; the rest is the file.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/cdxj.hpp"
#include "store/warc_gzip.hpp"
#include "store/warc_reader.hpp"

namespace {

#define CHECK(condition) \
  if (!(condition)) std::abort()

void CheckRecord(const crawler::WarcRecord& record, const crawler::WarcReader::Limits& limits,
                 std::size_t file_size) {
  CHECK(record.offset + record.length <= file_size);
  CHECK(record.length > 0);
  CHECK(record.block_size <= limits.max_block);
  CHECK(record.block.size() <= limits.keep_block && record.block.size() <= record.block_size);
  CHECK(record.payload_size <= record.block_size);
  CHECK(record.http.raw().size() <= limits.max_http_head);
  CHECK(record.status >= 0 && record.status <= 999);
  CHECK(!record.type.empty());

  crawler::CdxjEntry entry;
  entry.url = record.uri;
  entry.date = record.date;
  const std::string mime = record.http.Joined("content-type");
  entry.mime = mime;
  entry.digest = record.Field("WARC-Payload-Digest");
  const std::string line = crawler::CdxjLine(entry);
  const std::size_t key_end = line.find(' ');
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.substr(key_end + 15, 2) == " {");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  std::string file(bytes);
  if (data[0] % 2 == 1) {
    static crawler::GzipEncoder encoder;
    file.clear();
    encoder.AppendMember(bytes, data[0] % 4 == 1 ? bytes.size() : bytes.size() / 2, &file);
  }
  crawler::WarcReader::Limits limits;
  if (data[0] % 8 >= 4) limits = {300, 100, 10'000, 50};

  const auto reader = crawler::WarcReader::FromBytes(file, limits);
  crawler::WarcRecord record;
  std::size_t end = 0;
  crawler::WarcRead outcome = reader->Next(&record);
  for (; outcome == crawler::WarcRead::kRecord; outcome = reader->Next(&record)) {
    CheckRecord(record, limits, file.size());
    CHECK(record.offset == end);
    end += record.length;
  }
  CHECK((outcome == crawler::WarcRead::kEnd) == reader->problem().empty());
  CHECK(outcome != crawler::WarcRead::kEnd || end == file.size());
  return 0;
}
