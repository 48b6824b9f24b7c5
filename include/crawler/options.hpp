#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace crawler {

/// How the crawler behaves on the network. The defaults are polite and safe.
struct NetworkOptions {
  /// Who we are; its first word is what robots.txt rules are matched with. Default:
  /// crawler/VERSION.
  std::string user_agent;
  /// A page or mail address where a site owner reaches you; sent behind the user agent as
  /// "(+contact)". Default: none. Please set one.
  std::string contact;
  /// Ask robots.txt first and do as it says. Off only for one's own servers. Default: on.
  bool obey_robots = true;
  /// Redirects to follow; robots.txt is asked for each hop. Default: 0, they are reported.
  int max_redirects = 0;

  /// "Name: value" each, sent with every request. Not for secrets. Default: none.
  std::vector<std::string> headers;
  /// Names of environment variables that hold "user:password" or a bearer token. They are sent to
  /// the origin of the URL asked for and nowhere else. Default: none.
  std::string basic_auth_variable;
  std::string bearer_variable;

  /// Keep the cookies of servers for the time of the crawl and send them back. Default: no.
  bool cookies = false;

  /// Special-purpose networks that may be connected to all the same, e.g. "127.0.0.0/8".
  /// Default: none; only public addresses are.
  std::vector<std::string> allow_nets;
  /// "http://host:port" or "socks5h://host:port". The address guard sees only the proxy then.
  /// Default: none; the environment's http_proxy is not used.
  std::string proxy;
  /// Connect over IPv4 or IPv6 only: 4 or 6. Default: 0, whichever works.
  int ip_version = 0;
  /// Address to connect from. Default: the system chooses.
  std::string local_address;

  /// PEM file of certificate authorities trusted besides the system's. Default: none.
  std::string ca_file;
  /// Accept any certificate. Default: no.
  bool insecure = false;

  /// Default: 10 s for the connection, 30 s for all of a transfer.
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds total_timeout{30'000};
  /// Largest body in bytes, as received and unpacked. Default: 10 MB.
  std::uint64_t max_body = 10'000'000;
  /// Take documents of any media type, not only HTML, XML, feeds and text. Default: no.
  bool any_type = false;
};

/// How far from its seeds a crawl may go.
enum class CrawlScope {
  kPrefix,  ///< The folder a seed is in, and below it.
  kHost,    ///< The seeds' hosts.
  kDomain,  ///< The seeds' registrable domains, with all their hosts.
  kWeb,     ///< Anywhere.
};

/// Which URL comes first among those whose hosts may be asked.
enum class CrawlOrder {
  kPriority,   ///< Novelty of the host, and links to the URL and the host.
  kBfs,        ///< First in, first out.
  kRelevance,  ///< What promises most about the topic: the linking page, the link's text, the URL.
};

/// A whole crawl. The defaults are polite and safe; 0 means no limit.
struct CrawlOptions {
  /// Where to begin. Default: none; a resumed crawl may add some.
  std::vector<std::string> seeds;
  /// The folder of the crawl: crawl.db, warc/. It is made, and must not hold a crawl already.
  std::string folder;
  NetworkOptions network;

  CrawlScope scope = CrawlScope::kHost;
  /// RE2 expressions looked for anywhere in a URL: one of `include` must match, if there are any,
  /// and none of `exclude` may. Default: none.
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  /// What the normal form of URLs leaves out; see docs/urls.md. Default: nothing.
  bool drop_tracking = false;
  bool drop_session_ids = false;
  bool sort_query = false;
  /// Default: kPriority. kRelevance needs a topic, and `index`.
  CrawlOrder order = CrawlOrder::kPriority;
  /// Ask for sitemaps: those robots.txt names, or /sitemap.xml. Default: yes.
  bool sitemaps = true;

  /// From the start of a request to a host to the start of the next. Default: 1 s.
  std::chrono::milliseconds delay{1'000};
  /// Requests to a host at a time. Default: 1.
  int per_host = 1;
  /// A registrable domain, and an IP address, are asked at most like this many hosts. Defaults: 4
  /// and 16.
  int hosts_per_domain = 4;
  int hosts_per_address = 16;
  /// The longest Crawl-delay that is honoured. Default: 30 s.
  std::chrono::milliseconds max_crawl_delay{30'000};
  /// Requests at a time, to all hosts. Default: 256.
  int connections = 256;

  /// Attempts after the first one, if the host answered 5xx or 408 or the body broke off. At most
  /// 15. Default: 3.
  int retries = 3;
  /// Before the first retry of a URL; doubles with each one. Default: 1 s.
  std::chrono::milliseconds retry_delay{1'000};
  /// A host that cannot be reached so many times in a row is given up. Each time it rests twice as
  /// long, from 1 s on. 0: never given up. Default: 8, which takes about two minutes.
  int host_failures = 8;
  /// The longest rest of a host that failed or asked to wait (Retry-After). Default: 5 min.
  std::chrono::milliseconds max_backoff{300'000};

  std::uint64_t max_pages = 0;
  /// Links from a seed to a page. Default: -1, no limit.
  int max_depth = -1;
  /// Pages of one registrable domain. Default: -1, which is 50 for kWeb and no limit otherwise.
  std::int64_t max_per_domain = -1;
  std::uint64_t max_bytes = 0;  ///< Of bodies, as received.
  std::chrono::milliseconds max_time{0};
  std::uint64_t max_frontier = 0;  ///< URLs waiting at a time; more are turned away.

  /// Keep responses as received in WARC files. Default: yes.
  bool warc = true;
  /// Survive also the machine's crash without losing a commit; slower. Default: no.
  bool full_durability = false;

  /// Keep the text of pages and index it, for Search. Default: yes.
  bool index = true;
  /// What the crawl is about, in words: what pages are weighed by. Default: what the queries of the
  /// seeds ask for (?q=solar+cells); without any, pages are as relevant as the links to them say.
  std::string topic;
  /// About how much memory the index may take while it is made. Default: 256 MiB.
  std::uint64_t max_ram = std::uint64_t{256} << 20;

  /// Default: 0, as many as there are processors, at most 4.
  int fetch_threads = 0;
  /// Threads that parse what fetch threads hand over. Default: 0, fetch threads parse themselves,
  /// which is quicker as long as there are as many of them as processors.
  int parse_threads = 0;
};

}  // namespace crawler
