#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "model/headers.hpp"
#include "url/address.hpp"
#include "url/url.hpp"

namespace crawler {

/// Why there is no usable response. The web's failures are values, not errors of ours.
enum class FetchFailure : std::uint8_t {
  kNone,             ///< There is a response, whatever its status code.
  kBadUrl,           ///< Not http or https, or not a URL that can be asked for.
  kDns,              ///< The name does not resolve, or did not in time.
  kRefused,          ///< Nobody listens at the port, or the host is unreachable.
  kConnectTimeout,   ///< No connection, or no finished TLS handshake, in time.
  kResponseTimeout,  ///< Connected and asked, but the response head did not come in time.
  kReadTimeout,      ///< The body was too slow. What came of it is kept.
  kDisconnected,     ///< Closed or reset before the response was complete. What came is kept.
  kTls,              ///< No trustworthy TLS connection.
  kProtocol,         ///< What came is not HTTP, or contradicts itself.
  kTooLarge,         ///< Head or body over the limit. The body is cut, or dropped.
  kBomb,             ///< The body unpacks to absurdly more than was received. It is dropped.
  kBadEncoding,      ///< The Content-Encoding is unknown or broken from its first byte on.
  kBlockedAddress,   ///< The address guard refused the address or the port.
  kUnwantedType,     ///< Dropped at the headers because of its Content-Type.
  kCancelled,        ///< Given up on our side, e.g. when the crawl ends.
  kLocal,            ///< This machine is out of descriptors, ports or memory.
};

/// The name logs and tables show, e.g. "connect timeout". Lives for ever.
std::string_view FetchFailureName(FetchFailure failure);
/// The failure with this name; nothing if there is none. The names are stored.
std::optional<FetchFailure> ParseFetchFailure(std::string_view name);

/// Where a body was cut; the names of WARC-Truncated.
enum class Truncation : std::uint8_t { kNone, kLength, kTime, kDisconnect };

/// "length", "time", "disconnect", or "" for kNone. Lives for ever.
std::string_view TruncationName(Truncation truncation);

/// Under which protocol a response came.
enum class HttpVersion : std::uint8_t { kNone, kHttp10, kHttp11, kHttp2, kHttp3 };

/// "HTTP/1.1", "HTTP/2", …, or "" for kNone. Lives for ever.
std::string_view HttpVersionName(HttpVersion version);

/// What to fetch. A plain value.
struct FetchRequest {
  enum class Method : std::uint8_t { kGet, kHead };

  Url url;
  Method method = Method::kGet;
  /// Sent as If-None-Match and If-Modified-Since when not empty; the values as once received.
  std::string etag;
  std::string last_modified;
  /// Largest body, as received and decoded, in bytes; 0 means the fetcher's limits.
  std::size_t max_body = 0;
  /// A body that is announced to be over the limit is read up to it instead of dropped at the
  /// headers: robots.txt wants its first 500 KiB.
  bool cut_oversized = false;
  /// Takes any Content-Type: robots.txt and sitemaps come with all sorts.
  bool any_type = false;
};

/// When what had happened, in microseconds since the request was handed to the network; 0 for what
/// did not happen (a reused connection has no lookup, connect and TLS).
struct FetchTimings {
  std::chrono::microseconds resolved{0};   ///< The name lookup; counted from Start().
  std::chrono::microseconds connected{0};  ///< TCP connection up.
  std::chrono::microseconds secured{0};    ///< TLS handshake done.
  std::chrono::microseconds first_byte{0};
  std::chrono::microseconds total{0};
};

/// What became of a FetchRequest.
///
/// The body exists in up to three forms. `raw_body` is what followed the head on the wire, chunked
/// framing and trailers included, as a WARC wants it (over HTTP/2: the DATA frames' content).
/// Payload parts are the pieces of it left without the chunk framing; payload digests are taken
/// over them. body() is the content with the Content-Encoding undone as well.
/// Ownership: a plain value; views point into it.
struct FetchResult {
  /// A piece of raw_body.
  struct Part {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };

  Url url;  ///< As asked for; the last one of a followed chain.
  FetchFailure failure = FetchFailure::kNone;
  /// What went wrong, for people; empty if nothing.
  std::string message;

  int status = 0;  ///< 0 if there was no response head.
  HttpVersion protocol = HttpVersion::kNone;
  HeaderBlock headers;
  /// Where a 301, 302, 303, 307 or 308 points, resolved against `url`; not followed. Its kind()
  /// says whether it could be. Empty if there is no Location or it is no URL.
  std::optional<Url> redirect;

  std::string raw_body;
  /// Whether raw_body carries chunked framing; if so payload_parts says what is payload, and
  /// otherwise all of it is.
  bool chunked = false;
  std::vector<Part> payload_parts;
  Truncation truncated = Truncation::kNone;

  /// The decoded content when it differs from raw_body; see body().
  std::string decoded_body;
  bool body_is_raw = true;
  /// The coded body was damaged or ended early; body() is what could be decoded before that.
  bool decoding_incomplete = false;

  std::optional<IpAddress> remote_address;
  std::uint16_t remote_port = 0;
  bool via_proxy = false;  ///< Then remote_address is the proxy's.
  bool reused_connection = false;
  std::string_view tls_version;  ///< "TLSv1.3", …; empty without TLS. Static text.
  FetchTimings timings;
  WallTime started;

  /// The head of the request as it was sent, secrets withheld (see fetch/request_head.hpp); empty
  /// unless FetchOptions::keep_request_head is set and a connection was there to send it over.
  std::string request_head;

  /// The URLs asked before `url` when redirects were followed, oldest first.
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
