#include "data_commands.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <crawler/data.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exit_codes.hpp"
#include "option_table.hpp"
#include "output.hpp"
#include "report_text.hpp"
#include "table.hpp"

namespace {

using crawler::DataFormat;
using crawler::ReadLimits;
using crawler::ReadOutcome;
using crawler::RowSink;

struct DataArguments {
  std::string folder, what, format, file;
  std::chrono::milliseconds max_time{0};
  // Of diff:
  std::string url;
  bool text = false;
  std::uint64_t round = 0;
};

ReadLimits LimitsOf(const DataArguments& arguments) {
  return {arguments.max_time, [] { return StopRequested(); }};
}

DataFormat FormatOf(const DataArguments& arguments) {
  if (arguments.format == "jsonl") return DataFormat::kJsonl;
  if (arguments.format == "graphml") return DataFormat::kGraphml;
  if (arguments.format == "urls") return DataFormat::kUrlList;
  if (arguments.format == "adjacency") return DataFormat::kAdjacency;
  const bool graph = arguments.format.empty() && arguments.what == "graph";
  return graph ? DataFormat::kGraphml : DataFormat::kCsv;
}

int RunExport(const DataArguments& arguments) {
  CatchStopSignals();
  Output output(arguments.file);
  if (!output.error().empty()) return Fail(output.error(), output.exit_code());
  const ReadOutcome outcome = crawler::ExportCrawl(
      arguments.folder, arguments.what, FormatOf(arguments),
      [&output](std::string_view text) { return output.Write(text); }, LimitsOf(arguments),
      output.is_terminal());
  return Finish(outcome, output);
}

std::size_t TerminalColumns() {
  winsize window{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;  // NOLINT(*-vararg)
  return known ? window.ws_col : 0;
}

/// Writes the rows that `read` gives, as a table for people or in the format that was asked for.
int WriteRows(const DataArguments& arguments,
              const std::function<ReadOutcome(const RowSink&, const ReadLimits&)>& read) {
  CatchStopSignals();
  Output output(arguments.file);
  if (!output.error().empty()) return Fail(output.error(), output.exit_code());
  const auto write = [&output](std::string_view text) { return output.Write(text); };
  Table table(write, output.is_terminal() ? TerminalColumns() : 0);
  const bool as_table =
      arguments.format == "table" || (arguments.format.empty() && output.is_terminal());
  RowSink sink;
  if (as_table) {
    sink.columns = [&table](std::span<const std::string> names) { return table.Begin(names); };
    sink.row = [&table](std::span<const crawler::Cell> row) { return table.Row(row); };
  } else {
    sink = crawler::MakeRowWriter(FormatOf(arguments), write, output.is_terminal());
  }
  const ReadOutcome outcome = read(sink, LimitsOf(arguments));
  const bool began = outcome.kind == ReadOutcome::Kind::kDone || outcome.rows > 0;
  if (as_table && began) table.End();
  return Finish(outcome, output);
}

int RunSql(const DataArguments& arguments) {
  return WriteRows(arguments, [&](const RowSink& sink, const ReadLimits& limits) {
    return crawler::QueryCrawl(arguments.folder, arguments.what, sink, limits);
  });
}

int RunTextDiff(const DataArguments& arguments) {
  CatchStopSignals();
  Output output(arguments.file);
  if (!output.error().empty()) return Fail(output.error(), output.exit_code());
  const auto write = [&output](std::string_view text) { return output.Write(text); };
  const ReadOutcome outcome =
      arguments.what.empty() ? crawler::DiffRoundTexts(arguments.folder, arguments.round,
                                                       arguments.url, write, LimitsOf(arguments))
                             : crawler::DiffTexts(arguments.folder, arguments.what, arguments.url,
                                                  write, LimitsOf(arguments));
  return Finish(outcome, output);
}

// `diff DIR --text URL`: the only word behind DIR is the page if it is no folder.
void TakeUrl(DataArguments* arguments) {
  std::error_code ignored;
  const std::string& word = arguments->what;
  const bool is_url = word.starts_with('/') || word.find("://") != std::string::npos;
  if (!arguments->url.empty() || !is_url || std::filesystem::exists(word, ignored)) return;
  arguments->url = std::exchange(arguments->what, {});
}

int RunDiff(DataArguments& arguments) {
  if (arguments.text) TakeUrl(&arguments);
  if (arguments.round != 0 && !arguments.what.empty()) {
    return Fail("--round is for the rounds of one crawl, not for two crawls", kExitUsage);
  }
  if (arguments.text) return RunTextDiff(arguments);
  return WriteRows(arguments, [&](const RowSink& sink, const ReadLimits& limits) {
    if (arguments.what.empty()) {
      return crawler::DiffRound(arguments.folder, arguments.round, sink, limits);
    }
    return crawler::DiffCrawls(arguments.folder, arguments.what, sink, limits);
  });
}

std::shared_ptr<DataArguments> AddCommon(CLI::App& command, const char* name, const char* help,
                                         const std::vector<std::string>& formats,
                                         const char* standard) {
  auto arguments = std::make_shared<DataArguments>();
  OptionTable<DataArguments> add(command, arguments);
  add.Argument("dir", "The folder of the crawl", &DataArguments::folder);
  add.Argument(name, help, &DataArguments::what);
  add.Text("--format", "HOW", fmt::format("{}", fmt::join(formats, ", ")).c_str(),
           &DataArguments::format, standard)
      ->check(IsOneOf(formats));
  add.Text("-o,--output", "FILE", "Write to this file, which appears when it is whole",
           &DataArguments::file);
  add.Number("--max-time", "Give up after this time", kTimeLimit, &DataArguments::max_time);
  return arguments;
}

std::string ExportFooter() {
  std::string footer = "WHAT is one of\n";
  for (const crawler::ExportKind& kind : crawler::ExportKinds()) {
    footer += fmt::format("  {:<14}{}\n", kind.name, kind.help);
  }
  footer +=
      "\nCSV is RFC 4180 in UTF-8; a text that a spreadsheet would compute begins with\n"
      "an apostrophe. The graph has the formats graphml; urls, the URL number n in line\n"
      "n; and adjacency, in line n the numbers that page n links to. A crawl may run\n"
      "meanwhile: the state of one moment is exported.\n\nExamples:\n"
      "  crawler export my-crawl broken -o broken.csv\n"
      "  crawler export my-crawl pages --format jsonl | jq .title\n\n"
      "Exit codes: 0 done; 1 no crawl, stopped, or nobody reads; 2 no such export or\n"
      "file; 4 the disk is full, or the database cannot be read.";
  return footer;
}

constexpr const char* kSqlFooter =
    "Nothing can be changed. docs/formats.md explains tables and views: pages, urls,\n"
    "visits, fates, edges, inlinks, broken_links, redirect_chains, duplicate_titles;\n"
    "texts(page_id, url, title, language, words, text) has the text of every page.\n\n"
    "Examples:\n"
    "  crawler sql my-crawl \"SELECT fate, count(*) FROM fates GROUP BY fate\"\n"
    "  crawler sql my-crawl \"SELECT url, text FROM texts LIMIT 5\" --format jsonl\n\n"
    "Exit codes: 0 done; 1 no crawl, stopped, or out of time; 2 bad SQL; 4 the disk\n"
    "is full, or the database cannot be read.";

constexpr const char* kDiffFooter =
    "A row for each page that is new, changed, gone, or moved: the same content at\n"
    "another URL. \"not reached\": the later crawl is unfinished and has not come to the\n"
    "page, or could not fetch it. A page whose body was cut counts as unchanged. With\n"
    "--text: the lines of changed pages, as `diff -u` shows them; pages that differ in\n"
    "more than 1,000 lines are counted only. With one folder: what the last round of a\n"
    "repeated crawl, or --round N, found new, changed and gone; the first crawl is\n"
    "round 1.\n\n"
    "Examples:\n"
    "  crawler diff may june\n"
    "  crawler diff may june --text /prices\n"
    "  crawler diff may june --format csv -o changes.csv\n"
    "  crawler diff my-crawl --round 2\n"
    "  crawler diff my-crawl --text\n\n"
    "Exit codes: 0 done, also with differences; 1 no crawl, page or second round,\n"
    "stopped, or out of time; 2 no such round, or a bad URL; 4 the disk is full, or a\n"
    "database cannot be read; 5 it is locked.";

}  // namespace

int Finish(const ReadOutcome& outcome, Output& output) {
  if (!output.error().empty()) return Fail(output.error(), output.exit_code());
  if (outcome.kind == ReadOutcome::Kind::kDone) {
    return output.Commit() ? kExitOk : Fail(output.error(), output.exit_code());
  }
  return Fail(outcome.error, ExitCodeOfReading(outcome.kind));
}

void AddDataCommands(CLI::App& app, int* exit_code) {
  std::vector<std::string> names;
  for (const crawler::ExportKind& kind : crawler::ExportKinds()) names.emplace_back(kind.name);
  CLI::App* rows = app.add_subcommand("export", "Write data of a crawl as CSV or JSON lines");
  auto exported = AddCommon(*rows, "what", "What to export; see below",
                            {"csv", "jsonl", "graphml", "urls", "adjacency"}, "csv");
  rows->get_option("what")->check(IsOneOf(names));
  rows->footer(ExportFooter());
  rows->callback([exported, exit_code] { *exit_code = RunExport(*exported); });

  CLI::App* sql = app.add_subcommand("sql", "Ask the catalogue of a crawl in SQL");
  auto asked =
      AddCommon(*sql, "query", "One SQL query", {"table", "csv", "jsonl"}, "table; csv in a pipe");
  sql->footer(kSqlFooter);
  sql->callback([asked, exit_code] { *exit_code = RunSql(*asked); });

  CLI::App* diff = app.add_subcommand("diff", "Compare the pages of two crawls, or of two rounds");
  auto compared = AddCommon(*diff, "after", "The folder of the later crawl; else rounds of DIR",
                            {"table", "csv", "jsonl"}, "table; csv in a pipe");
  OptionTable<DataArguments> add(*diff, compared);
  diff->get_option("after")->required(false);
  CLI::Option* const text =
      add.Flag("--text", "What changed in the text of pages", &DataArguments::text);
  add.Text("url", "", "With --text: this page alone", &DataArguments::url)->needs(text);
  text->excludes("--format");
  add.Number("--round", "The changes of this round of DIR", CountOf(2, kMostCount), "the last",
             [](DataArguments& to, std::uint64_t round) { to.round = round; });
  diff->footer(kDiffFooter);
  diff->callback([compared, exit_code] { *exit_code = RunDiff(*compared); });
}
