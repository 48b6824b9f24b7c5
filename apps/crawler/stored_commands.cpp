#include "stored_commands.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <crawler/data.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "data_commands.hpp"
#include "exit_codes.hpp"
#include "numbers.hpp"
#include "option_table.hpp"
#include "output.hpp"
#include "report_text.hpp"

namespace {

using crawler::ArchivedContent;

struct ShowArguments {
  std::string folder, url, file;
  bool headers = false, body = false, text = false, links = false;
};

/// Line by line: line feeds stay, all else is made safe.
std::string PrintableLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += Printable(line) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string LinkLines(const ArchivedContent& page) {
  std::string out;
  for (const ArchivedContent::Link& link : page.links) {
    out += Printable(link.url);
    if (link.nofollow) out += " nofollow";
    if (!link.text.empty()) out += " \"" + Printable(link.text) + "\"";
    out += "\n";
  }
  return out;
}

std::string Summary(const ArchivedContent& page) {
  const auto at = std::chrono::system_clock::to_time_t(page.at);
  std::string out =
      fmt::format("{}\n{}, received {:%Y-%m-%d %H:%M:%S}Z, {} bytes",  // NOLINT
                  Printable(page.url), page.status, fmt::gmtime(at), Thousands(page.body.size()));
  if (!page.media_type.empty()) out += ", " + Printable(page.media_type);
  out += "\n";
  if (!page.title.empty()) out += Printable(page.title) + "\n";
  out += "\n" + PrintableLines(page.head);
  if (!page.text.empty()) out += "\n" + PrintableLines(page.text);
  if (!page.links.empty())
    out += fmt::format("\n{}; --links shows them\n", Counted(page.links.size(), "link", "links"));
  return out;
}

int RunShow(const ShowArguments& arguments) {
  CatchStopSignals();
  Output output(arguments.file);
  if (!output.error().empty()) return Fail(output.error(), output.exit_code());
  const ArchivedContent page = crawler::ReadArchivedContent(arguments.folder, arguments.url);
  if (page.outcome.kind == crawler::ReadOutcome::Kind::kDone) {
    if (arguments.body) {
      // Into a file or pipe as it is; a terminal must not obey it.
      output.Write(output.is_terminal() ? PrintableLines(page.body) : page.body);
    } else if (arguments.headers) {
      output.Write(PrintableLines(page.head));
    } else if (arguments.text) {
      output.Write(PrintableLines(page.text));
    } else if (arguments.links) {
      output.Write(LinkLines(page));
    } else {
      output.Write(Summary(page));
    }
  }
  return Finish(page.outcome, output);
}

struct ExtractArguments {
  std::string folder, into;
  crawler::ExtractSettings settings;
};

int RunExtract(ExtractArguments& arguments) {
  CatchStopSignals();
  arguments.settings.limits.stopped = [] { return StopRequested(); };
  arguments.settings.warn = [](std::string_view sentence) { Fail(sentence); };
  const crawler::FileExtraction done =
      crawler::ExtractFiles(arguments.folder, arguments.into, arguments.settings);
  if (done.outcome.kind != crawler::ReadOutcome::Kind::kDone) {
    return Fail(done.outcome.error, ExitCodeOfReading(done.outcome.kind));
  }
  fmt::print("{} files in {}; files.csv there lists them\n", Thousands(done.outcome.rows),
             Printable(arguments.into));
  if (done.unreadable == 0) return kExitOk;
  return Fail(fmt::format("{} pages could not be read from the WARC", Thousands(done.unreadable)));
}

void AddShow(CLI::App& app, int* exit_code) {
  CLI::App* show = app.add_subcommand("show", "What is stored of a URL, from the WARC");
  auto arguments = std::make_shared<ShowArguments>();
  OptionTable<ShowArguments> add(*show, arguments);
  add.Argument("dir", "The folder of the crawl", &ShowArguments::folder);
  add.Argument("url", "The URL; a path if the crawl has one host", &ShowArguments::url);
  CLI::Option* const parts[] = {
      add.Flag("--headers", "Only the status line and headers", &ShowArguments::headers),
      add.Flag("--body", "Only the content, decoded, byte by byte", &ShowArguments::body),
      add.Flag("--text", "Only the visible text", &ShowArguments::text),
      add.Flag("--links", "Only the links: URL, nofollow, text", &ShowArguments::links)};
  for (CLI::Option* const part : parts) {
    for (CLI::Option* const other : parts) {
      if (part != other) part->excludes(other);
    }
  }
  add.Text("-o,--output", "FILE", "Write to this file, which appears when it is whole",
           &ShowArguments::file);
  show->footer("Exit codes: 0 done; 1 nothing is stored, or no crawl; 4 it cannot be read.");
  show->callback([arguments, exit_code] { *exit_code = RunShow(*arguments); });
}

void AddExtract(CLI::App& app, int* exit_code) {
  CLI::App* extract = app.add_subcommand("extract", "Write the contents of stored pages as files");
  auto arguments = std::make_shared<ExtractArguments>();
  OptionTable<ExtractArguments> add(*extract, arguments);
  add.Argument("dir", "The folder of the crawl", &ExtractArguments::folder);
  add.Text("--into", "FOLDER", "The folder for the files, new or empty", &ExtractArguments::into)
      ->required();
  add.Text(
      "--type", "TYPE", "Only these media types, e.g. image/*",
      [](ExtractArguments & to) -> auto& { return to.settings.type; }, "*");
  extract->footer(
      "A file is FOLDER/HOST/PATH, in safe characters whatever the URL is; files.csv\n"
      "in the folder has the URL of each. Nothing is overwritten.\n\n"
      "Exit codes: 0 done; 1 no crawl, stopped, or pages that cannot be read; 2 the\n"
      "folder is not empty; 4 the disk is full, or the database cannot be read.");
  extract->callback([arguments, exit_code] { *exit_code = RunExtract(*arguments); });
}

}  // namespace

void AddStoredCommands(CLI::App& app, int* exit_code) {
  AddShow(app, exit_code);
  AddExtract(app, exit_code);
}
