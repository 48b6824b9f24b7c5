#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace crawler {

/// The encodings of the WHATWG Encoding Standard: a page is in one of them.
enum class Charset : uint8_t {
  kUtf8,
  kIbm866,
  kIso8859_2,
  kIso8859_3,
  kIso8859_4,
  kIso8859_5,
  kIso8859_6,
  kIso8859_7,
  kIso8859_8,
  kIso8859_8I,
  kIso8859_10,
  kIso8859_13,
  kIso8859_14,
  kIso8859_15,
  kIso8859_16,
  kKoi8R,
  kKoi8U,
  kMacintosh,
  kWindows874,
  kWindows1250,
  kWindows1251,
  kWindows1252,
  kWindows1253,
  kWindows1254,
  kWindows1255,
  kWindows1256,
  kWindows1257,
  kWindows1258,
  kXMacCyrillic,
  kGbk,
  kGb18030,
  kBig5,
  kEucJp,
  kIso2022Jp,
  kShiftJis,
  kEucKr,
  kReplacement,
  kUtf16Be,
  kUtf16Le,
  kXUserDefined,
};
inline constexpr size_t kCharsetCount = static_cast<size_t>(Charset::kXUserDefined) + 1;

/// The standard's name of `charset`, e.g. "windows-1252". Static text.
std::string_view CharsetName(Charset charset);

/// The encoding that `label` stands for, e.g. kWindows1252 for " ISO-8859-1": without the white
/// space round it and in either case, as the standard says. Empty if there is no such label.
std::optional<Charset> CharsetFromLabel(std::string_view label);

/// The source that an encoding was chosen by; an earlier source wins over a later one.
enum class CharsetSource : uint8_t {
  kByteOrderMark,
  kContentType,
  kDocument,  ///< A `<meta>` or an XML declaration.
  kDefault,
};

struct CharsetGuess {
  Charset charset = Charset::kWindows1252;
  CharsetSource source = CharsetSource::kDefault;
};

/// The encoding of an HTML page, as a browser would decide: byte order mark, the charset parameter
/// of `content_type` (the header's value, may be empty), the page's own `<meta>`, else
/// windows-1252. Nothing is guessed from the text: not even UTF-8, since no browser does.
CharsetGuess SniffHtmlCharset(std::string_view bytes, std::string_view content_type);

/// The encoding of an XML document: byte order mark, `content_type`, the XML declaration, else
/// UTF-8.
CharsetGuess SniffXmlCharset(std::string_view bytes, std::string_view content_type);

/// The encoding that a page declares by `<meta>` (HTML: "prescan a byte stream to determine its
/// encoding"), or else by an XML declaration. The standard looks at 1024 bytes and lets the parser
/// start again when it meets a later `<meta>`; with all bytes at hand we look further at once, at
/// most 64 KiB, and there skip what is text to the parser (scripts, styles, titles).
std::optional<Charset> PrescanHtml(std::string_view bytes);

/// The encoding that `<?xml … encoding="…"?>` at the very start of `bytes` names, if any.
std::optional<Charset> XmlDeclarationCharset(std::string_view bytes);

/// The charset parameter of a Content-Type value, if it names an encoding.
std::optional<Charset> ContentTypeCharset(std::string_view content_type);

/// Text as valid UTF-8.
struct Utf8Text {
  std::string_view text;   ///< Points into the input or into the buffer; see ToUtf8().
  bool truncated = false;  ///< The output limit was reached; `text` ends before a character.
  bool malformed = false;  ///< At least one U+FFFD stands for bytes that make no character.
};

/// `bytes`, which are in `charset`, as UTF-8 without a byte order mark (that of `charset`; the
/// sniffers handle those of other encodings). Bytes that cannot be decoded become U+FFFD by the
/// Encoding Standard, so any bytes have a result, of at most `limit` bytes.
///
/// Valid UTF-8 is not copied: the result then points into `bytes`. Otherwise it points into
/// `buffer`, whose content is replaced. It is valid until one of them changes.
/// Threads: safe; tables of legacy encodings are built at first use.
Utf8Text ToUtf8(std::string_view bytes, Charset charset, std::string& buffer,
                size_t limit = std::numeric_limits<size_t>::max());

}  // namespace crawler
