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

}  // namespace crawler
