#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "url/url.hpp"

namespace crawler {

/// Where a link was found: enumerator, element (with its namespace if not HTML), attribute.
#define CRAWLER_LINK_SOURCES(X)                     \
  X(AHref, "a", "href")                             \
  X(AreaHref, "area", "href")                       \
  X(AudioSrc, "audio", "src")                       \
  X(BlockquoteCite, "blockquote", "cite")           \
  X(BodyBackground, "body", "background")           \
  X(ButtonFormaction, "button", "formaction")       \
  X(DelCite, "del", "cite")                         \
  X(EmbedSrc, "embed", "src")                       \
  X(FormAction, "form", "action")                   \
  X(FrameLongdesc, "frame", "longdesc")             \
  X(FrameSrc, "frame", "src")                       \
  X(HeaderLink, "header", "Link")                   \
  X(HtmlManifest, "html", "manifest")               \
  X(IframeLongdesc, "iframe", "longdesc")           \
  X(IframeSrc, "iframe", "src")                     \
  X(ImgDynsrc, "img", "dynsrc")                     \
  X(ImgLongdesc, "img", "longdesc")                 \
  X(ImgLowsrc, "img", "lowsrc")                     \
  X(ImgSrc, "img", "src")                           \
  X(ImgSrcset, "img", "srcset")                     \
  X(InputFormaction, "input", "formaction")         \
  X(InputSrc, "input", "src")                       \
  X(InsCite, "ins", "cite")                         \
  X(LinkHref, "link", "href")                       \
  X(MetaContent, "meta", "content")                 \
  X(ObjectData, "object", "data")                   \
  X(QCite, "q", "cite")                             \
  X(ScriptSrc, "script", "src")                     \
  X(SourceSrc, "source", "src")                     \
  X(SourceSrcset, "source", "srcset")               \
  X(SvgAHref, "svg:a", "href")                      \
  X(SvgAXlinkHref, "svg:a", "xlink:href")           \
  X(SvgImageHref, "svg:image", "href")              \
  X(SvgImageXlinkHref, "svg:image", "xlink:href")   \
  X(SvgScriptHref, "svg:script", "href")            \
  X(SvgScriptXlinkHref, "svg:script", "xlink:href") \
  X(TableBackground, "table", "background")         \
  X(TdBackground, "td", "background")               \
  X(ThBackground, "th", "background")               \
  X(TrackSrc, "track", "src")                       \
  X(VideoPoster, "video", "poster")                 \
  X(VideoSrc, "video", "src")

enum class LinkSource : std::uint8_t {
#define CRAWLER_ENUMERATOR(id, tag, attribute) k##id,
  CRAWLER_LINK_SOURCES(CRAWLER_ENUMERATOR)
#undef CRAWLER_ENUMERATOR
};

/// "a", "img", "svg:a"; "header" for the Link header.
std::string_view LinkTag(LinkSource source);
/// "href", "src", …
std::string_view LinkAttribute(LinkSource source);
/// The words of a rel attribute, as bits. kRelOther stands for all other words.
enum Rel : std::uint32_t {
  kRelNofollow = 1u << 0,
  kRelUgc = 1u << 1,
  kRelSponsored = 1u << 2,
  kRelCanonical = 1u << 3,
  kRelAlternate = 1u << 4,
  kRelStylesheet = 1u << 5,
  kRelIcon = 1u << 6,
  kRelNext = 1u << 7,
  kRelPrev = 1u << 8,
  kRelPreload = 1u << 9,
  kRelModulepreload = 1u << 10,
  kRelPrefetch = 1u << 11,
  kRelPreconnect = 1u << 12,
  kRelDnsPrefetch = 1u << 13,
  kRelManifest = 1u << 14,
  kRelSearch = 1u << 15,
  kRelPingback = 1u << 16,
  kRelAmphtml = 1u << 17,
  kRelLicense = 1u << 18,
  kRelAuthor = 1u << 19,
  kRelNoopener = 1u << 20,
  kRelNoreferrer = 1u << 21,
  kRelOther = 1u << 31,
};

/// The directives of a page, or of its server, to crawlers.
struct RobotsDirectives {
  bool noindex = false;
  bool nofollow = false;
  bool noarchive = false;
  bool nosnippet = false;
  bool noimageindex = false;

  /// Combines two sets: a directive holds if either set has it.
  RobotsDirectives& operator|=(const RobotsDirectives& other);
  friend bool operator==(const RobotsDirectives&, const RobotsDirectives&) = default;
};

/// A piece of one of the strings of a Page.
struct PageSlice {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct Link {
  LinkSource source = LinkSource::kAHref;
  /// kFollowable for http and https. References that are not URLs are not kept.
  UrlKind kind = UrlKind::kInvalid;
  std::uint32_t rel = 0;     ///< Rel bits.
  std::uint32_t target = 0;  ///< Index of its URL in Page::targets; see Page::UrlOf().
  PageSlice href;            ///< The reference as the page writes it; see Page::Href().
  PageSlice text;            ///< The visible text of an <a>; see Page::TextOf().

  /// Whether the link asks not to be counted for its target (nofollow, ugc, sponsored).
  bool nofollow() const { return (rel & (kRelNofollow | kRelUgc | kRelSponsored)) != 0; }
};

/// Whether the link leads a reader to another page (<a>, <area>, <link rel=next>, …), or is the
/// content of a frame; not an image, a style sheet, a script, a form or a quoted source.
bool IsNavigation(const Link& link);

/// A URL that one or more links of a page lead to.
struct LinkTarget {
  PageSlice url;   ///< In normal form.
  UrlParts parts;  ///< The parts of `url`; see Page::View().
};

/// Another version of the page, by language or by type.
struct Alternate {
  std::string hreflang;  ///< As written, e.g. "de-AT" or "x-default"; empty if not given.
  std::string type;      ///< E.g. "application/rss+xml"; empty if not given.
  std::string url;       ///< In normal form.
};

/// A value that an extractor has found in a page, e.g. {"og:type", "article"}.
struct PageField {
  std::string name;
  std::string value;
};

/// The content of a parsed document. All text is UTF-8.
/// A plain value; an extractor that refills it reuses its memory.
struct Page {
  std::string base_url;     ///< The base of relative links.
  std::string title;        ///< The first <title>; blanks collapsed.
  std::string description;  ///< <meta name=description>, else og:description.
  std::string language;     ///< <html lang>, else Content-Language; as written, or empty.
  std::string canonical;    ///< In normal form; empty if there is none.
  std::vector<Alternate> alternates;
  /// In the order of the document. Only the extractors that were asked for add fields.
  std::vector<PageField> fields;
  RobotsDirectives robots;
  /// The visible text, without scripts, styles and templates: words separated by one blank, blocks
  /// (paragraphs, list items, table rows, …) by one line feed.
  std::string text;
  /// The headings (h1 to h6) and the terms that are explained (dt) in the text, in order; none is
  /// empty, none overlap.
  std::vector<PageSlice> headings;
  PageSlice h1;  ///< The first <h1> with text, one of `headings`; empty if there is none.
  /// Blocks of the text that consist of links, in order: navigation, tables of contents.
  std::vector<PageSlice> link_blocks;
  /// In the order of the document, those of the Link header last.
  std::vector<Link> links;
  /// The different URLs of the links, in the order of the first link to each.
  std::vector<LinkTarget> targets;
  bool links_truncated = false;  ///< There were more links, or longer ones, than the limits allow.
  bool text_truncated = false;

  std::string_view Href(const Link& link) const { return Slice(strings, link.href); }
  /// In normal form (see url/normalize.hpp).
  std::string_view UrlOf(const Link& link) const {
    return Slice(strings, targets[link.target].url);
  }
  /// The URL of a target, with its parts, so that host, path, origin and scope need no parsing.
  UrlView View(const LinkTarget& target) const {
    return {Slice(strings, target.url), target.parts};
  }
  std::string_view TextOf(const Link& link) const { return Slice(text, link.text); }
  std::string_view TextOf(PageSlice heading) const { return Slice(text, heading); }

  void Clear();

  /// The bytes of the links. Only the extractor writes here.
  std::string strings;

 private:
  static std::string_view Slice(const std::string& from, PageSlice slice) {
    return std::string_view(from).substr(slice.offset, slice.size);
  }
};

}  // namespace crawler
