// conformance SET < cases.jsonl > answers.jsonl: what this crawler says to each case of a set, for
// check.py of the conformance data to judge. Exit code: 0 all answered, 1 the answers could not be
// written, 2 a wrong call or a line that is no case.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <string_view>

#include "conformance/answers.hpp"
#include "conformance_data.hpp"

namespace {

using crawler::ForEachJsonLine;
using nlohmann::json;

struct Set {
  std::string_view name;
  json (*answer)(const json& test_case);
};

constexpr Set kSets[] = {
    {"links", crawler::AnswerLinks},   {"realworld", crawler::AnswerRealworld},
    {"robots", crawler::AnswerRobots}, {"sitemaps", crawler::AnswerSitemaps},
    {"ssrf", crawler::AnswerSsrf},     {"url", crawler::AnswerUrl},
};

int Usage() {
  std::cerr << "usage: conformance SET < cases.jsonl > answers.jsonl\nsets:";
  for (const Set& set : kSets) std::cerr << ' ' << set.name;
  std::cerr << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::string_view name = argc == 2 ? argv[1] : "";
  const Set* set = std::find_if(std::begin(kSets), std::end(kSets),
                                [&](const Set& one) { return one.name == name; });
  if (name.empty() || set == std::end(kSets)) return Usage();
  try {
    ForEachJsonLine(std::cin, [&](size_t, const json& test_case) {
      json answer = set->answer(test_case);
      if (test_case.contains("id")) answer["id"] = test_case["id"];
      // Bytes of ours that are no UTF-8 would be a wrong answer, not a reason to stop.
      std::cout << answer.dump(-1, ' ', true, json::error_handler_t::replace) << '\n';
    });
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << "conformance " << name << ": standard input, " << error.what() << '\n';
    return 2;
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "conformance " << name << ": cannot write the answers\n";
    return 1;
  }
  return 0;
}
