#pragma once

#include "base/status.hpp"

namespace crawler {

/// The Status for the exception that is being handled: kOutOfMemory if memory or threads ran out,
/// kInternal otherwise. Requires: called in a catch block.
Status StatusOfException() noexcept;

/// Calls `work`, which returns a Status, and turns an exception into a Status. For the first
/// function of a thread, and wherever an exception must not go on.
template <typename Work>
Status CatchExceptions(Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    return StatusOfException();
  }
}

}  // namespace crawler
