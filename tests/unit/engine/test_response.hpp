#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/link_offers.hpp"
#include "engine/response_class.hpp"
#include "model/fetch_result.hpp"
#include "store/warc_digest.hpp"
#include "url/scope.hpp"

namespace crawler {

/// Tue, 14 Nov 2023 22:13:20 GMT, and half a second.
inline constexpr WallTime kTestTime{std::chrono::milliseconds(1'700'000'000'500)};

inline Url TestUrl(std::string_view text) {
  Url url;
  ParseUrl(text, nullptr, &url);
  return url;
}

/// A response from http://e.com/page. `headers`: whole lines, each with its line break.
inline FetchResult TestResponse(int status, std::string body = {}, std::string headers = {}) {
  FetchResult result;
  result.url = TestUrl("http://e.com/page");
  result.status = status;
  result.protocol = HttpVersion::kHttp11;
  result.headers = HeaderBlock("HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers + "\r\n");
  result.raw_body = std::move(body);
  result.started = kTestTime;
  return result;
}

inline FetchResult TestFailure(FetchFailure failure, std::string message) {
  FetchResult result;
  result.url = TestUrl("http://e.com/page");
  result.failure = failure;
  result.message = std::move(message);
  result.started = kTestTime;
  return result;
}

inline Sha256Digest DigestOf(std::string_view bytes) {
  Hasher hasher(DigestAlgorithm::kSha256);
  hasher.Update(bytes);
  return FinishSha256(hasher);
}

inline std::string HexDigestOf(std::string_view bytes) {
  std::string hex;
  AppendHex(DigestOf(bytes), &hex);
  return hex;
}

inline std::unique_ptr<Scope> TestScope(Reach reach, std::vector<std::string> exclude = {}) {
  ScopeOptions options;
  options.reach = reach;
  options.exclude = std::move(exclude);
  std::unique_ptr<Scope> scope = Scope::Create(std::move(options)).value();
  scope->AddSeed(TestUrl("http://e.com/"));
  return scope;
}

/// Each candidate as "URL via depth", with the reason if it is skipped.
inline std::vector<std::string> Describe(const LinkOffers& offers) {
  std::vector<std::string> lines;
  for (const Frontier::Offer& candidate : offers.candidates()) {
    std::string line(candidate.url);
    line.append(" ").append(ViaName(candidate.via));
    line.append(" ").append(std::to_string(candidate.depth));
    if (candidate.skipped != SkipReason::kNone) {
      line.append(", ").append(DescribeSkip(candidate.skipped, candidate.skip_detail));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

using Lines = std::vector<std::string>;

/// A response that was classified so.
inline ResponseClass TestClass(Frontier::Outcome::Kind kind, VisitOutcome outcome,
                               std::string detail = {}) {
  ResponseClass response;
  response.kind = kind;
  response.outcome = outcome;
  response.detail = std::move(detail);
  return response;
}

}  // namespace crawler
