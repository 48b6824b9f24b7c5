// What it costs to archive a page: its records, digests and compression.
#include <benchmark/benchmark.h>
#include <libdeflate.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "store/warc_record.hpp"

namespace {

// Pages of a real site (cppreference-doc-en-html), or nothing if the package is not installed.
std::vector<std::string> RealPages(std::size_t count) {
  std::vector<std::string> pages;
  const std::filesystem::path folder = "/usr/share/cppreference/doc/html/en/cpp";
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator file(folder, error), end;
       !error && file != end && pages.size() < count; file.increment(error)) {
    if (file->path().extension() != ".html") continue;
    std::ifstream in(file->path(), std::ios::binary);
    pages.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return pages;
}

std::string Gzip(const std::string& text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  packed.resize(
      libdeflate_gzip_compress(compressor, text.data(), text.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

crawler::FetchResult ResultOf(std::string body, std::size_t number, bool coded) {
  crawler::FetchResult result;
  const std::string url = "http://docs.example/en/cpp/page-" + std::to_string(number) + ".html";
  crawler::ParseUrl(url, nullptr, &result.url);
  result.status = 200;
  result.protocol = crawler::HttpVersion::kHttp11;
  std::string head =
      "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 31 Jan 2026 12:00:00 GMT\r\n"
      "Content-Type: text/html\r\nContent-Length: " +
      std::to_string(body.size()) +
      "\r\nLast-Modified: Sun, 13 Mar 2022 10:00:00 GMT\r\nConnection: keep-alive\r\n"
      "ETag: \"622dc150-9250\"\r\nAccept-Ranges: bytes\r\n";
  if (coded) head += "Content-Encoding: gzip\r\n";
  result.headers = crawler::HeaderBlock(head + "\r\n");
  result.raw_body = std::move(body);
  result.remote_address = crawler::IpAddress::FromText("192.0.2.7");
  result.started = std::chrono::system_clock::now();
  result.timings.total = std::chrono::milliseconds(12);
  result.request_head =
      "GET /en/cpp/page.html HTTP/1.1\r\nHost: docs.example\r\nUser-Agent: crawler/0.1 "
      "(+https://example.org/bot)\r\nAccept: text/html,*/*;q=0.8\r\nAccept-Encoding: gzip, "
      "deflate, br, zstd\r\n\r\n";
  return result;
}

std::vector<crawler::FetchResult> Captures(bool coded) {
  std::vector<crawler::FetchResult> captures;
  for (std::string& page : RealPages(300)) {
    captures.push_back(ResultOf(coded ? Gzip(page) : std::move(page), captures.size(), coded));
  }
  return captures;
}

void Archive(benchmark::State& state, const std::vector<crawler::FetchResult>& captures,
             bool digest_known) {
  if (captures.empty()) {
    state.SkipWithError("no pages: install cppreference-doc-en-html");
    return;
  }
  crawler::WarcEncoder encoder;
  crawler::EncodedCapture encoded;
  crawler::CaptureDetails details;
  details.via = "http://docs.example/en/cpp/index.html";
  details.depth = 2;
  const crawler::Sha256Digest digest{};
  if (digest_known) details.payload_digest = &digest;
  std::int64_t bytes = 0, stored = 0;
  std::size_t next = 0;
  for (auto _ : state) {
    const crawler::FetchResult& result = captures[next++ % captures.size()];
    encoder.EncodeCapture(result, details, &encoded);
    benchmark::DoNotOptimize(encoded.bytes.data());
    bytes += static_cast<std::int64_t>(result.raw_body.size());
    stored += static_cast<std::int64_t>(encoded.bytes.size());
  }
  state.SetBytesProcessed(bytes);
  const auto pages = static_cast<double>(state.iterations());
  state.counters["page_bytes"] = static_cast<double>(bytes) / pages;
  state.counters["warc_bytes"] = static_cast<double>(stored) / pages;
}

void ArchiveText(benchmark::State& state) { Archive(state, Captures(false), false); }
void ArchiveTextKnownDigest(benchmark::State& state) { Archive(state, Captures(false), true); }
void ArchiveGzipped(benchmark::State& state) { Archive(state, Captures(true), false); }
void ArchiveTiny(benchmark::State& state) {
  Archive(state, {ResultOf(RealPages(1).empty() ? "" : RealPages(1)[0].substr(0, 1600), 1, false)},
          false);
}

void Sha256(benchmark::State& state) {
  crawler::Hasher hasher(crawler::DigestAlgorithm::kSha256);
  const std::string bytes(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    hasher.Update(bytes);
    benchmark::DoNotOptimize(hasher.Finish().data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

BENCHMARK(ArchiveText);
BENCHMARK(ArchiveTextKnownDigest);
BENCHMARK(ArchiveGzipped);
BENCHMARK(ArchiveTiny);
BENCHMARK(Sha256)->Arg(600)->Arg(37'000);

}  // namespace

BENCHMARK_MAIN();
