#include "search_commands.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <crawler/search.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "exit_codes.hpp"
#include "json_text.hpp"
#include "numbers.hpp"
#include "option_table.hpp"
#include "report_text.hpp"

namespace {

using crawler::IndexOutcome;
using crawler::PageKeywords;
using crawler::ReadOutcome;
using crawler::Search;
using crawler::SearchAnswer;
using crawler::SearchOptions;
using crawler::SearchResult;
using Json = nlohmann::ordered_json;

constexpr const char* kSearchFooter = R"(Queries:
  vector push_back          pages with most of the words, those with all first
  +vector, a AND b          words that must be there
  "move constructor"        the words in a row
  cat OR dog, (a b) OR c    either
  -boost, NOT boost         without it
  alloc*                    words that begin so
  title:vector              in the title; inurl:container in the URL
  site:example.org  lang:de  after:2024-01-31

Folders of other crawls before the words are searched as well, as if all were one crawl.

Examples:
  crawler search example content negotiation
  crawler search monday tuesday content negotiation
  crawler search example 'title:install -windows "step by step"' --limit 3 --json

Exit codes: 0 something was found; 1 nothing was, or there is no crawl; 2 the query makes no sense;
4 the folder cannot be read; 5 it is locked; 6 it takes an index, or weights, that are not made yet: see
`crawler index --help`.)";

/// Of a title, in characters; many pages have none that ends.
constexpr std::size_t kTitleShown = 120;

constexpr const char* kIndexFooter =
    R"(A crawl that ends has made its index itself. Of a crawl with --no-index, or of an older version, the pages are read from its WARC; without one
(--no-warc) there is nothing to read. Whatever ends it, `crawler index` goes on where it was. What is
done is not done again; --rebuild is for an index that is damaged.

Exit codes: 0 all is indexed that may be; 1 some pages could not be, which are named, or there is no
crawl; 4 the disk or the database failed; 5 another process works on the folder.)";

struct SearchArguments {
  std::string folder;
  std::string text;
  std::vector<std::string> words;
  SearchOptions options;
  int limit = 20;
  bool json = false;
  bool quiet = false;
  crawler::IndexSettings index;
};

std::string Day(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

void Print(const Json& json) { std::fputs(JsonText(json).c_str(), stdout); }

/// The snippet with what was looked for in bold, on a terminal.
std::string Highlighted(const SearchResult& result, bool bold) {
  const std::string_view text = result.snippet;
  std::string shown;
  std::size_t at = 0;
  for (const auto& [offset, size] : result.highlights) {
    shown += Printable(text.substr(at, offset - at));
    const std::string word = Printable(text.substr(offset, size));
    shown += bold ? "\033[1m" + word + "\033[0m" : word;
    at = offset + size;
  }
  return shown + Printable(text.substr(at));
}

void PrintWhy(const SearchResult& result) {
  const SearchResult::Why& why = result.why;
  fmt::print("   {:.3f} = {:.3f} text x {:.3f} links to the page\n", result.score, why.text_score,
             why.static_factor);
  for (const SearchResult::Why::Word& word : why.words) {
    fmt::print(
        "     {:<20} {:>7.3f}  idf {:.3f}; body {}, headings {}, title {}, URL {}, links {}, "
        "navigation {}\n",
        Printable(word.word), word.score, word.idf, word.body, word.headings, word.title, word.url,
        word.anchors, word.navigation);
  }
}

void PrintAnswer(const SearchAnswer& answer, const SearchOptions& options) {
  const bool bold = isatty(STDOUT_FILENO) != 0;
  int number = options.offset;
  if (answer.corrected) {
    fmt::print("nothing was found; these are the results for: {}\n\n",
               Printable(answer.did_you_mean));
  }
  for (const SearchResult& result : answer.results) {
    fmt::print("{:>2}. {}\n    {}\n", ++number,
               result.title.empty() ? "(no title)" : Shortened(result.title, kTitleShown),
               Printable(result.url));
    if (!result.snippet.empty()) fmt::print("    {}\n", Highlighted(result, bold));
    if (!result.missing.empty()) {
      fmt::print("    without: {}\n",
                 Printable(fmt::format("{}", fmt::join(result.missing, ", "))));
    }
    fmt::print("    {:.3f}  {}{}{}\n", result.score, Day(result.date),
               result.language.empty() ? "" : "  " + result.language,
               result.folded == 0 ? "" : fmt::format("  and {} more like it", result.folded));
    if (options.why) PrintWhy(result);
    fmt::print("\n");
  }
  fmt::print("{}{} {} in {:.1f} ms\n", answer.total_is_exact ? "" : "about ",
             Thousands(answer.total), answer.total == 1 ? "page" : "pages",
             std::chrono::duration<double, std::milli>(answer.took).count());
  for (const auto& [word, instead] : answer.suggestions) {
    if (instead.empty()) continue;
    fmt::print("no page has \"{}\"; there is {}\n", Printable(word),
               Printable(fmt::format("{}", fmt::join(instead, ", "))));
  }
  if (!answer.did_you_mean.empty() && !answer.corrected) {
    fmt::print("did you mean: {}\n", Printable(answer.did_you_mean));
  }
}

Json WhyJson(const SearchResult& result) {
  Json words = Json::array();
  for (const SearchResult::Why::Word& word : result.why.words) {
    words.push_back({{"word", word.word},
                     {"score", word.score},
                     {"idf", word.idf},
                     {"body", word.body},
                     {"headings", word.headings},
                     {"title", word.title},
                     {"url", word.url},
                     {"anchors", word.anchors},
                     {"navigation", word.navigation}});
  }
  return {{"text_score", result.why.text_score},
          {"static_factor", result.why.static_factor},
          {"words", words}};
}

Json ToJson(const SearchAnswer& answer, const SearchOptions& options) {
  Json results = Json::array();
  for (const SearchResult& result : answer.results) {
    Json one = {{"url", result.url},
                {"title", result.title},
                {"folder", result.folder},
                {"snippet", result.snippet},
                {"highlights", result.highlights},
                {"language", result.language},
                {"date", Day(result.date)},
                {"score", result.score},
                {"folded", result.folded},
                {"missing", result.missing}};
    if (options.why) one["why"] = WhyJson(result);
    results.push_back(std::move(one));
  }
  Json suggestions = Json::object();
  for (const auto& [word, instead] : answer.suggestions) suggestions[word] = instead;
  return {{"total", answer.total},          {"total_is_exact", answer.total_is_exact},
          {"took_us", answer.took.count()}, {"results", results},
          {"suggestions", suggestions},     {"did_you_mean", answer.did_you_mean},
          {"corrected", answer.corrected}};
}

/// The kind of a failure, for programs.
const char* JsonNameOf(ReadOutcome::Kind kind) {
  switch (kind) {
    case ReadOutcome::Kind::kBadRequest:
      return "bad_query";
    case ReadOutcome::Kind::kNotReady:
      return "not_ready";
    case ReadOutcome::Kind::kBusy:
      return "busy";
    default:
      return "failed";
  }
}

/// Tells what went wrong: people on stderr, programs that asked for it in JSON.
int Refuse(const std::string& error, ReadOutcome::Kind kind, bool json) {
  if (json) Print({{"error", JsonNameOf(kind)}, {"message", error}});
  return Fail(error, ExitCodeOfReading(kind));
}

int Show(const SearchAnswer& answer, const SearchArguments& arguments) {
  if (!answer.error.empty()) {
    return Refuse(answer.error, answer.outcome, arguments.json);
  }
  if (arguments.json) {
    Print(ToJson(answer, arguments.options));
  } else {
    PrintAnswer(answer, arguments.options);
  }
  return answer.total > 0 ? kExitOk : kExitFailed;
}

int RunKeywords(const SearchArguments& arguments) {
  const PageKeywords answer = Search(arguments.folder).Keywords(arguments.text, arguments.limit);
  if (!answer.error.empty()) {
    return Refuse(answer.error, answer.outcome, arguments.json);
  }
  if (!arguments.json) fmt::print("{:>8} {:>6} {:>8}  {}\n", "tf-idf", "here", "pages", "term");
  Json keywords = Json::array();
  for (const PageKeywords::Keyword& keyword : answer.keywords) {
    if (!arguments.json) {
      fmt::print("{:>8.4f} {:>6} {:>8}  {}\n", keyword.tf_idf, keyword.term_freq,
                 Thousands(keyword.document_freq), Printable(keyword.shown));
    }
    keywords.push_back({{"term", keyword.term},
                        {"shown", keyword.shown},
                        {"term_freq", keyword.term_freq},
                        {"document_freq", keyword.document_freq},
                        {"tf_idf", keyword.tf_idf}});
  }
  if (arguments.json) Print({{"keywords", keywords}});
  return kExitOk;
}

int RunSuggest(const SearchArguments& arguments) {
  Search search(arguments.folder);
  if (!search.error().empty()) return Refuse(search.error(), search.outcome(), arguments.json);
  Json words = Json::array();
  for (const auto& [word, pages] : search.Suggest(arguments.text, arguments.options.limit)) {
    if (!arguments.json) fmt::print("{:>8}  {}\n", Thousands(pages), Printable(word));
    words.push_back({{"word", word}, {"pages", pages}});
  }
  if (arguments.json) Print({{"words", words}});
  return words.empty() ? kExitFailed : kExitOk;
}

/// The live line on a terminal, or a line every ten seconds where there is none. On stderr.
class IndexProgressLine {
 public:
  void Show(const crawler::IndexProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(250) : std::chrono::seconds(10));
    std::string line(progress.step);
    if (progress.all > 0) {
      line += fmt::format(": {} of {}", Thousands(progress.done), Thousands(progress.all));
    }
    std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", line.c_str());
    std::fflush(stderr);
    shown_ = terminal_;
  }
  void Say(std::string_view sentence) {
    Clear();
    Fail(sentence);
  }
  void Clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

IndexOutcome MakeIndex(const SearchArguments& arguments) {
  IndexProgressLine line;
  crawler::IndexCallbacks callbacks;
  if (!arguments.quiet) {
    callbacks.on_progress = [&](const crawler::IndexProgress& progress) { line.Show(progress); };
  }
  callbacks.on_warning = [&](std::string_view sentence) { line.Say(sentence); };
  IndexOutcome outcome = crawler::IndexCrawl(arguments.folder, arguments.index, callbacks);
  line.Clear();
  return outcome;
}

void PrintOutcome(const IndexOutcome& outcome) {
  fmt::print("{} pages indexed, {} not; {} terms\n", Thousands(outcome.pages),
             Thousands(outcome.unindexed), Thousands(outcome.terms));
  if (outcome.from_archive > 0) {
    fmt::print("{} of them were read from the WARC\n", Thousands(outcome.from_archive));
  }
  if (outcome.rank_iterations > 0) {
    fmt::print("PageRank over {} links: {} iterations, the last one changed {:.1e} of all rank{}\n",
               Thousands(outcome.links), outcome.rank_iterations, outcome.rank_change,
               outcome.rank_converged ? "" : "; it has not converged");
  }
}

int RunIndex(const SearchArguments& arguments) {
  const IndexOutcome outcome = MakeIndex(arguments);
  if (!outcome.error.empty()) return Refuse(outcome.error, outcome.outcome, arguments.json);
  if (arguments.json) {
    Print({{"pages", outcome.pages},
           {"unindexed", outcome.unindexed},
           {"from_archive", outcome.from_archive},
           {"unreadable", outcome.unreadable},
           {"unarchived", outcome.unarchived},
           {"terms", outcome.terms},
           {"links", outcome.links},
           {"rank_iterations", outcome.rank_iterations},
           {"rank_change", outcome.rank_change},
           {"rank_converged", outcome.rank_converged}});
  } else {
    PrintOutcome(outcome);
  }
  if (outcome.unreadable > 0) {
    Fail(fmt::format("{} pages could not be indexed: their WARC records are damaged or gone",
                     Thousands(outcome.unreadable)));
  }
  if (outcome.unarchived > 0) {
    Fail(
        fmt::format("{} pages cannot be indexed: the crawl stored neither their text (--no-index, "
                    "or an older version) nor a WARC (--no-warc) to read it from; crawl them anew",
                    Thousands(outcome.unarchived)));
  }
  return outcome.unreadable + outcome.unarchived > 0 ? kExitFailed : kExitOk;
}

using SearchTable = OptionTable<SearchArguments>;

// A field of the options of a search.
template <typename Member>
auto Field(Member member) {
  return [member](SearchArguments & arguments) -> auto& { return arguments.options.*member; };
}

SearchTable AddCommand(CLI::App& command, const std::shared_ptr<SearchArguments>& arguments,
                       const char* name = nullptr, const char* help = nullptr) {
  SearchTable add(command, arguments);
  add.Argument("dir", "The folder of the crawl", &SearchArguments::folder);
  if (name != nullptr) add.Argument(name, help, &SearchArguments::text);
  add.Flag("--json", "Print JSON", &SearchArguments::json);
  return add;
}

constexpr Quantity kResults = CountOf(1, 10'000);

void AddPaging(SearchTable& add) {
  add.Number("--limit", "Results to show", kResults, Field(&SearchOptions::limit));
  add.Number("--offset", "Results to leave out before them", CountOf(0, 10'000),
             Field(&SearchOptions::offset));
}

/// The folder, and those before the words. The last word is none: there is something to look for.
std::vector<std::string> TakeFolders(SearchArguments* arguments) {
  std::vector<std::string> folders = {arguments->folder};
  std::vector<std::string>& words = arguments->words;
  std::error_code ignored;
  while (words.size() > 1 &&
         std::filesystem::exists(std::filesystem::path(words.front()) / "crawl.db", ignored)) {
    folders.push_back(std::move(words.front()));
    words.erase(words.begin());
  }
  return folders;
}

void AddSearch(CLI::App& app, int* exit_code) {
  CLI::App* search = app.add_subcommand("search", "Find pages of a crawl by their words");
  auto find = std::make_shared<SearchArguments>();
  SearchTable add = AddCommand(*search, find);
  add.Arguments("words", "What to look for; see below", &SearchArguments::words)->required();
  AddPaging(add);
  add.Choice<>("--rank", "HOW", "bm25 or cosine",
               std::vector<std::pair<std::string, bool>>{{"bm25", false}, {"cosine", true}},
               Field(&SearchOptions::cosine));
  add.Flag("--why", "Say what the scores are made of", Field(&SearchOptions::why));
  add.Flag("--no-fold", "Show pages that are (nearly) alike, too", Field(&SearchOptions::fold),
           false);
  search->footer(kSearchFooter);
  search->callback([find, exit_code] {
    const std::vector<std::string> folders = TakeFolders(find.get());
    const std::string query = fmt::format("{}", fmt::join(find->words, " "));
    *exit_code = Show(Search(folders).Find(query, find->options), *find);
  });
}

void AddPageCommands(CLI::App& app, int* exit_code) {
  CLI::App* similar = app.add_subcommand("similar", "Pages like a page of a crawl");
  auto like = std::make_shared<SearchArguments>();
  SearchTable add = AddCommand(*similar, like, "url", "The page");
  AddPaging(add);
  similar->callback([like, exit_code] {
    *exit_code = Show(Search(like->folder).Similar(like->text, like->options), *like);
  });

  CLI::App* keywords = app.add_subcommand("keywords", "What a page is about: its heaviest terms");
  auto about = std::make_shared<SearchArguments>();
  AddCommand(*keywords, about, "url", "The page")
      .Number("--limit", "Terms to show", kResults, &SearchArguments::limit);
  keywords->callback([about, exit_code] { *exit_code = RunKeywords(*about); });

  CLI::App* suggest = app.add_subcommand("suggest", "Words of a crawl that begin so");
  auto begun = std::make_shared<SearchArguments>();
  AddCommand(*suggest, begun, "prefix", "How the word begins")
      .Number("--limit", "Words to show", kResults, Field(&SearchOptions::limit));
  suggest->callback([begun, exit_code] { *exit_code = RunSuggest(*begun); });
}

void AddIndex(CLI::App& app, int* exit_code) {
  CLI::App* index = app.add_subcommand("index", "Make or finish the index of a crawl");
  auto whole = std::make_shared<SearchArguments>();
  SearchTable add = AddCommand(*index, whole);
  add.Number("--max-ram", "Memory for making the index", SizeOf(1'000'000, kMostSize),
             "of the crawl",
             [](SearchArguments& to, std::uint64_t given) { to.index.max_ram = given; });
  add.Flag(
      "--rebuild", "Make all of it again: of stored texts, else of WARC",
      [](SearchArguments & to) -> auto& { return to.index.rebuild; });
  add.Flag("-q,--quiet", "No progress; warnings remain", &SearchArguments::quiet);
  index->footer(kIndexFooter);
  index->callback([whole, exit_code] { *exit_code = RunIndex(*whole); });
}

}  // namespace

void SeparateQuery(const CLI::App& app, std::vector<std::string>* arguments) {
  if (arguments->empty() || arguments->front() != "search") return;
  const CLI::App& search = *app.get_subcommand("search");
  std::vector<std::string> options = {"search"}, words;
  for (std::size_t i = 1; i < arguments->size(); ++i) {
    std::string& argument = (*arguments)[i];
    if (argument == "--") {
      words.insert(words.end(), arguments->begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   arguments->end());
      break;
    }
    // Without it -boost were options; -h is the only one with one dash.
    if (!argument.starts_with("--") && argument != "-h") {
      words.push_back(std::move(argument));
      continue;
    }
    const CLI::Option* const option = search.get_option_no_throw(argument);
    options.push_back(std::move(argument));
    const bool takes_next = option != nullptr && TakesValue(*option);
    if (takes_next && i + 1 < arguments->size()) options.push_back(std::move((*arguments)[++i]));
  }
  options.emplace_back("--");
  options.insert(options.end(), words.begin(), words.end());
  *arguments = std::move(options);
}

void AddSearchCommands(CLI::App& app, int* exit_code) {
  AddSearch(app, exit_code);
  AddPageCommands(app, exit_code);
  AddIndex(app, exit_code);
}
