#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace crawler {

/// Why an operation of the crawler failed. A failure of the web (a timeout, a 404) is not a Status
/// but a value of the stage that met it.
enum class StatusCode {
  kOk,
  kInvalidArgument,    ///< An argument of the caller makes no sense.
  kNotFound,           ///< The requested thing does not exist.
  kCorruption,         ///< Stored data cannot be read back.
  kIoError,            ///< The operating system refused.
  kResourceExhausted,  ///< The disk is full, or no descriptors are left.
  kOutOfMemory,        ///< No memory or no threads left.
  kCancelled,          ///< Stopped on request.
  kNotReady,           ///< Something that the operation needs is not made yet.
  kBusy,               ///< Another process works on it.
  kUnsupported,        ///< Stored data is of a newer version of this program.
  kInternal,           ///< A bug, reported instead of crashing.
};

/// The outcome of an operation: ok, or a code and a message that says what happened, where, and
/// what to do next. A plain value; the compiler warns if a returned Status is ignored.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return Status(); }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  /// "ok", or "<code name>: <message>", e.g. "not found: no page 7".
  std::string ToString() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

/// A T, or the Status that says why there is none. Calling value() on a failure is a bug.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    assert(!status_.ok());
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace crawler
