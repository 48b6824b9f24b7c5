#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parse/tokenizer.hpp"
#include "parse/tree_rules.hpp"

namespace crawler {

enum class Namespace : std::uint8_t { kHtml, kSvg, kMathMl };

/// What became of a start tag.
struct Placement {
  bool inserted = false;  ///< It made an element (or gave its attributes to one).
  Namespace name_space = Namespace::kHtml;
  TagId id = TagId::kUnknown;       ///< Not always the tag's: <image> makes an img.
  TextMode text = TextMode::kData;  ///< How the tokenizer has to go on.
};

/// The tree construction of the HTML standard without a tree: the insertion modes, the stack of
/// open elements and the list of active formatting elements, which together decide whether a tag
/// makes an element, and in which namespace. Elements are not kept once they are closed.
///
/// Differs from a browser in what no link or text depends on: quirks mode is taken as off, and
/// what foster parenting moves is left where it stands in the source.
/// Bounds: kMaxDepth open elements (a deeper one takes the place of the innermost), kMaxFormatting
/// formatting elements (the oldest are forgotten). Time is linear in the input for these bounds.
/// Threads: one thread at a time.
class TreeTracker {
 public:
  static constexpr std::size_t kMaxDepth = 512;
  static constexpr std::size_t kMaxFormatting = 64;

  /// With `scripting` the content of <noscript> is text, as in a browser that runs scripts.
  explicit TreeTracker(bool scripting) : scripting_(scripting) { Reset(); }

  /// Forgets everything, for the next document.
  void Reset();

  /// Requires: `tag` has its known attributes. Raw text elements are not left open: after a
  /// Placement with another text mode than kData the next end tag must not be passed to EndTag().
  Placement StartTag(const Tag& tag);
  void EndTag(const Tag& tag) {
    // Nearly always the innermost element is the one to close, and nothing else happens.
    if (pops_simply_ && Current().name_hash == tag.name_hash &&
        (Current().traits & tree_rules::kClosesSimply) != 0) {
      return Pop();
    }
    if (pops_simply_ && Current().formatting && Current().name_hash == tag.name_hash &&
        formatting_.back().serial == Current().serial) {
      return PopFormatting();
    }
    SlowEndTag(tag);
  }
  /// Text in kData mode.
  void Text(std::string_view text) {
    if (text_is_settled_ && !NeedsReconstruction()) return;
    SlowText(text);
  }

  /// The innermost element, if its name is short.
  ExpectedEnd ExpectEnd() const {
    if (depth_ == 0) return {};
    return {Current().id, Current().name_size, Current().name_hash};
  }
  /// Whether <![CDATA[ opens a section.
  bool InForeignContent() const { return depth_ != 0 && Current().name_space != Namespace::kHtml; }
  bool InTemplate() const { return CountOpen(TagId::kTemplate) != 0; }
  /// Whether an HTML element of this name is open.
  bool IsOpen(TagId id) const { return CountOpen(id) != 0; }
  /// Whether text here is content that a reader sees: not in the head, a template, a frameset, or
  /// in an SVG element that is not drawn.
  bool TextIsVisible() const { return hidden_ == 0 && mode_ >= Mode::kInBody; }
  /// Counts the times a <frameset> has replaced the body, and with it everything in there.
  int bodies_dropped() const { return bodies_dropped_; }

 private:
  enum class Mode : std::uint8_t {
    kBeforeHtml,
    kBeforeHead,
    kInHead,
    kInHeadNoscript,
    kAfterHead,
    kInFrameset,
    kAfterFrameset,
    kAfterAfterFrameset,
    kInBody,  // From here on text is content.
    kInTable,
    kInCaption,
    kInColumnGroup,
    kInTableBody,
    kInRow,
    kInCell,
    kInTemplate,
    kAfterBody,
    kAfterAfterBody,
  };

  struct Element {
    std::uint64_t name_hash;
    std::uint32_t serial;  // Ties it to its entry in formatting_; a clone keeps it.
    std::uint16_t traits;
    std::uint16_t entry;  // Where in formatting_ its entry was put; a hint.
    TagId id;
    Namespace name_space;
    std::uint8_t name_size;  // 0 if it is more than kMaxExpectedName.
    bool formatting;         // It has an entry in formatting_.
  };
  struct Formatting {
    std::uint32_t serial;  // 0: a marker.
    TagId id;
    std::uint8_t name_size;
    bool open;    // Its element is on the stack.
    bool hashed;  // attributes_hash is known.
    std::uint64_t name_hash;
    std::uint64_t attributes_hash;
    std::string_view raw_attributes;
  };

  // Rules for start tags, one function per insertion mode. True: process the tag again.
  bool ProcessStart(const Tag& tag);
  bool StartBeforeHtml(const Tag& tag);
  bool StartBeforeHead(const Tag& tag);
  bool StartInHead(const Tag& tag);
  bool StartInHeadNoscript(const Tag& tag);
  bool StartAfterHead(const Tag& tag);
  bool StartInBody(const Tag& tag);
  bool StartInTable(const Tag& tag);
  bool StartInCaption(const Tag& tag);
  bool StartInColumnGroup(const Tag& tag);
  bool StartInTableBody(const Tag& tag);
  bool StartInRow(const Tag& tag);
  bool StartInCell(const Tag& tag);
  bool StartInTemplate(const Tag& tag);
  bool StartInFrameset(const Tag& tag);
  bool StartInForeign(const Tag& tag);
  // The parts of StartInBody that are more than a line.
  void StartFrameset(const Tag& tag);
  void StartListItem(const Tag& tag);
  void StartAnchor(const Tag& tag);
  void StartOption(const Tag& tag);
  static bool IsHiddenInput(const Tag& tag);

  void SlowEndTag(const Tag& tag);
  bool ProcessEnd(const Tag& tag);
  bool ProcessHtmlEnd(const Tag& tag);
  bool EndEarly(const Tag& tag);
  bool EndInBody(const Tag& tag);
  bool EndInTable(const Tag& tag);
  bool EndInCaption(const Tag& tag);
  bool EndInColumnGroup(const Tag& tag);
  bool EndInTableBody(const Tag& tag);
  bool EndInRow(const Tag& tag);
  bool EndInCell(const Tag& tag);
  bool EndInForeign(const Tag& tag);
  void EndForm();
  void EndTemplate();
  void EndOther(TagId id, std::uint64_t name_hash);

  void SlowText(std::string_view text);

  // The stack of open elements.
  bool UsesHtmlRules(const Tag& tag) const;
  const Element& Current() const { return open_[depth_ - 1]; }
  bool CurrentIs(TagId id) const {
    return Current().id == id && Current().name_space == Namespace::kHtml;
  }
  unsigned CountOpen(TagId id) const { return open_count_[static_cast<std::size_t>(id)]; }
  Element MakeElement(TagId id, std::uint64_t name_hash, std::size_t name_size,
                      Namespace name_space);
  void Push(const Element& element) {
    if (depth_ == kMaxDepth) Pop();
    open_[depth_++] = element;
    open_count_[static_cast<std::size_t>(element.id)] += element.name_space == Namespace::kHtml;
    hidden_ += (element.traits & tree_rules::kNotDrawn) != 0;
  }
  void PushImplied(TagId id);
  void Pop() {
    Leave(Current());
    --depth_;
  }
  // Closes the current node, which is the last entry of formatting_: properly nested.
  void PopFormatting() {
    formatting_.pop_back();
    open_[depth_ - 1].formatting = false;
    Pop();
  }
  void Erase(std::size_t index);
  void Leave(const Element& element) {
    open_count_[static_cast<std::size_t>(element.id)] -= element.name_space == Namespace::kHtml;
    hidden_ -= (element.traits & tree_rules::kNotDrawn) != 0;
    if (element.formatting) MarkNotOpen(element);
  }
  void MarkNotOpen(const Element& element);
  void PopUntil(TagId id);
  void PopThrough(std::size_t index);
  void ClearBackTo(TagId a, TagId b, TagId c);
  bool InScope(TagId id, unsigned scope) const;  // `scope`: the traits that end it.
  bool AnyHeadingInScope() const;
  void GenerateImpliedEndTags(TagId except, bool thoroughly = false);
  void ClosePInButtonScope();
  void CloseCell();
  void PopForeign();
  void ResetMode();

  void Insert(const Tag& tag);
  void InsertVoid(const Tag& tag);
  void InsertRaw(const Tag& tag, TextMode text);
  void InsertForeign(const Tag& tag, Namespace name_space);
  void MergeAttributes(const Tag& tag);

  // The list of active formatting elements.
  bool NeedsReconstruction() const {
    return !formatting_.empty() && formatting_.back().serial != 0 && !formatting_.back().open;
  }
  void Reconstruct() {
    if (NeedsReconstruction()) SlowReconstruct();
  }
  void SlowReconstruct();
  void InsertFormatting(const Tag& tag);
  void LimitFormatting(Formatting* added);
  void PushMarker() { formatting_.push_back({}); }
  void ClearToMarker();
  std::size_t FindFormatting(TagId id) const;
  std::size_t FindFormattingSerial(std::uint32_t serial) const;
  std::size_t FindOpenSerial(std::uint32_t serial) const;
  void AdoptionAgency(TagId id, std::uint64_t name_hash);
  bool AdoptOnce(std::size_t formatting_index, std::size_t open_index);
  void SetFramesetNotOk();
  void SetMode(Mode mode);

  const bool scripting_;
  Mode mode_;
  bool frameset_ok_;
  bool has_head_;
  // What the mode means for the common cases; see SetMode().
  bool text_is_settled_;       // Text changes nothing but by reconstruction.
  bool pops_simply_;           // End tags follow "in body", but for those of table parts.
  bool starts_in_body_;        // So do start tags.
  std::uint32_t form_serial_;  // The form element pointer; 0: none.
  std::uint32_t next_serial_;
  std::uint32_t hidden_;
  int bodies_dropped_;
  std::size_t depth_;  // Of open_.
  std::array<Element, kMaxDepth> open_;
  std::vector<Formatting> formatting_;
  std::vector<Mode> template_modes_;
  std::array<std::uint16_t, kTagCount> open_count_;  // Of HTML elements on the stack, by name.
  Placement placement_;
};

}  // namespace crawler
