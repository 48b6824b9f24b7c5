#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/warc_digest.hpp"
#include "store/warc_reader.hpp"

namespace crawler {

/// Takes the chunk framing (RFC 9112, 7.1) off a body that comes in pieces.
class ChunkScanner {
 public:
  /// Calls `payload(std::string_view)` with the payload in the next piece of the body. Behind
  /// invalid framing there is no more payload.
  template <typename Payload>
  void Feed(std::string_view bytes, Payload payload) {
    while (!bytes.empty() && state_ < State::kDone) {
      if (state_ == State::kData) {
        const std::string_view data = bytes.substr(0, std::min<std::uint64_t>(left_, bytes.size()));
        payload(data);
        left_ -= data.size();
        if (left_ == 0) state_ = State::kDataEnd;
        bytes.remove_prefix(data.size());
      } else {
        Step(bytes.front());
        bytes.remove_prefix(1);
      }
    }
  }

 private:
  enum class State : std::uint8_t { kSize, kExtension, kData, kDataEnd, kTrailer, kDone, kBad };

  void Step(char c);
  void EndSizeLine();

  State state_ = State::kSize;
  std::uint64_t left_ = 0;
  int digits_ = 0;
  bool line_empty_ = true;
};

/// Looks at the block of a record as it goes by: keeps its beginning, finds the HTTP head, and
/// checks the digests.
class BlockInspector {
 public:
  /// Fills in the members of `*record` that describe its block. Requires: its named fields are set.
  BlockInspector(const WarcReader::Limits& limits, WarcRecord* record);

  void Feed(std::string_view bytes);
  void Finish();

 private:
  struct Check {
    LabelledDigest expected;
    Hasher hasher;

    explicit Check(LabelledDigest digest)
        : expected(std::move(digest)), hasher(expected.algorithm) {}
    bool Passes();
  };

  void BeginPayload(std::string http_head);
  void FeedPayload(std::string_view bytes);

  const WarcReader::Limits& limits_;
  WarcRecord& record_;
  std::optional<Check> block_;
  std::optional<Check> payload_;
  std::optional<Check> framed_payload_;  // The body with its chunk framing.
  bool in_http_head_ = false;
  bool payload_known_ = true;
  std::string http_head_;
  std::optional<ChunkScanner> chunks_;
};

}  // namespace crawler
