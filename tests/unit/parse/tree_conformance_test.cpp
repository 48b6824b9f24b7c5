// The tracker keeps no tree, so html5lib's tree-construction suite judges what it does decide:
// which tags become elements, in which namespace, with which attributes. Elements nobody wrote
// (the implied html, tbody, …) and copies of formatting elements are left out of the comparison.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance_data.hpp"
#include "parse/entities.hpp"
#include "parse/tokenizer.hpp"
#include "parse/tree_tracker.hpp"

namespace crawler {
namespace {

using Attributes = std::map<std::string, std::string>;
struct ElementSeen {
  std::string name;  // "svg path"
  Attributes attributes;
  auto operator<=>(const ElementSeen&) const = default;
};

std::string Shown(const std::set<ElementSeen>& elements) {
  std::string text;
  for (const ElementSeen& element : elements) {
    text += " <" + element.name;
    for (const auto& [name, value] : element.attributes) text += " " + name + "=\"" + value + "\"";
    text += ">";
  }
  return text;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

class ElementCollector {
 public:
  static constexpr bool kWantsMarkup = false;
  explicit ElementCollector(bool scripting) : tracker_(scripting) {}

  bool WantsRawText() { return true; }
  bool InForeignContent() { return tracker_.InForeignContent(); }
  std::size_t EndSimply(std::uint64_t bytes) { return tracker_.EndSimply(bytes); }
  void OnText(std::string_view text) {
    if (!raw_) tracker_.Text(text);
  }
  void OnEndTag(const Tag& tag) {
    if (!raw_) tracker_.EndTag(tag);
    raw_ = false;
  }
  TextMode OnStartTag(const Tag& tag) {
    const int dropped = tracker_.bodies_dropped();
    const Placement placement = tracker_.StartTag(tag);
    raw_ = placement.text != TextMode::kData;
    if (tracker_.bodies_dropped() != dropped) in_body_.clear();
    if (!placement.inserted) return placement.text;
    ElementSeen element;
    if (placement.name_space == Namespace::kSvg) element.name = "svg ";
    if (placement.name_space == Namespace::kMathMl) element.name = "math ";
    element.name += placement.id == TagId::kImg ? "img" : NormalizedName(tag.raw_name);
    const Scanner scanner;
    bool self_closing = false;
    const char* begin = tag.raw_attributes.data();
    ParseAttributes(scanner, begin, begin + tag.raw_attributes.size(), &self_closing,
                    [&](const NameKey&, const Attribute& attribute) {
                      std::string value;
                      AppendDecoded(attribute.raw_value, true, &value);
                      element.attributes.emplace(NormalizedName(attribute.raw_name), value);
                    });
    if (element.name == "html" || element.name == "body") {
      merged_[element.name].merge(element.attributes);
    } else if (element.name == "frameset" || element.name == "head" || !tracker_.TextIsVisible()) {
      elements_.insert(element);
    } else {
      in_body_.insert(element);
    }
    return placement.text;
  }

  std::set<ElementSeen> Elements() const {
    std::set<ElementSeen> all = elements_;
    all.insert(in_body_.begin(), in_body_.end());
    for (const auto& [name, attributes] : merged_) all.insert({name, attributes});
    return all;
  }

 private:
  TreeTracker tracker_;
  bool raw_ = false;
  std::set<ElementSeen> elements_;
  std::set<ElementSeen> in_body_;
  std::map<std::string, Attributes> merged_;
};

struct TreeTest {
  std::string data;
  bool fragment = false, script_on = false, script_off = false;
  std::set<ElementSeen> elements;
};

void ParseTree(const std::vector<std::string>& lines, std::set<ElementSeen>* elements) {
  ElementSeen current;
  const auto finish = [&] {
    if (!current.name.empty()) elements->insert(current);
    current = {};
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].rfind("| ", 0) != 0) continue;  // Text goes on.
    const std::string line = lines[i].substr(lines[i].find_first_not_of(' ', 1));
    if (line[0] == '<' && line[1] != '!' && line[1] != '?' && line[1] != '=') {
      finish();
      current.name = Lower(line.substr(1, line.rfind('>') - 1));
    } else if (line[0] != '"' && line.rfind("<!", 0) != 0 && line.find("=\"") != line.npos) {
      std::string name = Lower(line.substr(0, line.find("=\"")));
      if (name.find(' ') != name.npos) name[name.find(' ')] = ':';
      std::string value = line.substr(line.find("=\"") + 2);
      while (value.empty() || value.back() != '"') value += "\n" + lines.at(++i);
      value.pop_back();
      current.attributes[name] = value;
    }
  }
  finish();
}

std::vector<TreeTest> ReadTreeTests(const std::string& file) {
  std::vector<TreeTest> tests;
  std::string section;
  std::vector<std::string> tree;
  const auto finish = [&] {
    if (tests.empty()) return;
    if (!tests.back().data.empty()) tests.back().data.pop_back();  // The last line feed.
    ParseTree(tree, &tests.back().elements);
    tree.clear();
  };
  const std::string text = ReadConformanceFile(file);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line == "#data") {
      finish();
      tests.emplace_back();
      section = line;
    } else if (line == "#errors" || line == "#new-errors" || line == "#document" ||
               line == "#document-fragment" || line == "#script-on" || line == "#script-off") {
      section = line;
      tests.back().fragment |= line == "#document-fragment";
      tests.back().script_on |= line == "#script-on";
      tests.back().script_off |= line == "#script-off";
    } else if (section == "#data") {
      tests.back().data += line + "\n";
    } else if (section == "#document") {
      tree.push_back(line);
    }
  }
  finish();
  return tests;
}

// Elements that the parser may make up: without attributes they are not compared.
std::set<ElementSeen> Written(std::set<ElementSeen> elements) {
  for (const char* name : {"html", "head", "body", "colgroup", "tbody", "tr", "p", "br"}) {
    elements.erase(ElementSeen{name, {}});
  }
  return elements;
}

TEST(TreeTracker, Html5libTreeConstruction) {
  CRAWLER_REQUIRE_CONFORMANCE("html5lib-tests/tree-construction");
  int runs = 0, fragments = 0;
  for (const auto& file : std::filesystem::directory_iterator(ConformanceFolder() /
                                                              "html5lib-tests/tree-construction")) {
    if (file.path().extension() != ".dat") continue;
    const std::string name = file.path().filename().string();
    int number = 0;
    for (const TreeTest& test : ReadTreeTests("html5lib-tests/tree-construction/" + name)) {
      ++number;
      if (test.fragment) {  // Needs a context element; a crawler has whole documents only.
        ++fragments;
        continue;
      }
      for (const bool scripting : {false, true}) {
        if (scripting ? test.script_off : test.script_on) continue;
        ElementCollector collector(scripting);
        const Scanner scanner;
        Tokenizer<ElementCollector>(scanner, &collector).Run(test.data);
        EXPECT_EQ(Shown(Written(collector.Elements())), Shown(Written(test.elements)))
            << name << " #" << number << (scripting ? " with" : " without") << " scripting\n"
            << test.data;
        ++runs;
      }
    }
  }
  std::cout << runs << " runs; " << fragments << " fragment cases left out\n";
  EXPECT_GT(runs, 3000);
}

}  // namespace
}  // namespace crawler
