// The stack of open elements and the list of active formatting elements.
#include <algorithm>
#include <string>

#include "parse/tree_rules.hpp"
#include "parse/tree_tracker.hpp"

namespace crawler {

using namespace tree_rules;

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
// How many formatting elements with the same name and attributes the standard keeps.
constexpr std::size_t kMaxEqual = 3;
// Attributes that count when two formatting elements are compared.
constexpr std::size_t kMaxComparedAttributes = 32;

std::uint64_t HashBytes(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// The same for the same attributes in any order.
std::uint64_t HashAttributes(std::string_view raw) {
  const Scanner scanner(Isa::kPortable);
  std::array<std::uint64_t, kMaxComparedAttributes> names;
  std::size_t count = 0;
  std::uint64_t sum = 0;
  std::string value;
  bool self_closing = false;
  ParseAttributes(scanner, raw.data(), raw.data() + raw.size(), &self_closing,
                  [&](const NameKey& key, const Attribute& attribute) {
                    const std::uint64_t name = key.Hash();
                    if (count == names.size() || std::find(names.begin(), names.begin() + count,
                                                           name) != names.begin() + count) {
                      return;
                    }
                    names[count++] = name;
                    value.clear();
                    AppendDecoded(attribute.raw_value, true, &value);
                    sum += HashBytes(value, name | 1) * 0x9e3779b97f4a7c15u;
                  });
  return sum;
}

std::uint16_t TraitsOf(TagId id, Namespace name_space) {
  if (name_space == Namespace::kHtml) return At(kHtmlTraits, id);
  return name_space == Namespace::kSvg ? At(kSvgTraits, id) : At(kMathTraits, id);
}

}  // namespace

void TreeTracker::Reset() {
  frameset_ok_ = true;
  has_head_ = false;
  SetMode(Mode::kBeforeHtml);
  form_serial_ = 0;
  next_serial_ = 1;
  hidden_ = 0;
  bodies_dropped_ = 0;
  depth_ = 0;
  formatting_.clear();
  template_modes_.clear();
  open_count_.fill(0);
  placement_ = {};
  FindObstacles();
}

void TreeTracker::FindObstacles() {
  const bool in_content =
      mode_ >= Mode::kInBody && mode_ <= Mode::kInTemplate && mode_ != Mode::kInColumnGroup;
  const bool in_body =
      mode_ == Mode::kInBody || mode_ == Mode::kInCell || mode_ == Mode::kInCaption;
  unsigned obstacles = kAlwaysInTheWay;
  if (!in_body) obstacles |= kStartsElsewhere;
  if (!in_content || mode_ == Mode::kInTemplate) obstacles |= kEndsElsewhere;
  if (!in_content || frameset_ok_) obstacles |= kTextElsewhere;
  if (hidden_ != 0) obstacles |= kStartsElsewhere | kEndsElsewhere | kTextElsewhere;
  if (frameset_ok_) obstacles |= kFramesetOk;
  if (NeedsReconstruction()) obstacles |= kMustReconstruct;
  obstacles_ = static_cast<std::uint8_t>(obstacles);
}

void TreeTracker::SetFramesetNotOk() { frameset_ok_ = false; }

TreeTracker::Element TreeTracker::MakeElement(TagId id, std::uint64_t name_hash,
                                              std::size_t name_size, Namespace name_space) {
  return {.name_hash = name_hash,
          .serial = next_serial_++,
          .traits = TraitsOf(id, name_space),
          .entry = 0,
          .id = id,
          .name_space = name_space,
          .name_size = ShortSize(name_size),
          .formatting = false};
}

void TreeTracker::PushImplied(TagId id) {
  const std::string_view name = TagName(id);
  Push(MakeElement(id, MakeNameKey(name).Hash(), name.size(), Namespace::kHtml));
}

void TreeTracker::Erase(std::size_t index) {
  Leave(open_[index]);
  std::copy(open_.begin() + index + 1, open_.begin() + depth_, open_.begin() + index);
  --depth_;
}

void TreeTracker::MarkNotOpen(const Element& element) {
  std::size_t entry = element.entry;
  if (entry >= formatting_.size() || formatting_[entry].serial != element.serial) {
    entry = FindFormattingSerial(element.serial);
  }
  if (entry != kNone) formatting_[entry].open = false;
}

void TreeTracker::PopUntil(TagId id) {
  while (depth_ > 1) {
    const bool found = CurrentIs(id);
    Pop();
    if (found) return;
  }
}

void TreeTracker::PopThrough(std::size_t index) {
  while (depth_ > std::max<std::size_t>(index, 1)) Pop();
}

void TreeTracker::ClearBackTo(TagId a, TagId b, TagId c) {
  while (depth_ > 1 && !CurrentIs(a) && !CurrentIs(b) && !CurrentIs(c) &&
         !CurrentIs(TagId::kTemplate)) {
    Pop();
  }
}

bool TreeTracker::InScope(TagId id, unsigned scope) const {
  if (CountOpen(id) == 0) return false;
  for (std::size_t i = depth_; i-- > 0;) {
    const Element& element = open_[i];
    if (element.id == id && element.name_space == Namespace::kHtml) return true;
    if ((element.traits & scope) != 0) return false;
  }
  return false;
}

bool TreeTracker::AnyHeadingInScope() const {
  for (std::size_t i = depth_; i-- > 0;) {
    if ((open_[i].traits & kHeading) != 0) return true;
    if ((open_[i].traits & kDefaultScope) != 0) return false;
  }
  return false;
}

void TreeTracker::GenerateImpliedEndTags(TagId except, bool thoroughly) {
  const unsigned mask = thoroughly ? kImpliedThorough : kImpliedEnd;
  while (depth_ > 1 && (Current().traits & mask) != 0 && Current().id != except) Pop();
}

void TreeTracker::ClosePInButtonScope() {
  if (CountOpen(TagId::kP) == 0) return;
  if (!InScope(TagId::kP, kEndsButtonScope)) return;
  GenerateImpliedEndTags(TagId::kP);
  PopUntil(TagId::kP);
}

void TreeTracker::CloseCell() {
  GenerateImpliedEndTags(TagId::kUnknown);
  while (depth_ > 1) {
    const bool found = CurrentIs(TagId::kTd) || CurrentIs(TagId::kTh);
    Pop();
    if (found) break;
  }
  ClearToMarker();
  SetMode(Mode::kInRow);
}

void TreeTracker::PopForeign() {
  while (depth_ > 1 && Current().name_space != Namespace::kHtml &&
         (Current().traits & (kHtmlPoint | kMathTextPoint)) == 0) {
    Pop();
  }
}

void TreeTracker::ResetMode() {
  using enum TagId;
  for (std::size_t i = depth_; i-- > 0;) {
    if (open_[i].name_space != Namespace::kHtml) continue;
    switch (open_[i].id) {
      case kTd:
      case kTh:
        return SetMode(Mode::kInCell);
      case kTr:
        return SetMode(Mode::kInRow);
      case kTbody:
      case kThead:
      case kTfoot:
        return SetMode(Mode::kInTableBody);
      case kCaption:
        return SetMode(Mode::kInCaption);
      case kColgroup:
        return SetMode(Mode::kInColumnGroup);
      case kTable:
        return SetMode(Mode::kInTable);
      case kTemplate:
        return SetMode(template_modes_.empty() ? Mode::kInBody : template_modes_.back());
      case kHead:
        return SetMode(Mode::kInHead);
      case kBody:
        return SetMode(Mode::kInBody);
      case kFrameset:
        return SetMode(Mode::kInFrameset);
      case kHtml:
        return SetMode(has_head_ ? Mode::kAfterHead : Mode::kBeforeHead);
      default:
        break;
    }
  }
  SetMode(Mode::kInBody);
}

void TreeTracker::SlowReconstruct() {
  // Back to the last entry that is a marker or still open; then open all behind it again.
  std::size_t i = formatting_.size();
  while (i > 0 && formatting_[i - 1].serial != 0 && !formatting_[i - 1].open) --i;
  for (; i < formatting_.size(); ++i) {
    Element element = MakeElement(formatting_[i].id, formatting_[i].name_hash,
                                  formatting_[i].name_size, Namespace::kHtml);
    element.formatting = true;
    element.entry = static_cast<std::uint16_t>(i);
    formatting_[i].serial = element.serial;
    Push(element);
    formatting_[i].open = true;
  }
}

void TreeTracker::InsertFormatting(const Tag& tag) {
  Insert(tag);
  AddFormatting(tag);
}

// Enters the current node, made by `tag`, into the list.
void TreeTracker::AddFormatting(const Tag& tag) {
  Element& element = open_[depth_ - 1];
  element.formatting = true;
  Formatting& entry = formatting_.emplace_back();
  entry.serial = element.serial;
  entry.id = tag.id;
  entry.name_size = element.name_size;
  entry.open = true;
  entry.name_hash = tag.name_hash;
  entry.raw_attributes = tag.raw_attributes;
  if (formatting_.size() > kMaxEqual) LimitFormatting();
  element.entry = static_cast<std::uint16_t>(formatting_.size() - 1);
}

// With nothing to reconstruct, and unless an <a> is in the list, an <a> is as the others.
bool TreeTracker::StartFormattingSimply(const Tag& tag) {
  if (tag.id == TagId::kA && FindFormatting(TagId::kA) != kNone) return false;
  PushSimply(tag);
  AddFormatting(tag);
  return true;
}

// Makes room for the last entry: of the entries behind the last marker at most kMaxEqual may be
// equal, it included, and of all there may be kMaxFormatting. The earliest one goes.
void TreeTracker::LimitFormatting() {
  const auto remove = [this](std::size_t index) {
    const std::size_t open = FindOpenSerial(formatting_[index].serial);
    if (formatting_[index].serial != 0 && open != kNone) open_[open].formatting = false;
    formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(index));
  };
  if (formatting_.size() > kMaxFormatting) remove(0);
  const auto hash = [](Formatting* entry) {
    if (!entry->hashed) entry->attributes_hash = HashAttributes(entry->raw_attributes);
    entry->hashed = true;
    return entry->attributes_hash;
  };
  Formatting& added = formatting_.back();
  std::size_t same_name = 0;
  for (std::size_t i = formatting_.size() - 1; i-- > 0 && formatting_[i].serial != 0;) {
    same_name += formatting_[i].id == added.id;
  }
  if (same_name < kMaxEqual) return;
  std::size_t equal = 0, earliest = 0;
  for (std::size_t i = formatting_.size() - 1; i-- > 0 && formatting_[i].serial != 0;) {
    if (formatting_[i].id != added.id || hash(&formatting_[i]) != hash(&added)) continue;
    ++equal;
    earliest = i;
  }
  if (equal >= kMaxEqual) remove(earliest);
}

void TreeTracker::ClearToMarker() {
  while (!formatting_.empty()) {
    const Formatting entry = formatting_.back();
    formatting_.pop_back();
    if (entry.serial == 0) return;
    const std::size_t open = entry.open ? FindOpenSerial(entry.serial) : kNone;
    if (open != kNone) open_[open].formatting = false;
  }
}

std::size_t TreeTracker::FindFormatting(TagId id) const {
  for (std::size_t i = formatting_.size(); i-- > 0 && formatting_[i].serial != 0;) {
    if (formatting_[i].id == id) return i;
  }
  return kNone;
}

std::size_t TreeTracker::FindFormattingSerial(std::uint32_t serial) const {
  for (std::size_t i = formatting_.size(); i-- > 0;) {
    if (formatting_[i].serial == serial) return i;
  }
  return kNone;
}

std::size_t TreeTracker::FindOpenSerial(std::uint32_t serial) const {
  for (std::size_t i = depth_; i-- > 0;) {
    if (open_[i].serial == serial) return i;
  }
  return kNone;
}

// The end tag of a formatting element (or an <a> inside an <a>).
void TreeTracker::AdoptionAgency(TagId id, std::uint64_t name_hash) {
  if (CurrentIs(id)) {
    if (!Current().formatting) return Pop();
    if (formatting_.back().serial == Current().serial) return PopFormatting();
  }
  for (int i = 0; i < 8; ++i) {
    const std::size_t entry = FindFormatting(id);
    if (entry == kNone) return EndOther(id, name_hash);
    if (!formatting_[entry].open) {
      formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(entry));
      return;
    }
    const std::size_t open = FindOpenSerial(formatting_[entry].serial);
    for (std::size_t above = depth_; --above > open;) {
      if ((open_[above].traits & kDefaultScope) != 0) return;
    }
    if (!AdoptOnce(entry, open)) return;
  }
}

// One turn of the outer loop; false when the formatting element is gone.
bool TreeTracker::AdoptOnce(std::size_t entry, std::size_t open) {
  std::size_t block = open + 1;  // The furthest block.
  while (block < depth_ && (open_[block].traits & kSpecial) == 0) ++block;
  if (block == depth_) {
    open_[open].formatting = false;
    PopThrough(open);
    formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(entry));
    return false;
  }
  std::size_t bookmark = entry;
  bool last_is_block = true;
  int inner = 0;
  for (std::size_t node = block; --node > open;) {
    ++inner;
    if (open_[node].formatting && inner > 3) {
      const std::size_t dropped = FindFormattingSerial(open_[node].serial);
      formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(dropped));
      open_[node].formatting = false;
      if (dropped < entry) --entry;
      if (dropped < bookmark) --bookmark;
    }
    if (!open_[node].formatting) {
      Erase(node);
      --block;
      continue;
    }
    if (last_is_block) bookmark = FindFormattingSerial(open_[node].serial) + 1;
    last_is_block = false;
  }
  // The formatting element leaves its places; a new one like it goes below the furthest block.
  Element clone = open_[open];
  clone.serial = next_serial_++;
  Formatting moved = formatting_[entry];
  moved.serial = clone.serial;
  formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(entry));
  if (entry < bookmark) --bookmark;
  formatting_.insert(formatting_.begin() + static_cast<std::ptrdiff_t>(bookmark), moved);
  std::rotate(open_.begin() + static_cast<std::ptrdiff_t>(open),
              open_.begin() + static_cast<std::ptrdiff_t>(open) + 1,
              open_.begin() + static_cast<std::ptrdiff_t>(block) + 1);
  open_[block] = clone;
  return true;
}

}  // namespace crawler
