#include <expat.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "parse/sitemap_builder.hpp"

namespace crawler {
namespace {

// Names are compared with their prefix cut off, which must be that of the root: `<sm:loc>` in a
// `<sm:urlset>` is the protocol's, `<image:loc>` is not. This needs no declared namespaces, and
// many files forget or misspell theirs.
struct Name {
  explicit Name(std::string_view whole) {
    const size_t colon = whole.find(':');
    if (colon != std::string_view::npos) prefix = whole.substr(0, colon);
    local = colon == std::string_view::npos ? whole : whole.substr(colon + 1);
  }
  std::string_view prefix;
  std::string_view local;
};

std::string_view ValueOf(const XML_Char** attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (name == attributes[0]) return attributes[1];
  }
  return {};
}

class XmlReader {
 public:
  explicit XmlReader(SitemapBuilder& builder) : builder_(builder) {}

  void Read(std::string_view text) {
    parser_.reset(XML_ParserCreate("UTF-8"));  // Whatever the declaration says: it is converted.
    if (parser_ == nullptr) return builder_.End(SitemapEnd::kBroken, "no memory for the parser");
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), OnStart, OnEnd);
    XML_SetCharacterDataHandler(parser_.get(), OnText);
    XML_SetEntityDeclHandler(parser_.get(), OnEntityDeclaration);
    XML_SetAttlistDeclHandler(parser_.get(), OnAttributeDeclaration);
    XML_SetSkippedEntityHandler(parser_.get(), OnSkippedEntity);
    // There is no handler for external entities, and so none is ever read.
    const auto size =
        static_cast<int>(std::min<size_t>(text.size(), std::numeric_limits<int>::max()));
    const XML_Status status = XML_Parse(parser_.get(), text.data(), size, XML_TRUE);
    if (status != XML_STATUS_OK && !stopped_) {
      FinishEntry(false);
      builder_.End(SitemapEnd::kBroken,
                   "line " + std::to_string(XML_GetCurrentLineNumber(parser_.get())) + ": " +
                       XML_ErrorString(XML_GetErrorCode(parser_.get())));
    }
  }

 private:
  enum class Field { kNone, kUrl, kGuid, kLastmod, kChangeFrequency, kPriority };
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  static XmlReader& Self(void* data) { return *static_cast<XmlReader*>(data); }
  static void XMLCALL OnStart(void* data, const XML_Char* name, const XML_Char** attributes) {
    Self(data).Start(Name(name), attributes);
  }
  static void XMLCALL OnEnd(void* data, const XML_Char*) { Self(data).End(); }
  static void XMLCALL OnText(void* data, const XML_Char* text, int size) {
    Self(data).Text({text, static_cast<size_t>(size)});
  }
  static void XMLCALL OnEntityDeclaration(void* data, const XML_Char*, int, const XML_Char*, int,
                                          const XML_Char*, const XML_Char*, const XML_Char*,
                                          const XML_Char*) {
    Self(data).Stop(SitemapEnd::kRefused, "it declares entities");
  }
  // Refused: every element gets all declared attributes, which takes quadratic time.
  static void XMLCALL OnAttributeDeclaration(void* data, const XML_Char*, const XML_Char*,
                                             const XML_Char*, const XML_Char*, int) {
    Self(data).Stop(SitemapEnd::kRefused, "it declares attributes");
  }
  static void XMLCALL OnSkippedEntity(void* data, const XML_Char*, int) {
    Self(data).text_is_whole_ = false;
  }

  void Stop(SitemapEnd end, std::string problem) {
    if (std::exchange(stopped_, true)) return;
    builder_.End(end, "line " + std::to_string(XML_GetCurrentLineNumber(parser_.get())) + ": " +
                          std::move(problem));
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void Start(Name name, const XML_Char** attributes) {
    if (stopped_) return;
    if (++depth_ > builder_.limits().max_depth) {
      FinishEntry(false);
      return Stop(SitemapEnd::kTooDeep, "elements are nested too deeply");
    }
    if (depth_ == 1) return Root(name, attributes);
    // In a <loc>, whatever stands round the URL is no mark-up of ours.
    if (field_ != Field::kNone || name.prefix != prefix_) return;
    if (name.local == entry_name_) {
      FinishEntry(false);  // One that was never closed.
      entry_depth_ = depth_;
    } else if (entry_depth_ != 0 && depth_ == entry_depth_ + 1) {
      StartField(name.local, attributes);
    }
  }

  void Root(Name name, const XML_Char** attributes) {
    prefix_ = name.prefix;
    if (name.local == "urlset") {
      SetKind(SitemapKind::kUrlset, "url");
    } else if (name.local == "sitemapindex") {
      SetKind(SitemapKind::kIndex, "sitemap");
    } else if (name.local == "rss") {
      SetKind(SitemapKind::kRss, "item");
    } else if (name.local == "RDF") {
      SetKind(SitemapKind::kRss, "item");
      prefix_.clear();  // The root is RDF's own; RSS 1.0 is the default namespace in it.
    } else if (name.local == "feed") {
      SetKind(SitemapKind::kAtom, "entry");
      builder_.SetBase(ValueOf(attributes, "xml:base"));
    } else {
      Stop(SitemapEnd::kBroken,
           "<" + std::string(name.local.substr(0, 40)) + "> begins neither a sitemap nor a feed");
    }
  }

  void SetKind(SitemapKind kind, std::string_view entry_name) {
    builder_.SetKind(kind);
    entry_name_ = entry_name;
  }

  void StartField(std::string_view name, const XML_Char** attributes) {
    switch (builder_.kind()) {
      case SitemapKind::kRss:
        if (name == "link") BeginField(Field::kUrl);
        if (name == "guid" && ValueOf(attributes, "isPermaLink") != "false") {
          BeginField(Field::kGuid);
        }
        if (name == "pubDate") BeginField(Field::kLastmod);
        break;
      case SitemapKind::kAtom:
        if (name == "link") AtomLink(attributes);
        if (name == "updated") BeginField(Field::kLastmod);
        break;
      default:
        if (name == "loc") BeginField(Field::kUrl);
        if (name == "lastmod") BeginField(Field::kLastmod);
        if (name == "changefreq") BeginField(Field::kChangeFrequency);
        if (name == "priority") BeginField(Field::kPriority);
    }
  }

  // An entry may have several; each that leads to its page is a URL of its own (RFC 4287, 4.2.7).
  void AtomLink(const XML_Char** attributes) {
    const std::string_view rel = ValueOf(attributes, "rel");
    const std::string_view href = ValueOf(attributes, "href");
    if (href.empty() || href.size() > builder_.limits().max_url_bytes) return;
    if (!rel.empty() && rel != "alternate") return;
    atom_links_.emplace_back(href);
  }

  void BeginField(Field field) {
    field_ = field;
    field_depth_ = depth_;
    text_.clear();
    text_is_whole_ = true;
  }

  void Text(std::string_view text) {
    if (field_ != Field::kNone) {
      text_is_whole_ = Append(text, text_) && text_is_whole_;
    } else if (entry_depth_ != 0 && depth_ == entry_depth_) {
      entry_text_is_whole_ = Append(text, entry_text_) && entry_text_is_whole_;
    }
  }

  // False if `to` would become too long; `text` is dropped then.
  bool Append(std::string_view text, std::string& to) const {
    constexpr size_t kRoomForSpace = 1024;
    if (to.size() + text.size() > builder_.limits().max_url_bytes + kRoomForSpace) return false;
    to.append(text);
    return true;
  }

  void End() {
    if (stopped_) return;
    if (field_ != Field::kNone && depth_ == field_depth_) EndField();
    if (entry_depth_ != 0 && depth_ == entry_depth_) FinishEntry(true);
    --depth_;
  }

  void EndField() {
    const Field field = std::exchange(field_, Field::kNone);
    if (!text_is_whole_) return;
    const std::string_view text = TrimUnicodeSpace(text_);
    const auto keep_first = [&](std::string& to) {
      if (to.empty()) to = text;
    };
    switch (field) {
      case Field::kUrl:
        return keep_first(entry_.url);
      case Field::kGuid:
        // A guid is a permanent link unless it says otherwise, but many are plain numbers.
        if (builder_.IsAbsolute(text)) keep_first(guid_);
        return;
      case Field::kLastmod:
        return keep_first(entry_.lastmod);
      case Field::kChangeFrequency:
        return keep_first(entry_.change_frequency);
      case Field::kPriority:
        return keep_first(entry_.priority);
      case Field::kNone:
        return;
    }
  }

  // `closed` tells whether the end tag was seen. If not, its complete fields count.
  void FinishEntry(bool closed) {
    field_ = Field::kNone;
    if (std::exchange(entry_depth_, 0) == 0) return;
    if (entry_.url.empty()) entry_.url = guid_;
    // Seen in the wild: <sitemap>URL</sitemap>, without <loc>.
    if (entry_.url.empty() && closed && entry_text_is_whole_) {
      entry_.url = TrimUnicodeSpace(entry_text_);
    }
    for (std::string& link : atom_links_) {
      entry_.url = std::move(link);
      AddEntry();
    }
    if (atom_links_.empty() && (closed || !entry_.url.empty())) AddEntry();
    entry_ = {};
    guid_.clear();
    atom_links_.clear();
    entry_text_.clear();
    entry_text_is_whole_ = true;
  }

  void AddEntry() {
    if (stopped_ || builder_.Add(entry_)) return;
    stopped_ = true;
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  SitemapBuilder& builder_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  bool stopped_ = false;
  size_t depth_ = 0;
  std::string prefix_;  // Of the root, and so of all that is ours.
  std::string_view entry_name_;
  size_t entry_depth_ = 0;  // Of the open entry; 0 if there is none.
  RawSitemapEntry entry_;
  std::string guid_;
  std::vector<std::string> atom_links_;
  std::string entry_text_;  // Text of the entry outside its fields.
  bool entry_text_is_whole_ = true;
  Field field_ = Field::kNone;
  size_t field_depth_ = 0;
  std::string text_;           // Of the open field.
  bool text_is_whole_ = true;  // No entity was skipped in it, and it is not too long.
};

// Whether `text`, which begins with '&', is a reference that needs no declaration.
bool IsReference(std::string_view text) {
  for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}) {
    if (text.starts_with(known)) return true;
  }
  const bool is_hex = text.starts_with("&#x");
  if (!is_hex && !text.starts_with("&#")) return false;
  const size_t digits = is_hex ? 3 : 2;
  const size_t end =
      text.find_first_not_of(is_hex ? "0123456789abcdefABCDEF" : "0123456789", digits);
  return end != std::string_view::npos && end > digits && text[end] == ';';
}

}  // namespace

void ParseXmlSitemap(std::string_view text, SitemapBuilder& builder) {
  XmlReader(builder).Read(text);
}

std::string RepairXml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const bool is_cdata = text.starts_with("<![CDATA[");
    if (is_cdata || text.starts_with("<!--")) {
      const std::string_view close = is_cdata ? "]]>" : "-->";
      const size_t end = std::min(text.find(close), text.size());
      out.append(text.substr(0, end));
      text.remove_prefix(end);
    }
    const size_t plain = [&] {
      size_t at = text.empty() ? 0 : 1;
      while (at < text.size() && text[at] != '<' && text[at] != '&') ++at;
      return at;
    }();
    if (text.starts_with('&') && !IsReference(text)) {
      out.append("&amp;");
      out.append(text.substr(1, plain - 1));
    } else {
      out.append(text.substr(0, plain));
    }
    text.remove_prefix(plain);
  }
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') c = ' ';
  }
  return out;
}

}  // namespace crawler
