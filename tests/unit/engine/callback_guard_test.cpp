#include "engine/callback_guard.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace crawler {
namespace {

TEST(GuardCallbacks, ReportsWhatACallbackThrows) {
  CrawlCallbacks callbacks;
  callbacks.on_page = [](const CrawledPage&) { throw std::runtime_error("no room"); };
  callbacks.on_edge = [](std::string_view, std::string_view, bool) { throw 7; };
  std::string warned;
  callbacks.on_warning = [&warned](std::string_view sentence) { warned = sentence; };
  std::vector<std::string> failures;
  const CrawlCallbacks guarded = GuardCallbacks(
      std::move(callbacks), [&failures](std::string message) { failures.push_back(message); });
  guarded.on_page(CrawledPage());
  guarded.on_edge("http://a/", "http://b/", false);
  guarded.on_warning("careful");
  EXPECT_EQ(failures,
            (std::vector<std::string>{"on_page threw: no room",
                                      "on_edge threw something that is no std::exception"}));
  EXPECT_EQ(warned, "careful");
  EXPECT_FALSE(guarded.on_log) << "a callback that is not set stays so";
}

}  // namespace
}  // namespace crawler
