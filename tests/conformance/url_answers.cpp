#include <string>

#include "conformance/answers.hpp"
#include "url/url.hpp"

namespace crawler {

nlohmann::json AnswerUrl(const nlohmann::json& test_case) {
  const std::string input = test_case.at("input").get<std::string>();
  Url base, url;
  const bool has_base = test_case.contains("base") && test_case["base"].is_string();
  if (has_base) {
    const std::string text = test_case["base"].get<std::string>();
    if (ParseUrl(text, nullptr, &base) == UrlKind::kInvalid) return {{"failure", true}};
  }
  if (ParseUrl(input, has_base ? &base : nullptr, &url) == UrlKind::kInvalid) {
    return {{"failure", true}};
  }
  return {{"href", url.href()}, {"followable", url.followable()}, {"scheme", url.scheme()}};
}

}  // namespace crawler
