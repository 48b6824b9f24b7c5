#include "robots/robots_txt.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/ascii.hpp"
#include "robots/pattern.hpp"

namespace crawler {
namespace {

using std::string_view;

// Longer lines are cut, as in Google's parser: eight times the longest URL of old browsers.
constexpr std::size_t kMaxLine = 2083 * 8 - 1;

constexpr std::chrono::milliseconds kMaxDelay = std::chrono::hours(24);

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

string_view Trim(string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// `lower` is in lower case.
bool StartsWithIgnoringCase(string_view text, string_view lower) {
  return text.size() >= lower.size() && std::equal(lower.begin(), lower.end(), text.begin(),
                                                   [](char l, char t) { return l == Lower(t); });
}

bool EqualIgnoringCase(string_view a, string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

enum class Key : std::uint8_t { kUnknown, kUserAgent, kAllow, kDisallow, kSitemap, kCrawlDelay };

// Recognises keys by their beginning, common misspellings included.
Key KeyOf(string_view text) {
  struct Spelling {
    string_view begins;
    Key key;
  };
  static constexpr Spelling kSpellings[] = {
      {"disallow", Key::kDisallow},      {"allow", Key::kAllow},
      {"user-agent", Key::kUserAgent},   {"sitemap", Key::kSitemap},
      {"crawl-delay", Key::kCrawlDelay}, {"useragent", Key::kUserAgent},
      {"user agent", Key::kUserAgent},   {"site-map", Key::kSitemap},
      {"dissallow", Key::kDisallow},     {"dissalow", Key::kDisallow},
      {"disalow", Key::kDisallow},       {"diasllow", Key::kDisallow},
      {"disallaw", Key::kDisallow},      {"crawldelay", Key::kCrawlDelay},
  };
  for (const Spelling& spelling : kSpellings) {
    if (StartsWithIgnoringCase(text, spelling.begins)) return spelling.key;
  }
  return Key::kUnknown;
}

struct KeyValue {
  string_view key;
  string_view value;
};

// Splits "key: value", or "key value" where the colon was forgotten. Both parts are trimmed.
std::optional<KeyValue> SplitLine(string_view line) {
  std::size_t separator = line.find(':');
  if (separator == string_view::npos) {
    separator = line.find_first_of(" \t");
    if (separator == string_view::npos) return std::nullopt;
    const string_view value = Trim(line.substr(separator));
    // More than two words are prose, not a rule.
    if (value.find_first_of(" \t") != string_view::npos) return std::nullopt;
  }
  const string_view key = Trim(line.substr(0, separator));
  if (key.empty()) return std::nullopt;
  return KeyValue{key, Trim(line.substr(separator + 1))};
}

// Seconds with or without a fraction or an exponent; text behind the number is ignored. Numbers
// that are too large for a double are the longest delay.
std::optional<std::chrono::milliseconds> ParseDelay(string_view value) {
  if (value.find_first_of("0123456789.") != 0) return std::nullopt;  // No "inf", no sign.
  double seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error == std::errc::result_out_of_range) {
    // Too small is out of range as well: 1e-999, or a point and many zeros.
    const string_view number(value.data(), static_cast<std::size_t>(end - value.data()));
    const bool tiny = number.starts_with('.') || number.starts_with('0') ||
                      number.find("e-") != string_view::npos ||
                      number.find("E-") != string_view::npos;
    seconds = tiny ? 0 : std::numeric_limits<double>::max();
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  const string_view rest = value.substr(static_cast<std::size_t>(end - value.data()));
  if (!rest.empty() && !IsBlank(rest[0]) && rest[0] != '<') return std::nullopt;
  const double most = std::chrono::duration<double>(kMaxDelay).count();
  return std::chrono::round<std::chrono::milliseconds>(
      std::chrono::duration<double>(std::min(seconds, most)));
}

// How specific a rule is: its octets in percent-encoded form, so three per byte outside ASCII.
std::uint32_t OctetsOf(string_view value) {
  std::size_t octets = value.size();
  for (const char c : value) octets += static_cast<unsigned char>(c) >= 0x80 ? 2 : 0;
  return static_cast<std::uint32_t>(octets);
}

// The first eight bytes of `text`, zeros where it is shorter.
std::uint64_t Head(string_view text) {
  std::uint64_t head = 0;
  std::memcpy(&head, text.data(), std::min(text.size(), sizeof head));
  return head;
}

}  // namespace

string_view ProductToken(string_view user_agent) {
  std::size_t end = 0;
  while (end < user_agent.size()) {
    const char c = Lower(user_agent[end]);
    if (!(c >= 'a' && c <= 'z') && c != '_' && c != '-') break;
    ++end;
  }
  return user_agent.substr(0, end);
}

// Parses one file. A group is a run of User-agent lines and the rules behind it; keys that are no
// rules end no group (RFC 9309, 2.2.4).
class RobotsParser {
 public:
  explicit RobotsParser(string_view product) : product_(ProductToken(product)) {}

  RobotsTxt Run(string_view body) {
    for (const char c :
         string_view("\xef\xbb\xbf")) {  // A byte order mark, even an incomplete one.
      if (!body.starts_with(c)) break;
      body.remove_prefix(1);
    }
    const bool cut = body.size() > kMaxRobotsBytes;
    body = body.substr(0, kMaxRobotsBytes);
    int number = 0;
    while (!body.empty()) {
      const std::size_t end = body.find_first_of("\r\n");
      if (end == string_view::npos && cut) break;  // Half a rule may say the opposite of the whole.
      ReadLine(++number, body.substr(0, std::min(end, kMaxLine)));
      if (end == string_view::npos) break;
      const bool crlf = body.substr(end, 2) == "\r\n";
      body.remove_prefix(end + (crlf ? 2 : 1));
    }
    return Finish();
  }

 private:
  using Rule = RobotsTxt::Rule;
  struct Group {  // All groups that name the crawler, or all for '*', merged.
    std::vector<Rule> rules;
    std::optional<std::chrono::milliseconds> delay;
    bool open = false;        // The lines being read belong to it.
    bool delay_open = false;  // The same for Crawl-delay.
    bool seen = false;
  };

  void ReadLine(int number, string_view line) {
    line = Trim(line.substr(0, line.find('#')));
    if (line.empty()) return;
    const std::optional<KeyValue> pair = SplitLine(line);
    if (!pair) return;
    switch (KeyOf(pair->key)) {
      case Key::kUserAgent:
        return ReadUserAgent(pair->value);
      case Key::kAllow:
        return ReadRule(number, line, pair->value, true);
      case Key::kDisallow:
        return ReadRule(number, line, pair->value, false);
      case Key::kSitemap:
        if (!pair->value.empty()) result_.sitemaps_.emplace_back(pair->value);
        return;
      case Key::kCrawlDelay:
        return ReadDelay(pair->value);
      case Key::kUnknown:
        return;
    }
  }

  void ReadUserAgent(string_view value) {
    if (rules_begun_) specific_.open = global_.open = false;
    if (rules_begun_ || delay_begun_) specific_.delay_open = global_.delay_open = false;
    rules_begun_ = delay_begun_ = false;
    const bool star = value.starts_with('*') && (value.size() == 1 || IsBlank(value[1]));
    const string_view token = ProductToken(value);
    if (star) {
      global_.open = global_.delay_open = global_.seen = true;
    } else if (!token.empty() && EqualIgnoringCase(token, product_)) {
      specific_.open = specific_.delay_open = specific_.seen = true;
    }
  }

  // A Crawl-delay ends the group as far as other Crawl-delays are concerned: files that give each
  // crawler nothing but a delay are common, and those delays are not all meant for all of them.
  void ReadDelay(string_view value) {
    delay_begun_ = true;
    const auto delay = ParseDelay(value);
    if (!delay) return;
    for (Group* group : {&specific_, &global_}) {
      if (group->delay_open) group->delay = std::max(group->delay.value_or(*delay), *delay);
    }
  }

  void ReadRule(int number, string_view line, string_view value, bool allow) {
    rules_begun_ = true;
    if (value.empty() || !(specific_.open || global_.open)) return;
    Rule rule;
    rule.line = number;
    rule.allow = allow;
    rule.source = static_cast<std::uint32_t>(result_.text_.size());
    rule.source_length = static_cast<std::uint32_t>(line.size());
    result_.text_.append(line);
    AddRule(rule, value);
    // "Allow: /x/index.html" means /x/ too.
    const std::size_t slash = value.rfind('/');
    if (allow && slash != string_view::npos && value.substr(slash).starts_with("/index.htm")) {
      AddRule(rule, std::string(value.substr(0, slash + 1)) + "$");
    }
  }

  void AddRule(Rule rule, string_view value) {
    rule.pattern = static_cast<std::uint32_t>(result_.text_.size());
    AppendComparablePattern(value, &result_.text_);
    const string_view pattern = string_view(result_.text_).substr(rule.pattern);
    rule.pattern_length = static_cast<std::uint32_t>(pattern.size());
    rule.priority = OctetsOf(value);
    const std::size_t literal = std::min({pattern.find('*'), pattern.size(), sizeof rule.head});
    const bool to_end = pattern.ends_with('$') && literal == pattern.size();
    rule.head = Head(pattern.substr(0, literal - to_end));
    rule.mask = Head(string_view("\xff\xff\xff\xff\xff\xff\xff\xff", literal - to_end));
    if (specific_.open) specific_.rules.push_back(rule);
    if (global_.open) global_.rules.push_back(rule);
  }

  RobotsTxt Finish() {
    Group& group = specific_.seen ? specific_ : global_;
    std::stable_sort(group.rules.begin(), group.rules.end(), [](const Rule& a, const Rule& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.allow && !b.allow;
    });
    result_.rules_ = std::move(group.rules);
    result_.crawl_delay_ = group.delay;
    return std::move(result_);
  }

  const string_view product_;
  RobotsTxt result_;
  Group specific_;
  Group global_;
  bool rules_begun_ = false;  // A rule was read since the last User-agent line.
  bool delay_begun_ = false;
};

RobotsTxt RobotsTxt::Parse(string_view body, string_view product) {
  return RobotsParser(product).Run(body);
}

RobotsVerdict RobotsTxt::Check(string_view path_and_query) const {
  std::string comparable;
  if (path_and_query.empty()) path_and_query = "/";
  if (AppendComparablePath(path_and_query, &comparable)) path_and_query = comparable;
  const std::uint64_t head = Head(path_and_query);
  const string_view text(text_);
  for (const Rule& rule : rules_) {
    if (((head ^ rule.head) & rule.mask) != 0) continue;
    if (!PatternMatches(text.substr(rule.pattern, rule.pattern_length), path_and_query)) continue;
    return {rule.allow, rule.line, text.substr(rule.source, rule.source_length)};
  }
  return {};
}

std::vector<RobotsVerdict> RobotsTxt::Rules() const {
  std::vector<RobotsVerdict> rules;
  rules.reserve(rules_.size());
  for (const Rule& rule : rules_) {
    rules.push_back(
        {rule.allow, rule.line, string_view(text_).substr(rule.source, rule.source_length)});
  }
  std::sort(rules.begin(), rules.end(),
            [](const RobotsVerdict& a, const RobotsVerdict& b) { return a.line < b.line; });
  // A line about index.html gives two rules.
  const auto same_line = [](const RobotsVerdict& a, const RobotsVerdict& b) {
    return a.line == b.line;
  };
  rules.erase(std::unique(rules.begin(), rules.end(), same_line), rules.end());
  return rules;
}

}  // namespace crawler
