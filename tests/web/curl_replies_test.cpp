// Replays what curl's own test server answers (curl_dev.jsonl): what curl refuses we refuse, what
// it takes we take, unless we know why not.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "conformance_data.hpp"
#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

// Where our verdict is not curl's, and why.
const std::map<std::string, const char*> kDifferences = {
    {"C152", "--fail makes an error of the status; to us 401 is an answer"},
    {"C349", "--fail makes an error of the status; to us 404 is an answer"},
    {"C269", "--ignore-content-length; we believe the length, and the body is shorter"},
    {"C319", "--raw; we did not ask for a transfer coding and refuse it"},
    {"C395", "a length over any limit is too large for us"},
    {"C1122", "--tr-encoding asks for gzip as a transfer coding; we do not ask and refuse"},
    {"C1124", "--tr-encoding asks for gzip as a transfer coding; we do not ask and refuse"},
    {"C1125", "--tr-encoding asks for gzip as a transfer coding; we do not ask and refuse"},
    {"C1170", "--tr-encoding asks for gzip as a transfer coding; we do not ask and refuse"},
    {"C1171", "--tr-encoding asks for gzip as a transfer coding; we do not ask and refuse"},
    {"C1617", "--tr-encoding asks for gzip as a transfer coding; we do not ask and refuse"},
    {"C1164", "--http0.9; we never take a response without a head"},
    {"C1473", "libcurl before 8.7 refuses a first line that is folded"},
};

TEST(CurlReplies, AreTakenAndRefusedAsByCurl) {
  CRAWLER_REQUIRE_CONFORMANCE("http-robustness/curl_dev.jsonl");
  int replayed = 0;
  for (const nlohmann::json& test_case : ReadConformanceLines("http-robustness/curl_dev.jsonl")) {
    const std::string id = test_case.at("id");
    std::map<std::string, std::string> replies;
    for (const auto& [number, base64] : test_case.at("responses_b64").items()) {
      replies[number] = DecodeBase64(base64.get<std::string>());
    }
    // The first reply to the first request, the others to where its redirects lead.
    std::atomic<int> asked{0};
    HostileServer server([&](HostileConnection& connection) {
      if (connection.ReadRequest().empty()) return;
      int number = asked++;
      if (number > 0 && replies.count("1") == 0) ++number;
      const auto reply = replies.find(std::to_string(number));
      if (reply != replies.end()) connection.Send(reply->second);
    });
    const std::string args = test_case.at("curl_args");
    FetchOptions options = TestOptions();
    options.limits.max_head = 300 << 10;
    options.limits.speed_window = std::chrono::milliseconds(500);
    options.limits.min_bytes_per_window = 1;
    if (args.find("--max-filesize") != std::string::npos) options.limits.max_decoded = 1'000;
    FetchRequest request = RequestFor(server.Url("/" + id));
    request.any_type = true;
    if (args.find("--head") != std::string::npos) request.method = FetchRequest::Method::kHead;
    const auto start = std::chrono::steady_clock::now();
    const FetchResult result = Fetch(request, options);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3)) << id;

    const bool curl_takes = test_case.at("curl_exit") == 0;
    if (kDifferences.count(id) == 0) {
      EXPECT_EQ(result.ok(), curl_takes)
          << id << " (" << test_case.at("name") << "), curl: " << test_case.at("meaning")
          << ", we: " << FetchFailureName(result.failure) << ", " << result.message;
    } else {
      EXPECT_NE(result.ok(), curl_takes) << id << " is no difference: " << kDifferences.at(id);
    }
    ++replayed;
  }
  EXPECT_GT(replayed, 100);
}

}  // namespace
}  // namespace crawler
