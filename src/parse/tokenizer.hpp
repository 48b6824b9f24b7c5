#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "parse/attributes.hpp"
#include "parse/entities.hpp"
#include "parse/html_names.hpp"
#include "parse/scan.hpp"

namespace crawler {

/// How the tokenizer reads the text behind a start tag; named after the states of the standard.
enum class TextMode : std::uint8_t { kData, kRcdata, kRawtext, kScript, kPlaintext, kCdata };

/// A start or end tag. Views point into the input, or into the tokenizer until the next tag.
struct Tag {
  TagId id = TagId::kUnknown;
  bool self_closing = false;
  std::uint64_t name_hash = 0;      ///< Hash of the lower-cased name; tells unknown names apart.
  std::string_view raw_name;        ///< As in the source.
  std::string_view raw_attributes;  ///< From behind the name to the '>', which is included.
  KnownAttributes attributes;       ///< Only of start tags.
};

/// A document type declaration.
struct Doctype {
  std::string name, public_id, system_id;
  bool has_name = false, has_public_id = false, has_system_id = false;
  bool force_quirks = false;
};

/// Parses the part of `<!DOCTYPE …>` between the word and the '>', or the end of the input when
/// `ended` is false.
Doctype ParseDoctype(std::string_view raw, bool ended);

/// `raw` with ASCII letters in lower case and NUL as U+FFFD: the name of a tag or an attribute.
std::string NormalizedName(std::string_view raw);

/// Appends `raw` with CR and CRLF made LF, and NUL made U+FFFD if `replace_nul`.
void AppendNormalized(std::string_view raw, bool replace_nul, std::string* out);

/// The tokenizer of the HTML standard, over a whole document in UTF-8. There are no errors: any
/// bytes give tokens. Text comes in pieces whose boundaries may differ from the standard; the
/// joined text is the same. Takes time linear in the input and stores none of it.
///
/// A Handler has
///
///     static constexpr bool kWantsMarkup;   // Whether to call OnComment and OnDoctype.
///     TextMode OnStartTag(const Tag& tag);  // Says how to read what follows: kData for most.
///     bool WantsRawText();                  // Asked once when OnStartTag returned another mode.
///     void OnEndTag(const Tag& tag);
///     std::size_t EndSimply(std::uint64_t bytes);  // A quick way for most end tags. `bytes` are
///         // the 8 behind "</", the first one lowest. If they are the end tag of the innermost
///         // element, in lower case and without blanks, takes it in place of OnEndTag and returns
///         // the length of its name; otherwise 0, which is always right.
///     void OnText(std::string_view text);   // Decoded; a view into the input where possible.
///     bool InForeignContent();              // Whether <![CDATA[ opens a section here.
///     void OnComment(std::string_view data);
///     void OnDoctype(const Doctype& doctype);
///
/// Views passed to a Handler are valid during the call; views into the input as long as the input.
template <typename Handler>
class Tokenizer {
 public:
  Tokenizer(const Scanner& scanner, Handler* handler) : scanner_(scanner), handler_(*handler) {}

  /// Tokenizes `input`, beginning in `mode` behind a start tag named `last_tag`.
  void Run(std::string_view input, TextMode mode = TextMode::kData,
           std::string_view last_tag = {}) {
    const char* p = input.data();
    end_ = p + input.size();
    mode_ = mode;
    raw_tag_.assign(last_tag);
    while (p != end_) p = mode_ == TextMode::kData ? Data(p) : RawText(p);
  }

 private:
  static std::string_view View(const char* begin, const char* end) {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  }
  // All text but what Data() reads goes through here, so that OnText is inlined there alone.
  [[gnu::noinline]] void Emit(std::string_view text) {
    if (!text.empty()) handler_.OnText(text);
  }

  // Reads text and tags up to something else. The loop is here, and what it calls for every token
  // is inlined, so that the place in the input stays in a register.
  const char* Data(const char* p) {
    while (p != end_) {
      if (*p != '<') {  // Tags come in a row.
        const char* stop = scanner_.Find<ByteSet::kText>(p, end_);
        if (stop != p) handler_.OnText(View(p, stop));
        if (stop == end_ || *stop != '<') return Special(stop);
        p = stop;
      }
      if (end_ - p > 1 && IsLetter(p[1])) {
        p = StartTag(p + 1);
        if (mode_ != TextMode::kData) return p;
      } else if (end_ - p > 2 && p[1] == '/' && IsLetter(p[2])) {
        p = EndTag(p + 2);
      } else {
        return Markup(p);
      }
    }
    return p;
  }

  // Handles the byte that ends a run of text, if that is not '<'.
  [[gnu::noinline]] const char* Special(const char* p) {
    if (p == end_) return end_;
    return *p == '&' ? Reference(p) : LineFeed(p, end_);  // CR and CRLF are line feeds.
  }

  const char* Reference(const char* p) {
    const CharacterReference reference = ReadCharacterReference(View(p, end_), false);
    if (reference.length == 0) {
      Emit("&");
      return p + 1;
    }
    Emit(reference.view());
    return p + reference.length;
  }

  // A '<' that begins no tag.
  [[gnu::noinline]] const char* Markup(const char* less) {
    const char* p = less + 1;
    if (p == end_ || (*p == '/' && p + 1 == end_)) {
      Emit(View(less, end_));
      return end_;
    }
    if (*p == '/') return p[1] == '>' ? p + 2 : BogusComment(p + 1);
    if (*p == '!') return Declaration(p + 1);
    if (*p == '?') return BogusComment(p);
    Emit("<");
    return p;
  }

  // Both return the byte behind the '>', or the end of the input: a tag it cuts off is dropped.
  [[gnu::always_inline]] const char* StartTag(const char* name) {
    const char* p = ReadTagName(name);
    const char* attributes = p;
    tag_.attributes.Clear();
    if (p != end_ && *p != '>') {
      p = ReadAttributes(p);
    }
    if (p == nullptr || p == end_) return end_;
    tag_.raw_attributes = View(attributes, p + 1);
    const TextMode mode = handler_.OnStartTag(tag_);
    if (mode != TextMode::kData) {
      mode_ = mode;
      raw_tag_ = NormalizedName(tag_.raw_name);
    }
    return p + 1;
  }

  [[gnu::always_inline]] const char* EndTag(const char* name) {
    if (end_ - name >= 8) {
      const std::size_t size = handler_.EndSimply(tokenizer_internal::LoadLittleEndian(name));
      if (size != 0) return name + size + 1;
    }
    return OtherEndTag(name);
  }

  [[gnu::noinline]] const char* OtherEndTag(const char* name) {
    const char* p = ReadTagName(name);
    if (p != end_ && *p != '>') p = ReadAttributes(p);
    if (p == nullptr || p == end_) return end_;
    mode_ = TextMode::kData;
    handler_.OnEndTag(tag_);
    return p + 1;
  }

  [[gnu::always_inline]] const char* ReadTagName(const char* name) {
    NameKey key;
    const char* p = name;
    if (end_ - name >= 8) p += tokenizer_internal::ReadShortName(name, &key.low);
    if (p == name || (*p != '>' && *p != ' ')) {
      key = {};
      p = tokenizer_internal::ReadName<false>(name, end_, &key);
    }
    tag_.id = kTagTable.Find(key);
    tag_.name_hash = key.Hash();
    tag_.raw_name = View(name, p);
    tag_.self_closing = false;
    return p;
  }

  // All attributes of all tags: to ask whether anyone wants them would cost more than reading them.
  [[gnu::always_inline]] const char* ReadAttributes(const char* p) {
    return ParseAttributes(scanner_, p, end_, &tag_.self_closing,
                           [this](const NameKey& key, const Attribute& attribute) {
                             tag_.attributes.Add(key, attribute);
                           });
  }

  const char* Declaration(const char* p) {
    const std::string_view rest = View(p, end_);
    if (rest.starts_with("--")) return Comment(p + 2);
    if (rest.size() >= 7 && NormalizedName(rest.substr(0, 7)) == "doctype") {
      const char* close = scanner_.Find<ByteSet::kGreater>(p, end_);
      if constexpr (Handler::kWantsMarkup) {
        handler_.OnDoctype(ParseDoctype(View(p + 7, close), close != end_));
      }
      return close == end_ ? end_ : close + 1;
    }
    if (rest.starts_with("[CDATA[") && handler_.InForeignContent()) return Cdata(p + 7);
    return BogusComment(p);
  }

  // A comment ends at the first '>' behind "--" or "--!", or at once in "<!-->" and "<!--->".
  const char* Comment(const char* data) {
    const char* p = data;
    for (;; ++p) {
      p = scanner_.Find<ByteSet::kGreater>(p, end_);
      const std::string_view so_far = View(data, p);
      if (p == end_) {
        // Bytes that the standard holds back, in case the comment ends, are not part of it.
        std::size_t held = so_far.ends_with("--!") ? 3 : so_far.ends_with("--") ? 2 : 0;
        if (held == 0 && so_far.ends_with("-")) held = 1;
        EmitComment(so_far.substr(0, so_far.size() - held));
        return end_;
      }
      const std::size_t size = so_far.size();
      if (so_far.empty() || so_far == "-") {
        EmitComment({});
      } else if (so_far.ends_with("--")) {
        EmitComment(so_far.substr(0, size - 2));
      } else if (so_far.ends_with("--!")) {
        EmitComment(so_far.substr(0, size - 3));
      } else {
        continue;
      }
      return p + 1;
    }
  }

  const char* BogusComment(const char* data) {
    const char* close = scanner_.Find<ByteSet::kGreater>(data, end_);
    EmitComment(View(data, close));
    return close == end_ ? end_ : close + 1;
  }

  void EmitComment(std::string_view raw) {
    if constexpr (Handler::kWantsMarkup) {
      std::string data;
      AppendNormalized(raw, /*replace_nul=*/true, &data);
      handler_.OnComment(data);
    } else {
      static_cast<void>(raw);
    }
  }

  const char* Cdata(const char* data) {
    const char* p = data;
    for (;; ++p) {
      p = scanner_.Find<ByteSet::kGreater>(p, end_);
      if (p == end_) {
        EmitCdata(data, end_);
        return end_;
      }
      if (View(data, p).ends_with("]]")) {
        EmitCdata(data, p - 2);
        return p + 1;
      }
    }
  }

  void EmitCdata(const char* p, const char* stop) {
    while (p != stop) {
      const char* special = scanner_.Find<ByteSet::kRawtext>(p, stop);
      if (special != stop && *special == '\0') ++special;  // NUL stays.
      Emit(View(p, special));
      p = special == stop || *special != '\r' ? special : LineFeed(special, stop);
    }
  }

  const char* LineFeed(const char* carriage_return, const char* stop) {
    Emit("\n");
    const char* p = carriage_return + 1;
    return p != stop && *p == '\n' ? p + 1 : p;
  }

  // Reads text that ends at its element's end tag only; then that tag.
  const char* RawText(const char* p) {
    const char* stop = end_;
    switch (mode_) {
      case TextMode::kCdata:
        mode_ = TextMode::kData;
        return Cdata(p);
      case TextMode::kRcdata:
      case TextMode::kRawtext:
        stop = FindEndTag(p);
        break;
      case TextMode::kScript:
        stop = FindScriptEnd(p);
        break;
      case TextMode::kPlaintext:
      case TextMode::kData:
        break;
    }
    if (handler_.WantsRawText()) EmitRawText(p, stop);
    return stop == end_ ? end_ : OtherEndTag(stop + 2);
  }

  void EmitRawText(const char* p, const char* stop) {
    const bool references = mode_ == TextMode::kRcdata;
    while (p != stop) {
      const char* special = references ? scanner_.Find<ByteSet::kRcdata>(p, stop)
                                       : scanner_.Find<ByteSet::kRawtext>(p, stop);
      Emit(View(p, special));
      p = special;
      if (p == stop) return;
      if (*p == '\r') {
        p = LineFeed(p, stop);
      } else if (*p == '&') {
        p = Reference(p);
      } else {
        Emit("\xEF\xBF\xBD");
        ++p;
      }
    }
  }

  // Whether `</` and the name of the element being read stand at `less`.
  bool IsEndTagAt(const char* less) const {
    return !raw_tag_.empty() && end_ - less > 2 && less[1] == '/' && NameAt(less + 2, raw_tag_);
  }
  // Whether `name` (lower case) stands at `p` and ends there.
  bool NameAt(const char* p, std::string_view name) const {
    if (static_cast<std::size_t>(end_ - p) <= name.size()) return false;
    for (const char c : name) {
      if (tokenizer_internal::kNameByte[static_cast<unsigned char>(*p++)] !=
          static_cast<unsigned char>(c)) {
        return false;
      }
    }
    return IsSpace(*p) || *p == '/' || *p == '>';
  }

  const char* FindEndTag(const char* p) const {
    for (;; ++p) {
      p = scanner_.Find<ByteSet::kLess>(p, end_);
      if (p == end_ || IsEndTagAt(p)) return p;
    }
  }

  // Scripts may hold "<!-- … -->", and inside that "<script>…</script>", which ends nothing.
  const char* FindScriptEnd(const char* p) const {
    enum { kPlain, kEscaped, kDoubleEscaped } state = kPlain;
    const char* dashes = nullptr;  // Where the dashes of "-->" may begin at the earliest.
    for (;; ++p) {
      p = state == kPlain ? scanner_.Find<ByteSet::kLess>(p, end_)
                          : scanner_.Find<ByteSet::kAngles>(p, end_);
      if (p == end_) return end_;
      if (*p == '>') {
        if (p - dashes >= 2 && p[-1] == '-' && p[-2] == '-') state = kPlain;
      } else if (state == kDoubleEscaped) {
        if (end_ - p > 2 && p[1] == '/' && NameAt(p + 2, "script")) state = kEscaped;
      } else if (IsEndTagAt(p)) {
        return p;
      } else if (state == kEscaped) {
        if (NameAt(p + 1, "script")) state = kDoubleEscaped;
      } else if (View(p, end_).starts_with("<!--")) {
        state = kEscaped;
        dashes = p + 2;
        p += 3;
      }
    }
  }

  const Scanner& scanner_;
  Handler& handler_;
  const char* end_ = nullptr;
  TextMode mode_ = TextMode::kData;
  std::string raw_tag_;  // The element whose end tag ends the raw text.
  Tag tag_;
};

}  // namespace crawler
