#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/memory_budget.hpp"
#include "model/headers.hpp"
#include "url/address.hpp"
#include "url/url.hpp"

namespace crawler {

/// Why there is no usable response. Failures of the web are values, not a Status.
enum class FetchFailure : std::uint8_t {
  kNone,             ///< There is a response, of any status code.
  kBadUrl,           ///< Not http or https, or not a URL that can be requested.
  kDns,              ///< The name does not resolve, or did not in time.
  kRefused,          ///< Nobody listens at the port, or the host is unreachable.
  kConnectTimeout,   ///< No connection, or no finished TLS handshake, in time.
  kResponseTimeout,  ///< The request was sent, but no response head came in time.
  kReadTimeout,      ///< The body was too slow. The received part is kept.
  kDisconnected,     ///< Closed or reset before the end. The received part is kept.
  kTls,              ///< No trustworthy TLS connection.
  kProtocol,         ///< The response is not HTTP, or contradicts itself.
  kTooLarge,         ///< Head or body over the limit. The body is cut.
  kBomb,             ///< The body unpacks to absurdly more than was received. It is dropped.
  kBadEncoding,      ///< The Content-Encoding is unknown or broken from its first byte on.
  kBlockedAddress,   ///< The address guard refused the address or the port.
  kUnwantedType,     ///< Dropped at the headers because of its Content-Type.
  kCancelled,        ///< Cancelled by the crawler, e.g. when the crawl ends.
  kLocal,            ///< This machine is out of descriptors, ports or memory.
  kNoRoom,           ///< Given up for others: large and slow while the memory was used up. Dropped.
};

/// The name in logs and tables, e.g. "connect timeout". Static text.
std::string_view FetchFailureName(FetchFailure failure);
/// The failure with this name; nothing if there is none. The names are stored.
std::optional<FetchFailure> ParseFetchFailure(std::string_view name);

/// Why a body was cut off; the names are those of WARC-Truncated.
enum class Truncation : std::uint8_t { kNone, kLength, kTime, kDisconnect };

/// "length", "time", "disconnect", or "" for kNone. Static text.
std::string_view TruncationName(Truncation truncation);

/// The protocol version of a response.
enum class HttpVersion : std::uint8_t { kNone, kHttp10, kHttp11, kHttp2, kHttp3 };

/// "HTTP/1.1", "HTTP/2", …, or "" for kNone. Static text.
std::string_view HttpVersionName(HttpVersion version);

/// A request to be made. A plain value.
struct FetchRequest {
  enum class Method : std::uint8_t { kGet, kHead };

  Url url;
  Method method = Method::kGet;
  /// Sent as If-None-Match and If-Modified-Since when not empty; the values as received earlier.
  std::string etag;
  std::string last_modified;
  /// Largest body, as received and decoded, in bytes, instead of the fetcher's limits; 0 means
  /// these. For robots.txt and sitemaps, which have limits of their own.
  std::size_t max_body = 0;
  /// From the request to the end of the response head; 0 means the fetcher's limit, which is never
  /// exceeded.
  std::chrono::milliseconds response_timeout{0};
  /// Accept any Content-Type: servers send robots.txt and sitemaps with many types.
  bool any_type = false;
};

/// Times of the steps of a request, in microseconds since it was handed to the network; 0 for a
/// step that did not happen (a reused connection has no lookup, connect and TLS).
struct FetchTimings {
  std::chrono::microseconds resolved{0};   ///< The name lookup; counted from Start().
  std::chrono::microseconds connected{0};  ///< TCP connection up.
  std::chrono::microseconds secured{0};    ///< TLS handshake done.
  std::chrono::microseconds first_byte{0};
  std::chrono::microseconds total{0};
};

/// The outcome of a FetchRequest.
///
/// The body exists in up to three forms. `raw_body` holds the bytes behind the head on the wire,
/// chunked framing and trailers included, for the WARC (over HTTP/2: the content of the DATA
/// frames). `payload_parts` are the pieces of raw_body without the chunk framing; payload digests
/// are computed over them. body() is the content with the Content-Encoding undone as well.
/// Ownership: a plain value; views point into it.
struct FetchResult {
  /// A piece of raw_body.
  struct Part {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };

  Url url;  ///< The requested URL; the last one if redirects were followed.
  FetchFailure failure = FetchFailure::kNone;
  /// Description of the failure, for people; empty if there was none.
  std::string message;

  int status = 0;  ///< 0 if there was no response head.
  HttpVersion protocol = HttpVersion::kNone;
  HeaderBlock headers;
  /// The target of a 301, 302, 303, 307 or 308, resolved against `url`; not followed. Its kind()
  /// says whether it can be. Empty if there is no valid Location.
  std::optional<Url> redirect;

  /// Counts the body in its several forms, if the fetcher has a budget.
  MemoryShare memory;

  std::string raw_body;
  /// Whether raw_body carries chunked framing. If so, payload_parts lists the payload; otherwise
  /// all of raw_body is payload.
  bool chunked = false;
  std::vector<Part> payload_parts;
  Truncation truncated = Truncation::kNone;

  /// The decoded content when it differs from raw_body; see body().
  std::string decoded_body;
  bool body_is_raw = true;
  /// The coded body was damaged or ended early; body() is the part that could be decoded.
  bool decoding_incomplete = false;

  std::optional<IpAddress> remote_address;
  std::uint16_t remote_port = 0;
  bool via_proxy = false;  ///< remote_address is that of the proxy.
  bool reused_connection = false;
  std::string_view tls_version;  ///< "TLSv1.3", …; empty without TLS. Static text.
  FetchTimings timings;
  WallTime started;

  /// The head of the request as it was sent, secrets withheld (see fetch/request_head.hpp); empty
  /// unless FetchOptions::keep_request_head is set and there was a connection.
  std::string request_head;

  /// The URLs requested before `url` if redirects were followed, oldest first.
  std::vector<std::string> redirected_from;

  bool ok() const { return failure == FetchFailure::kNone; }
  /// The content: transfer and content codings undone.
  std::string_view body() const { return body_is_raw ? raw_body : decoded_body; }

  /// Calls `visit(std::string_view)` with each piece of the payload in order.
  template <typename Visitor>
  void VisitPayload(Visitor visit) const {
    if (!chunked) {
      if (!raw_body.empty()) visit(std::string_view(raw_body));
      return;
    }
    for (const Part& part : payload_parts) {
      visit(std::string_view(raw_body).substr(part.offset, part.size));
    }
  }
};

}  // namespace crawler
