#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "model/fetch_result.hpp"
#include "store/warc_digest.hpp"
#include "store/warc_gzip.hpp"

namespace crawler {

enum class WarcType : std::uint8_t { kWarcinfo, kResponse, kRevisit, kRequest, kMetadata };

/// "warcinfo", "response", … Static text.
std::string_view WarcTypeName(WarcType type);

/// `time` as a WARC-Date: UTC, to the second, "2026-01-31T23:59:59Z".
std::string WarcDate(WallTime time);

/// `url` as archives name it: without fragment, user and password.
std::string ArchivedUrl(const Url& url);

/// Metadata of a capture besides the exchange itself.
struct CaptureDetails {
  /// An earlier capture with the same payload, or one that a 304 confirms.
  struct Original {
    std::string_view url;
    WallTime date;  ///< WARC-Date of the earlier capture.
  };

  std::string_view via;     ///< The page whose link led here; empty for a seed.
  std::uint32_t depth = 0;  ///< Links from a seed.
  /// The SHA-256 of the payload if it is known; otherwise it is computed.
  const Sha256Digest* payload_digest = nullptr;
  /// Set: a revisit record is written instead of a response, with the head but not the body.
  std::optional<Original> original;
};

/// The records of one capture, compressed: every record is a gzip member of its own.
/// A plain value; encoding into one again keeps its memory.
struct EncodedCapture {
  struct Member {
    WarcType type = WarcType::kResponse;
    std::size_t begin = 0;  ///< Offsets into `bytes`.
    std::size_t end = 0;
  };

  /// The capture in an index of the archive; see CdxjEntry.
  struct IndexFields {
    std::string url, date, mime;
    int status = 0;
  };

  std::string bytes;
  std::vector<Member> members;
  Sha256Digest payload_digest{};
  IndexFields index;

  void Clear();
};

/// Encodes fetched responses as WARC 1.1 records.
///
/// A capture is a response (or revisit), a request if FetchResult::request_head is there, and a
/// metadata record; the latter two point at the first with WARC-Concurrent-To. Heads and bodies are
/// stored as received. The one exception: a head of HTTP/2 or 3, which has no text form, gets a
/// status line of HTTP/1.1, because readers know no other; WARC-Protocol names the real one. Bodies
/// that do not compress are stored as they are.
/// Ownership: owns its compressor and buffers, to be used for many captures.
/// Threads: one at a time; each thread needs its own. Record ids are unique across encoders.
class WarcEncoder {
 public:
  /// Throws std::bad_alloc, and nothing else, as all functions do.
  WarcEncoder();
  WarcEncoder(const WarcEncoder&) = delete;
  WarcEncoder& operator=(const WarcEncoder&) = delete;

  /// The SHA-256 of the payload, which is without transfer coding, but with content coding.
  Sha256Digest PayloadDigest(const FetchResult& result);

  /// Overwrites `*out` with the records of `result`. Without a response head there is nothing to
  /// archive, and `*out` is empty.
  void EncodeCapture(const FetchResult& result, const CaptureDetails& details, EncodedCapture* out);

  /// Overwrites `*out` with a warcinfo record for the file `filename`. Line breaks in the fields
  /// become blanks.
  void EncodeWarcinfo(std::string_view filename, WallTime date,
                      const std::vector<std::pair<std::string, std::string>>& fields,
                      EncodedCapture* out);

 private:
  // URI and date of these records are those of out->index.
  void AddResponse(const FetchResult& result, const CaptureDetails& details, std::string_view id,
                   EncodedCapture* out);
  void AddMetadata(const FetchResult& result, const CaptureDetails& details,
                   std::string_view response_id, EncodedCapture* out);
  std::string NewRecordId();

  // A record is built in plain_: Begin, Field…, Finish.
  void Begin(WarcType type, std::string_view id, std::string_view date);
  void Field(std::string_view name, std::string_view value);
  void DigestField(std::string_view name, std::span<const std::uint8_t> sha256);
  /// The last piece of `block` is stored as it is if it `is_compressed`.
  void Finish(WarcType type, std::string_view content_type,
              std::initializer_list<std::string_view> block, bool is_compressed,
              EncodedCapture* out);

  GzipEncoder gzip_;
  Hasher hasher_;
  const std::uint64_t id_seeds_[2];
  std::uint64_t ids_ = 0;
  std::string plain_;
  std::string fields_;  // The block of a metadata or warcinfo record.
};

}  // namespace crawler
