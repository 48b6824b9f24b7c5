#pragma once

#include "fetch/decode.hpp"
#include "fetch/options.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// The decoding limits for the response to `request`.
DecodeLimits DecodeLimitsFor(const FetchRequest& request, const FetchLimits& limits);

/// Turns `result->raw_body` into the content: takes the chunked framing off and undoes the content
/// codings, within `limits`. What is wrong with them becomes `failure` and `message`, unless there
/// is a failure already; partial bodies are decoded as far as they go.
/// Fetchers do this unless FetchOptions::decode is off; then it is to be called once.
void FinishBody(const DecodeLimits& limits, Decoder& decoder, FetchResult* result);

}  // namespace crawler
