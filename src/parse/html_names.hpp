#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawler {

/// The element names that the parsing rules or the extraction tell apart. Everything else is
/// kUnknown. Each entry: enumerator, name.
#define CRAWLER_HTML_TAGS(X)                                                                                                                          \
  X(A, "a")                                                                                                                                           \
  X(Address, "address")                                                                                                                               \
  X(AnnotationXml, "annotation-xml")                                                                                                                  \
  X(Applet, "applet") X(Area, "area") X(Article, "article") X(Aside, "aside") X(Audio, "audio")                                                       \
      X(B, "b") X(Base, "base") X(Basefont, "basefont") X(Bgsound, "bgsound") X(Big, "big")                                                           \
          X(Blockquote, "blockquote") X(Body, "body") X(Br, "br") X(Button, "button") X(                                                              \
              Canvas, "canvas") X(Caption, "caption") X(Center, "center") X(Code, "code")                                                             \
              X(Col, "col") X(Colgroup, "colgroup") X(Dd, "dd") X(Del, "del") X(Desc, "desc") X(                                                      \
                  Details, "details") X(Dialog, "dialog") X(Dir, "dir") X(Div, "div") X(Dl, "dl")                                                     \
                  X(Dt, "dt") X(Em, "em") X(Embed, "embed") X(Fieldset, "fieldset") X(                                                                \
                      Figcaption, "figcaption") X(Figure, "figure") X(Font, "font") X(Footer,                                                         \
                                                                                      "footer")                                                       \
                      X(ForeignObject, "foreignobject") X(Form, "form") X(                                                                            \
                          Frame,                                                                                                                      \
                          "frame") X(Frameset,                                                                                                        \
                                     "frameset") X(H1,                                                                                                \
                                                   "h1") X(H2,                                                                                        \
                                                           "h2") X(H3,                                                                                \
                                                                   "h3") X(H4,                                                                        \
                                                                           "h4") X(H5,                                                                \
                                                                                   "h5") X(H6,                                                        \
                                                                                           "h6")                                                      \
                          X(Head,                                                                                                                     \
                            "h"                                                                                                                       \
                            "e"                                                                                                                       \
                            "a"                                                                                                                       \
                            "d") X(Header,                                                                                                            \
                                   "header") X(Hgroup,                                                                                                \
                                               "hgroup") X(Hr,                                                                                        \
                                                           "hr") X(Html, "html")                                                                      \
                              X(I, "i") X(Iframe, "iframe") X(Image, "image") X(Img, "img") X(                                                        \
                                  Input, "input")                                                                                                     \
                                  X(Ins, "ins") X(Keygen, "keygen") X(Li, "li") X(Link, "link") X(                                                    \
                                      Listing,                                                                                                        \
                                      "listing") X(Main, "main") X(Malignmark, "malignmark")                                                          \
                                      X(Marquee,                                                                                                      \
                                        "marquee") X(Math,                                                                                            \
                                                     "math") X(Menu,                                                                                  \
                                                               "menu") X(Meta,                                                                        \
                                                                         "meta") X(Metadata,                                                          \
                                                                                   "metadata") X(Mglyph,                                              \
                                                                                                 "mglyph") X(Mi,                                      \
                                                                                                             "mi") X(Mn,                              \
                                                                                                                     "mn") X(Mo,                      \
                                                                                                                             "mo") X(Ms,              \
                                                                                                                                     "ms") X(Mtext,   \
                                                                                                                                             "mtext") \
                                          X(Nav, "nav") X(Nobr, "nobr") X(                                                                            \
                                              Noembed,                                                                                                \
                                              "noembed") X(Noframes,                                                                                  \
                                                           "noframes") X(Noscript,                                                                    \
                                                                         "noscript") X(Object,                                                        \
                                                                                       "object") X(Ol,                                                \
                                                                                                   "ol") X(Optgroup,                                  \
                                                                                                           "optgroup") X(Option,                      \
                                                                                                                         "option")                    \
                                              X(P, "p") X(                                                                                            \
                                                  Param,                                                                                              \
                                                  "param") X(Plaintext,                                                                               \
                                                             "plaintext") X(Pre, "pre")                                                               \
                                                  X(Q, "q") X(Rb, "rb") X(Rp, "rp") X(Rt, "rt") X(                                                    \
                                                      Rtc, "rtc") X(Ruby, "ruby")                                                                     \
                                                      X(S, "s") X(Script, "script") X(                                                                \
                                                          Search,                                                                                     \
                                                          "search") X(Section, "section")                                                             \
                                                          X(Select,                                                                                   \
                                                            "selec"                                                                                   \
                                                            "t")                                                                                      \
                                                              X(Small,                                                                                \
                                                                "small") X(Source,                                                                    \
                                                                           "source") X(Span,                                                          \
                                                                                       "span") X(Strike,                                              \
                                                                                                 "strike") X(Strong,                                  \
                                                                                                             "strong")                                \
                                                                  X(Style, "style") X(                                                                \
                                                                      Sub,                                                                            \
                                                                      "sub") X(Summary, "summary")                                                    \
                                                                      X(Sup, "sup") X(                                                                \
                                                                          Svg, "svg")                                                                 \
                                                                          X(Table, "table") X(                                                        \
                                                                              Tbody,                                                                  \
                                                                              "tbody") X(Td,                                                          \
                                                                                         "td") X(Template,                                            \
                                                                                                 "template") X(Textarea,                              \
                                                                                                               "textarea")                            \
                                                                              X(Tfoot,                                                                \
                                                                                "tfoot") X(Th,                                                        \
                                                                                           "th") X(Thead,                                             \
                                                                                                   "thea"                                             \
                                                                                                   "d")                                               \
                                                                                  X(                                                                  \
                                                                                      Title,                                                          \
                                                                                      "title") X(Tr,                                                  \
                                                                                                 "tr") X(Track,                                       \
                                                                                                         "track")                                     \
                                                                                      X(Tt, "tt")                                                     \
                                                                                          X(U, "u") X(                                                \
                                                                                              Ul,                                                     \
                                                                                              "u"                                                     \
                                                                                              "l") X(Var,                                             \
                                                                                                     "var")                                           \
                                                                                              X(Video,                                                \
                                                                                                "video")                                              \
                                                                                                  X(Wbr,                                              \
                                                                                                    "wbr")                                            \
                                                                                                      X(Xmp,                                          \
                                                                                                        "xmp")

/// The attributes that are looked at.
#define CRAWLER_HTML_ATTRIBUTES(X)                                                              \
  X(Action, "action")                                                                           \
  X(Alt, "alt")                                                                                 \
  X(Background, "background")                                                                   \
  X(Cite, "cite") X(Color, "color") X(Content, "content") X(Data, "data") X(Dynsrc, "dynsrc")   \
      X(Encoding, "encoding") X(Face, "face") X(Formaction, "formaction") X(Href, "href")       \
          X(Hreflang, "hreflang") X(HttpEquiv, "http-equiv") X(Lang, "lang")                    \
              X(Longdesc, "longdesc") X(Lowsrc, "lowsrc") X(Manifest, "manifest")               \
                  X(Media, "media") X(Name, "name") X(Poster, "poster") X(Property, "property") \
                      X(Rel, "rel") X(Size, "size") X(Src, "src") X(Srcset, "srcset")           \
                          X(Type, "type") X(XlinkHref, "xlink:href") X(XmlLang, "xml:lang")

enum class TagId : std::uint8_t {
  kUnknown,
#define CRAWLER_ENUMERATOR(id, name) k##id,
  CRAWLER_HTML_TAGS(CRAWLER_ENUMERATOR)
};

enum class AttrId : std::uint8_t {
  kUnknown,
  CRAWLER_HTML_ATTRIBUTES(CRAWLER_ENUMERATOR)
#undef CRAWLER_ENUMERATOR
};

#define CRAWLER_COUNT(id, name) +1
inline constexpr std::size_t kTagCount = 1 CRAWLER_HTML_TAGS(CRAWLER_COUNT);
inline constexpr std::size_t kAttrCount = 1 CRAWLER_HTML_ATTRIBUTES(CRAWLER_COUNT);
#undef CRAWLER_COUNT

/// A lower-cased name gathered byte by byte while it is scanned: its first 16 bytes, and a hash of
/// the rest. Names of more than 16 bytes are none of the known ones.
struct NameKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t rest = 0;

  constexpr void Add(std::size_t index, unsigned char byte) {
    if (index < 8) {
      low |= std::uint64_t{byte} << (8 * index);
    } else if (index < 16) {
      high |= std::uint64_t{byte} << (8 * (index - 8));
    } else {
      rest = (rest ^ byte) * 0x100000001b3u + 1;
    }
  }
  /// Equal for equal names; differs for names that are not, up to chance.
  constexpr std::uint64_t Hash() const {
    return (low * 0x9e3779b97f4a7c15u) ^ (high * 0xc2b2ae3d27d4eb4fu) ^ rest;
  }
};

constexpr NameKey MakeNameKey(std::string_view lower_case_name) {
  NameKey key;
  for (std::size_t i = 0; i < lower_case_name.size(); ++i) {
    key.Add(i, static_cast<unsigned char>(lower_case_name[i]));
  }
  return key;
}

/// From a NameKey to the id of a known name: open addressing, made by the compiler.
template <typename Id, std::size_t kBits>
class NameTable {
 public:
  template <std::size_t kCount>
  constexpr explicit NameTable(const std::array<std::string_view, kCount>& names) {
    static_assert(kCount * 2 <= kSlots);
    for (std::size_t i = 1; i < kCount; ++i) {  // 0 is kUnknown.
      const NameKey key = MakeNameKey(names[i]);
      std::size_t slot = Slot(key);
      while (slots_[slot].id != Id::kUnknown) slot = (slot + 1) % kSlots;
      slots_[slot] = {key.low, key.high, static_cast<Id>(i)};
    }
  }

  constexpr Id Find(const NameKey& key) const {
    if (key.rest != 0) return Id::kUnknown;
    for (std::size_t slot = Slot(key);; slot = (slot + 1) % kSlots) {
      const Entry& entry = slots_[slot];
      if (entry.low == key.low && entry.high == key.high) return entry.id;
      if (entry.id == Id::kUnknown) return Id::kUnknown;
    }
  }

 private:
  struct Entry {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    Id id = Id::kUnknown;
  };
  static constexpr std::size_t kSlots = std::size_t{1} << kBits;

  static constexpr std::size_t Slot(const NameKey& key) { return key.Hash() >> (64 - kBits); }

  std::array<Entry, kSlots> slots_{};
};

#define CRAWLER_NAME(id, name) std::string_view(name),
inline constexpr std::array<std::string_view, kTagCount> kTagNames = {
    std::string_view(), CRAWLER_HTML_TAGS(CRAWLER_NAME)};
inline constexpr std::array<std::string_view, kAttrCount> kAttrNames = {
    std::string_view(), CRAWLER_HTML_ATTRIBUTES(CRAWLER_NAME)};
#undef CRAWLER_NAME

inline constexpr NameTable<TagId, 9> kTagTable(kTagNames);
inline constexpr NameTable<AttrId, 8> kAttrTable(kAttrNames);

constexpr std::string_view TagName(TagId id) { return kTagNames[static_cast<std::size_t>(id)]; }
constexpr std::string_view AttrName(AttrId id) { return kAttrNames[static_cast<std::size_t>(id)]; }

}  // namespace crawler
