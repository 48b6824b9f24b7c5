#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/ascii.hpp"
#include "parse/charset.hpp"

namespace crawler {
namespace {

constexpr size_t npos = std::string_view::npos;
constexpr size_t kPrescanBytes = 1024;
constexpr size_t kFarthestMeta = 64 * 1024;

// Whether `text` has `word`, which is lower case, at `at`, in either case.
bool HasWordAt(std::string_view text, size_t at, std::string_view word) {
  return text.size() >= at && text.size() - at >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin() + static_cast<ptrdiff_t>(at),
                    [](char w, char c) { return w == Lower(c); });
}

size_t FindWord(std::string_view text, size_t at, std::string_view word) {
  for (; at + word.size() <= text.size(); ++at) {
    if (HasWordAt(text, at, word)) return at;
  }
  return npos;
}

// HTML: "extracting a character encoding from a meta element", from its content attribute.
std::optional<Charset> CharsetOfContent(std::string_view content) {
  constexpr std::string_view kWord = "charset";
  const auto skip_space = [&](size_t at) {
    while (at < content.size() && IsSpace(content[at])) ++at;
    return at;
  };
  size_t at = 0;
  do {
    at = FindWord(content, at, kWord);
    if (at == npos) return std::nullopt;
    at = skip_space(at + kWord.size());
  } while (at >= content.size() || content[at] != '=');
  at = skip_space(at + 1);
  if (at >= content.size()) return std::nullopt;
  if (content[at] == '"' || content[at] == '\'') {
    const size_t close = content.find(content[at], at + 1);
    if (close == npos) return std::nullopt;
    return CharsetFromLabel(content.substr(at + 1, close - at - 1));
  }
  return CharsetFromLabel(content.substr(at, content.find_first_of("\t\n\f\r ;", at) - at));
}

// HTML: "prescan a byte stream to determine its encoding". Running out of bytes ends it.
class MetaScanner {
 public:
  explicit MetaScanner(std::string_view bytes) : bytes_(bytes) {}

  std::optional<Charset> Scan() {
    while (Advance()) {
      if (HasWordAt(bytes_, at_, "<!--")) {
        const size_t close = bytes_.find("-->", at_ + 2);
        at_ = close == npos ? npos : close + 3;
      } else if (IsMeta()) {
        at_ += 5;
        const std::optional<Charset> charset = Meta();
        if (charset) return charset;
      } else if (IsTag()) {
        Tag();
      } else if (at_ + 1 < bytes_.size() && std::strchr("!/?", bytes_[at_ + 1]) != nullptr &&
                 bytes_[at_ + 1] != '\0') {
        SkipTo('>');
        if (at_ != npos) ++at_;
      } else {
        ++at_;
      }
    }
    return std::nullopt;
  }

 private:
  struct Attribute {
    std::string name;   // Lower case.
    std::string value;  // Lower case.
  };

  // Goes to the next '<', past raw text. False at the end.
  bool Advance() {
    if (at_ == npos) return false;
    if (at_ >= kPrescanBytes && at_ < raw_text_end_) at_ = raw_text_end_;
    SkipTo('<');
    return at_ != npos;
  }

  void SkipTo(char c) { at_ = at_ < bytes_.size() ? bytes_.find(c, at_) : npos; }

  bool IsMeta() const {
    return HasWordAt(bytes_, at_, "<meta") && at_ + 5 < bytes_.size() &&
           (IsSpace(bytes_[at_ + 5]) || bytes_[at_ + 5] == '/');
  }

  bool IsTag() const {
    const size_t slash = at_ + 1 < bytes_.size() && bytes_[at_ + 1] == '/' ? 1 : 0;
    return at_ + 1 + slash < bytes_.size() && IsLetter(bytes_[at_ + 1 + slash]);
  }

  // A tag other than meta: steps over its attributes, in which there may be a '<' or '>'.
  void Tag() {
    const size_t name = at_ + 1;
    while (at_ < bytes_.size() && !IsSpace(bytes_[at_]) && bytes_[at_] != '>') ++at_;
    const std::string_view tag = bytes_.substr(name, std::min(at_, bytes_.size()) - name);
    while (NextAttribute(nullptr)) {
    }
    if (at_ != npos) NoteRawText(tag);
  }

  // The prescan of the standard reads the text of scripts as tags, and so does this one in the
  // first 1024 bytes. Behind them it acts as the parser, for which scripts are text.
  void NoteRawText(std::string_view tag) {
    if (at_ < raw_text_end_) return;
    static constexpr std::array<std::string_view, 8> kRawText = {
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"};
    for (const std::string_view name : kRawText) {
      if (tag.size() != name.size() || !HasWordAt(tag, 0, name)) continue;
      raw_text_end_ = FindEndTag(name);
      return;
    }
  }

  size_t FindEndTag(std::string_view name) const {
    for (size_t at = at_; (at = bytes_.find("</", at)) != npos; at += 2) {
      if (HasWordAt(bytes_, at + 2, name)) return at;
    }
    return bytes_.size();
  }

  std::optional<Charset> Meta() {
    bool got_pragma = false;
    std::optional<bool> need_pragma;
    std::optional<Charset> charset;
    bool seen_http_equiv = false;
    bool seen_content = false;
    bool seen_charset = false;
    Attribute attribute;
    while (NextAttribute(&attribute)) {
      if (attribute.name == "http-equiv" && !std::exchange(seen_http_equiv, true)) {
        got_pragma = attribute.value == "content-type";
      } else if (attribute.name == "content" && !std::exchange(seen_content, true)) {
        if (charset) continue;
        charset = CharsetOfContent(attribute.value);
        if (charset) need_pragma = true;
      } else if (attribute.name == "charset" && !std::exchange(seen_charset, true)) {
        charset = CharsetFromLabel(attribute.value);
        need_pragma = false;
      }
    }
    if (at_ == npos) return std::nullopt;
    if (!need_pragma || (*need_pragma && !got_pragma) || !charset) return std::nullopt;
    // These bytes were read as ASCII, so UTF-16 cannot be true; and the last is for scripts only.
    if (*charset == Charset::kUtf16Be || *charset == Charset::kUtf16Le) return Charset::kUtf8;
    if (*charset == Charset::kXUserDefined) return Charset::kWindows1252;
    return charset;
  }

  char Here() const { return bytes_[at_]; }
  bool AtEnd() {
    if (at_ >= bytes_.size()) at_ = npos;
    return at_ == npos;
  }
  bool SkipSpace() {
    while (!AtEnd() && IsSpace(Here())) ++at_;
    return !AtEnd();
  }

  // HTML: "get an attribute". False where the tag ends, with `at_` at the '>', or, where the bytes
  // end, npos. `attribute` may be null.
  bool NextAttribute(Attribute* attribute) {
    while (!AtEnd() && (IsSpace(Here()) || Here() == '/')) ++at_;
    if (AtEnd() || Here() == '>') return false;
    const size_t name = at_;
    while (!AtEnd() && !(Here() == '=' && at_ != name) && !IsSpace(Here()) && Here() != '/' &&
           Here() != '>') {
      ++at_;
    }
    if (AtEnd()) return false;
    if (attribute != nullptr) attribute->value.clear();
    SetLower(name, at_, attribute == nullptr ? nullptr : &attribute->name);
    if (IsSpace(Here()) && !SkipSpace()) return false;
    if (Here() != '=') return true;
    ++at_;
    if (!SkipSpace()) return false;
    return AttributeValue(attribute == nullptr ? nullptr : &attribute->value);
  }

  bool AttributeValue(std::string* value) {
    size_t begin = at_;
    if (Here() == '"' || Here() == '\'') {
      const char quote = Here();
      ++begin;
      ++at_;
      SkipTo(quote);
      if (at_ == npos) return false;
      SetLower(begin, at_, value);
      ++at_;
      return !AtEnd();
    }
    while (!AtEnd() && !IsSpace(Here()) && Here() != '>') ++at_;
    if (AtEnd()) return false;
    SetLower(begin, at_, value);
    return true;
  }

  void SetLower(size_t begin, size_t end, std::string* out) const {
    if (out == nullptr) return;
    out->resize(end - begin);
    std::transform(bytes_.begin() + static_cast<ptrdiff_t>(begin),
                   bytes_.begin() + static_cast<ptrdiff_t>(end), out->begin(), Lower);
  }

  std::string_view bytes_;
  size_t at_ = 0;  // npos when the bytes have run out.
  size_t raw_text_end_ = 0;
};

std::optional<Charset> ByteOrderMarkCharset(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return Charset::kUtf8;
  if (bytes.starts_with("\xFE\xFF")) return Charset::kUtf16Be;
  if (bytes.starts_with("\xFF\xFE")) return Charset::kUtf16Le;
  return std::nullopt;
}

// "<?x" in UTF-16, by which both HTML and XML recognise it without a byte order mark.
std::optional<Charset> Utf16Declaration(std::string_view bytes) {
  if (bytes.starts_with(std::string_view("<\0?\0x\0", 6))) return Charset::kUtf16Le;
  if (bytes.starts_with(std::string_view("\0<\0?\0x", 6))) return Charset::kUtf16Be;
  return std::nullopt;
}

CharsetGuess Sniff(std::string_view bytes, std::string_view content_type,
                   std::optional<Charset> (*declared)(std::string_view), Charset otherwise) {
  if (const auto charset = ByteOrderMarkCharset(bytes)) {
    return {*charset, CharsetSource::kByteOrderMark};
  }
  if (const auto charset = ContentTypeCharset(content_type)) {
    return {*charset, CharsetSource::kContentType};
  }
  if (const auto charset = declared(bytes)) return {*charset, CharsetSource::kDocument};
  return {otherwise, CharsetSource::kDefault};
}

}  // namespace

std::optional<Charset> PrescanHtml(std::string_view bytes) {
  if (const auto charset = Utf16Declaration(bytes)) return charset;
  bytes = bytes.substr(0, kFarthestMeta);
  if (const auto charset = MetaScanner(bytes).Scan()) return charset;
  const auto declared = XmlDeclarationCharset(bytes);
  const bool is_utf16 = declared == Charset::kUtf16Be || declared == Charset::kUtf16Le;
  return is_utf16 ? Charset::kUtf8 : declared;
}

std::optional<Charset> XmlDeclarationCharset(std::string_view bytes) {
  if (const auto charset = Utf16Declaration(bytes)) return charset;
  if (!bytes.starts_with("<?xml")) return std::nullopt;
  constexpr std::string_view kWord = "encoding";
  const std::string_view declaration = bytes.substr(0, bytes.find('>'));
  if (declaration.size() == bytes.size()) return std::nullopt;
  size_t at = declaration.find(kWord);
  if (at == npos) return std::nullopt;
  const auto skip_space = [&](size_t from) {
    while (from < declaration.size() && static_cast<uint8_t>(declaration[from]) <= 0x20) ++from;
    return from;
  };
  at = skip_space(at + kWord.size());
  if (at >= declaration.size() || declaration[at] != '=') return std::nullopt;
  at = skip_space(at + 1);
  if (at >= declaration.size() || (declaration[at] != '"' && declaration[at] != '\'')) {
    return std::nullopt;
  }
  const size_t close = declaration.find(declaration[at], at + 1);
  if (close == npos) return std::nullopt;
  const std::string_view label = declaration.substr(at + 1, close - at - 1);
  const bool has_space = std::any_of(label.begin(), label.end(),
                                     [](char c) { return static_cast<uint8_t>(c) <= 0x20; });
  return has_space ? std::nullopt : CharsetFromLabel(label);
}

CharsetGuess SniffHtmlCharset(std::string_view bytes, std::string_view content_type) {
  return Sniff(bytes, content_type, PrescanHtml, Charset::kWindows1252);
}

CharsetGuess SniffXmlCharset(std::string_view bytes, std::string_view content_type) {
  const auto declared = [](std::string_view document) -> std::optional<Charset> {
    const auto charset = XmlDeclarationCharset(document);
    const bool reads_as_ascii = document.starts_with("<?");
    const bool is_utf16 = charset == Charset::kUtf16Be || charset == Charset::kUtf16Le;
    return is_utf16 && reads_as_ascii && !Utf16Declaration(document) ? Charset::kUtf8 : charset;
  };
  return Sniff(bytes, content_type, declared, Charset::kUtf8);
}

std::optional<Charset> ContentTypeCharset(std::string_view content_type) {
  size_t at = content_type.find(';');
  while (at != npos && at < content_type.size()) {
    ++at;
    while (at < content_type.size() && IsSpace(content_type[at])) ++at;
    const size_t equals = content_type.find_first_of(";=", at);
    if (equals == npos) return std::nullopt;
    if (content_type[equals] == ';') {
      at = equals;
      continue;
    }
    const bool wanted = equals - at == 7 && HasWordAt(content_type, at, "charset");
    size_t end = equals + 1;
    std::string value;
    if (end < content_type.size() && content_type[end] == '"') {
      for (++end; end < content_type.size() && content_type[end] != '"'; ++end) {
        if (content_type[end] == '\\' && end + 1 < content_type.size()) ++end;
        if (wanted) value.push_back(content_type[end]);
      }
    } else if (wanted) {
      value = content_type.substr(end, content_type.find(';', end) - end);
    }
    if (wanted) return CharsetFromLabel(value);
    at = content_type.find(';', end);
  }
  return std::nullopt;
}

}  // namespace crawler
