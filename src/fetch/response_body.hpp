#pragma once

#include "fetch/decode.hpp"
#include "fetch/options.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// The decoding limits for the response to `request`.
DecodeLimits DecodeLimitsFor(const FetchRequest& request, const FetchLimits& limits);

/// Turns `result->raw_body` into the content: takes the chunked framing off and undoes the content
/// codings, within `limits`. Errors become `failure` and `message`, unless there is a failure
/// already; partial bodies are decoded as far as possible.
/// Fetchers call this unless FetchOptions::decode is off; then the caller does, once.
void FinishBody(const DecodeLimits& limits, Decoder& decoder, FetchResult* result);

}  // namespace crawler
