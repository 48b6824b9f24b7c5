#pragma once

#include "check.hpp"
#include "exercises.hpp"

/// Ends the test unless the exercise has been begun: `task` says what to do first.
inline void RequireBegun(bool begun, const char* task) {
  if (begun) return;
  printf("exercise: not done yet: %s\n", task);
  Fail(__FILE__, __LINE__, "the exercise has been done");
}
