#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "frontier/frontier.hpp"
#include "frontier/frontier_options.hpp"

namespace crawler {

/// One implementation of Frontier. The tests of this folder that take it as their parameter say
/// what every frontier has to do; frontier_implementations.cpp lists all implementations.
struct FrontierImplementation {
  std::string name;
  std::function<std::unique_ptr<Frontier>(const FrontierOptions&)> make;
};

inline void PrintTo(const FrontierImplementation& implementation, std::ostream* out) {
  *out << implementation.name;
}

std::vector<FrontierImplementation> AllFrontiers();

inline std::string FrontierName(const testing::TestParamInfo<FrontierImplementation>& info) {
  return info.param.name;
}

using FrontierConformance = testing::TestWithParam<FrontierImplementation>;

}  // namespace crawler

/// Runs the tests of `suite`, whose tests are TEST_P(suite, …), over all implementations.
#define CRAWLER_FRONTIER_SUITE(suite)          \
  class suite : public FrontierConformance {}; \
  INSTANTIATE_TEST_SUITE_P(Frontiers, suite, testing::ValuesIn(AllFrontiers()), FrontierName)
