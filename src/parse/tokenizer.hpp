#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "parse/entities.hpp"
#include "parse/html_names.hpp"
#include "parse/scan.hpp"

namespace crawler {

/// What the tokenizer reads the text behind a start tag as; the names of the standard's states.
enum class TextMode : std::uint8_t { kData, kRcdata, kRawtext, kScript, kPlaintext, kCdata };

/// One attribute as it stands in the source.
struct Attribute {
  std::string_view raw_name;
  std::string_view raw_value;
  bool plain_value;  ///< The value holds nothing to decode: raw_value is it.
};

/// The known attributes of one start tag. The first of several with one name counts.
class KnownAttributes {
 public:
  bool Has(AttrId id) const { return (present_ >> static_cast<unsigned>(id)) & 1; }
  /// Requires: Has(id).
  const Attribute& Get(AttrId id) const { return slots_[static_cast<std::size_t>(id)]; }
  void Clear() { present_ = 0; }

  void Add(const NameKey& key, const Attribute& attribute) {
    const AttrId id = kAttrTable.Find(key);
    if (id == AttrId::kUnknown || Has(id)) return;
    present_ |= std::uint64_t{1} << static_cast<unsigned>(id);
    slots_[static_cast<std::size_t>(id)] = attribute;
  }

 private:
  static_assert(kAttrCount <= 64);
  std::uint64_t present_ = 0;
  std::array<Attribute, kAttrCount> slots_;
};

/// A start or end tag. Views point into the input, or into the tokenizer until the next tag.
struct Tag {
  TagId id = TagId::kUnknown;
  bool self_closing = false;
  std::uint64_t name_hash = 0;      ///< Of the lower-cased name; tells unknown names apart.
  std::string_view raw_name;        ///< As in the source.
  std::string_view raw_attributes;  ///< From behind the name to the '>', which is included.
  KnownAttributes attributes;       ///< Filled for start tags whose attributes are wanted.
};

/// A document type declaration.
struct Doctype {
  std::string name, public_id, system_id;
  bool has_name = false, has_public_id = false, has_system_id = false;
  bool force_quirks = false;
};

/// Reads the inside of `<!DOCTYPE …>`: what stands between the word and the '>', or the end of the
/// input when `ended` is false.
Doctype ParseDoctype(std::string_view raw, bool ended);

/// `raw` with ASCII letters in lower case and NUL as U+FFFD: the name of a tag or an attribute.
std::string NormalizedName(std::string_view raw);

/// Appends `raw` with CR and CRLF made LF, and NUL made U+FFFD if `replace_nul`.
void AppendNormalized(std::string_view raw, bool replace_nul, std::string* out);

namespace tokenizer_internal {

// The byte in lower case if it continues a tag name, else 0. NUL continues one but is 0 too.
inline constexpr auto kNameByte = [] {
  std::array<unsigned char, 256> table{};
  for (int c = 1; c < 256; ++c) {
    const bool ends =
        c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == ' ' || c == '/' || c == '>';
    table[c] = static_cast<unsigned char>(ends ? 0 : (c >= 'A' && c <= 'Z') ? c + 32 : c);
  }
  return table;
}();

inline bool IsSpace(char c) {
  constexpr std::uint64_t kSpaces =
      1ull << ' ' | 1ull << '\n' | 1ull << '\t' | 1ull << '\r' | 1ull << '\f';
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' && ((kSpaces >> byte) & 1) != 0;
}
inline bool IsAsciiAlpha(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

// Reads a name at `p` (not empty) up to a byte that ends it; '=' ends names of attributes only.
template <bool kIsAttribute>
const char* ReadNameSlowly(const char* p, const char* end, NameKey* key) {
  std::size_t length = 0;
  for (; p != end; ++p, ++length) {
    const unsigned char byte = kNameByte[static_cast<unsigned char>(*p)];
    if (byte == 0) {
      if (*p != '\0') break;
      key->Add(length, 0xFF);  // No byte of UTF-8: such a name is none of the known ones.
      continue;
    }
    if (kIsAttribute && byte == '=' && length != 0) break;
    key->Add(length, byte);
  }
  return p;
}

#if defined(CRAWLER_SCAN_X86)
// 16 bytes from kKeepBytes + 16 - n keep the first n of 16.
alignas(32) inline constexpr auto kKeepBytes = [] {
  std::array<unsigned char, 32> mask{};
  for (std::size_t i = 0; i < 16; ++i) mask[i] = 0xFF;
  return mask;
}();

// The same without a branch for each byte. Null for names that are not ordinary and short.
template <bool kIsAttribute>
const char* ReadNameAtOnce(const char* p, NameKey* key) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i space = _mm_set1_epi8(' ');
  __m128i ends = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
  ends = _mm_or_si128(ends, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
  ends = _mm_or_si128(ends, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('>')));
  if constexpr (kIsAttribute) {
    ends = _mm_or_si128(ends, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('=')));
  }
  const unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(ends));
  const unsigned length = static_cast<unsigned>(__builtin_ctz(mask | 0x10000));
  // Too long, begins with '=', or holds a control character that does not end it.
  if (length == 16 || length == 0) return nullptr;
  if (static_cast<unsigned char>(p[length]) < ' ' && !IsSpace(p[length])) return nullptr;
  const __m128i upper = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('A' - 1)),
                                      _mm_cmplt_epi8(bytes, _mm_set1_epi8('Z' + 1)));
  const __m128i lower = _mm_or_si128(bytes, _mm_and_si128(upper, space));
  const __m128i name = _mm_and_si128(
      lower, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kKeepBytes.data() + 16 - length)));
  key->low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(name));
  key->high = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(name, name)));
  return p + length;
}
#endif

template <bool kIsAttribute>
const char* ReadName(const Scanner& scanner, const char* p, const char* end, NameKey* key) {
#if defined(CRAWLER_SCAN_X86)
  if (end - p >= 16 && scanner.isa() != Isa::kPortable) {
    const char* stop = ReadNameAtOnce<kIsAttribute>(p, key);
    if (stop != nullptr) return stop;
  }
#else
  static_cast<void>(scanner);
#endif
  return ReadNameSlowly<kIsAttribute>(p, end, key);
}

// Finds the end of an attribute value that begins at `p`, behind its opening quote if it has one.
template <ByteSet kSet, char kQuote>
const char* FindQuote(const Scanner& scanner, const char* p, const char* end, bool* plain) {
  const char* stop = scanner.Find<kSet>(p, end);
  if (stop == end || *stop == kQuote) return stop;
  *plain = false;
  const void* quote = std::memchr(stop, kQuote, static_cast<std::size_t>(end - stop));
  return quote == nullptr ? end : static_cast<const char*>(quote);
}

inline const char* FindUnquotedEnd(const char* p, const char* end, bool* plain) {
  for (; p != end && !IsSpace(*p) && *p != '>'; ++p) {
    if (*p == '&' || *p == '\0') *plain = false;
  }
  return p;
}

}  // namespace tokenizer_internal

/// Reads the attributes of a tag from behind its name and calls `sink(key, attribute)` for each, in
/// order, duplicates included. Returns the tag's '>', or null when the input ends inside the tag.
template <typename Sink>
const char* ParseAttributes(const Scanner& scanner, const char* p, const char* end,
                            bool* self_closing, Sink&& sink) {
  using namespace tokenizer_internal;
  for (;;) {
    while (p != end && (IsSpace(*p) || *p == '/')) {
      if (*p == '/' && p + 1 != end && p[1] == '>') {
        *self_closing = true;
        return p + 1;
      }
      ++p;
    }
    if (p == end) return nullptr;
    if (*p == '>') return p;

    NameKey key;
    const char* name = p;
    p = ReadName<true>(scanner, p, end, &key);
    Attribute attribute{std::string_view(name, static_cast<std::size_t>(p - name)), {}, true};
    while (p != end && IsSpace(*p)) ++p;
    if (p == end) return nullptr;
    if (*p == '=') {
      ++p;
      while (p != end && IsSpace(*p)) ++p;
      if (p == end) return nullptr;
      const char* value = p;
      if (*p == '"') {
        p = FindQuote<ByteSet::kDoubleQuoted, '"'>(scanner, ++value, end, &attribute.plain_value);
      } else if (*p == '\'') {
        p = FindQuote<ByteSet::kSingleQuoted, '\''>(scanner, ++value, end, &attribute.plain_value);
      } else {
        p = FindUnquotedEnd(p, end, &attribute.plain_value);
      }
      if (p == end) return nullptr;
      attribute.raw_value = std::string_view(value, static_cast<std::size_t>(p - value));
      if (*p == '"' || *p == '\'') ++p;  // An unquoted value cannot end at one.
    }
    sink(key, attribute);
  }
}

/// The tokenizer of the HTML standard, over a whole document in UTF-8. There are no errors: any
/// bytes give tokens. Text comes in pieces that need not end where the standard's would; the
/// pieces together are the same. Takes time linear in the input and keeps nothing of it.
///
/// A Handler has
///
///     static constexpr bool kWantsMarkup;   // Whether to call OnComment and OnDoctype.
///     bool WantsAttributes(TagId id);       // Whether to fill Tag::attributes.
///     TextMode OnStartTag(const Tag& tag);  // Says how to read what follows: kData for most.
///     bool WantsRawText();                  // Asked once when OnStartTag returned another mode.
///     void OnEndTag(const Tag& tag);
///     void OnText(std::string_view text);   // Decoded; a view into the input where possible.
///     bool InForeignContent();              // Whether <![CDATA[ opens a section here.
///     void OnComment(std::string_view data);
///     void OnDoctype(const Doctype& doctype);
///
/// Views given to it are good until it returns, those into the input as long as that.
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
  void Text(const char* begin, const char* end) {
    if (begin != end) handler_.OnText(View(begin, end));
  }

  const char* Data(const char* p) {
    if (*p == '<') return Markup(p);  // Tags come in a row.
    const char* stop = scanner_.Find<ByteSet::kText>(p, end_);
    Text(p, stop);
    if (stop == end_) return end_;
    if (*stop == '<') return Markup(stop);
    if (*stop == '&') return Reference(stop);
    handler_.OnText("\n");  // CR and CRLF are line feeds.
    ++stop;
    return stop != end_ && *stop == '\n' ? stop + 1 : stop;
  }

  const char* Reference(const char* p) {
    const CharacterReference reference = ReadCharacterReference(View(p, end_), false);
    if (reference.length == 0) {
      handler_.OnText("&");
      return p + 1;
    }
    handler_.OnText(reference.view());
    return p + reference.length;
  }

  const char* Markup(const char* less) {
    using tokenizer_internal::IsAsciiAlpha;
    const char* p = less + 1;
    if (p == end_) {
      Text(less, end_);
      return end_;
    }
    if (IsAsciiAlpha(*p)) return StartTag(p);
    if (*p == '/') {
      if (++p == end_) {
        Text(less, end_);
        return end_;
      }
      if (IsAsciiAlpha(*p)) return EndTag(p);
      return *p == '>' ? p + 1 : BogusComment(p);
    }
    if (*p == '!') return Declaration(p + 1);
    if (*p == '?') return BogusComment(p);
    handler_.OnText("<");
    return p;
  }

  // Both return the byte behind the '>', or the end of the input: a tag it cuts off is dropped.
  const char* StartTag(const char* name) {
    NameKey key;
    const char* p = ReadTagName(name, &key);
    const char* attributes = p;
    tag_.attributes.Clear();
    if (p != end_ && *p != '>') {
      if (handler_.WantsAttributes(tag_.id)) {
        p = ParseAttributes(scanner_, p, end_, &tag_.self_closing,
                            [this](const NameKey& attribute_key, const Attribute& attribute) {
                              tag_.attributes.Add(attribute_key, attribute);
                            });
      } else {
        p = SkipAttributes(p);
      }
    }
    if (p == nullptr || p == end_) return end_;
    tag_.raw_attributes = View(attributes, p + 1);
    mode_ = handler_.OnStartTag(tag_);
    if (mode_ != TextMode::kData) raw_tag_ = NormalizedName(tag_.raw_name);
    return p + 1;
  }

  const char* EndTag(const char* name) {
    NameKey key;
    const char* p = ReadTagName(name, &key);
    if (p != end_ && *p != '>') p = SkipAttributes(p);
    if (p == nullptr || p == end_) return end_;
    mode_ = TextMode::kData;
    handler_.OnEndTag(tag_);
    return p + 1;
  }

  const char* ReadTagName(const char* name, NameKey* key) {
    const char* p = tokenizer_internal::ReadName<false>(scanner_, name, end_, key);
    tag_.id = kTagTable.Find(*key);
    tag_.name_hash = key->Hash();
    tag_.raw_name = View(name, p);
    tag_.self_closing = false;
    return p;
  }

  const char* SkipAttributes(const char* p) {
    return ParseAttributes(scanner_, p, end_, &tag_.self_closing,
                           [](const NameKey&, const Attribute&) {});
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
        // What the standard holds back in case the comment ends is not part of it.
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
      Text(p, special);
      p = special == stop || *special != '\r' ? special : LineFeed(special, stop);
    }
  }

  const char* LineFeed(const char* carriage_return, const char* stop) {
    handler_.OnText("\n");
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
    return stop == end_ ? end_ : EndTag(stop + 2);
  }

  void EmitRawText(const char* p, const char* stop) {
    const bool references = mode_ == TextMode::kRcdata;
    while (p != stop) {
      const char* special = references ? scanner_.Find<ByteSet::kRcdata>(p, stop)
                                       : scanner_.Find<ByteSet::kRawtext>(p, stop);
      Text(p, special);
      p = special;
      if (p == stop) return;
      if (*p == '\r') {
        p = LineFeed(p, stop);
      } else if (*p == '&') {
        p = Reference(p);
      } else {
        handler_.OnText("\xEF\xBF\xBD");
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
    return tokenizer_internal::IsSpace(*p) || *p == '/' || *p == '>';
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
