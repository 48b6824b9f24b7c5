#include "crawl_command.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <crawler/crawler.hpp>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "crawl_options.hpp"
#include "exit_codes.hpp"
#include "progress.hpp"
#include "report_text.hpp"

namespace {

using crawler::Crawl;
using crawler::CrawlResult;

constexpr const char* kCrawlFooter = R"(Examples:
  crawler crawl https://example.org/ --out example --contact https://example.org/about-our-bot
  crawler crawl https://example.org/docs/ --out docs --scope prefix --max-pages 1000
  crawler crawl http://127.0.0.1:8080/ --out mine --allow-net 127.0.0.0/8 --delay 0 --per-host 16

Ctrl-C ends a crawl cleanly, a second one at once; `crawler resume DIR` goes on, also after a crash.

Exit codes: 0 finished, stopped on request, or a budget is spent; 1 no page could be had; 2 the
command line makes no sense; 4 the disk or the database failed, what was committed is kept;
5 another process works on the folder.)";

constexpr const char* kResumeFooter = R"(Examples:
  crawler resume example
  crawler resume example --max-pages 5000

Options given here replace those the crawl was begun with; with --no-robots, what robots.txt had
refused is asked for as well. Exit codes are those of `crawl`.)";

constexpr const char* kRecrawlFooter = R"(Examples:
  crawler recrawl example
  crawler recrawl example --max-pages 5000

Visits everything once more that the crawl reaches from its seeds now, and then the pages it has that
nothing links to any more. Servers are asked for what has changed since (ETag, Last-Modified); pages
that are unchanged stay as they are, changed ones are replaced, those that are gone (404, a redirect,
refused by robots.txt, ...) leave the catalogue and the index; what merely fails this time stays.
The WARC keeps everything. Budgets count afresh. If it is stopped or killed, `crawler resume` goes
on with it.

Options given here replace those the crawl was begun with. Exit codes are those of `crawl`.)";

struct CrawlArguments {
  std::vector<std::string> seeds;
  std::string folder;
  bool log_pages = false;
  std::string log_file;
  std::optional<crawler::CrawlLogLevel> log_level;
  bool quiet = false;
  bool json = false;
  enum class Kind { kCrawl, kResume, kRecrawl };
  Kind kind = Kind::kCrawl;
  std::shared_ptr<OptionChanges> changes = std::make_shared<OptionChanges>();
};

/// One line per page: time, priority, depth, size, status, URL.
void LogPage(const crawler::CrawledPage& page) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts);
  std::printf("%s %8.2f %3d %8llu %3d %.*s\n", time, page.score, page.depth,
              static_cast<unsigned long long>(page.size), page.status,
              static_cast<int>(page.url.size()), page.url.data());
}

/// Tells Watch() that the crawl is over. Sent by another process it does no harm.
constexpr int kOverSignal = SIGUSR2;

/// Shows progress and passes signals on to the crawl until it is over.
void Watch(Crawl& crawl, bool quiet, const sigset_t& signals, const std::atomic<bool>& over) {
  Progress progress(quiet);
  int signals_seen = 0;
  while (!over.load()) {
    const timespec wait{0, 100'000'000};
    const int signal = sigtimedwait(&signals, nullptr, &wait);
    if (signal == SIGINT || signal == SIGTERM) {
      if (++signals_seen == 1) {
        progress.Say("stopping: waiting for what is under way; once more to stop at once");
        crawl.Stop();
      } else {
        crawl.StopNow();
      }
    }
    progress.Show(crawl.statistics());
  }
  progress.Clear();
}

int ExitCodeOf(const CrawlResult& result) {
  switch (result.outcome) {
    case CrawlResult::Outcome::kFinished:
      return result.statistics.pages > 0 ? kExitOk : kExitFailed;
    case CrawlResult::Outcome::kBudget:
    case CrawlResult::Outcome::kStopped:
      return kExitOk;
    case CrawlResult::Outcome::kBadOption:
      return kExitUsage;
    case CrawlResult::Outcome::kFolderBusy:
      return kExitBusy;
    case CrawlResult::Outcome::kStorage:
      return kExitStorage;
  }
  return kExitFailed;
}

CrawlResult Run(Crawl& crawl, const CrawlArguments& arguments) {
  const auto changes = [&](crawler::CrawlOptions& stored) {
    for (const auto& change : *arguments.changes) change(stored);
  };
  switch (arguments.kind) {
    case CrawlArguments::Kind::kCrawl:
      break;
    case CrawlArguments::Kind::kResume:
      return crawl.Resume(changes);
    case CrawlArguments::Kind::kRecrawl:
      return crawl.Recrawl(changes);
  }
  return crawl.Run();
}

/// Takes the live line away, if there is one, to make room for a line; it comes back by itself.
const char* ClearLiveLine() { return isatty(STDERR_FILENO) != 0 ? "\r\033[K" : ""; }

void PrintLogLine(std::string_view line) {
  std::fprintf(stderr, "%s%.*s\n", ClearLiveLine(), static_cast<int>(line.size()), line.data());
}

/// `log_file` may be null: log lines then go to stderr, but to a terminal only with --log-level.
crawler::CrawlCallbacks MakeCallbacks(const CrawlArguments& arguments,
                                      crawler::CrawlLogFile* log_file) {
  crawler::CrawlCallbacks callbacks;
  if (arguments.log_pages) callbacks.on_page = LogPage;
  if (log_file != nullptr) {
    callbacks.on_log = [log_file](std::string_view line) { log_file->Write(line); };
  } else if (!arguments.quiet && (arguments.log_level.has_value() || isatty(STDERR_FILENO) == 0)) {
    callbacks.on_log = PrintLogLine;
  }
  if (arguments.log_level) callbacks.log_level = *arguments.log_level;
  callbacks.on_warning = [](std::string_view sentence) {
    std::fprintf(stderr, "%scrawler: %s\n", ClearLiveLine(), Printable(sentence).c_str());
  };
  return callbacks;
}

int RunCrawl(const CrawlArguments& arguments) {
  crawler::CrawlOptions options;
  options.seeds = arguments.seeds;
  options.folder = arguments.folder;
  if (arguments.kind == CrawlArguments::Kind::kCrawl) {
    for (const auto& change : *arguments.changes) change(options);
  }
  std::unique_ptr<crawler::CrawlLogFile> log_file;
  if (!arguments.log_file.empty()) {
    log_file = std::make_unique<crawler::CrawlLogFile>(arguments.log_file);
    if (!log_file->error().empty()) {
      std::fprintf(stderr, "crawler: %s\n", Printable(log_file->error()).c_str());
      return kExitUsage;
    }
  }
  // Before the first thread: all of them leave these signals to Watch().
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, kOverSignal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A file that may not grow is a failure to report, not a reason to die.
  signal(SIGXFSZ, SIG_IGN);
  // Connections are files.
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }

  Crawl crawl(options, MakeCallbacks(arguments, log_file.get()));
  std::atomic<bool> over{false};
  std::thread watcher([&] { Watch(crawl, arguments.quiet, signals, over); });
  const CrawlResult result = Run(crawl, arguments);
  over.store(true);
  pthread_kill(watcher.native_handle(), kOverSignal);
  watcher.join();

  if (log_file != nullptr && log_file->lost_lines() > 0) {
    std::fprintf(stderr, "crawler: %llu log lines could not be written to %s\n",
                 static_cast<unsigned long long>(log_file->lost_lines()),
                 Printable(arguments.log_file).c_str());
  }
  const int exit_code = ExitCodeOf(result);
  if (exit_code == kExitUsage || exit_code == kExitBusy) {
    std::fprintf(stderr, "crawler: %s\n", Printable(result.message).c_str());
    return exit_code;
  }
  std::fputs(arguments.json ? TotalsJson(result, arguments.folder).c_str()
                            : Totals(result, arguments.folder).c_str(),
             stdout);
  return exit_code;
}

void AddOutput(CLI::App& command, const std::shared_ptr<CrawlArguments>& arguments) {
  command.add_flag("--log-pages", arguments->log_pages,
                   "Print a line per page: time, priority, depth, size, status, URL");
  command.add_option("--log", arguments->log_file,
                     "Append log lines to this file instead of printing them to stderr");
  command
      .add_option_function<std::string>(
          "--log-level",
          [arguments](const std::string& name) {
            arguments->log_level = crawler::ParseCrawlLogLevel(name);
            if (!arguments->log_level) {
              throw CLI::ValidationError("--log-level",
                                         name + " is none of debug, info, warn, error");
            }
          },
          "Least level of log lines: debug, info (default), warn or error")
      ->type_name("LEVEL");
  command.add_flag("-q,--quiet", arguments->quiet,
                   "No progress, no log on stderr; warnings remain");
  command.add_flag("--json", arguments->json, "Print the totals as JSON");
}

// A command for a crawl that there is already.
void AddStored(CLI::App& command, CrawlArguments::Kind kind, int* exit_code) {
  auto arguments = std::make_shared<CrawlArguments>();
  arguments->kind = kind;
  command.add_option("dir", arguments->folder, "The folder of the crawl")->required();
  AddOutput(command, arguments);
  AddCrawlOptions(command, arguments->changes, true);
  command.callback([arguments, exit_code] { *exit_code = RunCrawl(*arguments); });
}

}  // namespace

void AddCrawlCommands(CLI::App& app, int* exit_code) {
  CLI::App* crawl = app.add_subcommand(
      "crawl", "Crawl the web from one or more URLs into a folder: politely, and safe to kill");
  auto arguments = std::make_shared<CrawlArguments>();
  crawl->add_option("url", arguments->seeds, "Where to begin: http or https URLs")->required();
  crawl->add_option("--out", arguments->folder, "The folder of the crawl; made if need be")
      ->required();
  AddOutput(*crawl, arguments);
  AddCrawlOptions(*crawl, arguments->changes, false);
  crawl->footer(kCrawlFooter);
  crawl->callback([arguments, exit_code] { *exit_code = RunCrawl(*arguments); });

  CLI::App* resume = app.add_subcommand("resume", "Go on with a crawl that was stopped or killed");
  AddStored(*resume, CrawlArguments::Kind::kResume, exit_code);
  resume->footer(kResumeFooter);
  CLI::App* recrawl =
      app.add_subcommand("recrawl", "Do a crawl once more: only what has changed is stored anew");
  AddStored(*recrawl, CrawlArguments::Kind::kRecrawl, exit_code);
  recrawl->footer(kRecrawlFooter);
}
