#include "engine/failure_text.hpp"

namespace crawler {
namespace {

// The network that AddressGuard names: "… is loopback (127.0.0.0/8)".
std::string_view NetworkIn(std::string_view message) {
  std::size_t open = message.rfind('(');
  if (open == std::string_view::npos) return "";
  const std::size_t close = message.find(')', open);
  if (close == std::string_view::npos) return "";
  const std::string_view net = message.substr(open + 1, close - open - 1);
  return net.find('/') == std::string_view::npos ? std::string_view() : net;
}

std::string AddressHint(std::string_view message) {
  const std::string_view net = NetworkIn(message);
  // A blocked port stays blocked, in any network.
  if (net.empty()) return "";
  return "If the server is yours, add --allow-net " + std::string(net) + ".";
}

}  // namespace

std::string_view StatusText(int status) {
  switch (status) {
    case 400:
      return "bad request";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not found";
    case 406:
      return "not acceptable";
    case 408:
      return "request timeout";
    case 410:
      return "gone";
    case 429:
      return "too many requests";
    case 451:
      return "unavailable for legal reasons";
    case 500:
      return "internal server error";
    case 502:
      return "bad gateway";
    case 503:
      return "service unavailable";
    case 504:
      return "gateway timeout";
    default:
      return "";
  }
}

std::string DescribeStatus(int status) {
  std::string text = "answered " + std::to_string(status);
  if (const std::string_view name = StatusText(status); !name.empty()) {
    text.append(" (").append(name).append(")");
  }
  return text;
}

std::string FailureHint(FetchFailure failure, std::string_view message) {
  switch (failure) {
    case FetchFailure::kBlockedAddress:
      return AddressHint(message);
    case FetchFailure::kUnwantedType:
      return "--any-type takes it all the same.";
    case FetchFailure::kTooLarge:
      return "--max-page-bytes raises the limit.";
    case FetchFailure::kConnectTimeout:
      return "Check the host and the port; --connect-timeout allows more time.";
    case FetchFailure::kResponseTimeout:
    case FetchFailure::kReadTimeout:
      return "--timeout allows more time.";
    case FetchFailure::kTls:
      if (message.find("wrong version number") != std::string_view::npos) {
        return "The server does not speak TLS at this port; try http:// instead of https://.";
      }
      return "--ca-file trusts another authority, --insecure any certificate.";
    case FetchFailure::kDns:
      return "Check the spelling of the host.";
    case FetchFailure::kRefused:
      return "Check that the server runs, and the port.";
    default:
      return "";
  }
}

std::string StatusHint(int status) {
  switch (status) {
    case 401:
    case 403:
      return "Check the URL, or send credentials with --basic-auth-from or --bearer-from.";
    case 407:
      return "The proxy wants credentials.";
    case 404:
    case 410:
      return "Check the URL.";
    case 429:
      return "Ask less often: a longer --delay.";
    default:
      return status >= 500 ? "The server has a problem; try again later." : "";
  }
}

std::string RobotsHint() { return "If the site is yours, --no-robots ignores its robots.txt."; }

}  // namespace crawler
