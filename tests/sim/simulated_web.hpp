#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "model/fetch_result.hpp"
#include "url/address.hpp"

namespace crawler::sim {

/// Time since the simulation began.
using Moment = Duration;

/// One way in which a request goes wrong.
struct Fault {
  /// kNone: the server answers with `status`. kReadTimeout and kDisconnected cut the body in half.
  FetchFailure failure = FetchFailure::kNone;
  int status = 500;
  /// Value of the Retry-After header; empty: no header.
  std::string retry_after;

  static Fault Status(int status, std::string retry_after = {}) {
    return {FetchFailure::kNone, status, std::move(retry_after)};
  }
  static Fault Failure(FetchFailure failure) { return {failure, 0, {}}; }

  /// 429, or 503 with Retry-After: the host asks for patience.
  bool throttles() const {
    return failure == FetchFailure::kNone &&
           (status == 429 || (status == 503 && !retry_after.empty()));
  }
  /// No request is sent, so that the URL loses no retry.
  bool spares_url() const {
    return failure == FetchFailure::kDns || failure == FetchFailure::kRefused ||
           failure == FetchFailure::kConnectTimeout;
  }
};

/// A link on a page. The simulation knows its target, so that expectations need no HTML parser.
struct SimulatedLink {
  std::string href;    ///< As written on the page: absolute, relative, with a fragment.
  std::string target;  ///< Absolute, in normal form, without fragment.
  bool nofollow = false;
};

/// The answer to requests for one path of a host.
struct Resource {
  enum class Kind : std::uint8_t {
    kPage,      ///< HTML.
    kFile,      ///< A media type that a crawl does not want.
    kRedirect,  ///< 301 to `location`.
    kError,     ///< `status`, for ever. Not a fault: it is not tried again.
    kText,      ///< `body` as it stands: robots.txt, sitemaps.
  };
  Kind kind = Kind::kPage;
  int status = 200;
  std::string title, text;  ///< Of a page.
  std::vector<SimulatedLink> links;
  std::vector<std::string> sitemap_entries;  ///< Of a sitemap; in `body` as well.
  std::string location;
  std::string body;
  std::string etag;
  /// The first requests that reach the server meet these faults, one each.
  std::vector<Fault> faults;
  /// All requests after them meet this one.
  std::optional<Fault> forever;
};

/// A time in which all requests to a host meet a fault.
struct Outage {
  Moment from{0}, to{0};
  Fault fault;
};

/// Rules of a robots.txt. Allow and Disallow are prefixes of paths; the longest one decides.
struct RobotsRules {
  std::vector<std::string> disallow, allow;
  std::optional<std::chrono::milliseconds> crawl_delay;
  std::vector<std::string> sitemaps;

  bool Allows(std::string_view path) const;
  std::string ToText() const;
};

struct SimulatedHost {
  std::string origin;  ///< http://name
  std::string site;    ///< Its registrable domain.
  IpAddress address = IpAddress::V4(0);
  /// Of the quickest answer; the slowest take twice as long. From 20 s on (or from
  /// FetchRequest::response_timeout on) they are too late.
  std::chrono::milliseconds latency{20};
  /// Rules that /robots.txt, or a file that it redirects to, states. Empty: all is allowed. Whether
  /// the file can be had is in `resources`.
  std::optional<RobotsRules> rules;
  std::map<std::string, Resource, std::less<>> resources;  ///< By path and query.
  std::vector<Outage> outages;

  /// Adds /robots.txt with `rules`.
  void SetRobots(RobotsRules new_rules);
  Resource& Add(const std::string& path, Resource resource);
  /// Adds a page that links to `paths` of this host, or to absolute URLs.
  Resource& AddPage(const std::string& path, const std::vector<std::string>& links = {});
  std::string Url(std::string_view path) const { return origin + std::string(path); }
};

/// A web that exists in memory only: hosts with names, addresses, pages, and a plan of what goes
/// wrong when. The same question at the same moment always gets the same answer.
class SimulatedWeb {
 public:
  /// Seed of latencies, and of a random web (see random_web.hpp).
  explicit SimulatedWeb(std::uint64_t seed = 1) : seed_(seed) {}

  /// Adds a host http://`name`. Hosts must not be added while references to others are in use.
  SimulatedHost& AddHost(const std::string& name);
  const SimulatedHost* FindHost(std::string_view origin) const;
  const std::map<std::string, SimulatedHost, std::less<>>& hosts() const { return hosts_; }
  std::map<std::string, SimulatedHost, std::less<>>& hosts() { return hosts_; }
  std::uint64_t seed() const { return seed_; }

  /// What there is at `url`, faults aside; null if nothing is (404).
  const Resource* Find(std::string_view url) const;

  struct Answer {
    FetchResult result;  ///< All but `started`.
    Duration latency{0};
    /// The request got through to the resource, so that it uses up one of its faults.
    bool reached = false;
    /// The fault it met, if any.
    std::optional<Fault> fault;
  };
  /// The answer to a request that is made at `now`. `reached_before` requests for the same URL have
  /// reached the server before.
  Answer Ask(const FetchRequest& request, int reached_before, Moment now) const;

  /// All hosts, resources and faults, for people.
  std::string Describe() const;

 private:
  const std::uint64_t seed_;
  std::map<std::string, SimulatedHost, std::less<>> hosts_;  // By origin.
};

/// `text` as a URL, which it must be.
Url ParsedUrl(std::string_view text);
/// A plain request for `url`.
FetchRequest RequestFor(std::string_view url);

/// The HTML of a page; links come before the text.
std::string RenderPage(const Resource& page);

}  // namespace crawler::sim
