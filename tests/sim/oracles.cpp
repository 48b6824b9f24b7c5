#include "sim/oracles.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "fetch/http_fields.hpp"
#include "frontier/host_delays.hpp"

namespace crawler::sim {
namespace {

using std::chrono::milliseconds;

std::string Text(Moment moment) {
  const auto count = std::chrono::duration_cast<milliseconds>(moment).count();
  return std::to_string(count) + " ms";
}

std::string Text(const RecordedRequest& request) {
  return request.url + " at " + Text(request.started);
}

class Judge {
 public:
  Judge(const SimulatedNetwork& network, const CrawlOptions& options, const std::set<int>& kills,
        const Promises& promises)
      : network_(network), options_(options), promises_(promises) {
    FindKills(kills);
    MarkHops();
    for (const RecordedRequest& request : network.record()) {
      if (!hops_.contains(&request)) by_origin_[request.origin].push_back(&request);
    }
  }

  std::vector<std::string> Run() {
    for (const auto& [origin, requests] : by_origin_) {
      JudgeDelays(requests);
      JudgeRests(requests);
      JudgeRobots(origin, requests);
    }
    JudgeUrls();
    JudgeAtATime();
    return std::move(problems_);
  }

 private:
  using Requests = std::vector<const RecordedRequest*>;

  void Add(std::string problem) {
    if (problems_.size() < 20) problems_.push_back(std::move(problem));
  }

  // The moment of a kill is the last one at which its process did anything.
  void FindKills(const std::set<int>& kills) {
    for (const RecordedRequest& request : network_.record()) {
      if (!kills.contains(request.process)) continue;
      Moment& at = kills_[request.process];
      at = std::max({at, request.started, request.ended});
    }
  }

  // Whether a later process may know nothing of an answer.
  bool MayBeLost(const RecordedRequest& request, const RecordedRequest& later) const {
    if (request.process == later.process) return false;
    if (!request.delivered) return true;
    const auto kill = kills_.find(request.process);
    return kill != kills_.end() && request.ended + promises_.commit_interval >= kill->second;
  }

  // The catalogue keeps times in milliseconds, so a process knows those of earlier ones not better.
  static Duration Rounding(const RecordedRequest& before, const RecordedRequest& later) {
    return before.process == later.process ? Duration::zero() : Duration(milliseconds(2));
  }

  // Redirects of robots.txt are followed at once; they belong to the request before.
  void MarkHops() {
    // The origins whose robots.txt was redirected to a URL at a moment.
    std::map<std::pair<std::string, Moment>, std::vector<std::string>> expected;
    for (const RecordedRequest& request : network_.record()) {
      std::string origin = request.origin;
      const auto found = expected.find({request.url, request.started});
      if (found != expected.end() && !found->second.empty()) {
        origin = std::move(found->second.back());
        found->second.pop_back();
        hops_.emplace(&request, origin);
      }
      if (IsRedirectedRobots(request)) {
        expected[{request.redirect, request.ended}].push_back(std::move(origin));
      }
    }
  }

  bool IsRedirectedRobots(const RecordedRequest& request) const {
    return (request.is_robots || hops_.contains(&request)) && !request.redirect.empty();
  }

  Duration DelayOf(const RecordedRequest& request) const {
    HostDelays delays;
    for (const HostDelay& rule : options_.host_delays) {
      (void)delays.Add(rule.host, rule.delay);  // The crawl has refused bad ones.
    }
    return delays.Find(request.origin).value_or(options_.delay);
  }

  Duration IntervalOf(const RecordedRequest& request, bool crawl_delay_known) const {
    Duration interval = DelayOf(request);
    const SimulatedHost* const host = network_.web().FindHost(request.origin);
    if (crawl_delay_known && host != nullptr && host->rules && host->rules->crawl_delay &&
        options_.network.obey_robots) {
      milliseconds asked = *host->rules->crawl_delay;
      if (options_.max_crawl_delay.count() > 0) asked = std::min(asked, options_.max_crawl_delay);
      interval = std::max<Duration>(interval, asked);
    }
    return interval;
  }

  static bool IsGoodRobots(const RecordedRequest& request) {
    if (!request.is_robots || !request.delivered || request.status == 0) return false;
    // Of a file all of it is needed; of another answer its status says enough.
    if (request.status < 300) return request.failure == FetchFailure::kNone;
    return request.status < 500 && request.status != 429;
  }

  void JudgeDelays(const Requests& requests) {
    for (std::size_t i = 1; i < requests.size(); ++i) {
      const RecordedRequest& before = *requests[i - 1];
      const RecordedRequest& request = *requests[i];
      // A page is asked for under rules that are known. robots.txt itself may be asked for because
      // nothing is known any more.
      const Duration interval = IntervalOf(request, !request.is_robots);
      if (request.started - before.started + Rounding(before, request) >= interval) continue;
      Add(Text(request) + " comes " + Text(request.started - before.started) + " after " +
          Text(before) + "; the delay is " + Text(interval));
    }
  }

  // Answers that were under way when another one failed tell of the same trouble, which the host
  // rests from once.
  static bool IsSideEffect(const RecordedRequest& request, const Requests& requests) {
    return std::any_of(requests.begin(), requests.end(), [&](const RecordedRequest* other) {
      return other != &request && other->delivered && other->fault &&
             other->ended > request.started && other->ended <= request.ended;
    });
  }

  // 429 and 503 with Retry-After.
  void JudgeRests(const Requests& requests) {
    for (const RecordedRequest* throttled : requests) {
      if (!throttled->delivered || !throttled->fault || !throttled->fault->throttles()) continue;
      if (throttled->failure == FetchFailure::kCancelled) continue;
      Duration rest = promises_.shortest_rest;
      const bool told_how_long = !throttled->fault->retry_after.empty();
      if (!told_how_long && IsSideEffect(*throttled, requests)) continue;
      if (told_how_long) {
        const auto told =
            ParseRetryAfter(throttled->fault->retry_after, WallTime(), kLongestRetryAfter);
        if (told) rest = std::clamp<Duration>(*told, rest, promises_.longest_rest);
      }
      for (const RecordedRequest* later : requests) {
        if (later->started < throttled->ended) continue;
        if (later->started + Rounding(*throttled, *later) >= throttled->ended + rest) continue;
        if (later == throttled || MayBeLost(*throttled, *later)) continue;
        Add(Text(*later) + " comes within " + Text(rest) + " after " + Text(*throttled) +
            " was told to wait, at " + Text(throttled->ended));
      }
    }
  }

  void JudgeRobots(const std::string& origin, const Requests& requests) {
    if (!options_.network.obey_robots) return;
    const SimulatedHost* const host = network_.web().FindHost(origin);
    if (host == nullptr) return;
    // When rules were known first, by an answer of robots.txt or of a redirect of it.
    Moment known = Moment::max();
    for (const RecordedRequest& request : network_.record()) {
      if (IsGoodRobots(request) && request.origin == origin) known = std::min(known, request.ended);
    }
    for (const RecordedRequest* request : requests) {
      if (request->is_robots) continue;
      if (request->started < known) Add(Text(*request) + " comes before robots.txt is known");
      if (host->rules && !host->rules->Allows(request->path)) {
        Add(Text(*request) + " is refused by robots.txt");
      }
    }
  }

  static bool IsFinal(const RecordedRequest& request) {
    const bool answered =
        request.failure == FetchFailure::kNone || request.failure == FetchFailure::kUnwantedType;
    return answered && !request.fault;
  }

  static bool CountsAsFailure(const RecordedRequest& request) {
    if (!request.fault || request.fault->throttles() || request.fault->spares_url()) return false;
    return request.failure != FetchFailure::kCancelled;
  }

  void JudgeUrls() {
    std::map<std::string, Requests> by_url;
    for (const auto& [origin, requests] : by_origin_) {
      for (const RecordedRequest* request : requests) {
        if (!request->is_robots) by_url[request->url].push_back(request);
      }
    }
    for (const auto& [url, requests] : by_url) JudgeUrl(requests);
  }

  // A resume of a crawl that has no page tries its seeds again, with fresh attempts.
  bool MayBeginAgain(const RecordedRequest& before, const RecordedRequest& request) const {
    if (before.process == request.process) return false;
    const auto is_page = [this](const RecordedRequest& other) {
      const Resource* const resource = network_.web().Find(other.url);
      return !other.is_robots && other.delivered && IsFinal(other) && resource != nullptr &&
             resource->kind == Resource::Kind::kPage;
    };
    return std::none_of(
        network_.record().begin(), network_.record().end(), [&](const RecordedRequest& other) {
          return other.process < request.process && is_page(other) && !MayBeLost(other, request);
        });
  }

  void JudgeUrl(const Requests& requests) {
    int failures = 0;
    const RecordedRequest* failed = nullptr;
    const RecordedRequest* answered = nullptr;
    const RecordedRequest* before = nullptr;
    for (const RecordedRequest* request : requests) {
      if (before != nullptr && MayBeginAgain(*before, *request)) {
        failures = 0;
        failed = answered = nullptr;
      }
      before = request;
      if (answered != nullptr && !MayBeLost(*answered, *request)) {
        Add(Text(*request) + " was answered before, at " + Text(answered->ended));
      }
      if (failures >= promises_.attempts) {
        Add(Text(*request) + " has failed " + std::to_string(failures) + " times before");
      }
      if (failed != nullptr && failed->process == request->process)
        JudgeRetry(*failed, failures, *request);
      if (!request->delivered) continue;
      if (IsFinal(*request)) answered = request;
      const bool kept = kills_.find(request->process) == kills_.end() ||
                        request->ended + promises_.commit_interval < kills_.at(request->process);
      // A failure that is forgotten in a kill does not count.
      if (CountsAsFailure(*request) && kept) {
        ++failures;
        failed = request;
      }
    }
  }

  void JudgeRetry(const RecordedRequest& failed, int failures, const RecordedRequest& retry) {
    const Duration delay = promises_.first_retry * (1 << std::min(failures - 1, 16)) * 3 / 4;
    if (retry.started - failed.ended >= delay) return;
    Add(Text(retry) + " is a retry " + Text(retry.started - failed.ended) + " after failure " +
        std::to_string(failures) + "; it must wait " + Text(delay));
  }

  struct Event {
    Moment at;
    int change;
    const RecordedRequest* request;
  };

  // At most so many requests at a time under each key.
  template <typename Key>
  void JudgeGroups(Key key, int limit, const char* group) {
    std::map<std::string, std::vector<Event>> events;
    for (const auto& [origin, requests] : by_origin_) {
      for (const RecordedRequest* request : requests) {
        const std::string name = key(*request);
        if (name.empty()) continue;
        events[name].push_back({request->started, +1, request});
        events[name].push_back({request->ended, -1, request});
      }
    }
    for (auto& [name, list] : events) {
      std::stable_sort(list.begin(), list.end(), [](const Event& a, const Event& b) {
        return std::pair(a.at, a.change) < std::pair(b.at, b.change);
      });
      int at_a_time = 0;
      for (const Event& event : list) {
        at_a_time += event.change;
        if (event.change > 0 && at_a_time > limit) {
          Add(Text(*event.request) + " is one of " + std::to_string(at_a_time) +
              " requests to the " + group + " " + name + " at a time; the limit is " +
              std::to_string(limit));
        }
      }
    }
  }

  // Whether the answer tells the crawler the address of the origin. Of a robots.txt the crawler
  // sees the last answer alone, which may be that of another host.
  bool TellsAddress(const RecordedRequest& request) const {
    if (!request.delivered || request.status == 0 || IsRedirectedRobots(request)) return false;
    const auto hop = hops_.find(&request);
    return hop == hops_.end() || hop->second == request.origin;
  }

  // When the address of a host was known, by process.
  std::map<std::pair<std::string, int>, Moment> AddressesKnown() const {
    std::map<std::pair<std::string, int>, Moment> known;
    for (const RecordedRequest& request : network_.record()) {
      if (!TellsAddress(request)) continue;
      Moment& at =
          known.emplace(std::pair(request.origin, request.process), Moment::max()).first->second;
      at = std::min(at, request.ended);
    }
    return known;
  }

  void JudgeAtATime() {
    const auto origin = [](const RecordedRequest& request) { return request.origin; };
    const auto site = [](const RecordedRequest& request) { return request.site; };
    const auto known = AddressesKnown();
    const auto address = [&known](const RecordedRequest& request) -> std::string {
      const auto found = known.find({request.origin, request.process});
      if (found == known.end() || request.started < found->second) return {};
      return request.address.ToString();
    };
    JudgeGroups(origin, options_.per_host, "host");
    JudgeGroups(site, options_.per_host * options_.hosts_per_domain, "domain");
    JudgeGroups(address, options_.per_host * options_.hosts_per_address, "address");
    JudgeGroupDelays(site, options_.hosts_per_domain, "domain");
    JudgeGroupDelays(address, options_.hosts_per_address, "address");
  }

  // The delay of a group behind `before`. A kill may have forgotten that request, and that its host
  // is in the group; then the crawler knows only that the host of `request` may have been asked.
  Duration GroupDelay(const RecordedRequest& before, const RecordedRequest& request,
                      int hosts) const {
    Duration delay = DelayOf(before);
    if (MayBeLost(before, request)) delay = std::min(delay, DelayOf(request));
    return delay / hosts;
  }

  template <typename Key>
  void JudgeGroupDelays(Key key, int hosts, const char* group) {
    std::map<std::string, const RecordedRequest*> last;
    for (const RecordedRequest& request : network_.record()) {
      const std::string name = key(request);
      if (name.empty() || hops_.contains(&request)) continue;
      const RecordedRequest*& before = last[name];
      const Duration interval =
          before == nullptr ? Duration::zero() : GroupDelay(*before, request, hosts);
      if (before != nullptr &&
          request.started - before->started + Rounding(*before, request) < interval) {
        Add(Text(request) + " comes " + Text(request.started - before->started) + " after " +
            Text(*before) + "; the delay of the " + group + " is " + Text(interval));
      }
      before = &request;
    }
  }

  const SimulatedNetwork& network_;
  const CrawlOptions& options_;
  const Promises& promises_;
  std::map<int, Moment> kills_;
  // Redirects of robots.txt that were followed, and the origins whose robots.txt it is.
  std::map<const RecordedRequest*, std::string> hops_;
  std::map<std::string, Requests> by_origin_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> JudgeRecord(const SimulatedNetwork& network, const CrawlOptions& options,
                                     const std::set<int>& kills, const Promises& promises) {
  return Judge(network, options, kills, promises).Run();
}

}  // namespace crawler::sim
