// Content codings: any bytes, any chain, never more output than allowed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fetch/chunked.hpp"
#include "fetch/decode.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static crawler::Decoder decoder;
  if (size < 2) return 0;
  // The first byte says how many codings, the second which; the rest is the body.
  std::vector<crawler::ContentCoding> codings;
  for (int i = 0; i < data[0] % 6; ++i) {
    codings.push_back(static_cast<crawler::ContentCoding>(data[1] >> (i % 4 * 2) & 3));
  }
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  crawler::DecodeLimits limits;
  limits.max_output = 100'000;
  limits.ratio_floor = 10'000;
  std::string output;
  const crawler::DecodeOutcome outcome = decoder.Decode(body, codings, limits, &output);
  if (output.size() > limits.max_output && !codings.empty()) std::abort();
  if (outcome == crawler::DecodeOutcome::kBomb && !output.empty()) std::abort();
  if (!codings.empty() && outcome == crawler::DecodeOutcome::kComplete &&
      output.size() > limits.ratio_floor && output.size() / limits.max_ratio > body.size()) {
    std::abort();
  }

  const crawler::ChunkedBody chunks = crawler::ReadChunks(body);
  std::size_t at = 0, payload = 0;
  for (const auto& part : chunks.parts) {  // In order, apart, and inside.
    if (part.offset < at || part.size == 0) std::abort();
    at = std::size_t{part.offset} + part.size;
    payload += part.size;
  }
  if (at > chunks.end || chunks.end > body.size() || payload != chunks.payload_size) std::abort();
  if (chunks.complete && !chunks.malformed.empty()) std::abort();
  return 0;
}
