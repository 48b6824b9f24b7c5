// HTML at MB/s: our tokenizer, links + text + title, whole pages with resolved links, and libxml2's
// SAX parser doing the work of the second beside them. The pages are documentation from Debian
// packages (cppreference-doc-en-html, postgresql-doc-15, python3-doc).
//
// Unless told otherwise, takes turns between them and shows medians; at the end, how many times
// libxml2 each of them is.
#include <benchmark/benchmark.h>
#include <libxml/HTMLparser.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "doc_pages.hpp"
#include "parse/document_handler.hpp"
#include "parse/html_extractor.hpp"

namespace crawler {
namespace {

struct Document {
  std::string html;
  Url url;
};

const std::vector<Document>& Documents() {
  static const std::vector<Document> documents = [] {
    std::vector<Document> all;
    for (DocPage& page : ReadDocPages(200)) {
      Document& document = all.emplace_back();
      document.html = std::move(page.html);
      ParseUrl("http://docs.example" + page.path, nullptr, &document.url);
    }
    return all;
  }();
  return documents;
}

// Runs `parse(document)` over all documents and reports bytes a second.
template <typename Parse>
void RunAll(benchmark::State& state, Parse parse) {
  const std::vector<Document>& documents = Documents();
  if (documents.empty()) {
    state.SkipWithError(kNoDocPages);
    return;
  }
  std::size_t bytes = 0;
  for (const Document& document : documents) bytes += document.html.size();
  for (auto _ : state) {
    for (const Document& document : documents) parse(document);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
  state.counters["pages/s"] = benchmark::Counter(
      static_cast<double>(documents.size() * state.iterations()), benchmark::Counter::kIsRate);
}

struct TokenCounter {
  static constexpr bool kWantsMarkup = false;
  std::size_t tokens = 0;

  bool WantsRawText() { return true; }
  bool InForeignContent() { return false; }
  std::size_t EndSimply(std::uint64_t) { return 0; }
  TextMode OnStartTag(const Tag& tag) {
    ++tokens;
    if (tag.id == TagId::kScript) return TextMode::kScript;
    return tag.id == TagId::kStyle ? TextMode::kRawtext : TextMode::kData;
  }
  void OnEndTag(const Tag&) { ++tokens; }
  void OnText(std::string_view) { ++tokens; }
};

void Tokens(benchmark::State& state, Isa isa) {
  const Scanner scanner(isa);
  TokenCounter counter;
  Tokenizer<TokenCounter> tokenizer(scanner, &counter);
  RunAll(state, [&](const Document& document) { tokenizer.Run(document.html); });
  benchmark::DoNotOptimize(counter.tokens);
}
BENCHMARK_CAPTURE(Tokens, portable, Isa::kPortable)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Tokens, best, BestIsa())->Unit(benchmark::kMillisecond);

// Links as written, text and title.
void LinksTextTitle(benchmark::State& state, Isa isa) {
  const ExtractOptions options;
  const Scanner scanner(isa);
  DocumentHandler handler(options, scanner);
  Page page;
  RunAll(state, [&](const Document& document) {
    page.Clear();
    handler.Read(document.html, &page);
    benchmark::DoNotOptimize(page.text.data());
  });
}
BENCHMARK_CAPTURE(LinksTextTitle, portable, Isa::kPortable)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(LinksTextTitle, best, BestIsa())->Unit(benchmark::kMillisecond);

// The same with links resolved and normalised: what a crawl pays.
void WholePage(benchmark::State& state) {
  HtmlExtractor extractor;
  Page page;
  RunAll(state, [&](const Document& document) {
    extractor.Extract(document.html, document.url, &page);
    benchmark::DoNotOptimize(page.links.data());
  });
}
BENCHMARK(WholePage)->Unit(benchmark::kMillisecond);

struct Libxml2Page {
  std::vector<std::string> links;
  std::string text, title;
  int unseen = 0;  // Open <script> and <style>.
  bool in_title = false;
};

bool Is(const xmlChar* a, const char* b) {
  return xmlStrcmp(a, reinterpret_cast<const xmlChar*>(b)) == 0;
}

void OnStart(void* user, const xmlChar* name, const xmlChar** attributes) {
  auto* page = static_cast<Libxml2Page*>(user);
  if (Is(name, "script") || Is(name, "style")) ++page->unseen;
  if (Is(name, "title")) page->in_title = true;
  if (attributes == nullptr) return;
  for (; attributes[0] != nullptr; attributes += 2) {
    if (attributes[1] == nullptr) continue;
    if (Is(attributes[0], "href") || Is(attributes[0], "src")) {
      page->links.emplace_back(reinterpret_cast<const char*>(attributes[1]));
    }
  }
}

void OnEnd(void* user, const xmlChar* name) {
  auto* page = static_cast<Libxml2Page*>(user);
  if (Is(name, "script") || Is(name, "style")) --page->unseen;
  if (Is(name, "title")) page->in_title = false;
}

void OnCharacters(void* user, const xmlChar* text, int size) {
  auto* page = static_cast<Libxml2Page*>(user);
  if (page->unseen > 0) return;
  std::string& out = page->in_title ? page->title : page->text;
  for (int i = 0; i < size; ++i) {
    const char c = static_cast<char>(text[i]);
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
}

void Libxml2Sax(benchmark::State& state) {
  Libxml2Page page;
  htmlSAXHandler sax = {};
  sax.startElement = OnStart;
  sax.endElement = OnEnd;
  sax.characters = OnCharacters;
  RunAll(state, [&](const Document& document) {
    page.links.clear();
    page.text.clear();
    page.title.clear();
    page.unseen = 0;
    htmlParserCtxtPtr context =
        htmlCreatePushParserCtxt(&sax, &page, nullptr, 0, nullptr, XML_CHAR_ENCODING_UTF8);
    htmlCtxtUseOptions(context, HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
    htmlParseChunk(context, document.html.data(), static_cast<int>(document.html.size()), 1);
    htmlFreeParserCtxt(context);
    benchmark::DoNotOptimize(page.text.data());
  });
}
BENCHMARK(Libxml2Sax)->Unit(benchmark::kMillisecond);

// Keeps the medians, to compare them.
class ComparingReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto speed = run.counters.find("bytes_per_second");
      if (run.aggregate_name == "median" && speed != run.counters.end()) {
        medians_.emplace_back(run.run_name.function_name, speed->second.value);
      }
    }
  }
  void Finalize() override {
    const auto rival = std::find_if(medians_.begin(), medians_.end(), [](const auto& median) {
      return median.first.starts_with("Libxml2Sax");
    });
    if (rival == medians_.end()) return;
    for (const auto& [name, speed] : medians_) {
      GetOutputStream() << name << ": " << static_cast<int>(speed / 1e6) << " MB/s, "
                        << speed / rival->second << " times libxml2\n";
    }
  }

 private:
  std::vector<std::pair<std::string, double>> medians_;
};

}  // namespace
}  // namespace crawler

int main(int argc, char** argv) {
  std::string defaults[] = {"--benchmark_enable_random_interleaving=true",
                            "--benchmark_repetitions=7", "--benchmark_report_aggregates_only=true"};
  std::vector<char*> arguments(argv, argv + argc);
  // In front, so that what is asked for on the command line wins.
  for (std::string& argument : defaults) {
    arguments.insert(arguments.begin() + 1, argument.data());
  }
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
  crawler::ComparingReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
