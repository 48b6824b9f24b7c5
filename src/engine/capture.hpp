#pragma once

#include <cstdint>
#include <string_view>

#include "engine/content_index.hpp"
#include "engine/url_text.hpp"
#include "model/fetch_result.hpp"
#include "store/rows.hpp"
#include "store/warc_digest.hpp"
#include "store/warc_record.hpp"

namespace crawler {

/// Where a response comes from, and the facts about its content that are known already.
struct CaptureSource {
  std::string_view via;     ///< The page whose link led here; empty for a seed.
  std::uint32_t depth = 0;  ///< Links from a seed.
  /// The response is a page: it may be a revisit of an earlier one with the same payload.
  bool is_page = false;
  /// SHA-256 of the payload if it is known; null: it is computed.
  const Sha256Digest* payload = nullptr;
  /// The stored page that the response has confirmed or repeated; null if there is none.
  const StoredPage* unchanged = nullptr;
};

/// Whether the archive already has the payload of a response whose page is `stored`, unchanged, so
/// that a revisit record is enough. `payload` may be null for a 304, which has none.
bool IsRevisitOf(const StoredPage& stored, int status, const Sha256Digest* payload);

/// Turns exchanges into WARC records. A page whose payload was
/// archived before, under its own or another URL, becomes a revisit record.
/// Ownership: borrows `payloads`: the first page of this run with each payload.
/// Threads: one at a time; have one for each thread.
class CaptureEncoder {
 public:
  CaptureEncoder(const ContentIndex& payloads, UrlTextLookup text_of)
      : payloads_(payloads), text_of_(std::move(text_of)) {}

  /// Overwrites `*capture`. Requires: the result has a response head.
  void Encode(const FetchResult& result, const CaptureSource& source, EncodedCapture* capture);

 private:
  const ContentIndex& payloads_;
  const UrlTextLookup text_of_;
  WarcEncoder encoder_;
};

}  // namespace crawler
