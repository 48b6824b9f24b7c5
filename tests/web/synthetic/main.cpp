// A web that does not exist, for crawlers to be judged by: see docs/synthetic-web.md.
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "web/synthetic/access_log.hpp"
#include "web/synthetic/description.hpp"
#include "web/synthetic/expectation.hpp"
#include "web/synthetic/render.hpp"
#include "web/synthetic/server.hpp"

namespace synthetic {
namespace {

constexpr char kUsage[] =
    "usage: synthetic_web [--web FILE] [--host \"1-3 pages=100 links=5\"]… [--seed N]\n"
    "                     [--port N] [--latency MS] [--log FILE] [--max-seconds N]\n"
    "       synthetic_web --expect … --port N [--from 1,2] [--scope host|web] [--max-depth N]\n"
    "                     [--no-robots] [--no-sitemaps]\n"
    "Serves the hosts of 127.0.0.0/8 that FILE and --host describe, prints \"PORT n\" when ready,\n"
    "and ends after --max-seconds (default 300), on SIGTERM or SIGINT. SIGUSR1 flushes the log.\n"
    "--expect prints what a right crawl makes of it instead: a fate and a URL a line.\n"
    "The keys of a description: docs/synthetic-web.md.\n";

struct Options {
  Web web;
  bool help = false, expect = false;
  std::uint64_t port = 0, latency = 0, max_seconds = 300;
  std::string log, from;
  ExpectOptions expectation;
};

[[noreturn]] void Fail(const std::string& message) { throw std::runtime_error(message); }

void AddFile(Web& web, const std::string& path) {
  std::ifstream file(path);
  if (!file) Fail("cannot read " + path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string complaint = AddHosts(web, line);
    if (complaint.empty()) continue;
    std::string where = path;
    where.append(":").append(std::to_string(number)).append(": ").append(complaint);
    Fail(where);
  }
}

/// Takes the option at `arguments[i]` and its value, moving `i` to the last of them.
void TakeOption(const std::vector<std::string>& arguments, std::size_t& i, Options& options) {
  const std::string& name = arguments[i];
  if (name == "--help") {
    options.help = true;
    return;
  }
  if (name == "--expect") {
    options.expect = true;
    return;
  }
  if (name == "--no-robots") {
    options.expectation.robots = false;
    return;
  }
  if (name == "--no-sitemaps") {
    options.expectation.sitemaps = false;
    return;
  }
  if (i + 1 == arguments.size()) Fail("unknown, or without a value: " + name + "\n" + kUsage);
  const std::string& value = arguments[++i];
  const auto number = [&](std::uint64_t most) {
    std::uint64_t result = 0;
    if (!ParseNumber(value, result) || result > most)
      Fail(name + ": no number up to " + std::to_string(most));
    return result;
  };
  if (name == "--web") {
    AddFile(options.web, value);
  } else if (name == "--host") {
    const std::string complaint = AddHosts(options.web, value);
    if (!complaint.empty()) Fail("--host: " + complaint);
  } else if (name == "--seed") {
    options.web.seed = number(~0ULL);
  } else if (name == "--port") {
    options.port = number(65'000);
  } else if (name == "--latency") {
    options.latency = number(1'000'000);
  } else if (name == "--max-seconds") {
    options.max_seconds = number(1'000'000);
  } else if (name == "--log") {
    options.log = value;
  } else if (name == "--from") {
    options.from = value;
  } else if (name == "--max-depth") {
    options.expectation.max_depth = static_cast<std::int64_t>(number(1'000'000));
  } else if (name == "--scope" && (value == "host" || value == "web")) {
    options.expectation.whole_web = value == "web";
  } else {
    Fail("unknown: " + name + " " + value + "\n" + kUsage);
  }
}

// The hosts a crawl starts from: those of --from, else the first.
void FindSeeds(Options& options) {
  std::vector<std::uint32_t> addresses;
  if (!options.from.empty() && !ParseRanges(options.from, addresses)) {
    Fail("--from: no list of hosts: " + options.from);
  }
  if (options.from.empty()) addresses.push_back(options.web.hosts[0].address);
  for (const std::uint32_t address : addresses) {
    for (std::uint32_t i = 0; i < options.web.hosts.size(); ++i) {
      if (options.web.hosts[i].address == address) options.expectation.seeds.push_back(i);
    }
  }
  if (options.expectation.seeds.empty()) Fail("--from: none of these hosts is described");
}

int PrintExpectation(Options& options) {
  if (options.port == 0) Fail("--expect needs --port");
  for (std::size_t i = 0; i < options.web.PortCount(); ++i) {
    options.web.ports.resize(i + 1);
    options.web.ports[i] = static_cast<std::uint16_t>(options.port + i);
  }
  FindSeeds(options);
  std::vector<Expected> expected;
  const std::string complaint = Expect(options.web, options.expectation, expected);
  if (!complaint.empty()) Fail(complaint);
  for (std::size_t i = 0; i < options.web.hosts.size(); ++i) {
    std::printf("host\t%s\tcrawl-delay=%llu\n", options.web.Authority(i).c_str(),
                static_cast<unsigned long long>(options.web.hosts[i].crawl_delay));
  }
  for (const Expected& item : expected) {
    std::printf("%s\t%s%s\n", FateName(item.fate), UrlOf(options.web, item.target).c_str(),
                item.noindex ? "\tnoindex" : "");
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

int Serve(Options& options) {
  Server::BlockSignals();
  AccessLog log(options.log);
  if (!log.ok()) Fail("cannot write " + options.log);
  Server server(options.web, log);
  const std::string complaint = server.Listen(static_cast<std::uint16_t>(options.port));
  if (!complaint.empty()) Fail(complaint);
  const Host& first = options.web.hosts[0];
  std::printf("PORT %d\n", options.web.ports[first.port] - static_cast<int>(first.port));
  std::fflush(stdout);
  server.Run(static_cast<double>(options.max_seconds));
  return log.Flush() ? 0 : 1;
}

int Run(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) TakeOption(arguments, i, options);
  if (options.help) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (options.web.hosts.empty()) Fail(std::string("no hosts\n") + kUsage);
  for (Host& host : options.web.hosts) {
    if (host.latency == 0) host.latency = options.latency;
  }
  return options.expect ? PrintExpectation(options) : Serve(options);
}

}  // namespace
}  // namespace synthetic

int main(int argc, char** argv) {
  try {
    return synthetic::Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "synthetic_web: %s\n", error.what());
    return 2;
  }
}
