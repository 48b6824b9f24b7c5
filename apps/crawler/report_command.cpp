#include "report_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <crawler/report.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "crawl_report.hpp"
#include "data_commands.hpp"
#include "exit_codes.hpp"
#include "option_table.hpp"
#include "output.hpp"
#include "report_text.hpp"

namespace {

constexpr std::size_t kTextRows = 10, kFileRows = 100;

struct ReportArguments {
  std::string folder, html;
  bool json = false;
  crawler::ReportSettings settings{0, {}};
};

int RunReport(ReportArguments& arguments) {
  CatchStopSignals();
  const bool html = !arguments.html.empty();
  Output output(html ? arguments.html : "-");
  if (!output.error().empty()) return Fail(output.error(), output.exit_code());
  arguments.settings.limits.stopped = [] { return StopRequested(); };
  if (arguments.settings.rows == 0) {
    arguments.settings.rows = html || arguments.json ? kFileRows : kTextRows;
  }
  const crawler::CrawlReport report = crawler::ReportCrawl(arguments.folder, arguments.settings);
  if (report.outcome.kind == crawler::ReadOutcome::Kind::kDone) {
    output.Write(html             ? ReportHtml(report, arguments.folder)
                 : arguments.json ? ReportJson(report)
                                  : ReportText(report, arguments.folder));
  }
  const int exit_code = Finish(report.outcome, output);
  if (html && exit_code == kExitOk && arguments.html != "-") {
    fmt::print("The report is in {}\n", Printable(arguments.html));
  }
  return exit_code;
}

constexpr const char* kReportFooter =
    "Text is printed, or with --html one page that needs no other file is written: the\n"
    "totals, broken links with their sources, redirects, duplicates, titles, hosts,\n"
    "throughput, and for each host its robots.txt and how often it was asked. Lists are\n"
    "cut at --rows; `crawler export` has all rows. A crawl may run meanwhile.\n\n"
    "Examples:\n"
    "  crawler report my-crawl\n"
    "  crawler report my-crawl --html report.html\n"
    "  crawler report my-crawl --json | jq .broken.total\n\n"
    "Exit codes: 0 done; 1 no crawl, stopped, out of time, or nobody reads; 2 the file\n"
    "cannot be made; 4 the disk is full, or the database cannot be read.";

}  // namespace

void AddReportCommand(CLI::App& app, int* exit_code) {
  CLI::App* report = app.add_subcommand("report", "Report on a crawl: text, JSON or an HTML page");
  auto arguments = std::make_shared<ReportArguments>();
  OptionTable<ReportArguments> add(*report, arguments);
  add.Argument("dir", "The folder of the crawl", &ReportArguments::folder);
  CLI::Option* json = add.Flag("--json", "Print JSON", &ReportArguments::json);
  add.Text("--html", "FILE", "Write one HTML page that needs no other file", &ReportArguments::html)
      ->excludes(json);
  add.Number("--rows", "Most rows per list", CountOf(1, 10'000), "10; 100 in JSON and HTML",
             [](ReportArguments& to, std::uint64_t rows) { to.settings.rows = rows; });
  add.Number(
      "--max-time", "Give up after this time", kTimeLimit,
      [](ReportArguments & to) -> auto& { return to.settings.limits.max_time; });
  report->footer(kReportFooter);
  report->callback([arguments, exit_code] { *exit_code = RunReport(*arguments); });
}
