#include <gtest/gtest.h>
TEST(Query, Placeholder) {}
