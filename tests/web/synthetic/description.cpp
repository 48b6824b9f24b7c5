#include "web/synthetic/description.hpp"

#include <algorithm>
#include <charconv>
#include <span>

namespace synthetic {
namespace {

constexpr std::uint32_t kMostAddresses = 65'534, kMostPorts = 64;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <typename T>
struct Name {
  std::string_view name;
  T value;
};

constexpr Name<Shape> kShapes[] = {{"random", Shape::kRandom},
                                   {"ring", Shape::kRing},
                                   {"star", Shape::kStar},
                                   {"chain", Shape::kChain},
                                   {"tree", Shape::kTree}};
constexpr Name<Robots> kRobots[] = {{"404", Robots::kNone},
                                    {"200", Robots::kRules},
                                    {"401", Robots::kUnauthorized},
                                    {"403", Robots::kForbidden},
                                    {"429", Robots::kThrottled},
                                    {"500", Robots::kBroken},
                                    {"503", Robots::kUnavailable},
                                    {"redirect", Robots::kRedirect},
                                    {"redirect-loop", Robots::kRedirectLoop},
                                    {"close", Robots::kClose},
                                    {"huge", Robots::kHuge}};
constexpr Name<Sitemap> kSitemaps[] = {{"none", Sitemap::kNone},
                                       {"plain", Sitemap::kPlain},
                                       {"index", Sitemap::kIndex},
                                       {"gzip", Sitemap::kGzip},
                                       {"unnamed", Sitemap::kUnnamed}};
constexpr Name<Dead> kDead[] = {
    {"no", Dead::kNo}, {"refuse", Dead::kRefuse}, {"hang", Dead::kHang}, {"close", Dead::kClose}};
constexpr Name<RetryForm> kRetryForms[] = {{"seconds", RetryForm::kSeconds},
                                           {"date", RetryForm::kDate}};

template <auto kMember>
bool SetNumber(Host& host, std::string_view value) {
  return ParseNumber(value, host.*kMember);
}

bool SetPages(Host& host, std::string_view value) {
  if (value == "endless") {
    host.pages = 0;
    return true;
  }
  return ParseNumber(value, host.pages) && host.pages > 0;
}

template <auto kMember, const auto& kNames>
bool SetName(Host& host, std::string_view value) {
  for (const auto& [name, meaning] : kNames) {
    if (name == value) {
      host.*kMember = meaning;
      return true;
    }
  }
  return false;
}

// Prefixes only: what a pattern matches is the business of the robots tests.
template <auto kMember>
bool SetPrefixes(Host& host, std::string_view value) {
  for (const std::string_view prefix : Split(value, ',')) {
    if (prefix[0] != '/' || prefix.find_first_of("*$#%") != std::string_view::npos) return false;
    (host.*kMember).emplace_back(prefix);
  }
  return true;
}

struct Key {
  std::string_view name;
  bool (*set)(Host&, std::string_view);
};

constexpr Key kKeys[] = {
    {"pages", SetPages},
    {"links", SetNumber<&Host::links>},
    {"bytes", SetNumber<&Host::bytes>},
    {"cross", SetNumber<&Host::cross>},
    {"shape", SetName<&Host::shape, kShapes>},
    {"calendar", SetNumber<&Host::calendar>},
    {"segments", SetNumber<&Host::segments>},
    {"redirects", SetNumber<&Host::redirects>},
    {"loop", SetNumber<&Host::loop>},
    {"away", SetNumber<&Host::away>},
    {"copies", SetNumber<&Host::copies>},
    {"files", SetNumber<&Host::files>},
    {"missing", SetNumber<&Host::missing>},
    {"robots", SetName<&Host::robots, kRobots>},
    {"robots-fails", SetNumber<&Host::robots_fails>},
    {"robots-latency", SetNumber<&Host::robots_latency>},
    {"crawl-delay", SetNumber<&Host::crawl_delay>},
    {"disallow", SetPrefixes<&Host::disallow>},
    {"allow", SetPrefixes<&Host::allow>},
    {"sitemap", SetName<&Host::sitemap, kSitemaps>},
    {"listed", SetNumber<&Host::listed>},
    {"latency", SetNumber<&Host::latency>},
    {"throttle", SetNumber<&Host::throttle>},
    {"throttle-every", SetNumber<&Host::throttle_every>},
    {"throttle-status", SetNumber<&Host::throttle_status>},
    {"retry-after", SetNumber<&Host::retry_after>},
    {"retry-form", SetName<&Host::retry_form, kRetryForms>},
    {"fail-every", SetNumber<&Host::fail_every>},
    {"fail-tries", SetNumber<&Host::fail_tries>},
    {"fail-status", SetNumber<&Host::fail_status>},
    {"dead", SetName<&Host::dead, kDead>},
    {"gzip", SetNumber<&Host::gzip>},
    {"nofollow-every", SetNumber<&Host::nofollow_every>},
    {"noindex-every", SetNumber<&Host::noindex_every>},
    {"meta-nofollow-every", SetNumber<&Host::meta_nofollow_every>},
    {"header-every", SetNumber<&Host::header_every>},
    {"canonical-every", SetNumber<&Host::canonical_every>},
};

// What would cost memory or time without bound, or contradicts itself.
std::string Complaint(const Host& host) {
  if (host.links > 10'000 || host.cross > 10'000) return "more than 10000 links a page";
  if (host.bytes > 100'000'000) return "more than 100 MB a page";
  if (host.shape == Shape::kStar && (host.pages == 0 || host.pages > 1'000'000)) {
    return "a star has at most 1000000 pages";
  }
  if (host.pages > (1ULL << 52)) return "more than 2^52 pages";
  for (const std::uint64_t count : {host.redirects, host.loop, host.copies, host.files,
                                    host.missing, host.listed, host.retry_after}) {
    if (count > 100'000) return "a count beyond 100000";
  }
  if (host.throttle_status != 429 && host.throttle_status != 503) {
    return "throttle-status is 429 or 503";
  }
  if (host.fail_status < 500 || host.fail_status > 599) return "fail-status is 500 to 599";
  const bool has_rules = !host.disallow.empty() || !host.allow.empty() || host.crawl_delay > 0;
  const bool names_sitemap = host.sitemap != Sitemap::kNone && host.sitemap != Sitemap::kUnnamed;
  const bool no_file = host.robots == Robots::kNone || host.robots == Robots::kUnauthorized ||
                       host.robots == Robots::kForbidden || host.robots == Robots::kRedirectLoop;
  if (no_file && (has_rules || names_sitemap)) {
    return "rules, a crawl-delay or a named sitemap need a robots.txt that can be had";
  }
  return {};
}

bool ParseAddresses(std::string_view text, std::vector<std::uint32_t>& addresses,
                    std::uint32_t& port) {
  const std::size_t colon = text.find(':');
  std::uint64_t number = 0;
  if (colon != std::string_view::npos) {
    if (!ParseNumber(text.substr(colon + 1), number) || number >= kMostPorts) return false;
  }
  port = static_cast<std::uint32_t>(number);
  return ParseRanges(text.substr(0, colon), addresses);
}

}  // namespace

bool ParseNumber(std::string_view text, std::uint64_t& number) {
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return false;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

bool ParseRanges(std::string_view text, std::vector<std::uint32_t>& numbers) {
  if (text.empty()) return false;
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t dash = part.find('-');
    std::uint64_t first = 0, last = 0;
    if (!ParseNumber(part.substr(0, dash), first)) return false;
    last = first;
    if (dash != std::string_view::npos && !ParseNumber(part.substr(dash + 1), last)) return false;
    if (first == 0 || last < first || last > kMostAddresses) return false;
    for (; first <= last; ++first) numbers.push_back(static_cast<std::uint32_t>(first));
  }
  return true;
}

std::string AddHosts(Web& web, std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::string spaced(line);
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == '\t' || c == '\r'; }, ' ');
  const std::vector<std::string_view> words = Split(spaced, ' ');
  if (words.empty()) return {};

  Host host;
  std::vector<std::uint32_t> addresses;
  if (!ParseAddresses(words[0], addresses, host.port)) {
    return "no list of hosts: " + std::string(words[0]);
  }
  for (const std::string_view word : std::span(words).subspan(1)) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto* key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                   [&](const Key& k) { return k.name == word.substr(0, equals); });
    if (key == std::end(kKeys)) return "unknown key: " + std::string(word);
    if (equals == word.size() || !key->set(host, word.substr(equals + 1))) {
      return "no such value: " + std::string(word);
    }
  }
  if (std::string complaint = Complaint(host); !complaint.empty()) return complaint;
  for (const std::uint32_t address : addresses) {
    host.address = address;
    web.hosts.push_back(host);
  }
  return {};
}

std::string Web::Authority(std::size_t host) const {
  const std::uint32_t address = hosts[host].address;
  std::string text = "127.0." + std::to_string(address / 256) + "." + std::to_string(address % 256);
  const std::uint16_t port = hosts[host].port < ports.size() ? ports[hosts[host].port] : 0;
  return port == 80 ? text : text + ":" + std::to_string(port);
}

std::string Web::Origin(std::size_t host) const { return "http://" + Authority(host); }

std::size_t Web::PortCount() const {
  std::size_t count = 1;
  for (const Host& host : hosts) count = std::max<std::size_t>(count, host.port + 1);
  return count;
}

}  // namespace synthetic
