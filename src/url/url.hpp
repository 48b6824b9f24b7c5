#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawler {

class QueryEncoder;

/// The kinds of URL that a crawler treats differently.
enum class UrlKind : std::uint8_t {
  kInvalid,      ///< No URL: the standard's parser fails.
  kOtherScheme,  ///< A URL, but not one to follow: mailto:, javascript:, data:, ftp:, …
  kFollowable,   ///< http or https.
};

/// The result of parsing a URL, without its text: the offsets of its parts, and its kind. Used
/// together with the text; see UrlView.
class UrlParts {
 public:
  enum class HostKind : std::uint8_t {
    kNone,   ///< No host, as in mailto:x@y.
    kEmpty,  ///< An empty host, as in file:///x.
    kName,   ///< A domain, or the opaque host of a scheme that is not special.
    kIpv4,   ///< Dotted decimal; other spellings were converted.
    kIpv6,   ///< In brackets, compressed by RFC 5952.
  };

  UrlKind kind() const { return kind_; }
  bool followable() const { return kind_ == UrlKind::kFollowable; }
  HostKind host_kind() const { return host_kind_; }
  bool has_credentials() const { return host_start_ != user_start_; }
  /// Whether a port is written. The default port of the scheme never is.
  bool has_port() const { return port_ >= 0; }
  bool has_query() const { return query_start_ != kAbsent; }
  bool has_fragment() const { return fragment_start_ != kAbsent; }

 protected:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;

  //     https://user:password@host.example:8080/path?query#fragment
  //          |  |            ||           |    |    |     |
  //          |  user_start_  ||           |    |    |     fragment_start_ (its '#'), or kAbsent
  //          scheme_end_     |host_start_ |    |    query_start_ (its '?'), or kAbsent
  //                   host_start_ - 1     |    path_start_
  //                                       host_end_
  // Without credentials user_start_ == host_start_. Without a host user_start_, host_start_ and
  // host_end_ are behind the scheme's colon; path_start_ may still be 2 further, where "/." keeps
  // a path that begins with "//" from being read as a host.
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

/// The common part of Url and UrlView; `Text` is the type that holds the text of the URL.
/// Lifetime: every view that is returned points into the text.
template <typename Text>
class BasicUrl : public UrlParts {
 public:
  /// The whole URL. Empty for kInvalid.
  std::string_view href() const { return href_; }
  /// Lower case, without the colon.
  std::string_view scheme() const { return Slice(0, scheme_end_); }
  /// Percent-encoded; empty when absent.
  std::string_view username() const;
  std::string_view password() const;
  /// ASCII (punycode) and lower case for special schemes; IPv6 with its brackets.
  std::string_view host() const { return Slice(host_start_, host_end_); }
  /// `host`, or `host:port` when the port is not the scheme's default.
  std::string_view host_and_port() const;
  /// The port to connect to: the one written, or the scheme's default; 0 if there is none.
  std::uint16_t port() const;
  /// The part before the path: the origin, for a followable URL without credentials.
  std::string_view before_path() const { return Slice(0, path_start_); }
  /// Begins with '/' for special schemes.
  std::string_view path() const { return Slice(path_start_, path_end()); }
  /// Without the '?'; empty when absent or empty.
  std::string_view query() const;
  /// The target of the request line: path, and "?query" if there is one.
  std::string_view path_and_query() const { return Slice(path_start_, query_end()); }
  /// Without the '#'; empty when absent or empty.
  std::string_view fragment() const;
  /// The URL without its fragment.
  std::string_view href_without_fragment() const { return Slice(0, query_end()); }

  /// `scheme://host` or `scheme://host:port`: names the server, and is the key of robots.txt rules.
  std::string Origin() const;

  friend bool operator==(const BasicUrl& a, const BasicUrl& b) { return a.href_ == b.href_; }

 protected:
  BasicUrl() = default;
  BasicUrl(Text href, const UrlParts& parts) : UrlParts(parts), href_(href) {}

  std::string_view Slice(std::uint32_t from, std::uint32_t to) const {
    return std::string_view(href_.data() + from, to - from);
  }
  std::uint32_t path_end() const { return has_query() ? query_start_ : query_end(); }
  std::uint32_t query_end() const {
    return has_fragment() ? fragment_start_ : static_cast<std::uint32_t>(href_.size());
  }

  Text href_;
};

extern template class BasicUrl<std::string>;
extern template class BasicUrl<std::string_view>;

/// An absolute URL in the serialised form of the WHATWG URL Standard, and where its parts lie:
///
///     https://user:password@host.example:8080/path?query#fragment
///
/// A plain value: one string and a few offsets. Made by ParseUrl(); a default one is empty and
/// kInvalid. Reusing one Url as the output of many ParseUrl() calls keeps its memory, so a loop
/// over links allocates nothing.
/// Lifetime: every view points into this object and dies with it or with its next change.
class Url : public BasicUrl<std::string> {
 public:
  void Clear();
  void RemoveFragment();
  /// Removes "user:password@".
  void RemoveCredentials();

 private:
  friend class UrlParser;
  friend class UrlNormalizer;
};

/// A read-only URL whose text is stored elsewhere; made from stored parts, without parsing again.
/// Lifetime: valid as long as the text.
class UrlView : public BasicUrl<std::string_view> {
 public:
  UrlView(const Url& url) : BasicUrl(url.href(), url) {}  // NOLINT: an implicit view.
  /// Requires: `href` is equal to that of the Url that `parts` is of.
  UrlView(std::string_view href, const UrlParts& parts) : BasicUrl(href, parts) {}
};

/// Parses `input`, relative to `base` if that is given and valid, as a browser would: the basic
/// URL parser of the WHATWG URL Standard, all schemes included.
///
/// `input` is read as UTF-8; bytes that are not UTF-8 become U+FFFD. `query_encoder` is for links
/// of documents in another encoding, in which the standard writes their queries; null means UTF-8.
/// Any input gives a result in linear time; input of more than kMaxUrlInput bytes is kInvalid.
/// `*out` is overwritten, and is cleared on kInvalid. It must not be `*base`.
/// Threads: safe from any thread.
UrlKind ParseUrl(std::string_view input, const Url* base, Url* out,
                 const QueryEncoder* query_encoder = nullptr);

/// The longest input that is parsed. Far more than any server accepts, small enough for 32-bit
/// offsets even if every byte becomes "%EF%BF%BD".
inline constexpr std::size_t kMaxUrlInput = std::size_t{16} << 20;

}  // namespace crawler
