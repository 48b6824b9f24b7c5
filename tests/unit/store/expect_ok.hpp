#pragma once

#include <gtest/gtest.h>

#include "base/status.hpp"

namespace crawler {

inline void ExpectOk(const Status& status) { ASSERT_TRUE(status.ok()) << status.message(); }

}  // namespace crawler
