// crawler: the command line. Everything it does it does through include/crawler.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <crawler/crawler.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "crawl_command.hpp"
#include "exit_codes.hpp"
#include "fetch_command.hpp"
#include "inspect_commands.hpp"
#include "search_commands.hpp"
#include "unknown_command.hpp"

namespace {

/// Pages come and go: memory that one has given back is what the next one takes. glibc returns it
/// to the system too eagerly for that, which costs a crawl up to a tenth of its time.
void KeepFreedMemory() {
#ifdef __GLIBC__
  // There is no other thread yet.
  mallopt(M_TRIM_THRESHOLD, 64 << 20);  // NOLINT(concurrency-mt-unsafe)
  mallopt(M_TOP_PAD, 4 << 20);          // NOLINT(concurrency-mt-unsafe)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // NOLINT(concurrency-mt-unsafe)
#endif
}

}  // namespace

// What still escapes is out of memory while saying so.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  KeepFreedMemory();
  CLI::App app("A fast, polite, durable web crawler", "crawler");
  app.set_version_flag("--version", crawl_version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  int exit_code = kExitOk;
  try {
    AddCrawlCommands(app, &exit_code);
    AddInspectCommands(app, &exit_code);
    AddSearchCommands(app, &exit_code);
    AddFetchCommand(app, &exit_code);
    if (const std::string unknown = argc > 1 ? UnknownCommand(app, argv[1]) : "";
        !unknown.empty()) {
      std::fprintf(stderr, "crawler: %s\n", unknown.c_str());
      return kExitUsage;
    }
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    MoveDashedQuery(&arguments);
    std::reverse(arguments.begin(), arguments.end());  // As parse() wants them.
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crawler: %s\n", error.what());
    return kExitFailed;
  }
  if (std::fflush(stdout) != 0) {
    std::perror("crawler: cannot write the output");
    return kExitFailed;
  }
  return exit_code;
}
