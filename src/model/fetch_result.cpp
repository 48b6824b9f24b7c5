#include "model/fetch_result.hpp"

namespace crawler {

std::string_view FetchFailureName(FetchFailure failure) {
  switch (failure) {
    case FetchFailure::kNone:
      return "none";
    case FetchFailure::kBadUrl:
      return "bad url";
    case FetchFailure::kDns:
      return "dns";
    case FetchFailure::kRefused:
      return "refused";
    case FetchFailure::kConnectTimeout:
      return "connect timeout";
    case FetchFailure::kResponseTimeout:
      return "response timeout";
    case FetchFailure::kReadTimeout:
      return "read timeout";
    case FetchFailure::kDisconnected:
      return "disconnected";
    case FetchFailure::kTls:
      return "tls";
    case FetchFailure::kProtocol:
      return "protocol";
    case FetchFailure::kTooLarge:
      return "too large";
    case FetchFailure::kBomb:
      return "bomb";
    case FetchFailure::kBadEncoding:
      return "bad encoding";
    case FetchFailure::kBlockedAddress:
      return "blocked address";
    case FetchFailure::kUnwantedType:
      return "unwanted type";
    case FetchFailure::kCancelled:
      return "cancelled";
    case FetchFailure::kLocal:
      return "local";
    case FetchFailure::kNoRoom:
      return "no room";
  }
  return "unknown";
}

std::optional<FetchFailure> ParseFetchFailure(std::string_view name) {
  constexpr auto kLast = static_cast<int>(FetchFailure::kNoRoom);
  for (int code = 0; code <= kLast; ++code) {
    const auto failure = static_cast<FetchFailure>(code);
    if (FetchFailureName(failure) == name) return failure;
  }
  return std::nullopt;
}

std::string_view TruncationName(Truncation truncation) {
  switch (truncation) {
    case Truncation::kNone:
      return "";
    case Truncation::kLength:
      return "length";
    case Truncation::kTime:
      return "time";
    case Truncation::kDisconnect:
      return "disconnect";
  }
  return "";
}

std::string_view HttpVersionName(HttpVersion version) {
  switch (version) {
    case HttpVersion::kNone:
      return "";
    case HttpVersion::kHttp10:
      return "HTTP/1.0";
    case HttpVersion::kHttp11:
      return "HTTP/1.1";
    case HttpVersion::kHttp2:
      return "HTTP/2";
    case HttpVersion::kHttp3:
      return "HTTP/3";
  }
  return "";
}

}  // namespace crawler
