// Tags inside tables.
#include "parse/tree_rules.hpp"
#include "parse/tree_tracker.hpp"

namespace crawler {

using namespace tree_rules;
using enum TagId;

bool TreeTracker::StartInTable(const Tag& tag) {
  switch (tag.id) {
    case kCaption:
      ClearBackTo(kTable, kTable, kTable);
      PushMarker();
      Insert(tag);
      SetMode(Mode::kInCaption);
      return false;
    case kColgroup:
      ClearBackTo(kTable, kTable, kTable);
      Insert(tag);
      SetMode(Mode::kInColumnGroup);
      return false;
    case kCol:
      ClearBackTo(kTable, kTable, kTable);
      PushImplied(kColgroup);
      SetMode(Mode::kInColumnGroup);
      return true;
    case kTbody:
    case kTfoot:
    case kThead:
      ClearBackTo(kTable, kTable, kTable);
      Insert(tag);
      SetMode(Mode::kInTableBody);
      return false;
    case kTd:
    case kTh:
    case kTr:
      ClearBackTo(kTable, kTable, kTable);
      PushImplied(kTbody);
      SetMode(Mode::kInTableBody);
      return true;
    case kTable:
      if (!InScope(kTable, kEndsTableScope)) return false;
      PopUntil(kTable);
      ResetMode();
      return true;
    case kStyle:
    case kScript:
    case kTemplate:
      return StartInHead(tag);
    case kInput:
      if (!IsHiddenInput(tag)) return StartInBody(tag);
      InsertVoid(tag);
      return false;
    case kForm:
      if (InTemplate() || form_serial_ != 0) return false;
      InsertVoid(tag);
      form_serial_ = next_serial_++;  // It is closed at once, but remembered.
      return false;
    default:
      return StartInBody(tag);
  }
}

bool TreeTracker::StartInCaption(const Tag& tag) {
  if (!IsTablePart(tag.id)) return StartInBody(tag);
  return EndInCaption(tag);
}

bool TreeTracker::StartInColumnGroup(const Tag& tag) {
  switch (tag.id) {
    case kHtml:
      return StartInBody(tag);
    case kCol:
      InsertVoid(tag);
      return false;
    case kTemplate:
      return StartInHead(tag);
    default:
      if (!CurrentIs(kColgroup)) return false;
      Pop();
      SetMode(Mode::kInTable);
      return true;
  }
}

bool TreeTracker::StartInTableBody(const Tag& tag) {
  switch (tag.id) {
    case kTr:
      ClearBackTo(kTbody, kTfoot, kThead);
      Insert(tag);
      SetMode(Mode::kInRow);
      return false;
    case kTh:
    case kTd:
      ClearBackTo(kTbody, kTfoot, kThead);
      PushImplied(kTr);
      SetMode(Mode::kInRow);
      return true;
    case kCaption:
    case kCol:
    case kColgroup:
    case kTbody:
    case kTfoot:
    case kThead:
      if (!InScope(kTbody, kEndsTableScope) && !InScope(kThead, kEndsTableScope) &&
          !InScope(kTfoot, kEndsTableScope)) {
        return false;
      }
      ClearBackTo(kTbody, kTfoot, kThead);
      Pop();
      SetMode(Mode::kInTable);
      return true;
    default:
      return StartInTable(tag);
  }
}

bool TreeTracker::StartInRow(const Tag& tag) {
  switch (tag.id) {
    case kTh:
    case kTd:
      ClearBackTo(kTr, kTr, kTr);
      Insert(tag);
      SetMode(Mode::kInCell);
      PushMarker();
      return false;
    case kCaption:
    case kCol:
    case kColgroup:
    case kTbody:
    case kTfoot:
    case kThead:
    case kTr:
      if (!InScope(kTr, kEndsTableScope)) return false;
      ClearBackTo(kTr, kTr, kTr);
      Pop();
      SetMode(Mode::kInTableBody);
      return true;
    default:
      return StartInTable(tag);
  }
}

bool TreeTracker::StartInCell(const Tag& tag) {
  if (!IsTablePart(tag.id)) return StartInBody(tag);
  if (!InScope(kTd, kEndsTableScope) && !InScope(kTh, kEndsTableScope)) return false;
  CloseCell();
  return true;
}

bool TreeTracker::EndInTable(const Tag& tag) {
  switch (tag.id) {
    case kTable:
      if (!InScope(kTable, kEndsTableScope)) return false;
      PopUntil(kTable);
      ResetMode();
      return false;
    case kBody:
    case kHtml:
      return false;
    default:
      return IsTablePart(tag.id) ? false : EndInBody(tag);
  }
}

// Ends the caption, for its own end tag and for what cannot be inside one.
bool TreeTracker::EndInCaption(const Tag& tag) {
  if (!InScope(kCaption, kEndsTableScope)) return false;
  GenerateImpliedEndTags(kUnknown);
  PopUntil(kCaption);
  ClearToMarker();
  SetMode(Mode::kInTable);
  return tag.id != kCaption;
}

bool TreeTracker::EndInColumnGroup(const Tag& tag) {
  if (tag.id == kTemplate) EndTemplate();
  if (tag.id == kTemplate || tag.id == kCol || !CurrentIs(kColgroup)) return false;
  Pop();
  SetMode(Mode::kInTable);
  return tag.id != kColgroup;
}

bool TreeTracker::EndInTableBody(const Tag& tag) {
  switch (tag.id) {
    case kTbody:
    case kTfoot:
    case kThead:
      if (!InScope(tag.id, kEndsTableScope)) return false;
      break;
    case kTable:
      if (!InScope(kTbody, kEndsTableScope) && !InScope(kThead, kEndsTableScope) &&
          !InScope(kTfoot, kEndsTableScope)) {
        return false;
      }
      break;
    case kTd:
    case kTh:
    case kTr:
      return false;
    default:
      return EndInTable(tag);
  }
  ClearBackTo(kTbody, kTfoot, kThead);
  Pop();
  SetMode(Mode::kInTable);
  return tag.id == kTable;
}

bool TreeTracker::EndInRow(const Tag& tag) {
  switch (tag.id) {
    case kTbody:
    case kTfoot:
    case kThead:
      if (!InScope(tag.id, kEndsTableScope)) return false;
      break;
    case kTr:
    case kTable:
      break;
    case kTd:
    case kTh:
      return false;
    default:
      return EndInTable(tag);
  }
  if (!InScope(kTr, kEndsTableScope)) return false;
  ClearBackTo(kTr, kTr, kTr);
  Pop();
  SetMode(Mode::kInTableBody);
  return tag.id != kTr;
}

bool TreeTracker::EndInCell(const Tag& tag) {
  switch (tag.id) {
    case kTd:
    case kTh:
      if (!InScope(tag.id, kEndsTableScope)) return false;
      GenerateImpliedEndTags(kUnknown);
      PopUntil(tag.id);
      ClearToMarker();
      SetMode(Mode::kInRow);
      return false;
    case kTable:
    case kTbody:
    case kTfoot:
    case kThead:
    case kTr:
      if (!InScope(tag.id, kEndsTableScope)) return false;
      CloseCell();
      return true;
    case kBody:
    case kCaption:
    case kCol:
    case kColgroup:
    case kHtml:
      return false;
    default:
      return EndInBody(tag);
  }
}

}  // namespace crawler
