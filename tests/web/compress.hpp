#pragma once

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace crawler {

/// `window`: 15 + 16 for gzip, 15 for zlib, -15 for raw deflate.
inline std::string Deflated(std::string_view input, int window, gz_header* header = nullptr) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  if (header != nullptr) deflateSetHeader(&stream, header);
  std::string output(deflateBound(&stream, input.size()) + (1 << 17), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(output.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  output.resize(stream.total_out);
  deflateEnd(&stream);
  return output;
}

inline std::string Gzip(std::string_view input) { return Deflated(input, 15 + 16); }
inline std::string Zlib(std::string_view input) { return Deflated(input, 15); }
inline std::string RawDeflate(std::string_view input) { return Deflated(input, -15); }

inline std::string Brotli(std::string_view input) {
  std::size_t size = BrotliEncoderMaxCompressedSize(input.size()) + 16;
  std::string output(size, '\0');
  if (BrotliEncoderCompress(9, 22, BROTLI_MODE_GENERIC, input.size(),
                            reinterpret_cast<const std::uint8_t*>(input.data()), &size,
                            reinterpret_cast<std::uint8_t*>(output.data())) != BROTLI_TRUE) {
    throw std::runtime_error("brotli");
  }
  output.resize(size);
  return output;
}

inline std::string Zstd(std::string_view input) {
  std::string output(ZSTD_compressBound(input.size()), '\0');
  const std::size_t size =
      ZSTD_compress(output.data(), output.size(), input.data(), input.size(), 9);
  if (ZSTD_isError(size)) throw std::runtime_error("zstd");
  output.resize(size);
  return output;
}

}  // namespace crawler
