#pragma once

#include <utility>

namespace crawler {

/// Empties `value` and gives its memory back, which an assignment of an empty string or vector does
/// not.
template <typename T>
void Release(T& value) {
  T empty{};
  std::swap(value, empty);
}

}  // namespace crawler
