#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "conformance_data.hpp"
#include "parse/entities.hpp"
#include "parse/tokenizer.hpp"
#include "parse/utf8.hpp"

namespace crawler {
namespace {

using nlohmann::json;

// Writes tokens down in the form of the html5lib suite.
class TokenWriter {
 public:
  static constexpr bool kWantsMarkup = true;

  bool WantsRawText() { return true; }
  bool InForeignContent() { return false; }
  // The quick way, for the name of the last start tag, must not change what is read.
  std::size_t EndSimply(std::uint64_t bytes) {
    std::string here;
    for (; (bytes & 0xFF) != 0; bytes >>= 8) here += static_cast<char>(bytes & 0xFF);
    if (last_name_.empty() || !here.starts_with(last_name_ + ">")) return 0;
    tokens_.push_back({"EndTag", last_name_});
    return last_name_.size();
  }

  TextMode OnStartTag(const Tag& tag) {
    json attributes = json::object();
    bool self_closing = false;
    const char* begin = tag.raw_attributes.data();
    ParseAttributes(scanner_, begin, begin + tag.raw_attributes.size(), &self_closing,
                    [&](const NameKey&, const Attribute& attribute) {
                      std::string value;
                      AppendDecoded(attribute.raw_value, true, &value);
                      attributes.emplace(NormalizedName(attribute.raw_name), value);
                    });
    EXPECT_EQ(self_closing, tag.self_closing);
    json token = {"StartTag", NormalizedName(tag.raw_name), attributes};
    if (tag.self_closing) token.push_back(true);
    tokens_.push_back(token);
    last_name_ = NormalizedName(tag.raw_name);
    return TextMode::kData;
  }
  void OnEndTag(const Tag& tag) { tokens_.push_back({"EndTag", NormalizedName(tag.raw_name)}); }
  void OnText(std::string_view text) {
    if (!tokens_.empty() && tokens_.back()[0] == "Character") {
      tokens_.back()[1].get_ref<std::string&>() += text;
    } else {
      tokens_.push_back({"Character", std::string(text)});
    }
  }
  void OnComment(std::string_view data) { tokens_.push_back({"Comment", std::string(data)}); }
  void OnDoctype(const Doctype& doctype) {
    const auto optional = [](bool has, const std::string& value) {
      return has ? json(value) : json();
    };
    tokens_.push_back({"DOCTYPE", optional(doctype.has_name, doctype.name),
                       optional(doctype.has_public_id, doctype.public_id),
                       optional(doctype.has_system_id, doctype.system_id), !doctype.force_quirks});
  }

  const json& tokens() const { return tokens_; }
  explicit TokenWriter(const Scanner& scanner) : scanner_(scanner) {}

 private:
  const Scanner& scanner_;
  std::string last_name_;
  json tokens_ = json::array();
};

TextMode ModeNamed(const std::string& state) {
  if (state == "Data state") return TextMode::kData;
  if (state == "PLAINTEXT state") return TextMode::kPlaintext;
  if (state == "RCDATA state") return TextMode::kRcdata;
  if (state == "RAWTEXT state") return TextMode::kRawtext;
  if (state == "Script data state") return TextMode::kScript;
  if (state == "CDATA section state") return TextMode::kCdata;
  throw std::runtime_error("unknown state " + state);
}

// Resolves \uXXXX once more, as "doubleEscaped" asks. A surrogate on its own has no UTF-8; it is
// written as its three bytes would be (WTF-8), which the tokenizer must pass through like any
// other bytes.
std::string Unescape(const std::string& text) {
  std::string out;
  char32_t high = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "\\u") != 0) {
      out += text[i++];
      high = 0;
      continue;
    }
    char32_t unit = static_cast<char32_t>(std::stoul(text.substr(i + 2, 4), nullptr, 16));
    i += 6;
    if (high != 0 && unit >= 0xDC00 && unit < 0xE000) {
      out.resize(out.size() - 3);
      unit = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
      high = 0;
    } else {
      high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
    }
    char bytes[4];
    out.append(bytes, WriteUtf8(unit, bytes));
  }
  return out;
}

json UnescapeAll(const json& value) {
  if (value.is_string()) return Unescape(value.get<std::string>());
  if (value.is_array()) {
    json out = json::array();
    for (const json& item : value) out.push_back(UnescapeAll(item));
    return out;
  }
  if (value.is_object()) {
    json out = json::object();
    for (const auto& [key, item] : value.items()) out[Unescape(key)] = UnescapeAll(item);
    return out;
  }
  return value;
}

// What a tree that has to be valid XML makes of the tokens (xmlViolation.test wants it).
void CoerceToInfoset(json* tokens) {
  const auto replace = [](std::string* text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text->find(from, at)) != text->npos; at += to.size()) {
      text->replace(at, from.size(), to);
    }
  };
  for (json& token : *tokens) {
    if (token[0] == "Character") {
      std::string& text = token[1].get_ref<std::string&>();
      replace(&text, "\xEF\xBF\xBF", "\xEF\xBF\xBD");
      replace(&text, "\f", " ");
    } else if (token[0] == "Comment") {
      replace(&token[1].get_ref<std::string&>(), "--", "- -");
    }
  }
}

json Tokens(const std::string& input, TextMode mode, const std::string& last_tag, Isa isa) {
  const Scanner scanner(isa);
  TokenWriter writer(scanner);
  Tokenizer<TokenWriter> tokenizer(scanner, &writer);
  // A buffer of exactly the input's size, so that a read behind it is found.
  const std::vector<char> exact(input.begin(), input.end());
  tokenizer.Run(std::string_view(exact.data(), exact.size()), mode, last_tag);
  return writer.tokens();
}

std::string Shown(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

class TokenizerSuite : public testing::TestWithParam<Isa> {};

TEST_P(TokenizerSuite, Html5libTests) {
  CRAWLER_REQUIRE_CONFORMANCE("html5lib-tests/tokenizer");
  if (!IsaSupported(GetParam())) GTEST_SKIP() << "not on this processor";
  int cases = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(ConformanceFolder() / "html5lib-tests/tokenizer")) {
    if (file.path().extension() != ".test") continue;
    const std::string name = file.path().filename().string();
    const json suite = json::parse(ReadConformanceFile("html5lib-tests/tokenizer/" + name));
    const bool xml = suite.contains("xmlViolationTests");
    for (const json& test : suite.at(xml ? "xmlViolationTests" : "tests")) {
      const bool escaped = test.value("doubleEscaped", false);
      const json input = escaped ? UnescapeAll(test.at("input")) : test.at("input");
      const json expected = escaped ? UnescapeAll(test.at("output")) : test.at("output");
      for (const json& state : test.value("initialStates", json::array({"Data state"}))) {
        json tokens = Tokens(input.get<std::string>(), ModeNamed(state.get<std::string>()),
                             test.value("lastStartTag", ""), GetParam());
        if (xml) CoerceToInfoset(&tokens);
        EXPECT_TRUE(tokens == expected)
            << name << ": " << test.at("description") << "\n  state    " << state << "\n  input    "
            << Shown(input) << "\n  expected " << Shown(expected) << "\n  got      "
            << Shown(tokens);
      }
      ++cases;
    }
  }
  EXPECT_GE(cases, 6810);
}

INSTANTIATE_TEST_SUITE_P(Isas, TokenizerSuite,
                         testing::Values(Isa::kPortable, Isa::kSse2, Isa::kAvx2));

}  // namespace
}  // namespace crawler
