#pragma once

#include <crawler/options.hpp>

#include "option_table.hpp"

/// The names of options that deal with the network, for every command that asks servers. `network`
/// is a function from Target& to its NetworkOptions.
template <typename Target, typename Network>
void AddNetworkOptions(OptionTable<Target>& add, Network network) {
  const auto field = [network](auto member) {
    return [ network, member ](Target & target) -> auto& { return network(target).*member; };
  };
  using Options = crawler::NetworkOptions;
  add.Text("--user-agent", "NAME", "Name, also for robots.txt", field(&Options::user_agent),
           "crawler/VERSION");
  add.Text("--contact", "TEXT", "Page or mail address for site owners, sent along",
           field(&Options::contact));
  add.Texts("--header", "TEXT", "Send \"Name: value\" to every host; \"\": none",
            [network](Target& target, const auto& given) { network(target).headers = given; });
  add.Texts(
      "--header-from", "NAME", "Variable with a header for given origins only",
      [network](Target& target, const auto& given) { network(target).header_variables = given; });
  add.Text("--basic-auth-from", "NAME", "Variable with user:password for given origins",
           field(&Options::basic_auth_variable));
  add.Text("--bearer-from", "NAME", "Variable with a bearer token for given origins",
           field(&Options::bearer_variable));
  add.Texts(
      "--credentials-to", "ORIGIN", "Send credentials to https://host[:port], too",
      [network](Target& target, const auto& given) { network(target).credential_origins = given; });
  add.Flag("--cookies", "Keep cookies while it runs, and send them back", field(&Options::cookies),
           true);
  add.Texts("--allow-net", "CIDR", "Allow this private network, e.g. 127.0.0.0/8",
            [network](Target& target, const auto& given) { network(target).allow_nets = given; });
  add.Text("--proxy", "URL", "http://host:port or socks5h://host:port", field(&Options::proxy));
  add.Choice("--resolver", "WHICH", "Ask name servers (dns), or the system",
             std::vector<std::pair<std::string, bool>>{{"dns", false}, {"system", true}},
             field(&Options::system_resolver));
  add.Texts("--dns", "SERVER", "Ask this name server, e.g. 192.0.2.1:53",
            [network](Target& target, const auto& given) { network(target).dns_servers = given; });
  CLI::Option* const ipv4 =
      add.Flag("-4,--ipv4", "Connect over IPv4 only", field(&Options::ip_version), 4);
  add.Flag("-6,--ipv6", "Connect over IPv6 only", field(&Options::ip_version), 6)->excludes(ipv4);
  add.Text("--local-address", "IP", "Connect from this address", field(&Options::local_address));
  add.Text("--ca-file", "FILE", "Trust the authorities in this PEM file too",
           field(&Options::ca_file));
  add.Flag("--insecure", "Accept any certificate", field(&Options::insecure), true);
  add.Number("--timeout", "Longest time of a whole transfer", TimeOf(1, kDay),
             field(&Options::total_timeout));
  add.Number("--connect-timeout", "Longest time to get a connection", TimeOf(1, kDay),
             field(&Options::connect_timeout));
  add.Number("--min-rate", "Slowest body, per second, over 10 s", kSizeLimit,
             field(&Options::min_rate));
  add.Number("--max-page-bytes", "Largest body, received and unpacked", SizeOf(1, 1ull << 31),
             field(&Options::max_body));
  add.Flag("--any-type", "Take every media type, not only HTML, XML, feeds, text",
           field(&Options::any_type), true);
}
