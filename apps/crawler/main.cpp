// crawler: the command line. Everything it does it does through include/crawler.
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <crawler/crawler.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "completion.hpp"
#include "config_file.hpp"
#include "crawl_command.hpp"
#include "data_commands.hpp"
#include "exit_codes.hpp"
#include "fetch_command.hpp"
#include "help.hpp"
#include "inspect_commands.hpp"
#include "report_command.hpp"
#include "report_text.hpp"
#include "search_commands.hpp"
#include "serve_command.hpp"
#include "stored_commands.hpp"
#include "unknown_command.hpp"

namespace {

/// Pages come and go: memory that one has given back is what the next one takes. glibc returns it
/// to the system too eagerly for that, which costs a crawl up to a tenth of its time. Buffers of
/// more than a megabyte are for rare pages, and go back at once.
void KeepFreedMemory() {
#ifdef __GLIBC__
  // There is no other thread yet.
  mallopt(M_TRIM_THRESHOLD, 16 << 20);  // NOLINT(concurrency-mt-unsafe)
  mallopt(M_TOP_PAD, 4 << 20);          // NOLINT(concurrency-mt-unsafe)
  mallopt(M_MMAP_THRESHOLD, 1 << 20);   // NOLINT(concurrency-mt-unsafe)
#endif
}

/// CLI11's message about a bad command line, as a sentence that begins with the command.
std::string Refusal(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  const std::string option = message.substr(0, message.find(": "));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool missing = message.find("missing") != std::string::npos;
    message = option + (missing ? " needs a value" : " may be given once only");
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !message.starts_with('-')) {
    for (std::size_t i = 0; i < message.find(' '); ++i) {  // An argument, as --help writes it.
      message[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(message[i])));
    }
  }
  const std::vector<CLI::App*> used = app.get_subcommands();
  if (used.empty()) return "crawler: " + message + "; `crawler help` lists the commands";
  const std::string command = used.front()->get_name();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    if (!extras.empty()) message = "unexpected argument '" + extras.front() + "'";
  }
  return "crawler " + command + ": " + message + ". `crawler help " + command +
         "` shows what it takes.";
}

/// Words that are not known are refused before any value is looked at.
std::string UnknownWord(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "";
  if (std::string unknown = UnknownCommand(app, arguments[0]); !unknown.empty()) {
    return "crawler: " + unknown;
  }
  if (arguments[0].starts_with('-')) {
    const std::string unknown = UnknownOption(app, {arguments[0]});
    return unknown.empty() ? "" : "crawler: " + unknown;
  }
  const CLI::App* const command = app.get_subcommand(arguments[0]);
  const std::string unknown = UnknownOption(*command, {arguments.begin() + 1, arguments.end()});
  return unknown.empty() ? "" : "crawler " + command->get_name() + ": " + unknown;
}

/// The last resort: an exception in a function that may throw none, as the parser of the command
/// line has some. Commits are kept as after a kill.
[[noreturn]] void EndWithoutMemory() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kMessage = "crawler: out of memory\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    std::_Exit(kExitNoMemory);
  } catch (...) {
    std::abort();
  }
}

int Run(int argc, char** argv) {
  CLI::App app("A fast, polite, durable web crawler", "crawler");
  app.set_version_flag("--version", crawl_version(), "Print the version");
  app.footer("`crawler help COMMAND` shows the options of a command.");
  app.require_subcommand(1);
  app.formatter(MakeHelpFormatter());  // Before the commands, which take it over.
  int exit_code = kExitOk;
  try {
    AddCrawlCommands(app, &exit_code);
    AddInspectCommands(app, &exit_code);
    AddDataCommands(app, &exit_code);
    AddStoredCommands(app, &exit_code);
    AddReportCommand(app, &exit_code);
    AddSearchCommands(app, &exit_code);
    AddServeCommand(app, &exit_code);
    AddFetchCommand(app, &exit_code);
    const auto origins = std::make_shared<ConfigOrigins>();
    AddConfigCommand(app, origins, &exit_code);
    AddCompletionCommand(app, &exit_code);
    AddHelpCommand(app, &exit_code);
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    SeparateQuery(app, &arguments);
    if (const std::string unknown = UnknownWord(app, arguments); !unknown.empty()) {
      std::fprintf(stderr, "%s\n", unknown.c_str());
      return kExitUsage;
    }
    if (!arguments.empty() && !arguments[0].starts_with('-')) NameCommand(arguments[0]);
    if (const std::string error = ApplyConfig(app, &arguments, origins.get()); !error.empty()) {
      return Fail(error, kExitUsage);
    }
    std::reverse(arguments.begin(), arguments.end());  // As parse() wants them.
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version.
    std::fprintf(stderr, "%s\n", Printable(Refusal(app, error)).c_str());
    return kExitUsage;
  }
  // What was written earlier may have failed without a trace in errno.
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const int error = errno;
    return Fail(error == 0
                    ? "the output cannot be written"
                    : "the output cannot be written: " + std::generic_category().message(error),
                ExitCodeOfWriting(error));
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
  std::set_terminate(EndWithoutMemory);
  try {
    return Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("crawler: out of memory\n", stderr);
    return kExitNoMemory;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "crawler: no thread can be started: %s\n", error.what());
    return kExitNoMemory;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crawler: %s\n", error.what());
    return kExitFailed;
  }
}
