#include "base/catch_exceptions.hpp"

#include <exception>
#include <new>
#include <string>
#include <system_error>

namespace crawler {
namespace {

// Short enough for a string that needs no memory.
constexpr const char* kOutOfMemory = "out of memory";

bool IsShortage(const std::error_code& error) {
  return error == std::errc::resource_unavailable_try_again ||
         error == std::errc::not_enough_memory;
}

Status Describe() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kOutOfMemory, kOutOfMemory);
  } catch (const std::system_error& error) {
    if (!IsShortage(error.code())) return Status(StatusCode::kInternal, error.what());
    return Status(StatusCode::kOutOfMemory,
                  std::string("no thread can be started: ") + error.what());
  } catch (const std::exception& error) {
    return Status(StatusCode::kInternal, std::string("internal error: ") + error.what());
  } catch (...) {
    return Status(StatusCode::kInternal, "internal error: an exception of an unknown kind");
  }
}

}  // namespace

Status StatusOfException() noexcept {
  try {
    return Describe();
  } catch (...) {  // There is no memory to describe it.
    return Status(StatusCode::kOutOfMemory, kOutOfMemory);
  }
}

}  // namespace crawler
