// Decoding to UTF-8 at MB/s of input: text of several languages in their legacy encodings, by our
// decoders and, beside them, by ICU's converters; and the fast path for UTF-8.
//
//     charset_bench --benchmark_enable_random_interleaving=true --benchmark_repetitions=5
#include <benchmark/benchmark.h>
#include <unicode/ucnv.h>

#include <string>
#include <string_view>

#include "parse/charset.hpp"
#include "parse/utf8.hpp"

namespace crawler {
namespace {

constexpr size_t kPageBytes = 64 << 10;

// Mark-up and a sentence, as often as they fit a page: about as much of each as pages have.
std::string Page(std::string_view sentence) {
  constexpr std::string_view kMarkup = "<p class=\"text\"><a href=\"/wiki/Some_page\">link</a> ";
  std::string page;
  while (page.size() < kPageBytes) page.append(kMarkup).append(sentence).append("</p>\n");
  return page;
}

const std::string_view kGerman =
    "Die Würde des Menschen ist unantastbar. Sie zu achten und zu "
    "schützen ist Verpflichtung aller staatlichen Gewalt.";
const std::string_view kRussian =
    "Все люди рождаются свободными и равными в своем достоинстве и "
    "правах.";
const std::string_view kJapanese =
    "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利"
    "とについて平等である。";
const std::string_view kChinese = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。";
const std::string_view kKorean =
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.";

std::string Encode(std::string_view utf8, const char* converter) {
  UErrorCode error = U_ZERO_ERROR;
  std::string out(utf8.size() * 4, '\0');
  const int32_t size =
      ucnv_convert(converter, "UTF-8", out.data(), static_cast<int32_t>(out.size()), utf8.data(),
                   static_cast<int32_t>(utf8.size()), &error);
  out.resize(U_SUCCESS(error) ? static_cast<size_t>(size) : 0);
  return out;
}

void Decode(benchmark::State& state, std::string_view sentence, Charset charset,
            const char* converter) {
  const std::string page = Encode(Page(sentence), converter);
  std::string buffer;
  for (auto _ : state) benchmark::DoNotOptimize(ToUtf8(page, charset, buffer).text.data());
  state.SetBytesProcessed(static_cast<int64_t>(page.size() * state.iterations()));
}

void DecodeWithIcu(benchmark::State& state, std::string_view sentence, Charset,
                   const char* converter) {
  const std::string page = Encode(Page(sentence), converter);
  std::string buffer(page.size() * 3, '\0');
  UErrorCode error = U_ZERO_ERROR;
  UConverter* from = ucnv_open(converter, &error);
  UConverter* to = ucnv_open("UTF-8", &error);
  for (auto _ : state) {
    char* out = buffer.data();
    const char* in = page.data();
    UChar pivot[1024];
    UChar* pivot_from = pivot;
    UChar* pivot_to = pivot;
    ucnv_convertEx(to, from, &out, buffer.data() + buffer.size(), &in, page.data() + page.size(),
                   pivot, &pivot_from, &pivot_to, pivot + 1024, true, true, &error);
    benchmark::DoNotOptimize(out);
  }
  ucnv_close(from);
  ucnv_close(to);
  if (U_FAILURE(error)) state.SkipWithError(u_errorName(error));
  state.SetBytesProcessed(static_cast<int64_t>(page.size() * state.iterations()));
}

#define CRAWLER_BENCH_CHARSET(name, sentence, charset, converter)         \
  BENCHMARK_CAPTURE(Decode, name, sentence, Charset::charset, converter); \
  BENCHMARK_CAPTURE(DecodeWithIcu, name, sentence, Charset::charset, converter)

CRAWLER_BENCH_CHARSET(utf8_german, kGerman, kUtf8, "UTF-8");
CRAWLER_BENCH_CHARSET(utf8_japanese, kJapanese, kUtf8, "UTF-8");
CRAWLER_BENCH_CHARSET(windows1252, kGerman, kWindows1252, "ibm-5348_P100-1997");
CRAWLER_BENCH_CHARSET(windows1251, kRussian, kWindows1251, "ibm-5347_P100-1998");
CRAWLER_BENCH_CHARSET(shift_jis, kJapanese, kShiftJis, "ibm-943_P15A-2003");
CRAWLER_BENCH_CHARSET(euc_jp, kJapanese, kEucJp, "euc-jp-2007");
CRAWLER_BENCH_CHARSET(gb18030, kChinese, kGb18030, "gb18030");
CRAWLER_BENCH_CHARSET(euc_kr, kKorean, kEucKr, "windows-949-2000");
CRAWLER_BENCH_CHARSET(utf16le, kRussian, kUtf16Le, "UTF-16LE");

void ValidatePortable(benchmark::State& state) {
  const std::string page = Page(kJapanese);
  for (auto _ : state) benchmark::DoNotOptimize(ValidUtf8PrefixPortable(page));
  state.SetBytesProcessed(static_cast<int64_t>(page.size() * state.iterations()));
}
BENCHMARK(ValidatePortable);

void RepairUtf8(benchmark::State& state) {
  std::string page = Page(kGerman);
  for (size_t at = 500; at < page.size(); at += 1000) page[at] = '\xFF';
  std::string buffer;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ToUtf8(page, Charset::kUtf8, buffer).text.data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(page.size() * state.iterations()));
}
BENCHMARK(RepairUtf8);

void PrescanWithoutMeta(benchmark::State& state) {
  const std::string page = Page(kGerman);
  for (auto _ : state) benchmark::DoNotOptimize(PrescanHtml(page));
  state.SetBytesProcessed(static_cast<int64_t>(page.size() * state.iterations()));
}
BENCHMARK(PrescanWithoutMeta);

}  // namespace
}  // namespace crawler

BENCHMARK_MAIN();
