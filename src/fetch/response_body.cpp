#include "fetch/response_body.hpp"

#include <algorithm>

#include "fetch/chunked.hpp"

namespace crawler {
namespace {

void Fail(FetchResult* result, FetchFailure failure, std::string_view message) {
  if (result->failure != FetchFailure::kNone) return;
  result->failure = failure;
  result->message = message;
}

// Finds the payload in a chunked body. libcurl reports a malformed chunk as a failure to receive;
// the more exact reason replaces it.
void ReadFraming(FetchResult* result) {
  ChunkedBody chunks = ReadChunks(result->raw_body);
  result->raw_body.resize(chunks.end);
  result->payload_parts = std::move(chunks.parts);
  if (!chunks.malformed.empty()) {
    if (result->failure == FetchFailure::kDisconnected) result->failure = FetchFailure::kNone;
    Fail(result, FetchFailure::kProtocol, chunks.malformed);
  } else if (!chunks.complete && result->truncated == Truncation::kNone) {
    Fail(result, FetchFailure::kDisconnected, "the chunked body has no end");
    result->truncated = Truncation::kDisconnect;
  }
}

// The payload in one piece; `gathered` is used if it is in several.
std::string_view Payload(const FetchResult& result, std::string* gathered) {
  const std::string_view raw = result.raw_body;
  if (!result.chunked) return raw;
  const std::vector<FetchResult::Part>& parts = result.payload_parts;
  if (parts.empty()) return {};
  if (parts.size() == 1) return raw.substr(parts[0].offset, parts[0].size);
  std::size_t size = 0;
  for (const FetchResult::Part& part : parts) size += part.size;
  gathered->reserve(size);
  for (const FetchResult::Part& part : parts) gathered->append(raw, part.offset, part.size);
  return *gathered;
}

}  // namespace

DecodeLimits DecodeLimitsFor(const FetchRequest& request, const FetchLimits& limits) {
  DecodeLimits decode;
  decode.max_output = request.max_body > 0 ? request.max_body : limits.max_decoded;
  decode.max_ratio = limits.max_ratio;
  return decode;
}

void FinishBody(const DecodeLimits& limits, Decoder& decoder, FetchResult* result) {
  if (result->chunked) ReadFraming(result);
  const ContentCodings codings = ReadContentCodings(result->headers);
  const bool coded = !codings.applied.empty() && !codings.unknown && !codings.too_many;
  if (!coded && !result->chunked && result->raw_body.size() <= limits.max_output) {
    result->body_is_raw = true;  // The common case, for which nothing is copied.
  } else {
    std::string gathered;
    const std::string_view payload = Payload(*result, &gathered);
    result->body_is_raw = false;
    if (!coded) {
      result->decoded_body = payload.substr(0, limits.max_output);
      if (payload.size() > limits.max_output) {
        Fail(result, FetchFailure::kTooLarge, "the body is over the limit");
        result->decoding_incomplete = true;
      }
    } else {
      const DecodeOutcome outcome =
          decoder.Decode(payload, codings.applied, limits, &result->decoded_body);
      result->decoding_incomplete = outcome != DecodeOutcome::kComplete;
      if (outcome == DecodeOutcome::kTooLarge) {
        Fail(result, FetchFailure::kTooLarge, "the decoded body is over the limit");
      } else if (outcome == DecodeOutcome::kBomb) {
        Fail(result, FetchFailure::kBomb, "the body unpacks to absurdly more than was received");
      } else if (outcome == DecodeOutcome::kFailed) {
        Fail(result, FetchFailure::kBadEncoding, "the body is not in its Content-Encoding");
      }
    }
  }
  if (codings.too_many) {
    Fail(result, FetchFailure::kBadEncoding, "too many content codings");
    result->decoding_incomplete = true;
  } else if (codings.unknown) {
    result->decoding_incomplete = true;  // The body is in a coding that nobody undid.
  }
}

}  // namespace crawler
