// write_archive FOLDER: archives captures of all kinds there, in several files, and indexes them.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "store/cdxj.hpp"
#include "store/warc_writer.hpp"

namespace {

crawler::FetchResult Capture(std::string_view url, std::string head, std::string body) {
  static int count = 0;
  crawler::FetchResult result;
  crawler::ParseUrl(url, nullptr, &result.url);
  result.headers = crawler::HeaderBlock(std::move(head));
  result.status = std::stoi(result.headers.raw().substr(result.headers.raw().find(' ') + 1, 3));
  result.protocol = crawler::HttpVersion::kHttp11;
  result.raw_body = std::move(body);
  result.remote_address = crawler::IpAddress::FromText("2001:db8::7");
  result.started =
      std::chrono::sys_days{std::chrono::January / 31 / 2026} + std::chrono::seconds(++count);
  result.request_head.append("GET ").append(result.url.path_and_query());
  result.request_head.append(" HTTP/1.1\r\nHost: ").append(result.url.host_and_port());
  result.request_head.append("\r\nUser-Agent: crawler\r\n\r\n");
  return result;
}

std::string Random(std::size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

std::vector<crawler::FetchResult> Captures() {
  const std::string ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "<p>paragraph " + std::to_string(i) + "\n";
  std::vector<crawler::FetchResult> captures;
  const auto add = [&](std::string_view url, const std::string& head, std::string body) {
    captures.push_back(Capture(url, head, std::move(body)));
    return &captures.back();
  };
  for (const char* url :
       {"http://example.com/", "https://www.example.com/A/B.html?z=1&a=2&M=%2F",
        "http://www12.example.com:8080/a//b/", "http://user:pass@example.org/x#y",
        "http://192.0.2.7/?", "http://[2001:db8::1]:81/?b&a", "http://www.7.example/",
        "http://example.com/%E2%82%AC?%20'()*", "http://b\u00fccher.example/\u00fc?\u00e4"}) {
    add(url, ok, "<title>hello</title>");
  }
  add("http://e.com/empty", "HTTP/1.1 204 No Content\r\n\r\n", "");
  add("http://e.com/moved", "HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Type: text/html\r\n\r\n",
      "moved");
  add("http://e.com/gone", "HTTP/1.0 404 \r\nContent-type:TEXT/Plain;x\r\n\r\n", "gone");
  add("http://e.com/text", ok, text);
  add("http://e.com/packed",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\n\r\n", Random(90'000));
  add("http://e.com/twice",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: text/plain\r\n\r\n", "two");
  crawler::FetchResult* chunked =
      add("http://e.com/chunked",
          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
          "4\r\nwiki\r\n5\r\npedia\r\n0\r\n\r\n");
  chunked->chunked = true;
  chunked->payload_parts = {{3, 4}, {12, 5}};
  crawler::FetchResult* cut = add("http://e.com/cut", ok, "cut sho");
  cut->failure = crawler::FetchFailure::kDisconnected;
  cut->truncated = crawler::Truncation::kDisconnect;
  crawler::FetchResult* http2 =
      add("https://e.com/http2", "HTTP/2 200 \r\ncontent-type: text/html\r\n\r\n", "frames");
  http2->protocol = crawler::HttpVersion::kHttp2;
  return captures;
}

crawler::Status Write(const std::filesystem::path& folder) {
  crawler::WarcWriter::Options options;
  options.max_file_bytes = 60'000;
  options.software = "crawler";
  options.user_agent = "crawler (+https://example.org/bot)";
  options.robots = "obey";
  auto writer = crawler::WarcWriter::Open(folder, options);
  if (!writer.ok()) return writer.status();
  crawler::WarcEncoder encoder;
  crawler::EncodedCapture encoded;
  const std::vector<crawler::FetchResult> captures = Captures();
  for (int round = 0; round < 2; ++round) {
    for (crawler::FetchResult capture : captures) {
      crawler::CaptureDetails details;
      details.via = "http://example.com/";
      details.depth = 1;
      const std::string url = crawler::ArchivedUrl(capture.url);
      if (round == 1) {
        details.original = {url, capture.started};
        capture.started += std::chrono::days(1);
      }
      encoder.EncodeCapture(capture, details, &encoded);
      const auto position = (*writer)->Append(encoded);
      if (!position.ok()) return position.status();
    }
  }
  crawler::Status status = (*writer)->Flush(true);
  for (std::uint32_t file = 1; status.ok() && file <= (*writer)->position().file; ++file) {
    status = crawler::IndexWarc(folder / (*writer)->FileName(file));
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_archive FOLDER\n");
    return 2;
  }
  const crawler::Status status = Write(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
