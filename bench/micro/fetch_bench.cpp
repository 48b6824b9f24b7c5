// What the fetcher does to a response besides the network.
#include <benchmark/benchmark.h>

#include <string>

#include "fetch/chunked.hpp"
#include "fetch/decode.hpp"
#include "fetch/http_fields.hpp"
#include "web/compress.hpp"

namespace crawler {
namespace {

std::string Page() {
  std::string page = "<html><body>";
  unsigned state = 1;
  while (page.size() < 25'000) {
    state = state * 1664525u + 1013904223u;
    page += "<p>paragraph " + std::to_string(state >> 16) + " with a <a href=\"/page" +
            std::to_string(state >> 20) + ".html\">link</a></p>\n";
  }
  return page;
}

void Decode(benchmark::State& state, const std::string& coded, ContentCoding coding) {
  Decoder decoder;
  std::string output;
  for (auto _ : state) {
    decoder.Decode(coded, {coding}, {}, &output);
    benchmark::DoNotOptimize(output.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * output.size()));
}
BENCHMARK_CAPTURE(Decode, gzip, Gzip(Page()), ContentCoding::kGzip);
BENCHMARK_CAPTURE(Decode, gzip_damaged, Gzip(Page()).substr(0, 5'000), ContentCoding::kGzip);
BENCHMARK_CAPTURE(Decode, brotli, Brotli(Page()), ContentCoding::kBrotli);
BENCHMARK_CAPTURE(Decode, zstd, Zstd(Page()), ContentCoding::kZstd);

void Zlib(benchmark::State& state) {  // The usual way, for comparison.
  const std::string coded = Gzip(Page());
  std::string output(100'000, '\0');
  std::size_t size = 0;
  for (auto _ : state) {
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
    stream.avail_in = static_cast<uInt>(coded.size());
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = static_cast<uInt>(output.size());
    inflate(&stream, Z_FINISH);
    size = stream.total_out;
    inflateEnd(&stream);
    benchmark::DoNotOptimize(output.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * size));
}
BENCHMARK(Zlib);

void Head(benchmark::State& state) {
  const std::string raw =
      "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
      "Content-Type: text/html; charset=utf-8\r\nContent-Length: 25000\r\nConnection: "
      "keep-alive\r\n"
      "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nETag: \"6592a8c0-61a8\"\r\n"
      "Cache-Control: max-age=3600\r\nVary: Accept-Encoding\r\nX-Frame-Options: DENY\r\n\r\n";
  for (auto _ : state) {
    const HeaderBlock headers(raw);
    benchmark::DoNotOptimize(ReadFraming(headers, 200, FetchRequest::Method::kGet));
  }
}
BENCHMARK(Head);

void Chunks(benchmark::State& state) {
  std::string raw;
  for (int i = 0; i < 25; ++i) raw += "3e8\r\n" + std::string(1000, 'x') + "\r\n";
  raw += "0\r\n\r\n";
  for (auto _ : state) benchmark::DoNotOptimize(ReadChunks(raw));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * raw.size()));
}
BENCHMARK(Chunks);

}  // namespace
}  // namespace crawler

BENCHMARK_MAIN();
