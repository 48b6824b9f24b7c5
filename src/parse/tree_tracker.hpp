#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parse/extractor.hpp"
#include "parse/tokenizer.hpp"
#include "parse/tree_rules.hpp"

namespace crawler {

/// The effect of a start tag.
struct Placement {
  bool inserted = false;  ///< The tag made an element, or gave its attributes to one.
  Namespace name_space = Namespace::kHtml;
  TagId id = TagId::kUnknown;       ///< May differ from the tag: <image> makes an img.
  TextMode text = TextMode::kData;  ///< How the tokenizer has to go on.
};

/// The tree construction of the HTML standard without a tree: the insertion modes, the stack of
/// open elements and the list of active formatting elements, which together decide whether a tag
/// makes an element, and in which namespace. Elements are not kept once they are closed.
///
/// Differs from a browser in two ways that no link or text depends on: quirks mode is always off,
/// and content that foster parenting moves stays at its place in the source. Bounds: kMaxDepth open
/// elements (a deeper one takes the place of the innermost), kMaxFormatting formatting elements
/// (the oldest are forgotten). Time is linear in the input for these bounds. Threads: one thread at
/// a time.
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
  Placement StartTag(const Tag& tag) {
    if (StartSimply(tag)) return {true, Namespace::kHtml, tag.id, TextMode::kData};
    return SlowStartTag(tag);
  }
  void EndTag(const Tag& tag);
  /// Text in kData mode.
  void Text(std::string_view text) {
    if (!TakesTextSimply()) SlowText(text);
  }

  // The quick path, which most tags and texts take. On it the content is visible to a reader, and
  // no template is open.

  /// Takes a start tag that makes an HTML element and changes nothing else; text in it is kData.
  /// False, with nothing done, for any other start tag.
  bool StartSimply(const Tag& tag) {
    const tree_rules::SimpleStart& start = tree_rules::At(tree_rules::kSimpleStarts, tag.id);
    if ((start.obstacles & obstacles_) != 0) return false;
    const unsigned parent = Current().traits & (start.parent | tree_rules::kForeign);
    if (parent != start.parent) return false;
    if ((start.closes_p && CountOpen(TagId::kP) != 0) || depth_ == kMaxDepth) return false;
    if (start.makes == tree_rules::SimpleStart::Makes::kElement) {
      PushSimply(tag);
      return true;
    }
    return start.makes == tree_rules::SimpleStart::Makes::kVoid || StartFormattingSimply(tag);
  }
  /// Takes the end tag of the innermost element, in lower case and without blanks, if it changes
  /// nothing else: `bytes` are the 8 behind "</", the first one lowest. Returns the length of the
  /// name; 0, with nothing done, for any other end tag.
  std::size_t EndSimply(std::uint64_t bytes) {
    if ((obstacles_ & tree_rules::kEndsElsewhere) != 0) return 0;
    const Element& current = Current();
    if (current.name_size == 0) return 0;
    const unsigned shift = 8u * current.name_size;
    const std::uint64_t wanted = current.name_hash | std::uint64_t{'>'} << shift;
    if ((bytes ^ wanted) << (56 - shift) != 0) return 0;
    if ((current.traits & tree_rules::kClosesSimply) != 0) {
      PopSimply();
    } else if (current.formatting && formatting_.back().serial == current.serial) {
      PopFormatting();
    } else {
      return 0;
    }
    return current.name_size;
  }
  /// Whether text changes nothing.
  bool TakesTextSimply() const {
    return (obstacles_ & (tree_rules::kTextElsewhere | tree_rules::kMustReconstruct)) == 0;
  }

  /// The element that the last EndSimply() has ended.
  TagId LastEnded() const { return open_[depth_].id; }
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
    std::uint8_t name_size;  // 0 if it is more than 7, so that it and a '>' are no word.
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

  Placement SlowStartTag(const Tag& tag);
  bool StartFormattingSimply(const Tag& tag);
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
  void ProcessText(std::string_view text);

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
  void PushSimply(const Tag& tag) {
    Element& element = open_[depth_++];
    element.name_hash = tag.name_hash;
    element.serial = next_serial_++;
    element.traits = tree_rules::At(tree_rules::kHtmlTraits, tag.id);
    element.id = tag.id;
    element.name_space = Namespace::kHtml;
    element.name_size = ShortSize(tag.raw_name.size());
    element.formatting = false;
    ++open_count_[static_cast<std::size_t>(tag.id)];
  }
  static std::uint8_t ShortSize(std::size_t name_size) {
    return static_cast<std::uint8_t>(name_size < 8 ? name_size : 0);
  }
  void PushImplied(TagId id);
  void PopSimply() {
    --depth_;
    --open_count_[static_cast<std::size_t>(open_[depth_].id)];
  }
  void Pop() {
    Leave(Current());
    --depth_;
  }
  // Closes the current node, which is the last entry of formatting_: properly nested.
  void PopFormatting() {
    formatting_.pop_back();
    PopSimply();
    obstacles_ &= static_cast<std::uint8_t>(~tree_rules::kMustReconstruct);
    if (NeedsReconstruction()) obstacles_ |= tree_rules::kMustReconstruct;
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
  void AddFormatting(const Tag& tag);
  void LimitFormatting();
  void PushMarker() { formatting_.push_back({}); }
  void ClearToMarker();
  std::size_t FindFormatting(TagId id) const;
  std::size_t FindFormattingSerial(std::uint32_t serial) const;
  std::size_t FindOpenSerial(std::uint32_t serial) const;
  void AdoptionAgency(TagId id, std::uint64_t name_hash);
  bool AdoptOnce(std::size_t formatting_index, std::size_t open_index);
  void SetFramesetNotOk();
  void SetMode(Mode mode) { mode_ = mode; }
  // Brings obstacles_ up to date after anything that is not simple.
  void FindObstacles();

  const bool scripting_;
  Mode mode_;
  bool frameset_ok_;
  bool has_head_;
  std::uint8_t obstacles_;     // tree_rules::Obstacle bits: what the rest of the state means for
                               // the simple cases, which do not change it.
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
