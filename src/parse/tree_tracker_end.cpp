// End tags, by insertion mode.
#include "parse/tree_rules.hpp"
#include "parse/tree_tracker.hpp"

namespace crawler {

using namespace tree_rules;
using enum TagId;

void TreeTracker::EndTag(const Tag& tag) {
  while (ProcessEnd(tag)) {
  }
  FindObstacles();
}

bool TreeTracker::ProcessEnd(const Tag& tag) {
  if (InForeignContent()) return EndInForeign(tag);
  return ProcessHtmlEnd(tag);
}

bool TreeTracker::ProcessHtmlEnd(const Tag& tag) {
  switch (mode_) {
    case Mode::kBeforeHtml:
    case Mode::kBeforeHead:
    case Mode::kInHead:
    case Mode::kInHeadNoscript:
    case Mode::kAfterHead:
      return EndEarly(tag);
    case Mode::kInBody:
      return EndInBody(tag);
    case Mode::kInTable:
      return EndInTable(tag);
    case Mode::kInCaption:
      if (tag.id == kCaption || tag.id == kTable) return EndInCaption(tag);
      return IsTablePart(tag.id) || tag.id == kBody || tag.id == kHtml ? false : EndInBody(tag);
    case Mode::kInColumnGroup:
      return EndInColumnGroup(tag);
    case Mode::kInTableBody:
      return EndInTableBody(tag);
    case Mode::kInRow:
      return EndInRow(tag);
    case Mode::kInCell:
      return EndInCell(tag);
    case Mode::kInTemplate:
      if (tag.id == kTemplate) EndTemplate();
      return false;
    case Mode::kInFrameset:
      if (tag.id != kFrameset || depth_ <= 1) return false;
      Pop();
      if (!CurrentIs(kFrameset)) SetMode(Mode::kAfterFrameset);
      return false;
    case Mode::kAfterFrameset:
      if (tag.id == kHtml) SetMode(Mode::kAfterAfterFrameset);
      return false;
    case Mode::kAfterAfterFrameset:
      return false;
    case Mode::kAfterBody:
      if (tag.id == kHtml) {
        SetMode(Mode::kAfterAfterBody);
        return false;
      }
      SetMode(Mode::kInBody);
      return true;
    case Mode::kAfterAfterBody:
      SetMode(Mode::kInBody);
      return true;
  }
  return false;
}

// Before the body: few end tags mean anything; some open what comes next.
bool TreeTracker::EndEarly(const Tag& tag) {
  const bool opens = tag.id == kBody || tag.id == kHtml || tag.id == kBr;
  switch (mode_) {
    case Mode::kBeforeHtml:
      if (!opens && tag.id != kHead) return false;
      PushImplied(kHtml);
      SetMode(Mode::kBeforeHead);
      return true;
    case Mode::kBeforeHead:
      if (!opens && tag.id != kHead) return false;
      PushImplied(kHead);
      has_head_ = true;
      SetMode(Mode::kInHead);
      return true;
    case Mode::kInHeadNoscript:
      if (tag.id != kNoscript && tag.id != kBr) return false;
      Pop();
      SetMode(Mode::kInHead);
      return tag.id == kBr;
    case Mode::kInHead:
      if (tag.id == kTemplate) EndTemplate();
      if (!opens && tag.id != kHead) return false;
      Pop();
      SetMode(Mode::kAfterHead);
      return opens;
    default:
      if (tag.id == kTemplate) EndTemplate();
      if (!opens) return false;
      PushImplied(kBody);
      SetMode(Mode::kInBody);
      return true;
  }
}

bool TreeTracker::EndInBody(const Tag& tag) {
  switch (At(kEndRules, tag.id)) {
    case EndRule::kOrdinary:
      EndOther(tag.id, tag.name_hash);
      return false;
    case EndRule::kBlock:
      if (!InScope(tag.id, kEndsScope)) return false;
      GenerateImpliedEndTags(kUnknown);
      PopUntil(tag.id);
      return false;
    case EndRule::kParagraph:
      if (!InScope(kP, kEndsButtonScope)) return false;  // Makes an empty one: nothing to keep.
      GenerateImpliedEndTags(kP);
      PopUntil(kP);
      return false;
    case EndRule::kListItem:
      if (!InScope(kLi, kEndsListItemScope)) return false;
      GenerateImpliedEndTags(kLi);
      PopUntil(kLi);
      return false;
    case EndRule::kDefinition:
      if (!InScope(tag.id, kEndsScope)) return false;
      GenerateImpliedEndTags(tag.id);
      PopUntil(tag.id);
      return false;
    case EndRule::kHeading:
      if (!AnyHeadingInScope()) return false;
      GenerateImpliedEndTags(kUnknown);
      while (depth_ > 1) {
        const bool found = (Current().traits & kHeading) != 0;
        Pop();
        if (found) break;
      }
      return false;
    case EndRule::kFormatting:
      AdoptionAgency(tag.id, tag.name_hash);
      return false;
    case EndRule::kObject:
      if (!InScope(tag.id, kEndsScope)) return false;
      GenerateImpliedEndTags(kUnknown);
      PopUntil(tag.id);
      ClearToMarker();
      return false;
    case EndRule::kBody:
    case EndRule::kHtml:
      if (!InScope(kBody, kEndsScope)) return false;
      SetMode(Mode::kAfterBody);
      return tag.id == kHtml;
    case EndRule::kForm:
      EndForm();
      return false;
    case EndRule::kTemplate:
      EndTemplate();
      return false;
    case EndRule::kBr:
      Reconstruct();
      SetFramesetNotOk();
      return false;
  }
  return false;
}

void TreeTracker::EndOther(TagId id, std::uint64_t name_hash) {
  for (std::size_t i = depth_; i-- > 0;) {
    if (open_[i].name_hash == name_hash && open_[i].name_space == Namespace::kHtml) {
      GenerateImpliedEndTags(id);
      PopThrough(i);
      return;
    }
    if ((open_[i].traits & kSpecial) != 0) return;
  }
}

void TreeTracker::EndForm() {
  if (InTemplate()) {
    if (!InScope(kForm, kEndsScope)) return;
    GenerateImpliedEndTags(kUnknown);
    PopUntil(kForm);
    return;
  }
  const std::uint32_t serial = form_serial_;
  form_serial_ = 0;
  if (serial == 0) return;
  const std::size_t form = FindOpenSerial(serial);
  if (form >= depth_) return;
  for (std::size_t above = depth_; --above > form;) {
    if ((open_[above].traits & kEndsScope) != 0) return;
  }
  GenerateImpliedEndTags(kUnknown);
  Erase(form);
}

void TreeTracker::EndTemplate() {
  if (!InTemplate()) return;
  GenerateImpliedEndTags(kUnknown, /*thoroughly=*/true);
  PopUntil(kTemplate);
  ClearToMarker();
  if (!template_modes_.empty()) template_modes_.pop_back();
  ResetMode();
}

bool TreeTracker::EndInForeign(const Tag& tag) {
  if (tag.id == kBr || tag.id == kP) {
    PopForeign();
    return ProcessHtmlEnd(tag);
  }
  for (std::size_t i = depth_; i-- > 1;) {
    if (open_[i].name_space == Namespace::kHtml) break;
    if (open_[i].name_hash == tag.name_hash) {
      PopThrough(i);
      return false;
    }
  }
  return ProcessHtmlEnd(tag);
}

}  // namespace crawler
