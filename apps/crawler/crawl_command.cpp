#include "crawl_command.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <crawler/crawler.hpp>
#include <crawler/serve.hpp>
#include <cstdio>
#include <ctime>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "crawl_options.hpp"
#include "end_report.hpp"
#include "exit_codes.hpp"
#include "progress.hpp"
#include "report_text.hpp"
#include "screen.hpp"
#include "serve_command.hpp"
#include "service_notifier.hpp"
#include "terminal_text.hpp"

namespace {

using crawler::Crawl;
using crawler::CrawlResult;

constexpr const char* kCrawlFooter = R"(Examples:
  crawler crawl https://example.org/ --out example --contact https://example.org/about-our-bot
  crawler crawl https://example.org/docs/ --out docs --scope prefix --max-pages 1000
  crawler crawl http://127.0.0.1:8080/ --out mine --allow-net 127.0.0.0/8 --delay 0 --per-host 16
  crawler crawl --seeds urls.txt --out list --seeds-only
  crawler crawl --query "solar cells" --out solar --max-pages 500

A seed file has a URL per line; blank lines and lines that begin with # are skipped. A search takes
the result links of one page of DuckDuckGo's HTML search; the scope is the web then, with 50 pages
per domain and the words as topic, unless options say otherwise.

Ctrl-C ends a crawl cleanly, a second one at once; `crawler resume DIR` goes on, also after a crash.

Exit codes: 0 finished, stopped on request, or a budget is spent; 1 no page could be had; 2 the
command line makes no sense; 4 the disk or the database failed, what was committed is kept;
5 another process works on the folder; 7 hosts were given up and URLs of theirs are left, which
`crawler retry DIR` tries again; 8 memory ran out, what was committed is kept.)";

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
  crawler::SeedSources sources;
  std::string config;  // ApplyConfig() has read it already.
  std::string folder;
  bool log_pages = false;
  std::string log_file;
  std::string serve;  // [ADDR:]PORT; empty: nothing is served.
  std::optional<crawler::CrawlLogLevel> log_level;
  bool quiet = false;
  bool json = false;
  bool retry_failed = false;  // With kResume.
  crawler::RetrySelection retry;
  enum class Kind { kCrawl, kResume, kRecrawl };
  Kind kind = Kind::kCrawl;
  std::shared_ptr<OptionChanges> changes = std::make_shared<OptionChanges>();
};

/// One line per page: time, priority, depth, size, status, URL.
std::string PageLine(const crawler::CrawledPage& page) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts);
  const std::string change = page.change.empty() ? "" : fmt::format("{:9} ", page.change);
  return fmt::format("{} {:8.2f} {:3} {:8} {:3} {}{}", time, page.score, page.depth, page.size,
                     page.status, change, Printable(page.url));
}

/// Tells Watch() that the crawl is over. Sent by another process it does no harm.
constexpr int kOverSignal = SIGUSR2;

/// Shows progress and passes signals on to the crawl until it is over. `log_file` may be null.
void Watch(Crawl& crawl, Progress& progress, const sigset_t& signals,
           crawler::CrawlLogFile* log_file, const std::atomic<bool>& over) {
  int signals_seen = 0;
  ServiceNotifier notifier;
  notifier.Ready();
  while (!over.load()) {
    notifier.Alive();
    const timespec wait{0, 100'000'000};
    const int signal = sigtimedwait(&signals, nullptr, &wait);
    if (signal == SIGINT || signal == SIGTERM) {
      if (++signals_seen == 1) {
        progress.Say("stopping: waiting for requests under way; Ctrl-C again stops at once");
        notifier.Stopping();
        crawl.Stop();
      } else {
        crawl.StopNow();
      }
    }
    if (signal == SIGHUP && log_file != nullptr) {
      if (const std::string error = log_file->Reopen(); !error.empty()) progress.Say(error);
    }
    try {
      if (signal == SIGWINCH) progress.Redraw(crawl);
      progress.Show(crawl);
    } catch (const std::bad_alloc&) {
      // The crawl itself says so when it ends.
    }
  }
  progress.Clear();
}

int ExitCodeOf(const CrawlResult& result) {
  switch (result.outcome) {
    case CrawlResult::Outcome::kFinished:
      return result.statistics.pages > 0 ? kExitOk : kExitFailed;
    case CrawlResult::Outcome::kIncomplete:
      return result.statistics.pages > 0 ? kExitIncomplete : kExitFailed;
    case CrawlResult::Outcome::kBudget:
    case CrawlResult::Outcome::kStopped:
      return kExitOk;
    case CrawlResult::Outcome::kBadOption:
      return kExitUsage;
    case CrawlResult::Outcome::kNoCrawl:
      return kExitFailed;
    case CrawlResult::Outcome::kFolderBusy:
      return kExitBusy;
    case CrawlResult::Outcome::kStorage:
      return kExitStorage;
    case CrawlResult::Outcome::kCallback:
      return kExitFailed;
    case CrawlResult::Outcome::kOutOfMemory:
      return kExitNoMemory;
  }
  return kExitFailed;
}

CrawlResult Run(Crawl& crawl, const CrawlArguments& arguments) {
  const auto changes = [&](crawler::CrawlOptions& stored) {
    ApplyChanges(*arguments.changes, &stored);
  };
  switch (arguments.kind) {
    case CrawlArguments::Kind::kCrawl:
      break;
    case CrawlArguments::Kind::kResume:
      return arguments.retry_failed ? crawl.Retry(arguments.retry, changes) : crawl.Resume(changes);
    case CrawlArguments::Kind::kRecrawl:
      return crawl.Recrawl(changes);
  }
  return crawl.Run();
}

/// `log_file` may be null: log lines then go to stderr, but to a terminal only with --log-level.
crawler::CrawlCallbacks MakeCallbacks(const CrawlArguments& arguments, Screen& screen,
                                      crawler::CrawlLogFile* log_file) {
  crawler::CrawlCallbacks callbacks;
  if (arguments.log_pages) {
    callbacks.on_page = [&screen](const crawler::CrawledPage& page) {
      screen.Print(stdout, PageLine(page));
    };
    callbacks.on_known_page = callbacks.on_page;
  }
  if (arguments.log_level) callbacks.log_level = *arguments.log_level;
  const bool to_stderr = log_file == nullptr && !arguments.quiet &&
                         (arguments.log_level.has_value() || isatty(STDERR_FILENO) == 0);
  if (log_file != nullptr) {
    callbacks.on_log = [log_file](std::string_view line) { log_file->Write(line); };
  } else if (to_stderr) {
    callbacks.on_log = [&screen](std::string_view line) { screen.Print(stderr, line); };
  }
  // Warnings are lines of the log as well; stderr shows each of them once.
  if (!to_stderr || callbacks.log_level > crawler::CrawlLogLevel::kWarn) {
    callbacks.on_warning = [&screen](std::string_view sentence) {
      screen.Print(stderr, Complaint(sentence));
    };
  }
  return callbacks;
}

int ExitCodeOf(crawler::FoundSeeds::Outcome outcome) {
  switch (outcome) {
    case crawler::FoundSeeds::Outcome::kFound:
      return kExitOk;
    case crawler::FoundSeeds::Outcome::kBadSource:
      return kExitUsage;
    case crawler::FoundSeeds::Outcome::kRefused:
      return kExitRefused;
    case crawler::FoundSeeds::Outcome::kFailed:
      break;
  }
  return kExitFailed;
}

/// The options of a new crawl, without seeds and folder.
crawler::CrawlOptions OptionsOf(const CrawlArguments& arguments) {
  crawler::CrawlOptions options;
  // The results of a search are all over the web, a few pages of each site.
  if (!arguments.sources.query.empty()) {
    options.scope = crawler::CrawlScope::kWeb;
    options.topic = arguments.sources.query;
  }
  ApplyChanges(*arguments.changes, &options);
  return options;
}

/// The options of a new crawl, with its seeds. Returns an exit code, and has said why.
int MakeOptions(const CrawlArguments& arguments, crawler::CrawlOptions* options) {
  const crawler::SeedSources& sources = arguments.sources;
  *options = OptionsOf(arguments);
  options->folder = arguments.folder;
  if (arguments.seeds.empty() && sources.files.empty() && sources.sitemaps.empty() &&
      sources.query.empty()) {
    return Fail("no URL to begin with: give one or more, or --seeds, --sitemap or --query",
                kExitUsage);
  }
  // Before anything is fetched for the sake of seeds.
  options->seeds = arguments.seeds;
  const CrawlResult check = Crawl(*options).Check();
  if (const int code = ExitCodeOf(check); check.outcome != CrawlResult::Outcome::kFinished) {
    return Fail(check.message, code);
  }
  crawler::FoundSeeds found = crawler::FindSeeds(sources, *options);
  for (const std::string& warning : found.warnings) Fail(warning);
  if (!found.error.empty()) return Fail(found.error, ExitCodeOf(found.outcome));
  options->seeds.insert(options->seeds.end(), std::make_move_iterator(found.seeds.begin()),
                        std::make_move_iterator(found.seeds.end()));
  options->searched_seeds = std::move(found.searched);
  return kExitOk;
}

/// Serves the crawl if that is asked for. Returns an exit code, and has said why.
int StartServer(const CrawlArguments& arguments, Screen& screen,
                std::unique_ptr<crawler::CrawlServer>* server) {
  if (arguments.serve.empty()) return kExitOk;
  crawler::ServeOptions options;
  if (const int code = ReadServeOptions(arguments.serve, &options); code != kExitOk) return code;
  options.folders = {arguments.folder};
  *server = std::make_unique<crawler::CrawlServer>(std::move(options));
  if (const std::string error = (*server)->Start(); !error.empty()) return Fail(error, kExitUsage);
  screen.Print(stderr, "crawler: serving at " + (*server)->url());
  return kExitOk;
}

/// The URLs that a client wants to be tried again, after a run that has ended by itself.
std::optional<crawler::RetrySelection> RetryAsked(crawler::CrawlServer* server,
                                                  const std::string& folder,
                                                  const CrawlResult& result) {
  const bool by_itself = result.outcome == CrawlResult::Outcome::kFinished ||
                         result.outcome == CrawlResult::Outcome::kIncomplete ||
                         result.outcome == CrawlResult::Outcome::kBudget;
  if (server == nullptr || !by_itself) return std::nullopt;
  return server->TakeRetry(folder);
}

int RunCrawl(const CrawlArguments& arguments) {
  crawler::CrawlOptions options;
  options.folder = arguments.folder;
  if (arguments.kind == CrawlArguments::Kind::kCrawl) {
    if (const int code = MakeOptions(arguments, &options); code != kExitOk) return code;
  }
  std::unique_ptr<crawler::CrawlLogFile> log_file;
  if (!arguments.log_file.empty()) {
    log_file = std::make_unique<crawler::CrawlLogFile>(arguments.log_file);
    if (!log_file->error().empty()) return Fail(log_file->error(), kExitUsage);
  }
  // Before the first thread: all of them leave these signals to Watch().
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGWINCH);
  sigaddset(&signals, kOverSignal);
  if (log_file != nullptr) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A file that may not grow is a failure to report, not a reason to die.
  signal(SIGXFSZ, SIG_IGN);
  // Connections are files.
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }

  Screen screen;
  Progress progress(screen, arguments.quiet);
  std::unique_ptr<crawler::CrawlServer> server;
  if (const int code = StartServer(arguments, screen, &server); code != kExitOk) return code;
  const auto run = [&](const CrawlArguments& what) {
    crawler::CrawlCallbacks callbacks = MakeCallbacks(arguments, screen, log_file.get());
    if (server != nullptr) callbacks = server->Observe(arguments.folder, std::move(callbacks));
    Crawl crawl(options, std::move(callbacks));
    if (server != nullptr) server->Attach(arguments.folder, crawl);
    std::atomic<bool> over{false};
    std::thread watcher([&] { Watch(crawl, progress, signals, log_file.get(), over); });
    CrawlResult result = Run(crawl, what);
    over.store(true);
    pthread_kill(watcher.native_handle(), kOverSignal);
    watcher.join();
    if (server != nullptr) server->Detach(arguments.folder);
    return result;
  };
  CrawlResult result = run(arguments);
  while (const auto retry = RetryAsked(server.get(), arguments.folder, result)) {
    CrawlArguments again = arguments;
    again.kind = CrawlArguments::Kind::kResume;
    again.retry_failed = true;
    again.retry = *retry;
    result = run(again);
  }
  server.reset();

  if (log_file != nullptr && log_file->lost_lines() > 0) {
    Fail(fmt::format("{} log lines could not be written to {}", log_file->lost_lines(),
                     arguments.log_file));
  }
  const int exit_code = ExitCodeOf(result);
  const bool begun = !result.statistics.phase.empty();
  if (!begun) return Fail(result.message, exit_code);
  std::fputs(arguments.json
                 ? EndReportJson(result, arguments.folder).c_str()
                 : EndReport(result, arguments.folder, WantsColours(STDOUT_FILENO)).c_str(),
             stdout);
  return exit_code;
}

void AddOutput(CLI::App& command, const std::shared_ptr<CrawlArguments>& arguments) {
  using crawler::CrawlLogLevel;
  OptionTable<CrawlArguments> add(command, arguments);
  add.Flag("--log-pages", "Print time, score, depth, size, status, change, URL",
           &CrawlArguments::log_pages);
  add.Text("--log", "FILE", "Append log lines to this file, not to stderr",
           &CrawlArguments::log_file);
  add.Choice<>("--log-level", "LEVEL", "debug, info, warn or error",
               std::vector<std::pair<std::string, CrawlLogLevel>>{{"debug", CrawlLogLevel::kDebug},
                                                                  {"info", CrawlLogLevel::kInfo},
                                                                  {"warn", CrawlLogLevel::kWarn},
                                                                  {"error", CrawlLogLevel::kError}},
               &CrawlArguments::log_level, "info");
  add.Text("--serve", "ADDRESS", "Serve page and API at [IP:]PORT; see `help serve`",
           &CrawlArguments::serve);
  add.Flag("-q,--quiet", "No progress, no log on stderr; warnings remain", &CrawlArguments::quiet);
  add.Flag("--json", "Print the totals as JSON", &CrawlArguments::json);
}

constexpr const char* kRetryFooter = R"(Examples:
  crawler retry example
  crawler retry example --host www.example.org
  crawler retry example --kind 503

Like `crawler resume`, but first puts back the URLs that were given up: those whose retries were used
up, and those whose hosts could not be reached. --kind takes a status code, a failure ("dns",
"refused", "connect timeout", ...), or why a host was given up ("failures", "throttled",
"no robots.txt"). Exit codes are those of `crawl`.)";

// Adds a command for a crawl that exists. Returns its arguments.
std::shared_ptr<CrawlArguments> AddStored(CLI::App& command, CrawlArguments::Kind kind,
                                          int* exit_code) {
  auto arguments = std::make_shared<CrawlArguments>();
  arguments->kind = kind;
  OptionTable<CrawlArguments>(command, arguments)
      .Argument("dir", "The folder of the crawl", &CrawlArguments::folder);
  AddCrawlOptions(command, arguments->changes, true);
  AddOutput(command, arguments);
  command.callback([arguments, exit_code] { *exit_code = RunCrawl(*arguments); });
  return arguments;
}

// Adds the options that say where seeds come from.
void AddSources(OptionTable<CrawlArguments>& add) {
  add.Texts("--seeds", "FILE", "Begin at the URLs in this file, one per line; -: stdin",
            [](CrawlArguments& to, const auto& given) { to.sources.files = given; });
  add.Texts("--sitemap", "URL|FILE", "Begin at the pages that this sitemap lists",
            [](CrawlArguments& to, const auto& given) { to.sources.sitemaps = given; });
  add.Text(
      "--query", "WORDS", "Begin at the results of a web search; --scope web",
      [](CrawlArguments & to) -> auto& { return to.sources.query; });
  add.Text(
      "--search-engine", "URL", "Search URL, with {words}",
      [](CrawlArguments & to) -> auto& { return to.sources.search_engine; }, "DuckDuckGo");
}

// Adds the options of a new crawl; returns --out.
CLI::Option* AddNew(CLI::App& command, const std::shared_ptr<CrawlArguments>& arguments) {
  OptionTable<CrawlArguments> add(command, arguments);
  add.Group(option_groups::kWhat);
  CLI::Option* const out =
      add.Text("--out", "DIR", "The folder of the crawl, new or empty", &CrawlArguments::folder);
  AddSources(add);
  AddCrawlOptions(command, arguments->changes, false);
  AddOutput(command, arguments);
  return out;
}

// Adds the options that select the URLs to be tried again.
std::pair<CLI::Option*, CLI::Option*> AddSelection(OptionTable<CrawlArguments>& add) {
  return {add.Text(
              "--host", "HOST", "Retry only the URLs of this host",
              [](CrawlArguments & to) -> auto& { return to.retry.host; }),
          add.Text(
              "--kind", "KIND", "Retry only what failed so; see `help retry`",
              [](CrawlArguments & to) -> auto& { return to.retry.kind; })};
}

void AddRetry(CLI::App& app, CLI::App& resume,
              const std::shared_ptr<CrawlArguments>& resume_arguments, int* exit_code) {
  OptionTable<CrawlArguments> add(resume, resume_arguments);
  add.Group(option_groups::kWhat);
  CLI::Option* const retry_failed = add.Flag("--retry-failed", "Try URLs again that were given up",
                                             &CrawlArguments::retry_failed);
  const auto [host, kind] = AddSelection(add);
  host->needs(retry_failed);
  kind->needs(retry_failed);
  CLI::App* retry = app.add_subcommand("retry", "Try URLs again that were given up");
  const auto arguments = AddStored(*retry, CrawlArguments::Kind::kResume, exit_code);
  arguments->retry_failed = true;
  OptionTable<CrawlArguments> select(*retry, arguments);
  select.Group(option_groups::kWhat);
  AddSelection(select);
  retry->footer(kRetryFooter);
}

}  // namespace

std::function<std::string(std::vector<std::string> seeds)> AddOptionsOfCrawl(CLI::App& command) {
  auto arguments = std::make_shared<CrawlArguments>();
  AddNew(command, arguments);
  return [arguments](std::vector<std::string> seeds) {
    crawler::CrawlOptions options = OptionsOf(*arguments);
    options.seeds = std::move(seeds);
    return Crawl(options).Check().message;
  };
}

void AddCrawlCommands(CLI::App& app, int* exit_code) {
  CLI::App* crawl =
      app.add_subcommand("crawl", "Crawl the web from one or more URLs into a folder");
  auto arguments = std::make_shared<CrawlArguments>();
  OptionTable<CrawlArguments> add(*crawl, arguments);
  add.Arguments("url", "Where to begin: http or https URLs", &CrawlArguments::seeds);
  AddNew(*crawl, arguments)->required();
  add.Text("--config", "FILE", "Take options from this TOML file; see `help config`",
           &CrawlArguments::config);
  crawl->footer(kCrawlFooter);
  crawl->callback([arguments, exit_code] { *exit_code = RunCrawl(*arguments); });

  CLI::App* resume = app.add_subcommand("resume", "Go on with a crawl that was stopped or killed");
  const auto resume_arguments = AddStored(*resume, CrawlArguments::Kind::kResume, exit_code);
  AddRetry(app, *resume, resume_arguments, exit_code);
  resume->footer(kResumeFooter);
  CLI::App* recrawl =
      app.add_subcommand("recrawl", "Do a crawl once more: only changes are stored");
  AddStored(*recrawl, CrawlArguments::Kind::kRecrawl, exit_code);
  recrawl->footer(kRecrawlFooter);
}
