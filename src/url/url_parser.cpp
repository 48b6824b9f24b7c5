#include <array>
#include <charconv>
#include <cstring>
#include <string>

#include "base/ascii.hpp"
#include "url/host.hpp"
#include "url/percent.hpp"
#include "url/query_encoder.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

using std::string_view;
constexpr std::size_t kNone = string_view::npos;

bool IsSlash(char c) { return c == '/' || c == '\\'; }

enum class Scheme : std::uint8_t { kOther, kHttp, kHttps, kFtp, kWs, kWss, kFile };

Scheme SchemeOf(string_view name) {
  if (name == "https") return Scheme::kHttps;
  if (name == "http") return Scheme::kHttp;
  if (name == "ftp") return Scheme::kFtp;
  if (name == "ws") return Scheme::kWs;
  if (name == "wss") return Scheme::kWss;
  return name == "file" ? Scheme::kFile : Scheme::kOther;
}

int DefaultPort(Scheme scheme) {
  constexpr int kPorts[] = {-1, 80, 443, 21, 80, 443, -1};
  return kPorts[static_cast<int>(scheme)];
}

string_view TrimControlsAndSpaces(string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= 0x20) text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= 0x20) text.remove_suffix(1);
  return text;
}

// Whether a tab, line feed or carriage return stands in `text`, eight bytes at a time.
bool HasTabOrNewline(string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u, kHighs = 0x8080808080808080u;
  const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word & kHighs; };
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (has_zero(word ^ kOnes * '\t') | has_zero(word ^ kOnes * '\n') |
        has_zero(word ^ kOnes * '\r')) {
      return true;
    }
  }
  for (; i < text.size(); ++i) {
    if (text[i] == '\t' || text[i] == '\n' || text[i] == '\r') return true;
  }
  return false;
}

// Where the colon behind a scheme stands, or kNone if `text` begins with no scheme.
std::size_t FindSchemeEnd(string_view text) {
  if (text.empty() || !IsLetter(text[0])) return kNone;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') return i;
    if (!IsLetter(c) && !IsDigit(c) && c != '+' && c != '-' && c != '.') return kNone;
  }
  return kNone;
}

// 1 for ".", 2 for "..", in their percent-encoded spellings too; otherwise 0.
int DotSegment(string_view segment) {
  int dots = 0;
  for (std::size_t i = 0; i < segment.size(); ++dots) {
    if (segment[i] == '.') {
      ++i;
    } else if (PercentTriplet(segment, i) == '.') {
      i += 3;
    } else {
      return 0;
    }
    if (dots == 2) return 0;
  }
  return dots;
}

bool IsDriveLetter(string_view text) {
  return text.size() == 2 && IsLetter(text[0]) && (text[1] == ':' || text[1] == '|');
}

bool StartsWithDriveLetter(string_view text) {
  return IsDriveLetter(text.substr(0, 2)) &&
         (text.size() == 2 || IsSlash(text[2]) || text[2] == '?' || text[2] == '#');
}

// How a byte ends or changes the run of a path that can be copied as it stands.
enum PathByte : std::uint8_t {
  kPathEnds = 1,     // '?' or '#'
  kPathEncode = 2,   // In the path percent-encode set.
  kPathSpecial = 4,  // '\\', which special schemes read as '/'
  kPathDot = 8,      // '.' or '%': there may be a dot segment.
};

constexpr std::array<std::uint8_t, 256> MakePathBytes() {
  std::array<std::uint8_t, 256> bytes{};
  for (std::size_t c = 0; c < 256; ++c) {
    if (kPercentSets[c] & static_cast<std::uint8_t>(PercentSet::kPath)) bytes[c] = kPathEncode;
  }
  bytes['?'] = bytes['#'] = kPathEnds;
  bytes['\\'] = kPathSpecial;
  bytes['.'] = bytes['%'] = kPathDot;
  return bytes;
}

constexpr std::array<std::uint8_t, 256> kPathBytes = MakePathBytes();

}  // namespace

// One run of the basic URL parser without state override. The states of the standard are functions
// that consume `rest_` and append to the output from left to right; only dot segments remove
// anything: segments at the end of the output.
class UrlParser {
 public:
  UrlParser(string_view input, const Url* base, Url* out, const QueryEncoder* query_encoder)
      : rest_(input), base_(base), out_(*out), href_(out->href_), query_encoder_(query_encoder) {}

  UrlKind Run() {
    if (!ParseScheme()) {
      out_.Clear();
    } else if (scheme_ == Scheme::kHttp || scheme_ == Scheme::kHttps) {
      out_.kind_ = UrlKind::kFollowable;
    } else {
      out_.kind_ = UrlKind::kOtherScheme;
    }
    return out_.kind_;
  }

 private:
  // This and all parse functions below are false if the input is no URL.
  bool ParseScheme() {
    const std::size_t colon = FindSchemeEnd(rest_);
    if (colon == kNone) return ParseWithoutScheme();
    for (std::size_t i = 0; i <= colon; ++i) href_.push_back(Lower(rest_[i]));
    out_.scheme_end_ = static_cast<std::uint32_t>(colon);
    scheme_ = SchemeOf(out_.scheme());
    rest_.remove_prefix(colon + 1);
    SetNoHost();
    if (scheme_ == Scheme::kFile) return ParseFile();
    if (special()) {
      const bool same = base_ != nullptr && base_->scheme() == out_.scheme();
      if (same && !rest_.starts_with("//")) return ParseRelative();
      SkipSlashes();
      return ParseAuthority();
    }
    if (rest_.starts_with("//")) {
      rest_.remove_prefix(2);
      return ParseAuthority();
    }
    if (rest_.starts_with('/')) return ParsePathAndRest();
    return ParseOpaquePath();
  }

  bool special() const { return scheme_ != Scheme::kOther; }
  bool StartsWithSlash() const {
    return !rest_.empty() && (rest_[0] == '/' || (special() && rest_[0] == '\\'));
  }
  void SkipSlashes() {
    while (!rest_.empty() && IsSlash(rest_[0])) rest_.remove_prefix(1);
  }
  std::uint32_t Position() const { return static_cast<std::uint32_t>(href_.size()); }
  void SetNoHost() {
    out_.user_start_ = out_.host_start_ = out_.host_end_ = out_.path_start_ = Position();
  }

  bool ParseWithoutScheme() {
    if (base_ == nullptr) return false;
    if (base_->opaque_path_) {
      if (!rest_.starts_with('#')) return false;
      CopyBaseTo(base_->query_end());
      out_.query_start_ = base_->query_start_;
      out_.opaque_path_ = true;
      return ParseQueryAndFragment();
    }
    scheme_ = SchemeOf(base_->scheme());
    return scheme_ == Scheme::kFile ? ParseFile() : ParseRelative();
  }

  // Takes over the base up to `end`, and the offsets of all parts before its path.
  void CopyBaseTo(std::uint32_t end) {
    href_.assign(base_->href_, 0, end);
    out_.scheme_end_ = base_->scheme_end_;
    out_.user_start_ = base_->user_start_;
    out_.host_start_ = base_->host_start_;
    out_.host_end_ = base_->host_end_;
    out_.host_kind_ = base_->host_kind_;
    out_.port_ = base_->port_;
    out_.path_start_ = base_->path_start_;
  }

  bool ParseRelative() {
    if (StartsWithSlash()) return ParseRelativeSlash();
    if (rest_.empty() || rest_[0] == '#') {
      CopyBaseTo(base_->query_end());
      out_.query_start_ = base_->query_start_;
      return ParseQueryAndFragment();
    }
    CopyBaseTo(base_->path_end());
    if (rest_[0] == '?') return ParseQueryAndFragment();
    DropPathGuard();
    Shorten();
    ParsePath();
    return FinishPath();
  }

  bool ParseRelativeSlash() {
    const string_view after = rest_.substr(1);
    if (!after.empty() && (after[0] == '/' || (special() && after[0] == '\\'))) {
      href_.assign(base_->href_, 0, base_->scheme_end_ + 1);
      out_.scheme_end_ = base_->scheme_end_;
      if (special()) {
        SkipSlashes();
      } else {
        rest_.remove_prefix(2);
      }
      return ParseAuthority();
    }
    CopyBaseTo(base_->path_start_);
    DropPathGuard();
    return ParsePathAndRest();
  }

  bool ParseAuthority() {
    href_.append("//");
    out_.user_start_ = Position();
    std::size_t end = 0, at = kNone;
    for (; end < rest_.size(); ++end) {
      const char c = rest_[end];
      if (c == '/' || c == '?' || c == '#' || (c == '\\' && special())) break;
      if (c == '@') at = end;
    }
    string_view host_and_port = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (at != kNone) {
      AppendCredentials(host_and_port.substr(0, at));
      host_and_port.remove_prefix(at + 1);
      if (host_and_port.empty()) return false;
    }
    out_.host_start_ = Position();
    return ParseHostAndPort(host_and_port) && ParsePathAndRest();
  }

  void AppendCredentials(string_view userinfo) {
    const std::size_t colon = userinfo.find(':');
    AppendPercentEncoded(userinfo.substr(0, colon), PercentSet::kUserinfo, &href_);
    if (colon != kNone && colon + 1 < userinfo.size()) {
      href_.push_back(':');
      AppendPercentEncoded(userinfo.substr(colon + 1), PercentSet::kUserinfo, &href_);
    }
    if (Position() > out_.user_start_) href_.push_back('@');
  }

  bool ParseHostAndPort(string_view text) {
    std::size_t colon = text.find(':');
    if (colon != kNone && text.find('[') < colon) {  // Inside brackets a colon separates nothing.
      bool inside = false;
      for (colon = 0; colon < text.size(); ++colon) {
        if (text[colon] == ':' && !inside) break;
        if (text[colon] == '[') inside = true;
        if (text[colon] == ']') inside = false;
      }
      if (colon == text.size()) colon = kNone;
    }
    const string_view host = text.substr(0, colon);
    if (host.empty() && (special() || colon != kNone)) return false;
    if (!AppendHost(host, special(), &href_, &out_.host_kind_)) return false;
    out_.host_end_ = Position();
    return colon == kNone || ParsePort(text.substr(colon + 1));
  }

  bool ParsePort(string_view digits) {
    int port = 0;
    for (const char c : digits) {
      if (!IsDigit(c)) return false;
      port = port * 10 + (c - '0');
      if (port > 65535) return false;
    }
    if (digits.empty() || port == DefaultPort(scheme_)) return true;
    out_.port_ = port;
    char text[5];
    href_.push_back(':');
    href_.append(text, std::to_chars(text, text + 5, port).ptr);
    return true;
  }

  bool ParseFile() {
    if (out_.scheme_end_ == 0) {  // No scheme in the input: the base's.
      href_.assign("file:");
      out_.scheme_end_ = 4;
    }
    const Url* base = base_ != nullptr && base_->scheme() == "file" ? base_ : nullptr;
    if (StartsWithSlash()) {
      rest_.remove_prefix(1);
      if (StartsWithSlash()) {
        rest_.remove_prefix(1);
        return ParseFileHost();
      }
      SetFileHost(base == nullptr ? string_view() : base->host(), base);
      if (base != nullptr && !StartsWithDriveLetter(rest_)) {
        const string_view first = base->path().substr(0, 3);
        const bool whole = base->path().size() <= 3 || base->path()[3] == '/';
        if (first.size() == 3 && whole && IsLetter(first[1]) && first[2] == ':')
          href_.append(first);
      }
      ParsePath();
      return FinishPath();
    }
    if (base == nullptr) {
      SetFileHost({}, nullptr);
      ParsePath();
      return FinishPath();
    }
    if (rest_.empty() || rest_[0] == '#') {
      CopyBaseTo(base->query_end());
      out_.query_start_ = base->query_start_;
      return ParseQueryAndFragment();
    }
    CopyBaseTo(base->path_end());
    if (rest_[0] == '?') return ParseQueryAndFragment();
    if (StartsWithDriveLetter(rest_)) {
      href_.resize(out_.path_start_);
    } else {
      Shorten();
    }
    ParsePath();
    return FinishPath();
  }

  void SetFileHost(string_view host, const Url* base) {
    href_.append("//");
    out_.user_start_ = out_.host_start_ = Position();
    href_.append(host);
    out_.host_end_ = out_.path_start_ = Position();
    out_.host_kind_ = base != nullptr ? base->host_kind_ : Url::HostKind::kEmpty;
  }

  bool ParseFileHost() {
    const std::size_t end = std::min(rest_.find_first_of("/\\?#"), rest_.size());
    const string_view host = rest_.substr(0, end);
    SetFileHost({}, nullptr);
    if (!IsDriveLetter(host)) {
      rest_.remove_prefix(end);
      if (!host.empty()) {
        if (!AppendHost(host, true, &href_, &out_.host_kind_)) return false;
        if (string_view(href_).substr(out_.host_start_) == "localhost") {
          href_.resize(out_.host_start_);
          out_.host_kind_ = Url::HostKind::kEmpty;
        }
        out_.host_end_ = Position();
      }
      return ParsePathAndRest();
    }
    ParsePath();
    return FinishPath();
  }

  // The path start state and all behind it.
  bool ParsePathAndRest() {
    out_.path_start_ = Position();
    if (special()) {
      if (StartsWithSlash()) rest_.remove_prefix(1);
      ParsePath();
    } else if (rest_.starts_with('/')) {
      rest_.remove_prefix(1);
      ParsePath();
    } else if (!rest_.empty() && rest_[0] != '?' && rest_[0] != '#') {
      ParsePath();
    }
    return FinishPath();
  }

  // Appends '/' and a segment for each one in `rest_`, up to a query, a fragment or the end.
  void ParsePath() {
    unsigned seen = 0;
    std::size_t end = 0;
    for (; end < rest_.size(); ++end) {
      const unsigned bits = kPathBytes[static_cast<unsigned char>(rest_[end])];
      if (bits & kPathEnds) break;
      seen |= bits;
    }
    const string_view path = rest_.substr(0, end);
    rest_.remove_prefix(end);
    const bool plain = (seen & (kPathEncode | (special() ? kPathSpecial : 0))) == 0 &&
                       (!(seen & kPathDot) || !MayHaveDotSegment(path)) && scheme_ != Scheme::kFile;
    if (plain) {
      href_.push_back('/');
      href_.append(path);
    } else {
      ParseSegments(path);
    }
  }

  // Whether a segment begins like a dot segment.
  static bool MayHaveDotSegment(string_view path) {
    char before = '/';
    for (const char c : path) {
      if (before == '/' && (c == '.' || c == '%')) return true;
      before = c;
    }
    return false;
  }

  void ParseSegments(string_view path) {
    for (;;) {
      std::size_t end = 0;
      while (end < path.size() && path[end] != '/' && !(path[end] == '\\' && special())) ++end;
      const bool last = end == path.size();
      const string_view segment = path.substr(0, end);
      const int dots = DotSegment(segment);
      if (dots == 2) Shorten();
      if (dots != 0) {
        if (last) href_.push_back('/');
      } else if (scheme_ == Scheme::kFile && Position() == out_.path_start_ &&
                 IsDriveLetter(segment)) {
        href_.append({'/', segment[0], ':'});
      } else {
        href_.push_back('/');
        AppendPercentEncoded(segment, PercentSet::kPath, &href_);
      }
      if (last) return;
      path.remove_prefix(end + 1);
    }
  }

  // Takes the last segment off the path; a file's drive letter stays.
  void Shorten() {
    const string_view path = string_view(href_).substr(out_.path_start_);
    if (path.empty()) return;
    if (scheme_ == Scheme::kFile && path.size() == 3 && IsLetter(path[1]) && path[2] == ':') return;
    href_.resize(out_.path_start_ + path.rfind('/'));
  }

  // "/." before a path "//x" of a URL without host is written by FinishPath() only.
  void DropPathGuard() {
    if (out_.host_kind_ != Url::HostKind::kNone || out_.path_start_ == out_.host_end_) return;
    href_.erase(out_.host_end_, out_.path_start_ - out_.host_end_);
    out_.path_start_ = out_.host_end_;
  }

  bool FinishPath() {
    if (out_.host_kind_ == Url::HostKind::kNone &&
        string_view(href_).substr(out_.path_start_).starts_with("//")) {
      href_.insert(out_.path_start_, "/.");
      out_.path_start_ += 2;
    }
    return ParseQueryAndFragment();
  }

  bool ParseOpaquePath() {
    out_.opaque_path_ = true;
    const std::size_t end = std::min(rest_.find_first_of("?#"), rest_.size());
    string_view path = rest_.substr(0, end);
    const bool space = end < rest_.size() && path.ends_with(' ');
    if (space) path.remove_suffix(1);
    AppendPercentEncoded(path, PercentSet::kC0Control, &href_);
    if (space) href_.append("%20");
    rest_.remove_prefix(end);
    return ParseQueryAndFragment();
  }

  // Requires: `rest_` is empty or begins with '?' or '#'.
  bool ParseQueryAndFragment() {
    if (rest_.starts_with('?')) {
      out_.query_start_ = Position();
      const std::size_t hash = std::min(rest_.find('#'), rest_.size());
      AppendQuery(rest_.substr(1, hash - 1));
      rest_.remove_prefix(hash);
    }
    if (rest_.starts_with('#')) {
      out_.fragment_start_ = Position();
      href_.push_back('#');
      AppendPercentEncoded(rest_.substr(1), PercentSet::kFragment, &href_);
    }
    return true;
  }

  void AppendQuery(string_view query) {
    href_.push_back('?');
    const bool utf8 = !special() || scheme_ == Scheme::kWs || scheme_ == Scheme::kWss;
    if (query_encoder_ != nullptr && !utf8) {
      query_encoder_->Append(query, &href_);
    } else {
      AppendPercentEncoded(query, special() ? PercentSet::kSpecialQuery : PercentSet::kQuery,
                           &href_);
    }
  }

  string_view rest_;
  const Url* const base_;
  Url& out_;
  std::string& href_;
  const QueryEncoder* const query_encoder_;
  Scheme scheme_ = Scheme::kOther;
};

UrlKind ParseUrl(string_view input, const Url* base, Url* out, const QueryEncoder* query_encoder) {
  out->Clear();
  // A base that has grown as far, link by link, must not pass the 32 bits either.
  if (input.size() > kMaxUrlInput || (base != nullptr && base->href().size() > kMaxUrlInput * 9)) {
    return UrlKind::kInvalid;
  }
  if (base != nullptr && base->kind() == UrlKind::kInvalid) base = nullptr;
  input = TrimControlsAndSpaces(input);
  std::string stripped;
  if (HasTabOrNewline(input)) {
    for (const char c : input) {
      if (c != '\t' && c != '\n' && c != '\r') stripped.push_back(c);
    }
    input = stripped;
  }
  return UrlParser(input, base, out, query_encoder).Run();
}

}  // namespace crawler
