#include "parse/document_handler.hpp"

#include <algorithm>

#include "parse/link_blocks.hpp"
#include "parse/page_values.hpp"

namespace crawler {
namespace {

// Limit for headings without an end tag, which would contain the rest of the page.
constexpr std::size_t kMaxHeadingBytes = 512;

// How an element separates text, and whether it needs more work; bits.
enum TextRole : std::uint8_t {
  kWord = static_cast<int>(TextBuilder::Separator::kSpace),   // A word of its own.
  kBlock = static_cast<int>(TextBuilder::Separator::kBreak),  // A line of its own.
  kSeparator = kWord | kBlock,
  kHasAttributes = 1 << 2,  // Or begins something.
  kHeadingRole = 1 << 3,
};

constexpr auto kRoles = [] {
  using enum TagId;
  std::array<std::uint8_t, kTagCount> roles{};
  const auto set = [&](std::uint8_t role, std::initializer_list<TagId> ids) {
    for (const TagId id : ids) roles[static_cast<std::size_t>(id)] |= role;
  };
  set(kBlock,
      {kAddress,  kArticle, kAside, kBlockquote, kBody,    kBr,     kCaption,  kCenter,     kDd,
       kDetails,  kDialog,  kDir,   kDiv,        kDl,      kDt,     kFieldset, kFigcaption, kFigure,
       kFooter,   kForm,    kH1,    kH2,         kH3,      kH4,     kH5,       kH6,         kHeader,
       kHgroup,   kHr,      kHtml,  kLi,         kListing, kMain,   kMenu,     kNav,        kOl,
       kOptgroup, kOption,  kP,     kPlaintext,  kPre,     kSearch, kSection,  kSummary,    kTable,
       kTbody,    kTfoot,   kThead, kTr,         kUl,      kXmp,    kTextarea});
  set(kWord, {kTd, kTh, kButton, kSelect, kInput, kIframe, kObject, kVideo, kAudio});
  set(kHasAttributes,
      {kA,      kAnnotationXml, kArea, kAudio, kBase,  kBlockquote, kBody,   kButton,
       kDel,    kEmbed,         kFont, kForm,  kFrame, kHtml,       kIframe, kImage,
       kImg,    kInput,         kIns,  kLink,  kMeta,  kObject,     kQ,      kScript,
       kSource, kTable,         kTd,   kTh,    kTrack, kVideo});
  set(kHeadingRole | kHasAttributes, {kH1, kH2, kH3, kH4, kH5, kH6, kDt, kDd});
  set(kHeadingRole, {kDl});  // Its end is that of the last <dt>.
  return roles;
}();

constexpr std::uint8_t RoleOf(TagId id) { return kRoles[static_cast<std::size_t>(id)]; }
constexpr TextBuilder::Separator SeparatorOf(std::uint8_t role) {
  return static_cast<TextBuilder::Separator>(role & kSeparator);
}

// Cuts `text` to `max` bytes, between characters.
std::string_view Cut(std::string_view text, std::size_t max) {
  if (text.size() <= max) return text;
  while (max > 0 && (static_cast<unsigned char>(text[max]) & 0xC0) == 0x80) --max;
  return text.substr(0, max);
}

}  // namespace

class DocumentHandler::WithExtractors {
 public:
  static constexpr bool kWantsMarkup = false;

  explicit WithExtractors(DocumentHandler& inner)
      : inner_(inner), tokenizer_(inner.scanner_, this) {
    for (const ExtractorFactory& make : inner.options_.extractors) extractors_.push_back(make());
  }

  void Run(std::string_view document) {
    ForEach([](Extractor& extractor) { extractor.Begin(); });
    tokenizer_.Run(document);
    ForEach([&](Extractor& extractor) { extractor.Finish(inner_); });
  }

  // Called by the DocumentHandler, for a tag that made an element outside of templates.
  void OnElement(const Placement& placement, const Tag& tag) {
    const StartTag start(placement.id, placement.name_space, tag, inner_.scanner_);
    ForEach([&](Extractor& extractor) { extractor.OnStartTag(start, inner_); });
  }

  // Called by the tokenizer.
  TextMode OnStartTag(const Tag& tag) { return inner_.OnOtherStartTag(tag); }
  void OnEndTag(const Tag& tag) {
    const bool visible = !inner_.tracker_.InTemplate();
    inner_.OnEndTag(tag);
    if (visible) ForEach([&](Extractor& extractor) { extractor.OnEndTag(tag.id, inner_); });
  }
  std::size_t EndSimply(std::uint64_t) { return 0; }
  void OnText(std::string_view text) {
    if (inner_.WantsRawText()) inner_.OnText(text);
    if (inner_.tracker_.InTemplate()) return;
    ForEach([&](Extractor& extractor) { extractor.OnText(text, inner_); });
  }
  bool WantsRawText() const { return true; }
  bool InForeignContent() const { return inner_.InForeignContent(); }

 private:
  template <typename Call>
  void ForEach(Call call) {
    for (const std::unique_ptr<Extractor>& extractor : extractors_) call(*extractor);
  }

  DocumentHandler& inner_;
  Tokenizer<WithExtractors> tokenizer_;
  std::vector<std::unique_ptr<Extractor>> extractors_;
};

DocumentHandler::DocumentHandler(const ExtractOptions& options, const Scanner& scanner)
    : options_(options),
      scanner_(scanner),
      agent_(NormalizedName(options.robots_agent)),
      tokenizer_(scanner, this),
      tracker_(options.scripting),
      text_(scanner, options.max_text_bytes),
      title_(scanner, options.max_title_bytes),
      description_(scanner, options.max_title_bytes) {
  if (!options.extractors.empty()) with_extractors_ = std::make_unique<WithExtractors>(*this);
}

DocumentHandler::~DocumentHandler() = default;

void DocumentHandler::Read(std::string_view document, Page* page) {
  Reset(document, page);
  if (with_extractors_ == nullptr) {
    tokenizer_.Run(document);
  } else {
    with_extractors_->Run(document);
  }
  CloseAnchor();
  CloseHeading();
  page_->text.assign(text_.view());
  MarkLinkBlocks();
  page_->text_truncated = text_.truncated();
  page_->title.assign(title_.view());
}

void DocumentHandler::Reset(std::string_view document, Page* page) {
  document_ = document;
  page_ = page;
  tracker_.Reset();
  text_.Clear(document);
  title_.Clear(document);
  raw_text_ = RawText::kNone;
  has_title_ = has_base_ = has_html_lang_ = has_og_description_ = false;
  bodies_dropped_ = 0;
  open_anchor_ = kNoAnchor;
  open_heading_ = kNoHeading;
  base_href_.clear();
  links_.clear();
  relations_.clear();
  arena_.clear();
}

// Inlined into the tokenizer's loop, as the three below that begin with the simple cases.
inline TextMode DocumentHandler::OnStartTag(const Tag& tag) {
  if (!tracker_.StartSimply(tag)) return OnOtherStartTag(tag);
  const std::uint8_t role = RoleOf(tag.id);
  text_.Separate(SeparatorOf(role));
  if ((role & kHasAttributes) != 0) HtmlElement(tag.id, tag);
  return TextMode::kData;
}

TextMode DocumentHandler::OnOtherStartTag(const Tag& tag) {
  const Placement placement = tracker_.StartTag(tag);
  if (!placement.inserted) return placement.text;
  if (tracker_.bodies_dropped() != bodies_dropped_) DropBody();
  const std::uint8_t role = RoleOf(placement.id);
  if (tracker_.TextIsVisible()) text_.Separate(SeparatorOf(role));
  if (placement.text != TextMode::kData) EnterRawText(placement.id);
  if ((role & kHasAttributes) != 0 && !tracker_.InTemplate()) {
    if (placement.name_space == Namespace::kHtml) HtmlElement(placement.id, tag);
    if (placement.name_space == Namespace::kSvg) SvgElement(placement.id, tag);
  }
  if (with_extractors_ != nullptr && !tracker_.InTemplate()) {
    with_extractors_->OnElement(placement, tag);
  }
  return placement.text;
}

inline std::size_t DocumentHandler::EndSimply(std::uint64_t bytes) {
  const std::size_t size = tracker_.EndSimply(bytes);
  if (size != 0) {
    const TagId id = tracker_.LastEnded();
    const std::uint8_t role = RoleOf(id);
    text_.Separate(SeparatorOf(role));
    if (open_anchor_ != kNoAnchor) CloseAnchorAt(id);
    if ((role & kHeadingRole) != 0) CloseHeading();
  }
  return size;
}

void DocumentHandler::OnEndTag(const Tag& tag) {
  if (raw_text_ != RawText::kNone) {
    raw_text_ = RawText::kNone;
  } else {
    tracker_.EndTag(tag);
  }
  if (tracker_.TextIsVisible()) text_.Separate(SeparatorOf(RoleOf(tag.id)));
  if (open_anchor_ != kNoAnchor) CloseAnchorAt(tag.id);
  if ((RoleOf(tag.id) & kHeadingRole) != 0) CloseHeading();
}

inline void DocumentHandler::OnText(std::string_view text) {
  if (raw_text_ == RawText::kNone && tracker_.TakesTextSimply()) return text_.Append(text);
  OnOtherText(text);
}

void DocumentHandler::OnOtherText(std::string_view text) {
  if (raw_text_ == RawText::kTitle) return title_.Append(text);
  if (raw_text_ == RawText::kNone) tracker_.Text(text);
  if (tracker_.TextIsVisible()) text_.Append(text);
}

void DocumentHandler::EnterRawText(TagId id) {
  raw_text_ = RawText::kUnseen;
  if (id == TagId::kTitle && !has_title_ && !tracker_.InTemplate()) {
    has_title_ = true;
    raw_text_ = RawText::kTitle;
  }
  if (id == TagId::kTextarea || id == TagId::kXmp || id == TagId::kPlaintext) {
    raw_text_ = RawText::kVisible;
  }
}

void DocumentHandler::HtmlElement(TagId id, const Tag& tag) {
  using enum TagId;
  switch (id) {
    case kA:
      return AnchorElement(tag);
    case kArea:
      return AddLink(tag, AttrId::kHref, LinkSource::kAreaHref, RelOf(tag));
    case kLink:
      return LinkElement(tag);
    case kMeta:
      return MetaElement(tag);
    case kBase:
      return BaseElement(tag);
    case kHtml:
      return HtmlRootElement(tag);
    case kImg:
      AddLink(tag, AttrId::kSrc, LinkSource::kImgSrc);
      AddSrcset(tag, LinkSource::kImgSrcset);
      AddLink(tag, AttrId::kLongdesc, LinkSource::kImgLongdesc);
      AddLink(tag, AttrId::kDynsrc, LinkSource::kImgDynsrc);
      return AddLink(tag, AttrId::kLowsrc, LinkSource::kImgLowsrc);
    case kSource:
      AddLink(tag, AttrId::kSrc, LinkSource::kSourceSrc);
      return AddSrcset(tag, LinkSource::kSourceSrcset);
    case kScript:
      return AddLink(tag, AttrId::kSrc, LinkSource::kScriptSrc);
    case kIframe:
      AddLink(tag, AttrId::kSrc, LinkSource::kIframeSrc);
      return AddLink(tag, AttrId::kLongdesc, LinkSource::kIframeLongdesc);
    case kFrame:
      AddLink(tag, AttrId::kSrc, LinkSource::kFrameSrc);
      return AddLink(tag, AttrId::kLongdesc, LinkSource::kFrameLongdesc);
    case kForm:
      return AddLink(tag, AttrId::kAction, LinkSource::kFormAction, RelOf(tag));
    case kButton:
      return AddLink(tag, AttrId::kFormaction, LinkSource::kButtonFormaction);
    case kInput:
      AddLink(tag, AttrId::kSrc, LinkSource::kInputSrc);
      return AddLink(tag, AttrId::kFormaction, LinkSource::kInputFormaction);
    case kEmbed:
      return AddLink(tag, AttrId::kSrc, LinkSource::kEmbedSrc);
    case kObject:
      return AddLink(tag, AttrId::kData, LinkSource::kObjectData);
    case kAudio:
      return AddLink(tag, AttrId::kSrc, LinkSource::kAudioSrc);
    case kVideo:
      AddLink(tag, AttrId::kSrc, LinkSource::kVideoSrc);
      return AddLink(tag, AttrId::kPoster, LinkSource::kVideoPoster);
    case kTrack:
      return AddLink(tag, AttrId::kSrc, LinkSource::kTrackSrc);
    case kBlockquote:
      return AddLink(tag, AttrId::kCite, LinkSource::kBlockquoteCite);
    case kQ:
      return AddLink(tag, AttrId::kCite, LinkSource::kQCite);
    case kIns:
      return AddLink(tag, AttrId::kCite, LinkSource::kInsCite);
    case kDel:
      return AddLink(tag, AttrId::kCite, LinkSource::kDelCite);
    case kBody:
      return AddLink(tag, AttrId::kBackground, LinkSource::kBodyBackground);
    case kTable:
      return AddLink(tag, AttrId::kBackground, LinkSource::kTableBackground);
    case kTd:
      return AddLink(tag, AttrId::kBackground, LinkSource::kTdBackground);
    case kTh:
      return AddLink(tag, AttrId::kBackground, LinkSource::kThBackground);
    case kH1:
    case kH2:
    case kH3:
    case kH4:
    case kH5:
    case kH6:
    case kDt:
      CloseHeading();
      open_heading_ = text_.size();
      open_h1_ = tag.id == kH1;
      return;
    case kDd:  // The end tag of a <dt> is often left out.
      return CloseHeading();
    default:
      return;
  }
}

void DocumentHandler::SvgElement(TagId id, const Tag& tag) {
  switch (id) {
    case TagId::kA:
      AddLink(tag, AttrId::kHref, LinkSource::kSvgAHref, RelOf(tag));
      return AddLink(tag, AttrId::kXlinkHref, LinkSource::kSvgAXlinkHref, RelOf(tag));
    case TagId::kImage:
      AddLink(tag, AttrId::kHref, LinkSource::kSvgImageHref);
      return AddLink(tag, AttrId::kXlinkHref, LinkSource::kSvgImageXlinkHref);
    case TagId::kScript:
      AddLink(tag, AttrId::kHref, LinkSource::kSvgScriptHref);
      return AddLink(tag, AttrId::kXlinkHref, LinkSource::kSvgScriptXlinkHref);
    default:
      return;
  }
}

void DocumentHandler::AnchorElement(const Tag& tag) {
  CloseAnchor();
  const std::size_t before = links_.size();
  AddLink(tag, AttrId::kHref, LinkSource::kAHref, RelOf(tag));
  if (links_.size() == before) return;
  open_anchor_ = before;
  links_.back().text_begin = links_.back().text_end = static_cast<std::uint32_t>(text_.size());
}

void DocumentHandler::CloseAnchor() {
  if (open_anchor_ == kNoAnchor) return;
  RawLink& link = links_[open_anchor_];
  open_anchor_ = kNoAnchor;
  const PageSlice seen = SeenSince(link.text_begin, options_.max_anchor_bytes);
  link.text_begin = seen.offset;
  link.text_end = seen.offset + seen.size;
}

// The end tag of any heading ends the open heading.
void DocumentHandler::CloseHeading() {
  if (open_heading_ == kNoHeading) return;
  const PageSlice seen = SeenSince(open_heading_, kMaxHeadingBytes);
  open_heading_ = kNoHeading;
  if (seen.size == 0) return;
  page_->headings.push_back(seen);
  if (open_h1_ && page_->h1.size == 0) page_->h1 = seen;
}

// The text written since it had `begin` bytes, without the separator that was pending then.
PageSlice DocumentHandler::SeenSince(std::size_t begin, std::size_t max_bytes) const {
  const std::string_view text = text_.view();
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\n')) ++begin;
  const std::string_view seen = Cut(text.substr(begin), max_bytes);
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(seen.size())};
}

// An end tag ends the text of an anchor if it is its own or that of an element around it.
void DocumentHandler::CloseAnchorAt(TagId end_tag) {
  if (end_tag == TagId::kA || !tracker_.IsOpen(TagId::kA)) CloseAnchor();
}

void DocumentHandler::LinkElement(const Tag& tag) {
  const std::uint32_t rel = RelOf(tag);
  const std::size_t before = links_.size();
  AddLink(tag, AttrId::kHref, LinkSource::kLinkHref, rel);
  if (links_.size() == before) return;
  // In the body anyone who may comment could put a canonical; only the head is believed.
  const bool canonical = (rel & kRelCanonical) != 0 && !tracker_.TextIsVisible();
  const bool alternate = (rel & kRelAlternate) != 0 && (rel & kRelStylesheet) == 0 &&
                         relations_.size() < options_.max_alternates;
  if (!canonical && !alternate) return;
  RawRelation relation;
  relation.link = static_cast<std::uint32_t>(before);
  relation.canonical = canonical;
  relation.alternate = alternate;
  relation.hreflang = Cut(Value(tag, AttrId::kHreflang), 64);
  relation.type = Cut(Value(tag, AttrId::kType), 128);
  relations_.push_back(std::move(relation));
}

void DocumentHandler::MetaElement(const Tag& tag) {
  if (!tag.attributes.Has(AttrId::kContent)) return;
  if (tag.attributes.Has(AttrId::kHttpEquiv)) {
    const std::string_view kind = Value(tag, AttrId::kHttpEquiv);
    if (EqualsNoCase(kind, "refresh")) {
      const auto target = MetaRefreshTarget(Value(tag, AttrId::kContent));
      if (target.has_value()) AddReference(*target, false, LinkSource::kMetaContent, 0);
    } else if (EqualsNoCase(kind, "content-language") && page_->language.empty()) {
      page_->language = Cut(Value(tag, AttrId::kContent), 64);
    }
  }
  const std::string_view name = Value(tag, AttrId::kName);
  if (EqualsNoCase(name, "robots") || (!agent_.empty() && EqualsNoCase(name, agent_))) {
    page_->robots |= ParseRobotsContent(Value(tag, AttrId::kContent));
    return;
  }
  const bool plain = EqualsNoCase(name, "description");
  const bool open_graph = !plain && EqualsNoCase(Value(tag, AttrId::kProperty), "og:description");
  if (!plain && !open_graph) return;
  if (!page_->description.empty() && (open_graph || !has_og_description_)) return;
  has_og_description_ = open_graph;
  description_.Clear();
  description_.Append(Value(tag, AttrId::kContent));
  page_->description.assign(description_.view());
}

void DocumentHandler::BaseElement(const Tag& tag) {
  if (has_base_ || !tag.attributes.Has(AttrId::kHref)) return;
  has_base_ = true;
  base_href_ = Value(tag, AttrId::kHref);
}

void DocumentHandler::HtmlRootElement(const Tag& tag) {
  AddLink(tag, AttrId::kManifest, LinkSource::kHtmlManifest);
  for (const AttrId id : {AttrId::kLang, AttrId::kXmlLang}) {
    if (!has_html_lang_ && tag.attributes.Has(id)) {
      has_html_lang_ = true;
      page_->language = Cut(Value(tag, id), 64);
    }
  }
}

void DocumentHandler::AddLink(const Tag& tag, AttrId attribute, LinkSource source,
                              std::uint32_t rel) {
  if (!tag.attributes.Has(attribute)) return;
  const std::string_view href = Value(tag, attribute);
  AddReference(href, IsStable(href), source, rel);
}

void DocumentHandler::AddLink(std::string_view href, LinkSource source) {
  AddReference(href, /*stable=*/false, source, 0);
}

void DocumentHandler::AddField(std::string_view name, std::string_view value) {
  if (page_->fields.size() >= options_.max_fields) return;
  page_->fields.push_back({std::string(Cut(name, options_.max_field_bytes)),
                           std::string(Cut(value, options_.max_field_bytes))});
}

void DocumentHandler::AddSrcset(const Tag& tag, LinkSource source) {
  if (!tag.attributes.Has(AttrId::kSrcset)) return;
  const std::string_view srcset = Value(tag, AttrId::kSrcset);
  const bool stable = IsStable(srcset);
  SrcsetReader reader(srcset);
  while (const auto url = reader.Next()) {
    if (!AddReference(*url, stable, source, 0)) return;
  }
}

// `stable`: `href` points into the document. False when there is no room for more links.
bool DocumentHandler::AddReference(std::string_view href, bool stable, LinkSource source,
                                   std::uint32_t rel) {
  if (links_.size() >= options_.max_links) {
    page_->links_truncated = true;
    return false;
  }
  if (href.size() > options_.max_href_bytes) {
    // An image written into the page is long, and nothing is lost with it.
    page_->links_truncated |= !EqualsNoCase(href.substr(0, 5), "data:");
    return true;
  }
  RawLink link{};
  link.source = source;
  link.in_body = tracker_.TextIsVisible();
  link.rel = rel;
  link.size = static_cast<std::uint32_t>(href.size());
  if (stable) {
    link.data = href.data();
  } else {
    link.offset = static_cast<std::uint32_t>(arena_.size());
    arena_.append(href);
  }
  links_.push_back(link);
  return true;
}

void DocumentHandler::MarkLinkBlocks() {
  link_texts_.clear();
  for (const RawLink& link : links_) {
    if (link.text_end > link.text_begin) {
      link_texts_.push_back({link.text_begin, link.text_end - link.text_begin});
    }
  }
  FindLinkBlocks(page_->text, link_texts_, &page_->link_blocks);
}

// A <frameset> has replaced the body: drops the text and links of the body.
void DocumentHandler::DropBody() {
  bodies_dropped_ = tracker_.bodies_dropped();
  open_anchor_ = kNoAnchor;
  open_heading_ = kNoHeading;
  page_->headings.clear();
  page_->h1 = {};
  const auto first =
      std::find_if(links_.begin(), links_.end(), [](const RawLink& link) { return link.in_body; });
  const auto kept = static_cast<std::uint32_t>(first - links_.begin());
  links_.erase(first, links_.end());
  std::erase_if(relations_, [&](const RawRelation& relation) { return relation.link >= kept; });
  text_.Clear(document_);
}

// Valid until the next call; a view into the document if there is nothing to decode.
std::string_view DocumentHandler::Value(const Tag& tag, AttrId id) {
  if (!tag.attributes.Has(id)) return {};
  const std::string_view raw = tag.attributes.RawValue(id);
  if (!scanner_.Contains<ByteSet::kRcdata>(raw, document_.data() + document_.size())) return raw;
  decoded_.clear();
  AppendDecoded(raw, /*in_attribute=*/true, &decoded_);
  return decoded_;
}

std::uint32_t DocumentHandler::RelOf(const Tag& tag) {
  return tag.attributes.Has(AttrId::kRel) ? ParseRel(Value(tag, AttrId::kRel)) : 0;
}

}  // namespace crawler
