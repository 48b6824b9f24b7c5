#include "engine/capture.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace crawler {

bool IsRevisitOf(const StoredPage& stored, int status, const Sha256Digest* payload) {
  if (!stored.archived) return false;
  if (status == 304) return true;
  const std::optional<std::string>& hash = stored.payload_hash;
  if (!hash) return false;
  if (!hash->empty()) {
    return *hash ==
           std::string_view(reinterpret_cast<const char*>(payload->data()), payload->size());
  }
  // An empty hash means that the payload is the content.
  std::string hex;
  AppendHex(*payload, &hex);
  return hex == stored.content_hash;
}

void CaptureEncoder::Encode(const FetchResult& result, const CaptureSource& source,
                            EncodedCapture* capture) {
  CaptureDetails details;
  details.via = source.via;
  details.depth = source.depth;
  details.payload_digest = source.payload;
  Sha256Digest computed;
  std::optional<ContentIndex::First> first;
  if (source.is_page) {
    if (source.payload == nullptr) {
      computed = encoder_.PayloadDigest(result);
      details.payload_digest = &computed;
    }
    // Payloads, not contents: the same page may come gzipped one time and plain another.
    first = payloads_.Find(*details.payload_digest);
  }
  std::string original;  // Its URL.
  if (source.unchanged != nullptr &&
      IsRevisitOf(*source.unchanged, result.status, details.payload_digest)) {
    original = ArchivedUrl(result.url);
    details.original = {original,
                        WallTime(std::chrono::milliseconds(source.unchanged->crawled_at))};
  } else if (first) {
    if (Result<std::string> text = text_of_(first->url); text.ok()) {
      original = std::move(text).value();
      details.original = {original, WallTime(std::chrono::seconds(first->at))};
    }
  }
  encoder_.EncodeCapture(result, details, capture);
}

}  // namespace crawler
