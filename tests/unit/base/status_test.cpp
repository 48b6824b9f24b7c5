#include "base/status.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace crawler {
namespace {

TEST(Status, DefaultIsOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status::Ok().ToString(), "ok");
}

TEST(Status, FailureKeepsCodeAndMessage) {
  const Status status(StatusCode::kIoError, "crawl.db: disk is full");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_EQ(status.ToString(), "input/output error: crawl.db: disk is full");
}

TEST(Result, HoldsAMoveOnlyValue) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.status().ok());
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, HoldsAFailure) {
  const Result<int> result(Status(StatusCode::kNotFound, "no such page"));
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace crawler
