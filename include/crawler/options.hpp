#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace crawler {

/// How the crawler behaves on the network. The defaults are polite and safe.
struct NetworkOptions {
  /// Name of the crawler; its first word is matched with the rules of robots.txt. Default:
  /// crawler/VERSION.
  std::string user_agent;
  /// A page or mail address where a site owner reaches you; sent behind the user agent as
  /// "(+contact)". Default: none. Please set one.
  std::string contact;
  /// Fetch robots.txt first and obey it. Switch off only for your own servers. Default: on.
  bool obey_robots = true;
  /// Redirects to follow; robots.txt is checked for each hop. Default: 0, they are only reported.
  int max_redirects = 0;

  /// "Name: value" each, sent with every request to every host, and stored in the folder. Not for
  /// secrets: a name such as "X-Api-Key" or "Authorization" is refused. An empty string is ignored.
  /// Default: none.
  std::vector<std::string> headers;
  /// Names of environment variables that hold "Name: value", "user:password" or a bearer token.
  /// They are sent to the origins of the seeds and of `credential_origins`, and nowhere else. The
  /// values are never stored: archives contain "[withheld]". Default: none.
  std::vector<std::string> header_variables;
  std::string basic_auth_variable;
  std::string bearer_variable;
  /// More origins that may see the credentials, e.g. "https://cdn.example.org". Default: none.
  std::vector<std::string> credential_origins;

  /// Keep the cookies of servers for the time of the crawl and send them back. Default: no.
  bool cookies = false;

  /// Special-purpose networks that the crawler may connect to, e.g. "127.0.0.0/8".
  /// Default: none, only public addresses.
  std::vector<std::string> allow_nets;
  /// "http://host:port" or "socks5h://host:port". Addresses behind the proxy are not checked.
  /// Default: none; the environment's http_proxy is not used.
  std::string proxy;
  /// Look names up with the functions of the system instead of asking name servers: slower, but
  /// with all that the system is set up for (LDAP, mDNS, …). Default: no.
  bool system_resolver = false;
  /// Name servers to ask: "192.0.2.1", "192.0.2.1:53", "[2001:db8::1]:53". Default: those of
  /// /etc/resolv.conf.
  std::vector<std::string> dns_servers;
  /// Connect over IPv4 or IPv6 only: 4 or 6. Default: 0, both.
  int ip_version = 0;
  /// Address to connect from. Default: the system chooses.
  std::string local_address;

  /// PEM file of certificate authorities trusted besides the system's. Default: none.
  std::string ca_file;
  /// Accept any certificate. Default: no.
  bool insecure = false;

  /// Default: 10 s for the connection, 30 s for a whole transfer.
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds total_timeout{30'000};
  /// Slowest body: bytes per second, over any 10 seconds. Slower ones are given up, and tried
  /// again like bodies that broke off. 0: no minimum. Default: 1,000.
  std::uint64_t min_rate = 1'000;
  /// Largest body in bytes, as received and unpacked. Default: 10 MB.
  std::uint64_t max_body = 10'000'000;
  /// Accept documents of any media type, not only HTML, XML, feeds and text. Default: no.
  bool any_type = false;
};

/// How far from its seeds a crawl may go.
enum class CrawlScope {
  kPrefix,  ///< The folder of a seed, and the folders below it.
  kHost,    ///< The seeds' hosts.
  kDomain,  ///< The seeds' registrable domains, with all their hosts.
  kWeb,     ///< Anywhere.
};

/// The order of the URLs whose hosts may be requested now.
enum class CrawlOrder {
  kPriority,   ///< Novelty of the host, and links to the URL and the host.
  kBfs,        ///< First in, first out.
  kRelevance,  ///< Relevance to the topic, by the linking page, the link text and the URL.
  kDfs,        ///< Last in, first out: the links of the latest page first, in its order.
};

/// The delay of some hosts; see CrawlOptions::host_delays.
struct HostDelay {
  /// A host ("www.example.org"), "*.example.org" for the hosts below that name, or a registrable
  /// domain ("example.org") for all its hosts. The most exact name decides.
  std::string host;
  std::chrono::milliseconds delay{0};
};

/// How much of its sitemaps a host may make the crawl read. 0 means no limit.
struct SitemapOptions {
  /// Files that robots.txt and sitemap indexes of the host name. Default: 1,000.
  std::uint64_t max_files = 1'000;
  /// Entries of all its sitemaps. Default: 1,000,000.
  std::uint64_t max_entries = 1'000'000;
  /// Size of all its sitemaps, decoded. Default: 500 MB.
  std::uint64_t max_bytes = 500'000'000;
};

/// Where URLs to begin with come from, for FindSeeds().
struct SeedSources {
  /// Files with a URL per line; "-" is the standard input. Blank lines, and comments from a '#' at
  /// the beginning or behind a blank, are skipped. Default: none.
  std::vector<std::string> files;
  /// Sitemaps or feeds, by URL or as a file: all the pages they list, also those of the sitemaps
  /// that an index lists. Default: none.
  std::vector<std::string> sitemaps;
  /// Words to search the web for: the results of the first page. Default: none.
  std::string query;
  /// URL of the search, with {words} in place of the words. Its pages must have the form of
  /// DuckDuckGo's HTML search. It is requested once per crawl, without asking robots.txt and
  /// without credentials. Default: that of DuckDuckGo.
  std::string search_engine = "https://html.duckduckgo.com/html/?q={words}";
};

/// A seed that a search has found.
struct SearchedSeed {
  std::string url;
  std::string query;  ///< The words that were searched for.
  int rank = 0;       ///< Its place among the results, from 1; advertisements do not count.
};

/// A whole crawl. The defaults are polite and safe; 0 means no limit.
struct CrawlOptions {
  /// Where to begin. Default: none; a resumed crawl may add some.
  std::vector<std::string> seeds;
  /// The seeds that a search has found; kept in the folder for ExplainUrl(). Default: none.
  std::vector<SearchedSeed> searched_seeds;
  /// The folder of the crawl: crawl.db, warc/. Created if missing; must not hold a crawl.
  std::string folder;
  NetworkOptions network;

  CrawlScope scope = CrawlScope::kHost;
  /// RE2 expressions looked for anywhere in a URL: one of `include` must match, if there are any,
  /// and none of `exclude` may. Default: none.
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  /// Optional steps of the normal form of URLs; see docs/urls.md. Default: none.
  bool drop_tracking = false;
  bool drop_session_ids = false;
  bool sort_query = false;
  /// Default: kPriority. kRelevance needs a topic, and `index`.
  CrawlOrder order = CrawlOrder::kPriority;
  /// Fetch sitemaps: those in robots.txt, or /sitemap.xml. Default: yes.
  bool sitemaps = true;
  SitemapOptions sitemap_limits;

  /// Time from the end of a request to a host to the start of the next one. Default: 1 s.
  std::chrono::milliseconds delay{1'000};
  /// Delays in place of `delay`, for the hosts that they name. A longer Crawl-delay still counts.
  /// Default: none.
  std::vector<HostDelay> host_delays;
  /// Requests at a time per host. Default: 1.
  int per_host = 1;
  /// A registrable domain, and an IP address, get at most as many requests as this many hosts.
  /// Defaults: 4 and 16.
  int hosts_per_domain = 4;
  int hosts_per_address = 16;
  /// The longest accepted Crawl-delay; longer ones count as this. Default: 30 s.
  std::chrono::milliseconds max_crawl_delay{30'000};
  /// Requests under way at a time, to all hosts. Default: 256.
  int connections = 256;
  /// Connections kept open for later requests, beside those of requests under way. The ones that
  /// were used longest ago are closed first. Default: 0, which is as many as the limit of open
  /// files leaves, at most 10,000.
  int keep_connections = 0;

  /// Attempts after the first one, if the host answered 5xx or 408 or the body broke off. At most
  /// 15. Default: 3.
  int retries = 3;
  /// Delay before the first retry of a URL; doubles with each retry. Default: 1 s.
  std::chrono::milliseconds retry_delay{1'000};
  /// A host that cannot be reached so many times in a row is given up. Each time it rests twice as
  /// long, from 1 s on. 0: never given up. Default: 8, which takes about two minutes.
  int host_failures = 8;
  /// The same as long as no host at all has answered: names may be mistyped, or the network is
  /// down. 0: as host_failures. Default: 3, which takes a few seconds.
  int first_failures = 3;
  /// The longest rest of a host that failed or asked to wait (Retry-After). Default: 5 min.
  std::chrono::milliseconds max_backoff{300'000};

  std::uint64_t max_pages = 0;
  /// Most links from a seed to a page; 0: only the seeds. Default: -1, no limit.
  int max_depth = -1;
  /// Pages per registrable domain: documents that were fetched and stored. Redirects, errors,
  /// robots.txt and sitemaps do not count. Default: -1, which is 50 for kWeb and no limit
  /// otherwise.
  std::int64_t max_per_domain = -1;
  std::uint64_t max_bytes = 0;  ///< Size of bodies, as received.
  std::chrono::milliseconds max_time{0};
  std::uint64_t max_frontier = 0;  ///< URLs waiting at a time; more are skipped.

  /// Keep responses as received in WARC files. Default: yes.
  bool warc = true;
  /// Lose no commit in a crash of the machine; slower. Default: no.
  bool full_durability = false;

  /// Keep the text of pages and index it, for Search. Default: yes.
  bool index = true;
  /// The topic of the crawl, in words: the measure of relevance. Default: the queries of the seeds
  /// (?q=solar+cells); without any, the links to a page decide.
  std::string topic;
  /// Memory of the process in bytes, without the table of known URLs (see docs/limits.md): a
  /// quarter for responses under way, a quarter for the index. New requests wait when it is used
  /// up. Less than 160 MiB count as that, and more than three quarters of the memory limit of the
  /// process's control group as those. Default: 256 MiB.
  std::uint64_t max_ram = std::uint64_t{256} << 20;

  /// Default: 0, as many as there are processors, at most 4.
  int fetch_threads = 0;
  /// Threads that parse the pages of fetch threads. Default: 0, fetch threads parse, which is
  /// faster with as many of them as processors.
  int parse_threads = 0;
};

}  // namespace crawler
