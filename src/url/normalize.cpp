#include "url/normalize.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/ascii.hpp"
#include "url/percent.hpp"

namespace crawler {
namespace {

using std::string_view;

constexpr string_view kTracking[] = {
    "_ga",         "_gl",        "_hsenc",     "_hsmi",    "_openstat", "dclid",
    "fbclid",      "gad_source", "gbraid",     "gclid",    "gclsrc",    "igsh",
    "igshid",      "li_fat_id",  "mc_cid",     "mc_eid",   "mkt_tok",   "msclkid",
    "oly_anon_id", "oly_enc_id", "rb_clickid", "srsltid",  "ttclid",    "twclid",
    "vero_conv",   "vero_id",    "wbraid",     "wickedid", "yclid",     "ysclid",
};

// Names that mean a session on any site. "sid" is not among them: it may be the id of a story.
constexpr string_view kSession[] = {
    "cfid",      "cftoken",    "jsessionid", "oscsid",        "phpsessid",
    "sessionid", "session_id", "zenid",      "aspsessionid*",
};

bool IsUnreserved(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// `name` (any case) against a lower-case pattern that may end in '*'.
bool NameMatches(string_view name, string_view pattern) {
  const bool prefix = pattern.ends_with('*');
  if (prefix) pattern.remove_suffix(1);
  if (prefix ? name.size() < pattern.size() : name.size() != pattern.size()) return false;
  return std::equal(pattern.begin(), pattern.end(), name.begin(),
                    [](char p, char n) { return p == Lower(n); });
}

bool Dropped(string_view parameter, const NormalizeOptions& options) {
  const string_view name = parameter.substr(0, parameter.find('='));
  const auto matches = [name](string_view pattern) { return NameMatches(name, pattern); };
  if (options.drop_tracking &&
      (matches("utm_*") || std::any_of(std::begin(kTracking), std::end(kTracking), matches))) {
    return true;
  }
  return options.drop_session_ids && std::any_of(std::begin(kSession), std::end(kSession), matches);
}

}  // namespace

class UrlNormalizer {
 public:
  UrlNormalizer(Url* url, const NormalizeOptions& options) : url_(*url), options_(options) {}

  void Run() {
    url_.RemoveFragment();
    if (!url_.followable()) return;
    url_.RemoveCredentials();
    if (url_.href_.find('%', url_.path_start_) != std::string::npos) UndoEncoding();
    if (options_.drop_session_ids) DropPathSession();
    const bool rewrites =
        options_.drop_tracking || options_.drop_session_ids || options_.sort_query;
    if (rewrites && url_.has_query()) RewriteQuery();
  }

 private:
  // In place: what is written is never longer than what was read.
  void UndoEncoding() {
    std::string& href = url_.href_;
    std::size_t to = url_.path_start_;
    // Where the last '%' stands in the output that starts no triplet. A digit undone behind it
    // could make one that nobody wrote: "%%34%31" is not "%41".
    std::size_t stray = 0;
    for (std::size_t from = to; from < href.size(); ++from) {
      if (from == url_.query_start_) url_.query_start_ = static_cast<std::uint32_t>(to);
      const int byte = PercentTriplet(href, from);
      if (byte < 0) {
        if (href[from] == '%') stray = to;
        href[to++] = href[from];
        continue;
      }
      const char c = static_cast<char>(byte);
      const bool makes_triplet =
          HexValue(c) >= 0 && (to - stray == 1 || (to - stray == 2 && HexValue(href[to - 1]) >= 0));
      if (IsUnreserved(byte) && !makes_triplet) {
        href[to++] = c;
      } else {
        static constexpr char kHex[] = "0123456789ABCDEF";
        href[to] = '%';
        href[to + 1] = kHex[byte >> 4];
        href[to + 2] = kHex[byte & 15];
        to += 3;
      }
      from += 2;
    }
    href.resize(to);
  }

  // Takes ";jsessionid=…" off the end of the path, as often as it stands there.
  void DropPathSession() {
    string_view path = url_.path();
    const std::size_t length = path.size();
    for (std::size_t at; (at = path.rfind(';')) != string_view::npos; path = path.substr(0, at)) {
      const string_view parameter = path.substr(at + 1);
      if (parameter.find('/') != string_view::npos) break;
      if (!NameMatches(parameter.substr(0, parameter.find('=')), "jsessionid")) break;
    }
    // "/.;jsessionid=x" is a name; without its end it would be a dot segment, another path.
    if (path.ends_with("/.") || path.ends_with("/..")) return;
    const std::size_t dropped = length - path.size();
    url_.href_.erase(url_.path_start_ + path.size(), dropped);
    if (url_.has_query()) url_.query_start_ -= static_cast<std::uint32_t>(dropped);
  }

  void RewriteQuery() {
    std::vector<string_view> kept;
    string_view query = url_.query();
    for (;;) {
      const std::size_t end = std::min(query.find('&'), query.size());
      const string_view parameter = query.substr(0, end);
      if (!Dropped(parameter, options_)) kept.push_back(parameter);
      if (end == query.size()) break;
      query.remove_prefix(end + 1);
    }
    if (options_.sort_query) {
      std::stable_sort(kept.begin(), kept.end(), [](string_view a, string_view b) {
        return a.substr(0, a.find('=')) < b.substr(0, b.find('='));
      });
    }
    std::string rewritten;
    for (const string_view parameter : kept) {
      rewritten.append(rewritten.empty() ? "?" : "&").append(parameter);
    }
    url_.href_.replace(url_.query_start_, std::string::npos, rewritten);
    if (kept.empty()) url_.query_start_ = Url::kAbsent;
  }

  Url& url_;
  const NormalizeOptions& options_;
};

void NormalizeUrl(Url* url, const NormalizeOptions& options) { UrlNormalizer(url, options).Run(); }

}  // namespace crawler
