#include "base/status.hpp"

namespace crawler {
namespace {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kInvalidArgument:
      return "invalid argument";
    case StatusCode::kNotFound:
      return "not found";
    case StatusCode::kCorruption:
      return "corruption";
    case StatusCode::kIoError:
      return "input/output error";
    case StatusCode::kResourceExhausted:
      return "out of resources";
    case StatusCode::kOutOfMemory:
      return "out of memory";
    case StatusCode::kCancelled:
      return "cancelled";
    case StatusCode::kNotReady:
      return "not ready";
    case StatusCode::kBusy:
      return "busy";
    case StatusCode::kUnsupported:
      return "not supported";
    case StatusCode::kInternal:
      return "internal error";
  }
  return "unknown";
}

}  // namespace

std::string Status::ToString() const {
  std::string text(StatusCodeName(code_));
  if (!message_.empty()) text.append(": ").append(message_);
  return text;
}

}  // namespace crawler
