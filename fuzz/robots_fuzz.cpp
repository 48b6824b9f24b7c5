// RobotsTxt on any bytes: a product token, a path, and the file, a line each. The verdict must be
// that of the definition: the longest rule that matches when every place for every '*' is tried.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "robots/pattern.hpp"
#include "robots/robots_txt.hpp"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// All positions the pattern can have reached, byte by byte.
bool NaiveMatches(std::string_view pattern, std::string_view path) {
  std::vector<bool> reached(path.size() + 1, false);
  reached[0] = true;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$' && i + 1 == pattern.size()) return reached[path.size()];
    if (pattern[i] == '*') {
      for (std::size_t k = 1; k <= path.size(); ++k) reached[k] = reached[k] || reached[k - 1];
    } else {
      for (std::size_t k = path.size(); k > 0; --k) {
        reached[k] = reached[k - 1] && path[k - 1] == pattern[i];
      }
      reached[0] = false;
    }
  }
  for (const bool end : reached) {
    if (end) return true;
  }
  return false;
}

std::string_view TakeLine(std::string_view* input) {
  const std::size_t end = std::min(input->find('\n'), input->size());
  const std::string_view line = input->substr(0, end);
  input->remove_prefix(std::min(end + 1, input->size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view product = TakeLine(&input);
  const std::string_view path = TakeLine(&input);

  const crawler::RobotsTxt robots = crawler::RobotsTxt::Parse(input, product);
  const crawler::RobotsVerdict verdict = robots.Check(path);
  Require(verdict.allowed || verdict.line > 0);
  Require((verdict.line == 0) == verdict.rule.empty());
  if (robots.crawl_delay()) Require(*robots.crawl_delay() >= std::chrono::milliseconds(0));

  // The first line of the file as a pattern.
  const std::string_view value = TakeLine(&input).substr(0, 512);
  std::string pattern, comparable;
  crawler::AppendComparablePattern(value, &pattern);
  if (!crawler::AppendComparablePath(path.substr(0, 512), &comparable)) {
    comparable = path.substr(0, 512);
  }
  const bool matches = crawler::PatternMatches(pattern, comparable);
  Require(matches == NaiveMatches(pattern, comparable));

  // One such rule refuses exactly what it matches.
  if (value.find_first_of("#\r") == std::string_view::npos && !value.empty() &&
      value.find_first_of(" \t\v\f") == std::string_view::npos && !comparable.empty()) {
    const std::string file = "User-agent: *\nDisallow: " + std::string(value) + "\n";
    Require(crawler::RobotsTxt::Parse(file, "").Check(path.substr(0, 512)).allowed != matches);
  }
  return 0;
}
