// The tokenizer and the extractor on any bytes. All instruction sets must agree; tags must lie in
// the input, in order; a page must keep its promises; and an extractor that has seen other pages
// must give what a fresh one gives. The first byte chooses limits, the rest is the document.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "parse/html_extractor.hpp"
#include "parse/tokenizer.hpp"
#include "parse/tree_tracker.hpp"
#include "parse/utf8.hpp"

namespace {

using namespace crawler;

void Require(bool holds) {
  if (!holds) std::abort();
}

// Writes all tokens into a string, with text in one piece, and checks that they lie where they
// should. The tracker decides about raw text, as it does in the extractor.
class TokenLog {
 public:
  static constexpr bool kWantsMarkup = true;
  TokenLog(std::string_view input, bool scripting, const Scanner& scanner, bool quick)
      : input_(input), tracker_(scripting), scanner_(scanner), quick_(quick), last_(input.data()) {}

  bool WantsRawText() { return true; }
  bool InForeignContent() { return tracker_.InForeignContent(); }
  // The quick way must make no difference.
  std::size_t EndSimply(std::uint64_t bytes) {
    const std::size_t size = quick_ ? tracker_.EndSimply(bytes) : 0;
    if (size == 0) return 0;
    log_ += "\n</";
    for (std::size_t i = 0; i < size; ++i) log_ += static_cast<char>(bytes >> (8 * i));
    Require(static_cast<char>(bytes >> (8 * size)) == '>');
    in_text_ = false;
    return size;
  }

  TextMode OnStartTag(const Tag& tag) {
    CheckPlace(tag.raw_name);
    CheckPlace(tag.raw_attributes);
    Require(tag.raw_attributes.back() == '>');
    log_ += "\n<" + NormalizedName(tag.raw_name);
    bool self_closing = false;
    std::uint64_t seen = 0;
    const char* begin = tag.raw_attributes.data();
    ParseAttributes(
        scanner_, begin, begin + tag.raw_attributes.size(), &self_closing,
        [&](const NameKey& key, const Attribute& attribute) {
          std::string value;
          AppendDecoded(attribute.raw_value, true, &value);
          log_ += " " + NormalizedName(attribute.raw_name) + "=" + value;
          const AttrId id = kAttrTable.Find(key);
          if (id == AttrId::kUnknown) return;
          Require(kAttrNames[static_cast<std::size_t>(id)] == NormalizedName(attribute.raw_name));
          const bool first = ((seen >> static_cast<unsigned>(id)) & 1) == 0;
          seen |= std::uint64_t{1} << static_cast<unsigned>(id);
          Require(tag.attributes.Has(id));
          if (first) {  // The first of several counts.
            Require(tag.attributes.RawValue(id).data() == attribute.raw_value.data());
          }
        });
    Require(self_closing == tag.self_closing);
    Require(tag.id == TagId::kUnknown || TagName(tag.id) == NormalizedName(tag.raw_name));
    const Placement placement = tracker_.StartTag(tag);
    raw_ = placement.text != TextMode::kData;
    Require(placement.inserted || !raw_);
    log_ += placement.inserted ? placement.name_space == Namespace::kHtml ? ">" : "@>" : "!>";
    in_text_ = false;
    return placement.text;
  }
  void OnEndTag(const Tag& tag) {
    CheckPlace(tag.raw_name);
    if (!raw_) tracker_.EndTag(tag);
    raw_ = false;
    log_ += "\n</" + NormalizedName(tag.raw_name);
    in_text_ = false;
  }
  void OnText(std::string_view text) {
    Require(!text.empty());
    if (!raw_) tracker_.Text(text);
    if (!in_text_) log_ += "\n";
    in_text_ = true;
    log_ += text;
  }
  void OnComment(std::string_view data) {
    log_.append("\n!").append(data);
    in_text_ = false;
  }
  void OnDoctype(const Doctype& doctype) {
    log_ += "\n?" + doctype.name + "|" + doctype.public_id + "|" + doctype.system_id;
    in_text_ = false;
  }
  const std::string& log() const { return log_; }

 private:
  void CheckPlace(std::string_view view) {
    Require(view.data() >= last_ && view.data() + view.size() <= input_.data() + input_.size());
    last_ = view.data() + view.size();
  }

  const std::string_view input_;
  TreeTracker tracker_;
  const Scanner& scanner_;
  const bool quick_;
  const char* last_;
  bool raw_ = false;
  bool in_text_ = false;
  std::string log_;
};

// A copy that begins `offset` bytes into a block and ends where the block does.
class Placed {
 public:
  Placed(std::string_view text, std::size_t offset)
      : block_(new char[text.size() + offset]), view_(block_.get() + offset, text.size()) {
    std::copy(text.begin(), text.end(), block_.get() + offset);
  }
  std::string_view view() const { return view_; }

 private:
  std::unique_ptr<char[]> block_;
  std::string_view view_;
};

std::string Tokens(std::string_view document, bool scripting, Isa isa, std::size_t offset) {
  const Placed placed(document, offset);
  const Scanner scanner(isa);
  TokenLog log(placed.view(), scripting, scanner, isa != Isa::kPortable);
  Tokenizer<TokenLog>(scanner, &log).Run(placed.view());
  return log.log();
}

std::string Written(const Page& page) {
  std::string out = page.base_url + "\n" + page.title + "\n" + page.description + "\n" +
                    page.language + "\n" + page.canonical + "\n" + page.text;
  for (const Alternate& other : page.alternates) out += "\n" + other.hreflang + " " + other.url;
  for (const Link& link : page.links) {
    out.append("\n").append(LinkTag(link.source)).append("@").append(LinkAttribute(link.source));
    out.append(" ").append(page.UrlOf(link)).append(" ").append(page.TextOf(link));
    out += " " + std::to_string(link.rel);
  }
  for (const PageSlice heading : page.headings) out.append("\n#").append(page.TextOf(heading));
  return out;
}

bool Collapsed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\n'; };
  if (!text.empty() && (blank(text.front()) || blank(text.back()))) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) <= 0x20 && !blank(text[i])) return false;
    if (i > 0 && blank(text[i]) && blank(text[i - 1])) return false;
  }
  return true;
}

void CheckPage(std::string_view document, const Page& page, const ExtractOptions& options) {
  Require(page.links.size() <= options.max_links);
  Require(page.text.size() <= options.max_text_bytes && Collapsed(page.text));
  Require(page.title.size() <= options.max_title_bytes && Collapsed(page.title));
  Require(page.alternates.size() <= options.max_alternates);
  const bool utf8 = ValidUtf8PrefixPortable(document) == document.size();
  if (utf8) Require(ValidUtf8PrefixPortable(page.text) == page.text.size());
  if (utf8) Require(ValidUtf8PrefixPortable(page.title) == page.title.size());
  for (const Link& link : page.links) {
    Require(link.kind != UrlKind::kInvalid && !page.UrlOf(link).empty());
    Require(page.Href(link).size() <= options.max_href_bytes);
    Require(page.TextOf(link).size() <= options.max_anchor_bytes);
    if (utf8) Require(ValidUtf8PrefixPortable(page.TextOf(link)) == page.TextOf(link).size());
  }
  std::size_t headings_end = 0;
  for (const PageSlice heading : page.headings) {
    Require(heading.size > 0 && heading.offset >= headings_end);
    headings_end = std::size_t{heading.offset} + heading.size;
    Require(headings_end <= page.text.size());
    if (utf8) Require(ValidUtf8PrefixPortable(page.TextOf(heading)) == heading.size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const std::string_view document(reinterpret_cast<const char*>(data) + 1, size - 1);

  const bool scripting = (choice & 1) != 0;
  const std::string tokens = Tokens(document, scripting, Isa::kPortable, 0);
  Require(tokens == Tokens(document, scripting, Isa::kSse2, choice % 17));
  Require(tokens == Tokens(document, scripting, Isa::kAvx2, choice % 33));

  ExtractOptions options;
  options.scripting = scripting;
  if ((choice & 2) != 0) {
    options.max_links = 3;
    options.max_text_bytes = 20;
    options.max_title_bytes = 5;
    options.max_anchor_bytes = 7;
  }
  static const Url url = [] {
    Url parsed;
    ParseUrl("http://e.example/a/b?c", nullptr, &parsed);
    return parsed;
  }();
  std::string expected;
  for (const Isa isa : {Isa::kPortable, Isa::kSse2, Isa::kAvx2}) {
    const Placed placed(document, choice % 19);
    options.isa = isa;
    Page page;
    HtmlExtractor(options).Extract(placed.view(), url, &page);
    CheckPage(document, page, options);
    if (isa == Isa::kPortable) expected = Written(page);
    Require(Written(page) == expected);
  }
  static const auto extractor_with = [](bool with_scripting) {
    ExtractOptions defaults;
    defaults.scripting = with_scripting;
    return HtmlExtractor(defaults);
  };
  static HtmlExtractor used[2] = {extractor_with(false), extractor_with(true)};
  static Page page;
  if ((choice & 2) == 0) {
    used[scripting].Extract(document, url, &page);
    Require(Written(page) == expected);
  }
  return 0;
}
