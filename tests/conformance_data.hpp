#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Reading the conformance suites, which are not part of the project (docs/conformance.md). A test
/// that needs a file is named with it in SUITES of its crawler_test(), which leaves the test out
/// where the file is missing, and begins with
///
///     CRAWLER_REQUIRE_CONFORMANCE("encoding-labels/labels-to-names.json");
///
/// for programs that are run by hand.
namespace crawler {

/// $CRAWLER_CONFORMANCE, or the folder that CMake has found. May not exist.
inline std::filesystem::path ConformanceFolder() {
  const char* folder = std::getenv("CRAWLER_CONFORMANCE");
  if (folder != nullptr && *folder != '\0') return folder;
#ifdef CRAWLER_CONFORMANCE_DEFAULT
  return CRAWLER_CONFORMANCE_DEFAULT;
#else
  return "../shared/conformance";
#endif
}

/// Skips the test at hand unless `file` of the conformance folder is there. Needs gtest.
#define CRAWLER_REQUIRE_CONFORMANCE(file)                                      \
  if (const auto required_path = ::crawler::ConformanceFolder() / (file);      \
      !std::filesystem::exists(required_path))                                 \
  GTEST_SKIP() << "skipped: no conformance data at " << required_path.string() \
               << " (set CRAWLER_CONFORMANCE to the folder that holds the suites)"

/// The bytes of `file` of the conformance folder; throws if it cannot be read.
inline std::string ReadConformanceFile(const std::filesystem::path& file) {
  const std::filesystem::path path = ConformanceFolder() / file;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// `json` with every \uXXXX escape of a lone surrogate made \ufffd. Suites written for browsers
/// hold such strings on purpose; as UTF-8 they have no other form, and nlohmann refuses them.
inline std::string ReplaceLoneSurrogates(std::string json) {
  const auto unit_at = [&](size_t at) -> unsigned {  // The value of the escape at `at`, or 0.
    if (at + 6 > json.size() || json[at] != '\\' || json[at + 1] != 'u') return 0;
    const std::string digits = json.substr(at + 2, 4);
    if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return 0;
    return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
  };
  for (size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '\\') continue;
    const unsigned unit = unit_at(at);
    const bool is_high = unit >= 0xD800 && unit < 0xDC00;
    const unsigned next = is_high ? unit_at(at + 6) : 0;
    if (is_high && next >= 0xDC00 && next < 0xE000) {
      at += 11;
    } else if (unit >= 0xD800 && unit < 0xE000) {
      json.replace(at, 6, "\\ufffd");
      at += 5;
    } else {
      ++at;  // Any other escape: its second character is not the start of one.
    }
  }
  return json;
}

/// One JSON text of a suite; throws nlohmann::json::exception when it is not JSON.
inline nlohmann::json ParseSuiteJson(std::string_view text) {
  return nlohmann::json::parse(ReplaceLoneSurrogates(std::string(text)));
}

/// Calls `use(line number, case)` for each line of `in` that is not blank. Throws
/// std::runtime_error("line N: …") for a line that is not JSON or that `use` throws at.
template <typename Use>
void ForEachJsonLine(std::istream& in, Use use) {
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      use(number, ParseSuiteJson(line));
    } catch (const std::exception& error) {
      throw std::runtime_error("line " + std::to_string(number) + ": " + error.what());
    }
  }
}

/// All cases of a .jsonl file of the conformance folder.
inline std::vector<nlohmann::json> ReadConformanceLines(const std::filesystem::path& file) {
  const std::filesystem::path path = ConformanceFolder() / file;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::vector<nlohmann::json> cases;
  ForEachJsonLine(in,
                  [&](size_t, nlohmann::json test_case) { cases.push_back(std::move(test_case)); });
  return cases;
}

/// The bytes that `base64` stands for (suites keep what is not UTF-8 in fields named *_b64).
inline std::string DecodeBase64(std::string_view base64) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int bit_count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) throw std::runtime_error("not base64");
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFFFF;
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      bytes.push_back(static_cast<char>(bits >> bit_count & 0xFF));
    }
  }
  return bytes;
}

}  // namespace crawler
