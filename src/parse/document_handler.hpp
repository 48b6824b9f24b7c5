#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parse/html_extractor.hpp"
#include "parse/text_builder.hpp"
#include "parse/tokenizer.hpp"
#include "parse/tree_tracker.hpp"

namespace crawler {

/// The handler behind HtmlExtractor: takes the tokens of one document and notes what it finds, with
/// links as they are written, because the base they are relative to may come later.
/// Lifetime: notes point into the document until the next Reset().
class DocumentHandler {
 public:
  static constexpr bool kWantsMarkup = false;

  DocumentHandler(const ExtractOptions& options, const Scanner& scanner);

  /// Starts a document, of which all text that is not decoded will be a part.
  void Reset(std::string_view document, Page* page);
  /// Ends it: what is still open is closed, and the page gets its text.
  void Finish();

  /// A link as the source has it.
  struct RawLink {
    LinkSource source;
    bool in_body;
    std::uint32_t rel;
    const char* data;  // Null: in the arena, at `offset`.
    std::uint32_t offset;
    std::uint32_t size;
    std::uint32_t text_begin, text_end;  // In the text, for <a>.
  };
  /// <link rel=alternate> or rel=canonical.
  struct RawRelation {
    std::uint32_t link;  // Its number among the links.
    std::string hreflang, type;
    bool canonical, alternate;
  };
  const std::vector<RawLink>& links() const { return links_; }
  const std::vector<RawRelation>& relations() const { return relations_; }
  std::string_view Href(const RawLink& link) const {
    return link.data != nullptr ? std::string_view(link.data, link.size)
                                : std::string_view(arena_).substr(link.offset, link.size);
  }
  bool has_base() const { return has_base_; }
  const std::string& base_href() const { return base_href_; }

  // Called by the tokenizer.
  TextMode OnStartTag(const Tag& tag);
  void OnEndTag(const Tag& tag);
  void OnText(std::string_view text) {
    if (raw_text_ == RawText::kNone) {
      tracker_.Text(text);
      if (tracker_.TextIsVisible()) AppendVisible(text);
    } else if (raw_text_ == RawText::kTitle) {
      title_.Append(text);
    } else if (tracker_.TextIsVisible()) {
      text_.Append(text);
    }
  }
  bool WantsRawText() const { return raw_text_ != RawText::kUnseen; }
  bool InForeignContent() const { return tracker_.InForeignContent(); }
  ExpectedEnd ExpectEnd() const { return tracker_.ExpectEnd(); }

 private:
  enum class RawText : std::uint8_t { kNone, kUnseen, kTitle, kVisible };

  void AppendVisible(std::string_view text) {
    // Decoded text lies elsewhere.
    const auto offset = reinterpret_cast<std::uintptr_t>(text.data()) -
                        reinterpret_cast<std::uintptr_t>(document_.data());
    const bool in_document = offset < document_.size();
    if (in_document) {
      text_.Append(text, document_.data() + document_.size());
    } else {
      text_.Append(text);
    }
  }
  void Separate(std::uint8_t role);
  void EnterRawText(TagId id);
  void HtmlElement(TagId id, const Tag& tag);
  void SvgElement(TagId id, const Tag& tag);
  void AnchorElement(const Tag& tag);
  void LinkElement(const Tag& tag);
  void MetaElement(const Tag& tag);
  void BaseElement(const Tag& tag);
  void HtmlRootElement(const Tag& tag);
  void AddLink(const Tag& tag, AttrId attribute, LinkSource source, std::uint32_t rel = 0);
  void AddSrcset(const Tag& tag, LinkSource source);
  bool AddReference(std::string_view href, bool stable, LinkSource source, std::uint32_t rel);
  void CloseAnchor();
  void DropBody();
  std::string_view Value(const Tag& tag, AttrId id);
  // Whether a value was not decoded, so that it stays where it is.
  bool IsStable(std::string_view value) const { return value.data() != decoded_.data(); }
  std::uint32_t RelOf(const Tag& tag);

  const ExtractOptions& options_;
  const Scanner& scanner_;
  const std::string agent_;  // In lower case.
  TreeTracker tracker_;
  TextBuilder text_;
  TextBuilder title_;
  TextBuilder description_;
  std::string_view document_;
  Page* page_ = nullptr;
  RawText raw_text_ = RawText::kNone;
  bool has_title_ = false;
  bool has_base_ = false;
  bool has_html_lang_ = false;
  bool has_og_description_ = false;
  int bodies_dropped_ = 0;
  std::size_t open_anchor_ = kNoAnchor;
  std::string base_href_;
  std::vector<RawLink> links_;
  std::vector<RawRelation> relations_;
  std::string arena_;    // Decoded references.
  std::string decoded_;  // The last decoded value.

  static constexpr std::size_t kNoAnchor = static_cast<std::size_t>(-1);
};

}  // namespace crawler
