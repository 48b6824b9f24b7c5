#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parse/html_extractor.hpp"
#include "parse/text_builder.hpp"
#include "parse/tokenizer.hpp"
#include "parse/tree_tracker.hpp"

namespace crawler {

/// The reader behind HtmlExtractor: takes the tokens of one document after the other and collects
/// text, title, metadata and links. Links are kept as written, because the <base> of the document
/// may come after them. Lifetime: links() and relations() point into the document, and are valid
/// until the next Read().
class DocumentHandler final : private ExtractorOutput {
 public:
  static constexpr bool kWantsMarkup = false;

  DocumentHandler(const ExtractOptions& options, const Scanner& scanner);
  ~DocumentHandler() override;

  /// Reads a document. Writes its text, title and metadata to `*page`, which must have been
  /// cleared; its links are in links() and relations().
  void Read(std::string_view document, Page* page);

  /// A link as the source writes it.
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
    std::uint32_t link;  // Index in links().
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
  std::size_t EndSimply(std::uint64_t bytes);
  void OnText(std::string_view text);
  bool WantsRawText() const { return raw_text_ != RawText::kUnseen; }
  bool InForeignContent() const { return tracker_.InForeignContent(); }

 private:
  enum class RawText : std::uint8_t { kNone, kUnseen, kTitle, kVisible };

  /// Handles the tokens of a document that extractors read as well: passes each to the
  /// DocumentHandler and to them. A class of its own, so that without extractors nothing is asked
  /// per token.
  class WithExtractors;

  // ExtractorOutput
  void AddLink(std::string_view href, LinkSource source) override;
  void AddField(std::string_view name, std::string_view value) override;

  void Reset(std::string_view document, Page* page);
  TextMode OnOtherStartTag(const Tag& tag);
  void OnOtherText(std::string_view text);
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
  void CloseAnchorAt(TagId end_tag);
  void CloseHeading();
  PageSlice SeenSince(std::size_t begin, std::size_t max_bytes) const;
  void MarkLinkBlocks();
  void DropBody();
  std::string_view Value(const Tag& tag, AttrId id);
  // Whether a value was not decoded, and so is a view into the document.
  bool IsStable(std::string_view value) const { return value.data() != decoded_.data(); }
  std::uint32_t RelOf(const Tag& tag);

  const ExtractOptions& options_;
  const Scanner& scanner_;
  const std::string agent_;  // In lower case.
  Tokenizer<DocumentHandler> tokenizer_;
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
  std::size_t open_heading_ = kNoHeading;  // Where its text begins.
  bool open_h1_ = false;                   // It is an <h1>.
  std::string base_href_;
  std::vector<RawLink> links_;
  std::vector<RawRelation> relations_;
  std::vector<PageSlice> link_texts_;
  std::string arena_;                                // Decoded references.
  std::string decoded_;                              // The last decoded value.
  std::unique_ptr<WithExtractors> with_extractors_;  // Null if there are none.

  static constexpr std::size_t kNoAnchor = static_cast<std::size_t>(-1);
  static constexpr std::size_t kNoHeading = static_cast<std::size_t>(-1);
};

}  // namespace crawler
