// Text to terms, on the text of Debian's documentation; how long the language of a page takes; and
// ICU's word iterator alone, to compare.
#include <benchmark/benchmark.h>
#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/utext.h>

#include <memory>
#include <string>
#include <vector>

#include "doc_pages.hpp"
#include "index/analyzer.hpp"
#include "index/word_breaks.hpp"
#include "parse/html_extractor.hpp"

namespace crawler {
namespace {

// The visible text of the pages.
const std::vector<std::string>& Texts() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    HtmlExtractor extractor;
    Page page;
    for (const DocPage& source : ReadDocPages(400)) {
      Url url;
      ParseUrl("http://docs.example" + source.path, nullptr, &url);
      extractor.Extract(source.html, url, &page);
      all.push_back(page.text);
    }
    return all;
  }();
  return texts;
}

template <typename Run>
void RunAll(benchmark::State& state, Run run) {
  const std::vector<std::string>& texts = Texts();
  if (texts.empty()) {
    state.SkipWithError(kNoDocPages);
    return;
  }
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  for (auto _ : state) {
    for (const std::string& text : texts) run(text);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
  state.counters["pages/s"] = benchmark::Counter(
      static_cast<double>(texts.size() * state.iterations()), benchmark::Counter::kIsRate);
}

void Documentation(benchmark::State& state) {
  Analyzer analyzer;
  std::vector<Token> tokens;
  RunAll(state, [&](const std::string& text) {
    analyzer.Analyze(text, "en", &tokens);
    benchmark::DoNotOptimize(tokens.data());
  });
}
BENCHMARK(Documentation)->Unit(benchmark::kMillisecond);

// With nothing remembered from before: the first 10 MB of a crawl.
void DocumentationCold(benchmark::State& state) {
  std::vector<Token> tokens;
  std::unique_ptr<Analyzer> analyzer;
  const std::string* first = Texts().empty() ? nullptr : &Texts().front();
  RunAll(state, [&](const std::string& text) {
    if (&text == first) analyzer = std::make_unique<Analyzer>();
    analyzer->Analyze(text, "en", &tokens);
    benchmark::DoNotOptimize(tokens.data());
  });
}
BENCHMARK(DocumentationCold)->Unit(benchmark::kMillisecond);

void WordsOnly(benchmark::State& state) {
  WordBreaker breaker;
  std::size_t words = 0;
  RunAll(state, [&](const std::string& text) {
    breaker.ForEachWord(text, [&](const char*, const char*) { ++words; });
  });
  benchmark::DoNotOptimize(words);
}
BENCHMARK(WordsOnly)->Unit(benchmark::kMillisecond);

void IcuWordsOnly(benchmark::State& state) {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), error));
  UText utext = UTEXT_INITIALIZER;
  RunAll(state, [&](const std::string& text) {
    utext_openUTF8(&utext, text.data(), static_cast<std::int64_t>(text.size()), &error);
    breaks->setText(&utext, error);
    while (breaks->next() != icu::BreakIterator::DONE) {
    }
  });
  utext_close(&utext);
}
BENCHMARK(IcuWordsOnly)->Unit(benchmark::kMillisecond);

void LanguageOfAPage(benchmark::State& state, const char* hint) {
  RunAll(state, [&](const std::string& text) {
    benchmark::DoNotOptimize(DetectLanguage(text, hint).data());
  });
}
BENCHMARK_CAPTURE(LanguageOfAPage, hinted, "en")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(LanguageOfAPage, unhinted, "")->Unit(benchmark::kMillisecond);

// A sentence over and over: what a script costs, with all its words known.
void Sentence(benchmark::State& state, const char* language, const char* sentence) {
  std::string text;
  while (text.size() < 100'000) text += sentence;
  Analyzer analyzer;
  std::vector<Token> tokens;
  for (auto _ : state) {
    analyzer.Analyze(text, language, &tokens);
    benchmark::DoNotOptimize(tokens.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size() * state.iterations()));
}
BENCHMARK_CAPTURE(Sentence, german, "de",
                  "Alle Menschen sind frei und gleich an Würde und Rechten geboren. ");
BENCHMARK_CAPTURE(Sentence, russian, "ru",
                  "Все люди рождаются свободными и равными в своем достоинстве и правах. ");
BENCHMARK_CAPTURE(Sentence, hindi, "hi",
                  "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। ");
BENCHMARK_CAPTURE(
    Sentence, japanese, "ja",
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。");
BENCHMARK_CAPTURE(Sentence, thai, "th", "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ");

}  // namespace
}  // namespace crawler

BENCHMARK_MAIN();
