#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "parse/sitemap_builder.hpp"

namespace crawler {

// Uses zlib, not the faster libdeflate: zlib returns the data before the damage of a broken file.
bool Gunzip(std::string_view bytes, size_t limit, std::string* out) {
  constexpr int kGzipOnly = 15 + 16;
  constexpr size_t kStep = size_t{256} << 10;
  out->clear();
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);
  // zlib only reads from it; its interface is older than const. Sizes are 32 bits there.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in =
      static_cast<uInt>(std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max()));

  int status = Z_OK;
  while (status == Z_OK && out->size() < limit) {
    const size_t used = out->size();
    const size_t step = std::min(kStep, limit - used);
    out->resize(used + step);
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + used);
    stream.avail_out = static_cast<uInt>(step);
    status = inflate(&stream, Z_NO_FLUSH);
    out->resize(used + step - stream.avail_out);
    // Members may follow each other; anything else behind the last is padding.
    const bool another = status == Z_STREAM_END && stream.avail_in >= 2 &&
                         stream.next_in[0] == 0x1F && stream.next_in[1] == 0x8B;
    if (another) status = inflateReset(&stream);
  }
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  // Z_BUF_ERROR is one too: the input has ended before the data.
  return status == Z_OK || status == Z_STREAM_END;
}

}  // namespace crawler
