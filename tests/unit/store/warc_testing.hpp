#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/warc_reader.hpp"
#include "store/warc_record.hpp"

namespace crawler {

inline constexpr WallTime kTestTime = std::chrono::sys_days{std::chrono::January / 31 / 2026} +
                                      std::chrono::hours(23) + std::chrono::minutes(59) +
                                      std::chrono::seconds(7) + std::chrono::milliseconds(999);

/// A response of 200 to a GET of `url`.
inline FetchResult TestResult(std::string_view url, std::string body,
                              std::string_view more_headers = "") {
  FetchResult result;
  ParseUrl(url, nullptr, &result.url);
  result.status = 200;
  result.protocol = HttpVersion::kHttp11;
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n";
  result.headers = HeaderBlock(head.append(more_headers).append("\r\n"));
  result.raw_body = std::move(body);
  result.remote_address = IpAddress::FromText("192.0.2.7");
  result.started = kTestTime;
  result.timings.total = std::chrono::milliseconds(12);
  result.request_head = "GET / HTTP/1.1\r\nHost: e.com\r\n\r\n";
  return result;
}

inline EncodedCapture Encode(const FetchResult& result, const CaptureDetails& details = {}) {
  WarcEncoder encoder;
  EncodedCapture capture;
  encoder.EncodeCapture(result, details, &capture);
  return capture;
}

/// All records of `bytes`, blocks included; `*end` gets how it ended.
inline std::vector<WarcRecord> ReadAll(std::string_view bytes, WarcRead* end,
                                       std::string* problem = nullptr) {
  WarcReader::Limits limits;
  limits.keep_block = 64 << 20;
  const std::unique_ptr<WarcReader> reader = WarcReader::FromBytes(bytes, limits);
  std::vector<WarcRecord> records;
  WarcRecord record;
  while ((*end = reader->Next(&record)) == WarcRead::kRecord) records.push_back(record);
  if (problem != nullptr) *problem = reader->problem();
  EXPECT_EQ(reader->Next(&record), *end);  // It stays that way.
  return records;
}

/// The same of what must be whole.
inline std::vector<WarcRecord> ReadWhole(std::string_view bytes) {
  WarcRead end = WarcRead::kDamaged;
  std::string problem;
  std::vector<WarcRecord> records = ReadAll(bytes, &end, &problem);
  EXPECT_EQ(end, WarcRead::kEnd) << problem;
  return records;
}

}  // namespace crawler
