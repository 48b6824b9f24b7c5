// Start tags and text, by insertion mode.
#include <string>

#include "parse/tree_rules.hpp"
#include "parse/tree_tracker.hpp"

namespace crawler {

using namespace tree_rules;
using enum TagId;

namespace {

bool IsBlankText(std::string_view text) {
  return text.find_first_not_of(std::string_view(" \t\n\f\r\0", 6)) == text.npos;
}

bool ValueIs(const Tag& tag, AttrId id, std::string_view expected) {
  if (!tag.attributes.Has(id)) return false;
  std::string value;
  AppendDecoded(tag.attributes.RawValue(id), true, &value);
  return NormalizedName(value) == expected;
}

}  // namespace

bool TreeTracker::IsHiddenInput(const Tag& tag) { return ValueIs(tag, AttrId::kType, "hidden"); }

Placement TreeTracker::SlowStartTag(const Tag& tag) {
  placement_ = {};
  while (ProcessStart(tag)) {
  }
  FindObstacles();
  return placement_;
}

bool TreeTracker::UsesHtmlRules(const Tag& tag) const {
  if (depth_ == 0) return true;
  const Element& current = Current();
  if (current.name_space == Namespace::kHtml) return true;
  if ((current.traits & kHtmlPoint) != 0) return true;
  if ((current.traits & kMathTextPoint) != 0) return tag.id != kMglyph && tag.id != kMalignmark;
  return current.id == kAnnotationXml && current.name_space == Namespace::kMathMl && tag.id == kSvg;
}

bool TreeTracker::ProcessStart(const Tag& tag) {
  if (!UsesHtmlRules(tag)) return StartInForeign(tag);
  switch (mode_) {
    case Mode::kBeforeHtml:
      return StartBeforeHtml(tag);
    case Mode::kBeforeHead:
      return StartBeforeHead(tag);
    case Mode::kInHead:
      return StartInHead(tag);
    case Mode::kInHeadNoscript:
      return StartInHeadNoscript(tag);
    case Mode::kAfterHead:
      return StartAfterHead(tag);
    case Mode::kInBody:
      return StartInBody(tag);
    case Mode::kInTable:
      return StartInTable(tag);
    case Mode::kInCaption:
      return StartInCaption(tag);
    case Mode::kInColumnGroup:
      return StartInColumnGroup(tag);
    case Mode::kInTableBody:
      return StartInTableBody(tag);
    case Mode::kInRow:
      return StartInRow(tag);
    case Mode::kInCell:
      return StartInCell(tag);
    case Mode::kInTemplate:
      return StartInTemplate(tag);
    case Mode::kInFrameset:
    case Mode::kAfterFrameset:
    case Mode::kAfterAfterFrameset:
      return StartInFrameset(tag);
    case Mode::kAfterBody:
    case Mode::kAfterAfterBody:
      if (tag.id == kHtml) return StartInBody(tag);
      SetMode(Mode::kInBody);
      return true;
  }
  return false;
}

void TreeTracker::Insert(const Tag& tag) {
  Push(MakeElement(tag.id, tag.name_hash, tag.raw_name.size(), Namespace::kHtml));
  InsertVoid(tag);
}

void TreeTracker::InsertVoid(const Tag& tag) {
  placement_.inserted = true;
  placement_.name_space = Namespace::kHtml;
  placement_.id = tag.id;
}

void TreeTracker::InsertRaw(const Tag& tag, TextMode text) {
  InsertVoid(tag);
  placement_.text = text;
}

void TreeTracker::InsertForeign(const Tag& tag, Namespace name_space) {
  placement_.inserted = true;
  placement_.name_space = name_space;
  placement_.id = tag.id;
  if (tag.self_closing) return;
  Element element = MakeElement(tag.id, tag.name_hash, tag.raw_name.size(), name_space);
  if (name_space == Namespace::kMathMl && tag.id == kAnnotationXml &&
      (ValueIs(tag, AttrId::kEncoding, "text/html") ||
       ValueIs(tag, AttrId::kEncoding, "application/xhtml+xml"))) {
    element.traits |= kHtmlPoint;
  }
  Push(element);
}

void TreeTracker::MergeAttributes(const Tag& tag) {
  if (!InTemplate()) InsertVoid(tag);
}

bool TreeTracker::StartBeforeHtml(const Tag& tag) {
  SetMode(Mode::kBeforeHead);
  if (tag.id == kHtml) {
    Insert(tag);
    return false;
  }
  PushImplied(kHtml);
  return true;
}

bool TreeTracker::StartBeforeHead(const Tag& tag) {
  if (tag.id == kHtml) return StartInBody(tag);
  has_head_ = true;
  SetMode(Mode::kInHead);
  if (tag.id == kHead) {
    Insert(tag);
    return false;
  }
  PushImplied(kHead);
  return true;
}

bool TreeTracker::StartInHead(const Tag& tag) {
  switch (tag.id) {
    case kHtml:
      return StartInBody(tag);
    case kBase:
    case kBasefont:
    case kBgsound:
    case kLink:
    case kMeta:
      InsertVoid(tag);
      return false;
    case kTitle:
      InsertRaw(tag, TextMode::kRcdata);
      return false;
    case kNoframes:
    case kStyle:
      InsertRaw(tag, TextMode::kRawtext);
      return false;
    case kNoscript:
      if (scripting_) {
        InsertRaw(tag, TextMode::kRawtext);
      } else {
        Insert(tag);
        SetMode(Mode::kInHeadNoscript);
      }
      return false;
    case kScript:
      InsertRaw(tag, TextMode::kScript);
      return false;
    case kTemplate:
      Insert(tag);
      PushMarker();
      SetFramesetNotOk();
      SetMode(Mode::kInTemplate);
      template_modes_.push_back(Mode::kInTemplate);
      return false;
    case kHead:
      return false;
    default:
      Pop();
      SetMode(Mode::kAfterHead);
      return true;
  }
}

bool TreeTracker::StartInHeadNoscript(const Tag& tag) {
  switch (tag.id) {
    case kHtml:
      return StartInBody(tag);
    case kBasefont:
    case kBgsound:
    case kLink:
    case kMeta:
    case kNoframes:
    case kStyle:
      return StartInHead(tag);
    case kHead:
    case kNoscript:
      return false;
    default:
      Pop();
      SetMode(Mode::kInHead);
      return true;
  }
}

bool TreeTracker::StartAfterHead(const Tag& tag) {
  switch (tag.id) {
    case kHtml:
      return StartInBody(tag);
    case kBody:
      Insert(tag);
      SetFramesetNotOk();
      SetMode(Mode::kInBody);
      return false;
    case kFrameset:
      Insert(tag);
      SetMode(Mode::kInFrameset);
      return false;
    case kHead:
      return false;
    default:
      break;
  }
  if (At(kStartRules, tag.id) == StartRule::kHeadContent) return StartInHead(tag);
  PushImplied(kBody);
  SetMode(Mode::kInBody);
  return true;
}

bool TreeTracker::StartInBody(const Tag& tag) {
  switch (At(kStartRules, tag.id)) {
    case StartRule::kOrdinary:
      Reconstruct();
      Insert(tag);
      return false;
    case StartRule::kHtml:
      MergeAttributes(tag);
      return false;
    case StartRule::kHeadContent:
      return StartInHead(tag);
    case StartRule::kBody:
      if (depth_ < 2 || open_[1].id != kBody) return false;
      SetFramesetNotOk();
      MergeAttributes(tag);
      return false;
    case StartRule::kFrameset:
      StartFrameset(tag);
      return false;
    case StartRule::kBlock:
      ClosePInButtonScope();
      Insert(tag);
      return false;
    case StartRule::kHeading:
      ClosePInButtonScope();
      if ((Current().traits & kHeading) != 0) Pop();
      Insert(tag);
      return false;
    case StartRule::kPre:
      ClosePInButtonScope();
      Insert(tag);
      SetFramesetNotOk();
      return false;
    case StartRule::kForm:
      if (form_serial_ != 0 && !InTemplate()) return false;
      ClosePInButtonScope();
      Insert(tag);
      if (!InTemplate()) form_serial_ = Current().serial;
      return false;
    case StartRule::kListItem:
      StartListItem(tag);
      return false;
    case StartRule::kPlaintext:
      ClosePInButtonScope();
      Insert(tag);
      placement_.text = TextMode::kPlaintext;
      return false;
    case StartRule::kButton:
      if (InScope(kButton, kEndsScope)) {
        GenerateImpliedEndTags(kUnknown);
        PopUntil(kButton);
      }
      Reconstruct();
      Insert(tag);
      SetFramesetNotOk();
      return false;
    case StartRule::kAnchor:
      StartAnchor(tag);
      return false;
    case StartRule::kFormatting:
      Reconstruct();
      InsertFormatting(tag);
      return false;
    case StartRule::kNobr:
      Reconstruct();
      if (InScope(kNobr, kEndsScope)) {
        AdoptionAgency(kNobr, tag.name_hash);
        Reconstruct();
      }
      InsertFormatting(tag);
      return false;
    case StartRule::kObject:
      Reconstruct();
      Insert(tag);
      PushMarker();
      SetFramesetNotOk();
      return false;
    case StartRule::kTable:
      ClosePInButtonScope();
      Insert(tag);
      SetFramesetNotOk();
      SetMode(Mode::kInTable);
      return false;
    case StartRule::kVoid:
      Reconstruct();
      InsertVoid(tag);
      SetFramesetNotOk();
      return false;
    case StartRule::kInput:
      if (InScope(kSelect, kEndsScope)) PopUntil(kSelect);
      Reconstruct();
      InsertVoid(tag);
      if (!IsHiddenInput(tag)) SetFramesetNotOk();
      return false;
    case StartRule::kQuietVoid:
      InsertVoid(tag);
      return false;
    case StartRule::kHr:
      ClosePInButtonScope();
      if (InScope(kSelect, kEndsScope)) GenerateImpliedEndTags(kUnknown);
      InsertVoid(tag);
      SetFramesetNotOk();
      return false;
    case StartRule::kImage:
      Reconstruct();
      InsertVoid(tag);
      placement_.id = kImg;
      SetFramesetNotOk();
      return false;
    case StartRule::kTextarea:
      InsertRaw(tag, TextMode::kRcdata);
      SetFramesetNotOk();
      return false;
    case StartRule::kXmp:
      ClosePInButtonScope();
      Reconstruct();
      SetFramesetNotOk();
      InsertRaw(tag, TextMode::kRawtext);
      return false;
    case StartRule::kIframe:
      SetFramesetNotOk();
      InsertRaw(tag, TextMode::kRawtext);
      return false;
    case StartRule::kNoembed:
      InsertRaw(tag, TextMode::kRawtext);
      return false;
    case StartRule::kNoscript:
      if (scripting_) {
        InsertRaw(tag, TextMode::kRawtext);
      } else {
        Reconstruct();
        Insert(tag);
      }
      return false;
    case StartRule::kSelect:
      if (InScope(kSelect, kEndsScope)) {
        PopUntil(kSelect);
        return false;
      }
      Reconstruct();
      Insert(tag);
      SetFramesetNotOk();
      return false;
    case StartRule::kOption:
      StartOption(tag);
      return false;
    case StartRule::kRubyBase:
      if (InScope(kRuby, kEndsScope)) GenerateImpliedEndTags(kUnknown);
      Insert(tag);
      return false;
    case StartRule::kRubyText:
      if (InScope(kRuby, kEndsScope)) GenerateImpliedEndTags(kRtc);
      Insert(tag);
      return false;
    case StartRule::kMath:
      Reconstruct();
      InsertForeign(tag, Namespace::kMathMl);
      return false;
    case StartRule::kSvg:
      Reconstruct();
      InsertForeign(tag, Namespace::kSvg);
      return false;
    case StartRule::kIgnored:
      return false;
  }
  return false;
}

void TreeTracker::StartFrameset(const Tag& tag) {
  if (depth_ < 2 || open_[1].id != kBody || !frameset_ok_) return;
  PopThrough(1);
  ++bodies_dropped_;
  Insert(tag);
  SetMode(Mode::kInFrameset);
}

void TreeTracker::StartListItem(const Tag& tag) {
  SetFramesetNotOk();
  const auto closes = [&](const Element& element) {
    if (element.name_space != Namespace::kHtml) return false;
    return tag.id == kLi ? element.id == kLi : element.id == kDd || element.id == kDt;
  };
  for (std::size_t i = depth_; i-- > 0;) {
    if (closes(open_[i])) {
      const TagId id = open_[i].id;
      GenerateImpliedEndTags(id);
      PopUntil(id);
      break;
    }
    const bool passed = open_[i].name_space == Namespace::kHtml &&
                        (open_[i].id == kAddress || open_[i].id == kDiv || open_[i].id == kP);
    if ((open_[i].traits & kSpecial) != 0 && !passed) break;
  }
  ClosePInButtonScope();
  Insert(tag);
}

void TreeTracker::StartAnchor(const Tag& tag) {
  const std::size_t entry = FindFormatting(kA);
  if (entry < formatting_.size()) {
    const std::uint32_t serial = formatting_[entry].serial;
    AdoptionAgency(kA, tag.name_hash);
    const std::size_t open = FindOpenSerial(serial);
    if (open < depth_) Erase(open);
    const std::size_t left = FindFormattingSerial(serial);
    if (left < formatting_.size()) {
      formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(left));
    }
  }
  Reconstruct();
  InsertFormatting(tag);
}

void TreeTracker::StartOption(const Tag& tag) {
  if (InScope(kSelect, kEndsScope)) {
    GenerateImpliedEndTags(tag.id == kOption ? kOptgroup : kUnknown);
  } else if (CurrentIs(kOption)) {
    Pop();
  }
  Reconstruct();
  Insert(tag);
}

bool TreeTracker::StartInTemplate(const Tag& tag) {
  if (At(kStartRules, tag.id) == StartRule::kHeadContent) return StartInHead(tag);
  Mode mode = Mode::kInBody;
  switch (tag.id) {
    case kCaption:
    case kColgroup:
    case kTbody:
    case kTfoot:
    case kThead:
      mode = Mode::kInTable;
      break;
    case kCol:
      mode = Mode::kInColumnGroup;
      break;
    case kTr:
      mode = Mode::kInTableBody;
      break;
    case kTd:
    case kTh:
      mode = Mode::kInRow;
      break;
    default:
      break;
  }
  template_modes_.back() = mode;
  SetMode(mode);
  return true;
}

bool TreeTracker::StartInFrameset(const Tag& tag) {
  if (tag.id == kHtml) return StartInBody(tag);
  if (tag.id == kNoframes) return StartInHead(tag);
  if (mode_ != Mode::kInFrameset) return false;
  if (tag.id == kFrameset) Insert(tag);
  if (tag.id == kFrame) InsertVoid(tag);
  return false;
}

bool TreeTracker::StartInForeign(const Tag& tag) {
  const bool font_breaks_out =
      tag.id == kFont && (tag.attributes.Has(AttrId::kColor) || tag.attributes.Has(AttrId::kFace) ||
                          tag.attributes.Has(AttrId::kSize));
  if (At(kBreaksOut, tag.id) || font_breaks_out) {
    PopForeign();
    return true;
  }
  InsertForeign(tag, Current().name_space);
  return false;
}

void TreeTracker::SlowText(std::string_view text) {
  ProcessText(text);
  FindObstacles();
}

void TreeTracker::ProcessText(std::string_view text) {
  const bool blank = IsBlankText(text);
  if (InForeignContent() && (Current().traits & (kHtmlPoint | kMathTextPoint)) == 0) {
    if (!blank) SetFramesetNotOk();
    return;
  }
  if (blank) {
    if (mode_ == Mode::kInBody || mode_ == Mode::kInCell || mode_ == Mode::kInCaption ||
        mode_ == Mode::kInTemplate) {
      Reconstruct();
    }
    return;
  }
  // Content before the body opens the body.
  if (mode_ == Mode::kBeforeHtml) PushImplied(kHtml);
  if (mode_ == Mode::kBeforeHtml || mode_ == Mode::kBeforeHead) {
    has_head_ = true;
    SetMode(Mode::kAfterHead);
  }
  if (mode_ == Mode::kInHeadNoscript) {
    Pop();
    SetMode(Mode::kInHead);
  }
  if (mode_ == Mode::kInHead) {
    Pop();
    SetMode(Mode::kAfterHead);
  }
  if (mode_ == Mode::kAfterHead) {
    PushImplied(kBody);
    SetMode(Mode::kInBody);
  }
  if (mode_ == Mode::kInFrameset || mode_ == Mode::kAfterFrameset ||
      mode_ == Mode::kAfterAfterFrameset) {
    return;
  }
  if (mode_ == Mode::kAfterBody || mode_ == Mode::kAfterAfterBody) SetMode(Mode::kInBody);
  if (mode_ == Mode::kInColumnGroup) {
    if (!CurrentIs(kColgroup)) return;
    Pop();
    SetMode(Mode::kInTable);
  }
  Reconstruct();
  SetFramesetNotOk();
}

}  // namespace crawler
