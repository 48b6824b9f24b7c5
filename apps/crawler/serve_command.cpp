#include "serve_command.hpp"

#include <fmt/core.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "crawl_options.hpp"
#include "exit_codes.hpp"
#include "report_text.hpp"
#include "service_notifier.hpp"

namespace {

struct ServeArguments {
  std::vector<std::string> folders;
  std::string root;
  std::string listen = "8400";
  std::string log_file;
  int parallel = 1;
  std::shared_ptr<OptionChanges> changes = std::make_shared<OptionChanges>();
};

constexpr const char* kServeFooter =
    R"(Serves a web page, an API in JSON (/api/v1/openapi.json describes it), /health, /ready and /metrics
for Prometheus. Only this machine is answered, unless --listen names another address: then the
environment variable CRAWLER_TOKEN must hold a token, which every request but /health needs.

DIRs are only read; a crawl may run in them meanwhile. `crawler crawl --serve PORT` serves a crawl
while it runs, and lets it be paused and stopped. With --root the service runs crawls itself, in
folders below that one; options of a crawl are the defaults of those that it starts.

Examples:
  crawler serve my-crawl
  crawler serve --root crawls --contact https://example.org/about-our-bot
  CRAWLER_TOKEN=... crawler serve my-crawl --listen 0.0.0.0:8400
  crawler crawl https://example.org/ --out example --serve 8400

SIGTERM and Ctrl-C end it, with everything that was crawled committed; SIGHUP opens the log file
again. Exit codes: 0 ended on request; 2 the command line makes no sense, or the address cannot be
listened at.)";

/// The folders that can be served, or what is wrong with one.
std::string CheckFolders(const ServeArguments& arguments) {
  if (arguments.folders.empty() && arguments.root.empty()) {
    return "nothing to serve: give the folders of crawls, or --root";
  }
  for (const std::string& folder : arguments.folders) {
    const crawler::CrawlStatus status = crawler::ReadCrawlStatus(folder);
    if (!status.error.empty() && !status.running) return status.error;
  }
  std::error_code error;
  if (!arguments.root.empty() && !std::filesystem::is_directory(arguments.root, error)) {
    return arguments.root + " is no folder";
  }
  return "";
}

/// Waits for a signal to end; SIGHUP opens the log anew.
void WaitForEnd(const sigset_t& signals, crawler::CrawlLogFile* log_file) {
  ServiceNotifier notifier;
  notifier.Ready();
  while (true) {
    notifier.Alive();
    const timespec wait{0, 250'000'000};
    const int signal = sigtimedwait(&signals, nullptr, &wait);
    if (signal == SIGINT || signal == SIGTERM) break;
    if (signal != SIGHUP || log_file == nullptr) continue;
    const std::string error = log_file->Reopen();
    if (!error.empty()) Fail(error);
  }
  notifier.Stopping();
}

int RunServe(const ServeArguments& arguments) {
  crawler::ServeOptions options;
  if (const int code = ReadServeOptions(arguments.listen, &options); code != kExitOk) return code;
  if (const std::string wrong = CheckFolders(arguments); !wrong.empty()) {
    return Fail(wrong, kExitUsage);
  }
  std::unique_ptr<crawler::CrawlLogFile> log_file;
  if (!arguments.log_file.empty()) {
    log_file = std::make_unique<crawler::CrawlLogFile>(arguments.log_file);
    if (!log_file->error().empty()) return Fail(log_file->error(), kExitUsage);
    options.on_log = [file = log_file.get()](std::string_view line) { file->Write(line); };
  }
  // Before the first thread: all of them leave these signals to this one.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGXFSZ, SIG_IGN);

  options.folders = arguments.folders;
  options.root = arguments.root;
  options.parallel = arguments.parallel;
  ApplyChanges(*arguments.changes, &options.defaults);
  crawler::CrawlServer server(std::move(options));
  if (const std::string error = server.Start(); !error.empty()) return Fail(error, kExitUsage);
  fmt::print("Serving at {}\n", server.url());
  std::fflush(stdout);
  WaitForEnd(signals, log_file.get());
  server.Stop();
  return kExitOk;
}

}  // namespace

int ReadServeOptions(const std::string& address, crawler::ServeOptions* options) {
  if (const std::string wrong = crawler::ParseServeAddress(address, options); !wrong.empty()) {
    return Fail(wrong, kExitUsage);
  }
  // Nothing changes the environment.
  const char* const token = std::getenv("CRAWLER_TOKEN");  // NOLINT(concurrency-mt-unsafe)
  if (token != nullptr) options->token = token;
  return kExitOk;
}

void AddServeCommand(CLI::App& app, int* exit_code) {
  CLI::App* serve = app.add_subcommand("serve", "Serve crawls: web page, API, metrics");
  auto arguments = std::make_shared<ServeArguments>();
  OptionTable<ServeArguments> add(*serve, arguments);
  add.Arguments("dir", "The folders of crawls", &ServeArguments::folders);
  add.Group("Service");
  add.Text("--root", "FOLDER", "Serve the crawls in this folder, and run new ones",
           &ServeArguments::root);
  add.Text("--listen", "ADDRESS", "[IP:]PORT; 0: any free port", &ServeArguments::listen,
           "127.0.0.1:8400");
  add.Number("--parallel", "Crawls at a time, with --root", CountOf(1, 64),
             &ServeArguments::parallel);
  add.Text("--log", "FILE", "Append log lines to this file", &ServeArguments::log_file);
  AddCrawlOptions(*serve, arguments->changes, false);
  serve->footer(kServeFooter);
  serve->callback([arguments, exit_code] { *exit_code = RunServe(*arguments); });
}
