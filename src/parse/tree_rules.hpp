#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "parse/html_names.hpp"

/// The element lists of the HTML standard's tree construction, as tables by TagId.
namespace crawler::tree_rules {

/// Properties of an element on the stack that the rules test; bits.
enum Trait : std::uint16_t {
  kSpecial = 1 << 0,
  kDefaultScope = 1 << 1,   ///< Ends "in scope", list item scope and button scope.
  kListItemScope = 1 << 2,  ///< Ends list item scope as well.
  kButtonScope = 1 << 3,
  kTableScope = 1 << 4,
  kImpliedEnd = 1 << 5,
  kImpliedThorough = 1 << 6,  ///< Closed by "generate all implied end tags thoroughly".
  kHeading = 1 << 7,
  kHtmlPoint = 1 << 8,      ///< HTML integration point.
  kMathTextPoint = 1 << 9,  ///< MathML text integration point.
  kNotDrawn = 1 << 10,      ///< Text in it is not shown.
  kStopsItems = 1 << 11,    ///< Ends the search for an open item at the start of another.
  kClosesSimply = 1 << 12,  ///< Its end tag does no more, if it is the current node.
  kForeign = 1 << 13,       ///< SVG or MathML.
};

/// The traits that end the standard's kinds of scope.
inline constexpr unsigned kEndsScope = kDefaultScope;
inline constexpr unsigned kEndsListItemScope = kDefaultScope | kListItemScope;
inline constexpr unsigned kEndsButtonScope = kDefaultScope | kButtonScope;
inline constexpr unsigned kEndsTableScope = kTableScope;

/// How "in body" treats a start tag.
enum class StartRule : std::uint8_t {
  kOrdinary,
  kHtml,
  kHeadContent,
  kBody,
  kFrameset,
  kBlock,
  kHeading,
  kPre,
  kForm,
  kListItem,
  kPlaintext,
  kButton,
  kAnchor,
  kFormatting,
  kNobr,
  kObject,
  kTable,
  kVoid,  ///< With reconstruction, and the frameset no longer ok.
  kInput,
  kQuietVoid,
  kHr,
  kImage,
  kTextarea,
  kXmp,
  kIframe,
  kNoembed,
  kNoscript,
  kSelect,
  kOption,
  kRubyBase,
  kRubyText,
  kMath,
  kSvg,
  kIgnored,
};

/// How "in body" treats an end tag.
enum class EndRule : std::uint8_t {
  kOrdinary,
  kBlock,
  kParagraph,
  kListItem,
  kDefinition,
  kHeading,
  kFormatting,
  kObject,
  kBody,
  kHtml,
  kForm,
  kTemplate,
  kBr,
};

template <typename Value>
using TagMap = std::array<Value, kTagCount>;

template <typename Value>
constexpr void Set(TagMap<Value>* map, Value value, std::initializer_list<TagId> ids) {
  for (const TagId id : ids) {
    Value& slot = (*map)[static_cast<std::size_t>(id)];
    if constexpr (std::is_enum_v<Value> || std::is_same_v<Value, bool>) {
      slot = value;
    } else {
      slot = static_cast<Value>(slot | value);
    }
  }
}

template <typename Value>
constexpr const Value& At(const TagMap<Value>& map, TagId id) {
  return map[static_cast<std::size_t>(id)];
}

constexpr std::uint16_t Bits(int bits) { return static_cast<std::uint16_t>(bits); }

inline constexpr auto kEndRules = [] {
  using enum TagId;
  TagMap<EndRule> map{};
  Set(&map, EndRule::kBlock,
      {kAddress, kArticle, kAside,  kBlockquote, kButton,   kCenter,     kDetails,
       kDialog,  kDir,     kDiv,    kDl,         kFieldset, kFigcaption, kFigure,
       kFooter,  kHeader,  kHgroup, kListing,    kMain,     kMenu,       kNav,
       kOl,      kPre,     kSearch, kSection,    kSelect,   kSummary,    kUl});
  Set(&map, EndRule::kParagraph, {kP});
  Set(&map, EndRule::kListItem, {kLi});
  Set(&map, EndRule::kDefinition, {kDd, kDt});
  Set(&map, EndRule::kHeading, {kH1, kH2, kH3, kH4, kH5, kH6});
  Set(&map, EndRule::kFormatting,
      {kA, kB, kBig, kCode, kEm, kFont, kI, kNobr, kS, kSmall, kStrike, kStrong, kTt, kU});
  Set(&map, EndRule::kObject, {kApplet, kMarquee, kObject});
  Set(&map, EndRule::kBody, {kBody});
  Set(&map, EndRule::kHtml, {kHtml});
  Set(&map, EndRule::kForm, {kForm});
  Set(&map, EndRule::kTemplate, {kTemplate});
  Set(&map, EndRule::kBr, {kBr});
  return map;
}();

inline constexpr auto kHtmlTraits = [] {
  using enum TagId;
  TagMap<std::uint16_t> map{};
  Set(&map, Bits(kSpecial),
      {kAddress,    kApplet,   kArea,   kArticle, kAside,     kBase,     kBasefont, kBgsound,
       kBlockquote, kBody,     kBr,     kButton,  kCaption,   kCenter,   kCol,      kColgroup,
       kDd,         kDetails,  kDir,    kDiv,     kDl,        kDt,       kEmbed,    kFieldset,
       kFigcaption, kFigure,   kFooter, kForm,    kFrame,     kFrameset, kH1,       kH2,
       kH3,         kH4,       kH5,     kH6,      kHead,      kHeader,   kHgroup,   kHr,
       kHtml,       kIframe,   kImg,    kInput,   kKeygen,    kLi,       kLink,     kListing,
       kMain,       kMarquee,  kMenu,   kMeta,    kNav,       kNoembed,  kNoframes, kNoscript,
       kObject,     kOl,       kP,      kParam,   kPlaintext, kPre,      kScript,   kSearch,
       kSection,    kSelect,   kSource, kStyle,   kSummary,   kTable,    kTbody,    kTd,
       kTemplate,   kTextarea, kTfoot,  kTh,      kThead,     kTitle,    kTr,       kTrack,
       kUl,         kWbr,      kXmp});
  Set(&map, Bits(kDefaultScope),
      {kApplet, kCaption, kHtml, kTable, kTd, kTh, kMarquee, kObject, kSelect, kTemplate});
  Set(&map, Bits(kListItemScope), {kOl, kUl});
  Set(&map, Bits(kButtonScope), {kButton});
  Set(&map, Bits(kTableScope), {kHtml, kTable, kTemplate});
  Set(&map, Bits(kImpliedEnd | kImpliedThorough),
      {kDd, kDt, kLi, kOptgroup, kOption, kP, kRb, kRp, kRt, kRtc});
  Set(&map, Bits(kImpliedThorough), {kCaption, kColgroup, kTbody, kTd, kTfoot, kTh, kThead, kTr});
  Set(&map, Bits(kHeading), {kH1, kH2, kH3, kH4, kH5, kH6});
  Set(&map, Bits(kNotDrawn), {kTemplate});
  for (std::size_t i = 0; i < kTagCount; ++i) {
    if (kEndRules[i] <= EndRule::kHeading) map[i] |= kClosesSimply;
  }
  for (const TagId id :
       {kFrameset, kTable, kCaption, kColgroup, kTbody, kTd, kTfoot, kTh, kThead, kTr}) {
    map[static_cast<std::size_t>(id)] &= static_cast<std::uint16_t>(~kClosesSimply);
  }
  for (std::uint16_t& traits : map) {
    if ((traits & kSpecial) != 0) traits |= kStopsItems;
  }
  for (const TagId id : {kAddress, kDiv, kP, kLi, kDd, kDt}) {
    map[static_cast<std::size_t>(id)] &= static_cast<std::uint16_t>(~kStopsItems);
  }
  return map;
}();

/// The elements that make up a table, below the table itself.
constexpr bool IsTablePart(TagId id) {
  switch (id) {
    case TagId::kCaption:
    case TagId::kCol:
    case TagId::kColgroup:
    case TagId::kTbody:
    case TagId::kTd:
    case TagId::kTfoot:
    case TagId::kTh:
    case TagId::kThead:
    case TagId::kTr:
      return true;
    default:
      return false;
  }
}

inline constexpr auto kSvgTraits = [] {
  using enum TagId;
  TagMap<std::uint16_t> map{};
  Set(&map, Bits(kSpecial | kDefaultScope | kHtmlPoint), {kForeignObject, kDesc, kTitle});
  Set(&map, Bits(kNotDrawn), {kDesc, kTitle, kMetadata, kScript, kStyle});
  for (std::uint16_t& traits : map) traits |= kForeign;
  return map;
}();

inline constexpr auto kMathTraits = [] {
  using enum TagId;
  TagMap<std::uint16_t> map{};
  Set(&map, Bits(kSpecial | kDefaultScope | kMathTextPoint), {kMi, kMo, kMn, kMs, kMtext});
  Set(&map, Bits(kSpecial | kDefaultScope), {kAnnotationXml});
  for (std::uint16_t& traits : map) traits |= kForeign;
  return map;
}();

inline constexpr auto kStartRules = [] {
  using enum TagId;
  TagMap<StartRule> map{};
  Set(&map, StartRule::kHtml, {kHtml});
  Set(&map, StartRule::kHeadContent,
      {kBase, kBasefont, kBgsound, kLink, kMeta, kNoframes, kScript, kStyle, kTemplate, kTitle});
  Set(&map, StartRule::kBody, {kBody});
  Set(&map, StartRule::kFrameset, {kFrameset});
  Set(&map, StartRule::kBlock,
      {kAddress, kArticle,  kAside,      kBlockquote, kCenter,  kDetails, kDialog, kDir,  kDiv,
       kDl,      kFieldset, kFigcaption, kFigure,     kFooter,  kHeader,  kHgroup, kMain, kMenu,
       kNav,     kOl,       kP,          kSearch,     kSection, kSummary, kUl});
  Set(&map, StartRule::kHeading, {kH1, kH2, kH3, kH4, kH5, kH6});
  Set(&map, StartRule::kPre, {kPre, kListing});
  Set(&map, StartRule::kForm, {kForm});
  Set(&map, StartRule::kListItem, {kLi, kDd, kDt});
  Set(&map, StartRule::kPlaintext, {kPlaintext});
  Set(&map, StartRule::kButton, {kButton});
  Set(&map, StartRule::kAnchor, {kA});
  Set(&map, StartRule::kFormatting,
      {kB, kBig, kCode, kEm, kFont, kI, kS, kSmall, kStrike, kStrong, kTt, kU});
  Set(&map, StartRule::kNobr, {kNobr});
  Set(&map, StartRule::kObject, {kApplet, kMarquee, kObject});
  Set(&map, StartRule::kTable, {kTable});
  Set(&map, StartRule::kVoid, {kArea, kBr, kEmbed, kImg, kKeygen, kWbr});
  Set(&map, StartRule::kInput, {kInput});
  Set(&map, StartRule::kQuietVoid, {kParam, kSource, kTrack});
  Set(&map, StartRule::kHr, {kHr});
  Set(&map, StartRule::kImage, {kImage});
  Set(&map, StartRule::kTextarea, {kTextarea});
  Set(&map, StartRule::kXmp, {kXmp});
  Set(&map, StartRule::kIframe, {kIframe});
  Set(&map, StartRule::kNoembed, {kNoembed});
  Set(&map, StartRule::kNoscript, {kNoscript});
  Set(&map, StartRule::kSelect, {kSelect});
  Set(&map, StartRule::kOption, {kOption, kOptgroup});
  Set(&map, StartRule::kRubyBase, {kRb, kRtc});
  Set(&map, StartRule::kRubyText, {kRp, kRt});
  Set(&map, StartRule::kMath, {kMath});
  Set(&map, StartRule::kSvg, {kSvg});
  Set(&map, StartRule::kIgnored,
      {kCaption, kCol, kColgroup, kFrame, kHead, kTbody, kTd, kTfoot, kTh, kThead, kTr});
  return map;
}();

/// Reasons why a tag or a text cannot take the quick path; bits. See TreeTracker::obstacles_.
enum Obstacle : std::uint8_t {
  kStartsElsewhere = 1 << 0,  ///< Start tags do not follow "in body", or nobody sees the content.
  kEndsElsewhere = 1 << 1,    ///< The same of end tags.
  kTextElsewhere = 1 << 2,    ///< The same of text.
  kFramesetOk = 1 << 3,       ///< A <frameset> could still replace the body.
  kMustReconstruct = 1 << 4,  ///< Formatting elements wait to be opened again.
  kAlwaysInTheWay = 1 << 5,
};

/// A start tag in the body that only makes an element, and the conditions for that.
struct SimpleStart {
  std::uint8_t obstacles = kAlwaysInTheWay;  ///< None of these is there,
  bool closes_p = false;                     ///< nor, if so, an open <p>;
  std::uint16_t parent = 0;                  ///< and the parent has these traits.
  enum class Makes : std::uint8_t { kElement, kFormatting, kVoid } makes = Makes::kElement;
};

inline constexpr auto kSimpleStarts = [] {
  std::array<SimpleStart, kTagCount> map{};
  for (std::size_t i = 0; i < kTagCount; ++i) {
    SimpleStart& start = map[i];
    switch (kStartRules[i]) {
      case StartRule::kOrdinary:
        start.obstacles = kStartsElsewhere | kMustReconstruct;
        break;
      case StartRule::kBlock:
        start.obstacles = kStartsElsewhere;
        start.closes_p = true;
        break;
      case StartRule::kPre:
        start.obstacles = kStartsElsewhere | kFramesetOk;
        start.closes_p = true;
        break;
      case StartRule::kListItem:
        start.obstacles = kStartsElsewhere | kFramesetOk;
        start.closes_p = true;
        start.parent = kStopsItems;
        break;
      case StartRule::kAnchor:
      case StartRule::kFormatting:
        start.obstacles = kStartsElsewhere | kMustReconstruct;
        start.makes = SimpleStart::Makes::kFormatting;
        break;
      case StartRule::kVoid:
        start.obstacles = kStartsElsewhere | kMustReconstruct | kFramesetOk;
        start.makes = SimpleStart::Makes::kVoid;
        break;
      default:
        break;
    }
  }
  return map;
}();

/// Start tags that end foreign content. <font> does with certain attributes only.
inline constexpr auto kBreaksOut = [] {
  using enum TagId;
  TagMap<bool> map{};
  Set(&map, true,
      {kB,     kBig,   kBlockquote, kBody,   kBr,   kCenter, kCode,  kDd, kDiv,  kDl,   kDt,
       kEm,    kEmbed, kH1,         kH2,     kH3,   kH4,     kH5,    kH6, kHead, kHr,   kI,
       kImg,   kLi,    kListing,    kMenu,   kMeta, kNobr,   kOl,    kP,  kPre,  kRuby, kS,
       kSmall, kSpan,  kStrong,     kStrike, kSub,  kSup,    kTable, kTt, kU,    kUl,   kVar});
  return map;
}();

}  // namespace crawler::tree_rules
