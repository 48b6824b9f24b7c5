#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawler {

class QueryEncoder;

/// What a parsed address is to a crawler.
enum class UrlKind : std::uint8_t {
  kInvalid,      ///< No URL: the standard's parser fails.
  kOtherScheme,  ///< A URL, but not one to follow: mailto:, javascript:, data:, ftp:, …
  kFollowable,   ///< http or https.
};

/// An absolute URL in the serialised form of the WHATWG URL Standard, and where its parts lie:
///
///     https://user:password@host.example:8080/path?query#fragment
///
/// A plain value: one string and a few offsets. Made by ParseUrl(); a default one is empty and
/// kInvalid. Reusing one Url as the output of many ParseUrl() calls keeps its memory, so a loop
/// over links allocates nothing.
/// Lifetime: every view points into this object and dies with it or with its next change.
class Url {
 public:
  enum class HostKind : std::uint8_t {
    kNone,   ///< No host at all, as in mailto:x@y.
    kEmpty,  ///< An empty one, as in file:///x.
    kName,   ///< A domain, or the opaque host of a scheme that is not special.
    kIpv4,   ///< Dotted decimal, whatever its spelling was.
    kIpv6,   ///< In brackets, compressed as RFC 5952 wants.
  };

  UrlKind kind() const { return kind_; }
  bool followable() const { return kind_ == UrlKind::kFollowable; }

  /// The whole URL. Empty for kInvalid.
  std::string_view href() const { return href_; }
  /// Lower case, without the colon.
  std::string_view scheme() const { return Slice(0, scheme_end_); }
  /// Percent-encoded; empty when absent.
  std::string_view username() const;
  std::string_view password() const;
  bool has_credentials() const { return host_start_ != user_start_; }
  HostKind host_kind() const { return host_kind_; }
  /// ASCII (punycode) and lower case for special schemes; IPv6 with its brackets.
  std::string_view host() const { return Slice(host_start_, host_end_); }
  /// `host`, or `host:port` when the port is not the scheme's default.
  std::string_view host_and_port() const;
  /// Whether a port is written, which it never is when it is the scheme's default.
  bool has_port() const { return port_ >= 0; }
  /// The port to connect to: the one written, or the scheme's default; 0 if there is none.
  std::uint16_t port() const;
  /// Begins with '/' for special schemes.
  std::string_view path() const { return Slice(path_start_, path_end()); }
  /// Without the '?'; empty when absent or empty.
  std::string_view query() const;
  bool has_query() const { return query_start_ != kAbsent; }
  /// What goes into the request line: path, and "?query" if there is one.
  std::string_view path_and_query() const { return Slice(path_start_, query_end()); }
  /// Without the '#'; empty when absent or empty.
  std::string_view fragment() const;
  bool has_fragment() const { return fragment_start_ != kAbsent; }
  /// The URL without its fragment.
  std::string_view href_without_fragment() const { return Slice(0, query_end()); }

  /// `scheme://host` or `scheme://host:port`: who answers, and what robots.txt is kept under.
  std::string Origin() const;

  void Clear();
  void RemoveFragment();

  friend bool operator==(const Url& a, const Url& b) { return a.href_ == b.href_; }

 private:
  friend class UrlParser;
  friend class UrlNormalizer;
  static constexpr std::uint32_t kAbsent = 0xffffffffu;

  std::string_view Slice(std::uint32_t from, std::uint32_t to) const {
    return std::string_view(href_.data() + from, to - from);
  }
  std::uint32_t path_end() const { return has_query() ? query_start_ : query_end(); }
  std::uint32_t query_end() const {
    return has_fragment() ? fragment_start_ : static_cast<std::uint32_t>(href_.size());
  }

  //     https://user:password@host.example:8080/path?query#fragment
  //          |  |            ||           |    |    |     |
  //          |  user_start_  ||           |    |    |     fragment_start_ (its '#'), or kAbsent
  //          scheme_end_     |host_start_ |    |    query_start_ (its '?'), or kAbsent
  //                   host_start_ - 1     |    path_start_
  //                                       host_end_
  // Without credentials user_start_ == host_start_. Without a host user_start_, host_start_ and
  // host_end_ are behind the scheme's colon; path_start_ may still be 2 further, where "/." keeps
  // a path that begins with "//" from being read as a host.
  std::string href_;
  std::uint32_t scheme_end_ = 0;
  std::uint32_t user_start_ = 0;
  std::uint32_t host_start_ = 0;
  std::uint32_t host_end_ = 0;
  std::uint32_t path_start_ = 0;
  std::uint32_t query_start_ = kAbsent;
  std::uint32_t fragment_start_ = kAbsent;
  std::int32_t port_ = -1;
  UrlKind kind_ = UrlKind::kInvalid;
  HostKind host_kind_ = HostKind::kNone;
  bool opaque_path_ = false;
};

/// Parses `input`, relative to `base` if that is given and valid, as a browser would: the basic
/// URL parser of the WHATWG URL Standard, all schemes included.
///
/// `input` is bytes taken as UTF-8; what is not UTF-8 becomes U+FFFD. `query_encoder` is for links
/// of documents in another encoding (the standard writes their queries in it); null means UTF-8.
/// Any input gives an outcome in linear time; more than kMaxUrlInput bytes are kInvalid.
/// `*out` is overwritten, and is cleared on kInvalid. It must not be `*base`.
/// Threads: safe from any thread.
UrlKind ParseUrl(std::string_view input, const Url* base, Url* out,
                 const QueryEncoder* query_encoder = nullptr);

/// Far more than any server accepts, small enough for 32-bit offsets even when every byte has to
/// be written as "%EF%BF%BD".
inline constexpr std::size_t kMaxUrlInput = std::size_t{16} << 20;

}  // namespace crawler
